"""Which columns explain the others best by correlation, chosen one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SAMPLE = 20_000  # records, evenly spaced, that correlations are taken of
FEWEST = 3  # records without which there is no correlation to speak of
DETERMINED = 1e-6  # share of variance left unexplained below which a column counts as a sum of others


def correlations(values: Array) -> Array:
    """(p, p) correlations of the columns of values (n, p), NaN for missing; 0 for a column that does not vary.

    Of the complete records where there are at least twice as many as columns; else a missing value stands at its
    column's mean.
    """
    complete = np.isfinite(values).all(axis=1)
    if complete.sum() >= max(FEWEST, 2 * values.shape[1]) or complete.all():
        values = values[complete]
    Z = np.where(np.isfinite(values), values, np.nan)
    if len(Z) < FEWEST:
        return np.eye(values.shape[1])
    known = np.maximum(np.isfinite(Z).sum(axis=0), 1)
    size = np.nanmax(np.abs(Z), axis=0, initial=0.0)
    Z = Z / np.where(size > 0, size, 1.0)  # squares of large and of small numbers must stay in range
    Z = np.nan_to_num(Z - np.nansum(Z, axis=0) / known)
    length = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    moves = length > 1e-12 * np.sqrt(len(Z))
    Z = np.where(moves, Z / np.where(moves, length, 1.0), 0.0)
    R: Array = Z.T @ Z
    np.fill_diagonal(R, 1.0)
    return R


def sampled_rows(records: int) -> NDArray[np.intp]:
    """At most SAMPLE row numbers, evenly spaced, so that a sorted file is not known by its top alone."""
    if records <= SAMPLE:
        return np.arange(records)
    return np.linspace(0, records - 1, SAMPLE).astype(np.intp)


def explaining(R: Array, may: Mask, most: int, accept: Callable[[int], bool] = lambda j: True) -> list[int]:
    """At most `most` columns that between them explain the others best, in the order of choice.

    R : (p, p) correlations; may : (p,) which columns may be chosen; accept : asked last of a column, once.
    Each step sweeps the chosen column out of R (a step of the pivoted Cholesky decomposition): S is what R's columns
    keep when the chosen ones are regressed out, and column j would explain sum_k S_kj^2 / S_jj more of the others'
    variances. A step takes p^2 operations. Columns that together determine another one, as parts do their sum, are not
    chosen: protecting that other one could not hide it.
    """
    S, open_ = R.copy(), may.copy()
    chosen: list[int] = []
    while len(chosen) < most and open_.any():
        left = np.ones(len(R), dtype=bool)
        left[chosen] = False
        pivot = np.maximum(np.diag(S), DETERMINED)
        squares = S**2 / pivot  # column j over its own pivot
        unexplained = np.diag(S)[:, None] - squares
        np.fill_diagonal(unexplained, np.inf)
        open_ &= left & (unexplained[left].min(axis=0, initial=np.inf) > DETERMINED)
        np.fill_diagonal(squares, 0.0)
        j = _first_accepted(squares[left].sum(axis=0), open_, accept)
        if j is None:
            break
        chosen.append(j)
        S = S - np.outer(S[:, j], S[j]) / pivot[j]
    return chosen


def _first_accepted(gains: Array, open_: Mask, accept: Callable[[int], bool]) -> int | None:
    """The open column of the largest gain that is accepted; those refused are closed."""
    for j in sorted(np.flatnonzero(open_).tolist(), key=lambda j: -gains[j]):
        open_[j] = False
        if accept(j):
            return int(j)
    return None


def explaining_columns(values: Array, names: Sequence[str]) -> list[str]:
    """A quarter of the columns, rounded up, that between them explain the others best; values (n, p), NaN for missing."""
    if len(names) < 2:
        return []
    chosen = explaining(correlations(values), np.ones(len(names), dtype=bool), -(-len(names) // 4))
    return [names[j] for j in sorted(chosen)]
