"""Own-record dependence: whether released rows resemble their own original rows more than those of records near in X.

Given X, a release that does not use the record's own values is exchangeable among records with the same X. Released rows
are permuted within blocks of near records, and every statistic is compared with its values under permutation. What X
explains within a block is taken off first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from ...methods.relations import relations_of
from ...numerics.design import design
from ...numerics.location import standardise
from ...numerics.sorting import normal_scores
from ...rstream import RStream
from ...types import Array, Codes, Index, Mask, Rows
from ..risk.reference_releases import spread
from .attacks import attribute_pairs, log_ratios, occurrences

PERMUTATIONS = 199
BLOCK = 12  # records of a block at most; 6 at least, where there are as many
PER_REGRESSOR, PER_REGRESSOR_MOVED = 4, 12  # records for each regressor of the flexible regressions
REGRESSORS = 300
STEPS = (0.25, 0.5, 0.75)  # quantiles at which the regression may jump
WIDTHS = (0.2, 0.4, 0.8)  # of the kernels, in median distances
COMMON = 0.01  # share of the records above which a value is a point mass
CLOSE = 0.01  # quantile of the distances under permutation below which two values are close
EXACT = 1e-4  # of that quantile: all closer distances count alike
PILOT = 20_000  # records under permutation by which close distances are set
NEARLY = 0.25  # of the spread of values for given predictors: closer to what these say, a value is determined by them
HUBER_STEPS, FAR = 20, 2.0  # and median residuals beyond which one is far
PEAK = 0.35  # share of an attribute's values that are so near, from which they do not count; 0.2 where they are normal
PLANES = 2  # one after the other, on the values that the first does not predict
FITTED = 2_000  # records of a regression, about
DECADES = (1.0, 0.1, 0.01, 0.001)  # of a standard deviation: scales of digits
WIDE = 3.0  # scales of digits that values spread given the predictors
LARGEST, FEWEST_LARGEST, WITHIN = 0.01, 5, 0.02  # share of the largest units, their least number, relative distance
Feature = tuple[tuple[str, str], Array, Array]
"""A column (n,) of originals and of releases whose covariance given the predictors is a statistic, with its attribute and kind."""
ALL, NAMED = "all attributes", 0.8
Statistics = dict[tuple[str, str], Array]
"""By attribute (or attack) and kind, the values (1 + k,) of a statistic: as it is, then under k permutations."""


def standardised(values: Array) -> Array:
    """Values (1 + k,) less their mean, in their standard deviation; zeros if they do not vary."""
    sd = values.std()
    floor = 1e-9 * np.abs(values).max(initial=0.0)
    return np.asarray((values - values.mean()) / sd) if sd > floor else np.zeros(len(values))


def adjusted_p_values(statistics: Statistics) -> Array:
    """Family-wise p-values (m,): the share of permutations in which the largest standardised statistic reaches each.

    Source: Westfall and Young (1993), single-step.
    """
    z = np.column_stack([standardised(values) for values in statistics.values()])
    return np.asarray((z.max(axis=1)[:, None] >= z[0] - 1e-12).mean(axis=0))


def significance(attribute: str, values: Array) -> float:
    """The standardised statistic, by which one of an attribute comes before a similar one of all attributes."""
    return float(standardised(values)[0]) * (NAMED if attribute == ALL else 1.0)


def word_of(kind: str) -> str:
    """A kind of statistic in words: "digits" of "digits of 2"."""
    return kind.partition(" of ")[0]


@dataclass(frozen=True)
class Conditional:
    """A flexible regression on the predictors, and blocks of records that are near in them."""

    basis: Array
    """(n, p) orthonormal columns of the regression."""
    moving: Array
    """(n, q) those of a regression with fewer regressors, by which values are moved: its errors make moved values less close."""
    block: Codes
    """(n,) the block of each record, in ascending order."""
    unit: Codes
    """(n,) the unit of each record; records of a unit move together."""
    X: Array
    """(n, s) the predictors."""

    @classmethod
    def of(
        cls, X: Array, stream: RStream, stratum: Codes | None = None, unit: Codes | None = None
    ) -> tuple[Rows, Conditional]:
        """The regression on predictors X (n, s) without gaps, and the order of the records in it.

        stratum (n,) : None for one; unit (n,) : codes from 0, None where each record is a unit. Draws: a permutation of the
        units.
        """
        n = len(X)
        S = normal_scores(X)
        unit = np.arange(n) if unit is None else unit
        stratum = np.zeros(n, dtype=np.int64) if stratum is None else stratum
        block, shuffled = _blocks(S, stratum, unit, stream.sample_int(int(unit.max()) + 1) - 1)
        order = np.argsort(block, kind="stable")
        basis = _basis(X, S, shuffled, min(REGRESSORS, n // PER_REGRESSOR))[order]
        moving = _basis(X, S, shuffled, min(REGRESSORS, n // PER_REGRESSOR_MOVED))[order]
        return order, cls(basis=basis, moving=moving, block=block[order], unit=unit[order], X=X[order])

    def residuals(self, A: Array, basis: Array | None = None) -> Array:
        """Residuals (n, k) of A on the regression and the means of the blocks; 0 for missing values."""
        basis = self.basis if basis is None else basis
        known = ~np.isnan(A)
        means = np.where(known, A, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        left = np.nan_to_num(A - means)
        left = left - basis @ (basis.T @ left)
        sizes = np.maximum(np.bincount(self.block), 1)
        sums = np.column_stack([np.bincount(self.block, column) for column in left.T])
        return np.where(known, left - (sums / sizes[:, None])[self.block], 0.0)

    def typical(self, S: Array) -> Array:
        """(n, k) what the regression makes of S (n, k) where far residuals count less. Source: Huber's modified residuals (1977)."""
        S = np.nan_to_num(S)
        left = self.residuals(S, self.moving)
        for _ in range(HUBER_STEPS):
            limit = FAR * np.median(np.abs(left), axis=0)
            near = S - left + np.clip(left, -limit, limit)
            left = S - near + self.residuals(near, self.moving)
        return np.asarray(S - left)

    def determined(self, A: Array, S: Array) -> Mask:
        """(n, t) whether a value of A is a point mass, or nearly determined by the record's predictors. Then it equals
        one of them, or a regression on them, as do many values of the attribute. S (n, t) : normal scores of A."""
        width = NEARLY * _widths(A, self.residuals(S))
        found = np.column_stack([~_rare(a) for a in A.T])
        for j, a in enumerate(A.T):
            known = ~np.isnan(a)
            for k in range(self.X.shape[1] + PLANES):
                rows = np.flatnonzero(known & ~found[:, j])
                if len(rows) < BLOCK:
                    break
                if k < self.X.shape[1]:
                    left = a - self.X[:, k]
                else:
                    some = rows[:: 1 + len(rows) // FITTED]
                    relation = relations_of(self.X[some], a[some, None], explained=-np.inf)
                    left = relation.residuals(self.X, a[:, None])[:, 0]
                near = np.abs(left) <= width[:, j]
                if near[rows].mean() >= PEAK:
                    found[:, j] |= near
        return found

    def covariances(self, A: Array, B: Array, places: Rows) -> Array:
        """(1 + k, q) sums of products of residuals of A and B (n, q), B permuted by places (1 + k, n)."""
        left, other = self.residuals(A), self.residuals(B)
        sums = np.array([np.einsum("ij,ij->j", left, other[row]) for row in places])
        n, regressors = self.basis.shape
        # Permuted residuals are not orthogonal to the regressors: their products have a smaller sd.
        sums[1:] *= np.sqrt(1.0 / (1.0 - regressors / n))
        return sums

    def permutations(self, k: int, stream: RStream) -> Rows:
        """(1 + k, n) places: as they are, then k permutations within blocks. Draws: k uniforms for each unit."""
        units = int(self.unit.max()) + 1
        permuted = (np.lexsort((stream.runif(units)[self.unit], self.block)) for _ in range(k))
        return np.array([np.arange(len(self.block)), *permuted])


def _basis(X: Array, S: Array, shuffled: Rows, most: int) -> Array:
    """(n, q) at most `most` orthonormal columns: predictors X (n, s), their scores S, steps, products, and kernels
    around the first shuffled records."""
    steps = [(np.quantile(S, part, axis=0) < S).astype(float) for part in STEPS]
    A = np.hstack([standardise(X), S, *steps, *(S[:, [j]] * S[:, j:] for j in range(S.shape[1]))])
    room = (most - A.shape[1]) // len(WIDTHS)
    if S.shape[1] and room > 0:
        squares = ((S[:, None] - S[shuffled[:room]]) ** 2).sum(axis=2)
        scale = max(float(np.median(squares)), 1e-12)
        A = np.hstack([A, *(np.exp(-squares / (2 * scale * width**2)) for width in WIDTHS)])
    return design(A[:, :most]).columns


def _blocks(S: Array, stratum: Codes, unit: Codes, order: Rows) -> tuple[Codes, Rows]:
    """(n,) the block of each record, and the records in the random order of their units.

    A block has units of one stratum and one size, near in the means of S (n, s): the records at one place in them.
    """
    import pandas as pd

    size, first = np.bincount(unit), np.unique(unit, return_index=True)[1]
    place = pd.Series(unit).groupby(unit).cumcount().to_numpy()
    means = np.column_stack([np.empty((len(size), 0)), *(np.bincount(unit, column) / size for column in S.T)])
    kind = np.unique(np.column_stack([stratum[first], size]), axis=0, return_inverse=True)[1][order]
    blocks = [block for k in range(kind.max() + 1) for block in _halved(order[kind == k], means)]
    block = np.empty(len(size), dtype=np.int64)
    for number, units in enumerate(blocks):
        block[units] = number
    return block[unit] * int(size.max()) + place, first[order]


def _halved(rows: Rows, S: Array) -> list[Rows]:
    """Rows in blocks of at most BLOCK: halved along the column of S that varies most among them."""
    if len(rows) <= BLOCK:
        return [rows]
    if S.shape[1]:
        widest = int(np.argmax(S[rows].std(axis=0)))
        rows = rows[np.argsort(S[rows, widest], kind="stable")]
    half = len(rows) // 2
    return _halved(rows[:half], S) + _halved(rows[half:], S)


def own_record_statistics(
    X: Array,
    Y: Array,
    Z: Array,
    names: Sequence[str],
    stream: RStream,
    *,
    stratum: Codes | None = None,
    unit: Codes | None = None,
    k: int = PERMUTATIONS,
) -> Statistics:
    """Every statistic of originals Y and released values Z (n, t), NaN for missing, given predictors X (n, s).

    Each under k permutations too; none where no column varies. stratum, unit (n,) : of each record, None
    for one stratum, and for units of one record.
    """
    varying = np.flatnonzero(np.nanmin(Y, axis=0, initial=np.inf) < np.nanmax(Y, axis=0, initial=-np.inf)).tolist()
    order, known = Conditional.of(X, stream, stratum, unit)
    Y, Z = Y[order][:, varying], Z[order][:, varying]
    Y, Z = np.where(np.isnan(Z), np.nan, Y), np.where(np.isnan(Y), np.nan, Z)
    places = known.permutations(k, stream)
    return _statistics(Y, Z, [names[j] for j in varying], known, places) if varying else {}


def _statistics(Y: Array, Z: Array, names: Sequence[str], of: Conditional, places: Rows) -> Statistics:
    """The statistics of the records in the order of their blocks. places (1 + k, n) : their permutations."""
    pairs = attribute_pairs(len(names))
    ratios = [f"{names[i]} / {names[j]}" for i, j in pairs.T]
    S, R = normal_scores(Y), normal_scores(Z)
    free, released = (np.where(of.determined(*side), np.nan, side[0]) for side in ((Y, S), (Z, R)))
    features = [((name, "ranks"), S[:, j], R[:, j]) for j, name in enumerate(names)]
    features += _digits(free, released, names, _widths(free, of.residuals(S)))
    features += _log_ratios(free, released, ratios, pairs)
    kinds, A, B = zip(*features, strict=True)
    covariances = of.covariances(np.column_stack(A), np.column_stack(B), places)
    found: Statistics = {}
    for label, sums in zip(kinds, covariances.T, strict=True):
        found[label] = found.get(label, 0.0) + sums
    ranks = np.sum([standardised(found[name, "ranks"]) for name in names], axis=0)
    values = _closeness(free, moved_values(Z, released, (S, R), of), pairs, places)
    whole = [(ALL, kind) for kind in ("records of the closest", "records of all", "largest units")]
    labels = [*((name, "values") for name in names), *((name, "ratios") for name in ratios), *whole]
    return found | dict(zip(labels, values.T, strict=True)) | {(ALL, "records of ranks"): ranks}


def _digits(Y: Array, Z: Array, names: Sequence[str], width: Array) -> Iterator[Feature]:
    """Phases of the digits below some scales. width (n, t) : how far values spread for given predictors."""
    for j, name in enumerate(names):
        wide = [(scale, rows) for scale in _scales(Y[:, j]) if (rows := width[:, j] >= WIDE * scale).sum() >= BLOCK]
        for number, (scale, rows) in enumerate(wide):
            y, z = 2 * np.pi * np.where(rows, Y[:, j], np.nan) / scale, 2 * np.pi * Z[:, j] / scale
            yield from (((name, f"digits of {number}"), wave(y), wave(z)) for wave in (np.cos, np.sin))


def _log_ratios(Y: Array, Z: Array, ratios: Sequence[str], pairs: Index) -> Iterator[Feature]:
    """Normal scores of the ratios of attributes that nowhere change their sign."""
    signed = np.any(Y < 0, axis=0) & np.any(Y > 0, axis=0)
    scores = (normal_scores(log_ratios(side.T, pairs).T).T for side in (Y, Z))
    for name, pair, y, z in zip(ratios, pairs.T, *scores, strict=True):
        if not signed[pair].any():
            yield (name, "ratios of scores"), y, z


def _scales(y: Array) -> list[float]:
    """Scales of digits: parts of the standard deviation, and powers of ten."""
    sd = float(spread(y)[0])
    if sd <= 0:
        return []
    tens = 10.0 ** np.arange(np.ceil(np.log10(DECADES[-1] * sd)), np.log10(sd))
    return [*(sd * part for part in DECADES), *tens.tolist()]


def _widths(Y: Array, left: Array) -> Array:
    """(n, t) how far values spread that one has for given predictors: by as much as the residuals `left` of its scores."""
    widths = np.zeros(Y.shape)
    for j, (y, residuals) in enumerate(zip(Y.T, left.T, strict=True)):
        if not (known := ~np.isnan(y)).any():
            continue
        values, half = np.sort(y[known]), float(np.sqrt(np.mean(residuals[known] ** 2)))
        score = ndtri((np.searchsorted(values, y[known]) + 0.5) / len(values))
        low, high = (np.quantile(values, ndtr(score + sign * half)) for sign in (-1, 1))
        widths[known, j] = (high - low) / 2
    return widths


def _rare(y: Array) -> Mask:
    """(n,) whether a value is neither missing nor a point mass."""
    return np.asarray((occurrences(y, y) <= max(2.0, COMMON * len(y))) & ~np.isnan(y))


def moved_values(Z: Array, counted: Array, scores: tuple[Array, Array], of: Conditional) -> Callable[[Rows], Array]:
    """Released values (t, n) of records `places` (n,), moved to the predictors of each record in turn: along their distribution by
    what the predictors of both explain. Not into a point mass, so that as many values count as without permutation.

    Z (n, t); counted (n, t) : NaN for those that do not count; scores : normal scores of originals and of released values.
    """
    ordered = np.sort(Z.T, axis=1)
    known = (~np.isnan(ordered)).sum(axis=1)[:, None]
    ordered = np.where([_rare(z) for z in ordered], ordered, np.nan)
    tables = counted, np.nan_to_num(scores[1]), np.mean([of.typical(S) for S in scores], axis=0)
    own, S, fitted = (np.ascontiguousarray(table.T) for table in tables)

    def at(places: Rows) -> Array:
        shares = ndtr(S[:, places] + fitted - fitted[:, places])
        rank = np.minimum((shares * known).astype(np.intp), known - 1)
        values, moved = own[:, places], np.take_along_axis(ordered, rank, axis=1)
        return np.where(np.isnan(values) | np.isnan(moved), values, moved)

    return at


def _closeness(Y: Array, moved: Callable[[Rows], Array], pairs: Index, places: Rows) -> Array:
    """(1 + k, q) how close released values, permuted by places (1 + k, n), are to originals Y (n, t): by attribute, by ratio,
    of whole records twice, and of the largest units.

    Two are close below a small quantile of their distances in the first permutations. pairs (2, r) : attributes with a ratio.
    """
    import pandas as pd

    n, t = Y.shape
    A = _with_ratios(Y.T, pairs)
    A = np.where([_rare(a if j < t else np.round(a, 9)) for j, a in enumerate(A)], A, np.nan)
    table = pd.DataFrame(Y)
    size = np.nan_to_num(np.abs(table - table.median()) / table.std()).max(axis=1)
    units = np.argsort(-size, kind="stable")[: max(FEWEST_LARGEST, int(LARGEST * n))]

    def distances(row: Rows) -> Array:
        return np.asarray(np.abs(_with_ratios(moved(row), pairs) - A))

    pilot = np.hstack([distances(row) for row in places[1 : 2 + PILOT // n]])
    limits = np.array([_close(d[~np.isnan(d)]) for d in pilot])[:, None]

    def statistics(d: Array) -> Array:
        close, near = np.zeros(d.shape), d < limits
        limit = np.broadcast_to(limits, d.shape)[near]
        close[near] = np.log(limit / (d[near] + EXACT * limit))
        whole = close[:t].sum(axis=0)
        relative = d[:t, units] / np.maximum(np.abs(A[:t, units]), 1e-300)
        largest = np.nan_to_num(np.log(WITHIN / (relative + 1e-2 * WITHIN))).clip(0.0).sum()
        return np.array([*close.sum(axis=1), np.log1p(whole.max()), (whole**2).sum(), largest])

    return np.array([statistics(distances(row)) for row in places])


def _close(distances: Array) -> float:
    """The distance below which two values are close: at least the smallest one above 0."""
    if not distances.any():
        return 0.0
    return float(max(np.quantile(distances, CLOSE), distances[distances > 0].min()))


def _with_ratios(A: Array, pairs: Index) -> Array:
    """(t + r, n) attributes A (t, n), then their log ratios by pair."""
    return np.vstack([A, log_ratios(A, pairs)])
