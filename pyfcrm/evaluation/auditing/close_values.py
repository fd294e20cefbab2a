"""How close released values are to originals: by attribute, by ratio, of whole records, of the largest units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ...types import Array, Index, Mask, Rows
from .attacks import log_ratios
from .predictor_regression import rare

CLOSE = 0.01  # quantile of the distances under permutation below which two values are close
EXACT = 1e-4  # of that quantile: all closer distances count alike
PILOT = 20_000  # records under permutation by which close distances are set
RATIO_DIGITS = 9  # decimals of the log of a ratio by which ratios are equal
EQUAL_RATIO = 1e-3  # difference of log ratios below which those of attributes with both signs are close: near 0 they vary too much
LARGEST = 0.01  # share of the largest units
FEWEST_LARGEST = 5  # of these units, at least
WITHIN = 0.02  # relative distance below which values of the largest units are close
WITHIN_EXACT = 0.01  # of that distance: all closer values count alike
TINY = 1e-300  # in place of an original value of 0, which has no relative distance


@dataclass(frozen=True)
class Closeness:
    """How close released values are to originals, by attribute, by ratio, of whole records, of the largest units."""

    statistics: Array
    """(1 + k, m) statistics: of the records as they are, then under k permutations."""
    excess: Array
    """(m,) the share of the values of each statistic that are close, less the mean share under permutation."""


def moved_values(Z: Array, counted: Array, scores: Array, typical: Array) -> Callable[[Rows], Array]:
    """Values that a permuted released record would have with the predictors of the record in whose place it is: a function.

    Record p stands in the place of record i. Its normal score s_p becomes s_p + m_i - m_p, where m is what the predictors
    make of a score; the value is the quantile of the column at this score. Values do not move into a point mass, so that as
    many count as without permutation.

    Z (n, t); counted (n, t) : NaN for those that do not count; scores (n, t) : normal scores of Z; typical (n, t) : m.
    The function takes the record (n,) in each place, and returns moved values (t, n).
    """
    ordered = np.sort(Z.T, axis=1)  # (t, n), NaN last
    known = (~np.isnan(ordered)).sum(axis=1)[:, None]  # (t, 1)
    ordered = np.where([rare(z) for z in ordered], ordered, np.nan)
    # The function is called for each permutation: rows in one piece of memory.
    unmoved = np.ascontiguousarray(counted.T)
    S = np.ascontiguousarray(np.nan_to_num(scores).T)
    fitted = np.ascontiguousarray(typical.T)

    def at(places: Rows) -> Array:
        """Moved values (t, n)."""
        shares = ndtr(S[:, places] + fitted - fitted[:, places])
        rank = np.minimum((shares * known).astype(np.intp), known - 1)
        moved = np.take_along_axis(ordered, rank, axis=1)
        values = unmoved[:, places]
        return np.where(np.isnan(values) | np.isnan(moved), values, moved)

    return at


def closeness(Y: Array, moved: Callable[[Rows], Array], pairs: Index, places: Rows) -> Closeness:
    """How close released values, permuted by places (1 + k, n), are to originals Y (n, t): m = 2 t + r + 3 statistics.

    By attribute, by ratio, of whole records twice, of the largest units in all attributes, then by attribute. Two values
    are close below a small quantile of their distances in the first permutations. pairs (2, r) : attributes with a ratio.
    """
    n, t = Y.shape
    compared = _with_ratios(Y.T, pairs)
    counted = [rare(a) for a in compared[:t]]
    counted += [rare(np.round(a, RATIO_DIGITS)) for a in compared[t:]]
    A = np.where(counted, compared, np.nan)
    units = _largest(Y)

    def distances(row: Rows) -> Array:
        """(t + r, n) absolute differences; NaN for those that do not count."""
        return np.asarray(np.abs(_with_ratios(moved(row), pairs) - A))

    pilot = np.hstack([distances(row) for row in places[1 : 2 + PILOT // n]])
    limits = np.array([_close(d[~np.isnan(d)]) for d in pilot])[:, None]  # (t + r, 1)
    signed = changes_sign(Y)
    of_signed = np.flatnonzero(signed[pairs].any(axis=0))
    limits[t + of_signed] = np.minimum(limits[t + of_signed], EQUAL_RATIO)

    known = np.maximum((~np.isnan(A)).sum(axis=1), 1)  # (t + r,) values that count
    known_of_largest = np.maximum((~np.isnan(A[:t, units])).sum(axis=1), 1)  # (t,)

    def statistics(d: Array) -> tuple[Array, Array]:
        """(m,) the statistics of distances d (t + r, n), and (m,) the shares of close values.

        A distance d below its limit l scores log(l / (d + l EXACT)), others 0: the closer, the more, up to log(1 / EXACT).
        """
        near = d < limits
        close = np.zeros(d.shape)
        limit = np.broadcast_to(limits, d.shape)[near]
        close[near] = np.log(limit / (d[near] + EXACT * limit))
        of_record = close[:t].sum(axis=0)
        of_closest = np.log1p(of_record.max())
        of_all = (of_record**2).sum()
        # The largest units by the relative distance, with WITHIN as the limit.
        relative = d[:t, units] / np.maximum(np.abs(A[:t, units]), TINY)
        score = np.log(WITHIN / (relative + WITHIN_EXACT * WITHIN))
        largest = np.nan_to_num(score).clip(0.0).sum(axis=1)
        values = np.array([*close.sum(axis=1), of_closest, of_all, largest.sum(), *largest])

        hits = near.sum(axis=1)
        of_cells = hits[:t].sum() / known[:t].sum()
        hits_of_largest = (relative < WITHIN).sum(axis=1)
        of_largest_cells = hits_of_largest.sum() / known_of_largest.sum()
        shares = np.array([*hits / known, of_cells, of_cells, of_largest_cells, *hits_of_largest / known_of_largest])
        return values, shares

    found = [statistics(distances(row)) for row in places]
    shares = np.array([shares for _, shares in found])
    return Closeness(statistics=np.array([values for values, _ in found]), excess=shares[0] - shares[1:].mean(axis=0))


def changes_sign(Y: Array) -> Mask:
    """(t,) whether an attribute of Y (n, t) has values of both signs."""
    return np.asarray(np.any(Y < 0, axis=0) & np.any(Y > 0, axis=0))


def _largest(Y: Array) -> Rows:
    """The records furthest from the median in an attribute of Y (n, t), in standard deviations."""
    import pandas as pd

    table = pd.DataFrame(Y)  # whose median and standard deviation leave out missing values
    deviations = np.nan_to_num(np.abs(table - table.median()) / table.std())
    furthest_first = np.argsort(-deviations.max(axis=1), kind="stable")
    count = max(FEWEST_LARGEST, int(LARGEST * len(Y)))
    return furthest_first[:count]


def _close(distances: Array) -> float:
    """The distance below which two values are close: at least the smallest one above 0."""
    if not distances.any():
        return 0.0
    return float(max(np.quantile(distances, CLOSE), distances[distances > 0].min()))


def _with_ratios(A: Array, pairs: Index) -> Array:
    """(t + r, n) attributes A (t, n), then their log ratios by pair."""
    return np.vstack([A, log_ratios(A, pairs)])
