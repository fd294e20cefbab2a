"""Standardised columns, and which original finds its own record among its nearest protected ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import worth
from ..engine import Engine

Array = NDArray[np.float64]

# Relative: two distances (or two weights) closer than this are a tie.
TIE = 1e-12
# Relative: a column whose range is this small beside its values is constant, its range being rounding.
CONSTANT = 1e-14
# Pairs held at a time; 2 MB of float64 stays in cache.
PAIRS_AT_ONCE = 1 << 18
A_DIFFERENCE = 1e-8  # seconds that numpy takes over a difference of two values, about


@dataclass(frozen=True)
class Location:
    """Where each column lies and how far it spreads, in its own units.

    The mean is origin + offset; they are kept apart because their sum can lose the offset's digits.
    origin (p,) the smallest value; offset (p,) mean less origin; sd (p,), 0 for a constant column.
    """

    origin: Array
    offset: Array
    sd: Array


def location(A: Array, ddof: int = 1) -> Location:
    """Mean and standard deviation of each column, safe for huge, tiny and nearly constant values.

    A : (n, p) finite, n >= 1.  ddof : the sd divides by n - ddof.
    Returns a Location; a column that is constant up to rounding, or has one record, has sd 0.
    """
    low, high = A.min(axis=0), A.max(axis=0)
    varies = high - low > CONSTANT * np.maximum(np.abs(low), np.abs(high))
    # A power of two, so that scaling rounds nothing and squares cannot overflow.
    unit = np.where(varies, np.ldexp(1.0, np.frexp(high - low)[1]), 1.0)
    C = np.where(varies, (A - low) / unit, 0.0)
    offset = C.mean(axis=0)
    C -= offset
    sd = np.sqrt((C * C).sum(axis=0) / max(len(A) - ddof, 1))
    return Location(low, offset * unit, sd * unit)


def scores(A: Array, where: Location) -> Array:
    """(A - mean) / sd by column, (n, p); a column of sd 0 gives zeros."""
    varies = where.sd > 0
    return np.where(varies, ((A - where.origin) - where.offset) / np.where(varies, where.sd, 1.0), 0.0)


def standardise(A: Array) -> Array:
    """Each column less its own mean, over its own sd (n - 1); zeros for a constant column.

    A : (n, p) in the data's units.  Returns (n, p), in sd.
    Source: thesis 2.4.2; MEASURES, DBRL.
    """
    return scores(A, location(A))


def nearest_share(X: Array, Z: Array, own: NDArray[np.intp] | None = None, *, engine: Engine | None = None) -> Array:
    """What each original earns towards the share of correct links by distance.

    X : (n, p) originals and Z : (N, p) protected records, already in the units distances are taken in.
    own : (n,) position in Z of each original's own record; None pairs by position.
    engine : of this machine, whose threads long files take; None is Local().
    Returns (n,): 1/t where own is among the t protected records at the smallest Euclidean distance
    (distances equal to 1e-12 relative are ties), else 0. Long files take compiled code with the same result.
    Source: thesis 2.4.2, algorithm 1; ties shared, so that the order of a file earns nothing.
    """
    own = np.arange(len(X)) if own is None else own
    if not worth_compiling("linkage/scan_kernels", X.size * len(Z)):
        return all_pairs_share(X, Z, own)
    from .nearest import decided_share

    return decided_share(X, Z, own, engine)


def all_pairs_share(X: Array, Z: Array, own: NDArray[np.intp]) -> Array:
    """nearest_share by all n N distances, in a few megabytes: for short files, and the compiled code's plain twin."""
    share = np.zeros(len(X))
    for rows in row_blocks(len(X), len(Z)):
        d = _distances(X[rows], Z)
        nearest = d <= d.min(axis=1, keepdims=True) * (1 + TIE)
        hit = nearest[np.arange(len(d)), own[rows]]
        share[rows] = hit / nearest.sum(axis=1)
    return share


def worth_compiling(kernels: str, differences: int) -> bool:
    """Whether so many differences of two values are for these kernels; the results are the same either way."""
    return worth.compiled(kernels, A_DIFFERENCE * differences)


def row_blocks(n: int, N: int) -> Iterator[slice]:
    """Slices of range(n), so that a slice against N records stays near PAIRS_AT_ONCE pairs."""
    step = max(1, PAIRS_AT_ONCE // max(N, 1))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _distances(X: Array, Z: Array) -> Array:
    # Explicit differences: |x|^2 + |z|^2 - 2 x'z loses the small distances that decide.
    total = np.zeros((len(X), len(Z)))
    for x, z in zip(X.T, Z.T, strict=True):
        difference = x[:, None] - z
        difference *= difference
        total += difference
    return np.sqrt(total, out=total)
