"""Released columns against other columns of the original: ranks, parity, last digits and decimals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...numerics.decimals import decimals
from ...numerics.sorting import normal_scores
from ...types import Array, Rows
from .predictor_regression import Conditional

DIGITS = 9  # of a value divided by its scale, so that rounding does not decide a remainder
DECADES_BELOW = 3  # powers of ten below the spread given the predictors
WIDE = 3.0  # scales that values spread given the predictors

Statistics = dict[tuple[str, str], Array]
"""By attribute (or attack) and kind, the values (1 + k,) of a statistic: as it is, then under k permutations."""


@dataclass(frozen=True)
class Remainders:
    """Remainders of values by powers of ten and by two units: m columns of last digits, of parity, of decimals."""

    scores: Array
    """(n, m) normal scores of the remainders, NaN for missing."""
    column: list[int]
    """(m,) the position of the column of each remainder."""
    scale: list[float]
    """(m,) the scale by which values are divided."""

    def of_column(self, j: int) -> list[int]:
        """The positions of the remainders of a column."""
        return [m for m, column in enumerate(self.column) if column == j]


def remainders(Y: Array, values: Array, width: Array) -> Remainders:
    """Remainders of `values` (n, t), by scales of the original columns Y (n, t).

    width (n, t) : how far values spread for given predictors. Scales are well below: larger remainders show the value's rank.
    """
    columns = list[Array]()
    places = list[int]()
    scales = list[float]()
    for j in range(Y.shape[1]):
        known = ~np.isnan(Y[:, j])
        for scale in _scales(Y[known, j], width[known, j]):
            remainder = np.round(values[:, j] / scale, DIGITS) % 1.0
            columns.append(remainder)
            places.append(j)
            scales.append(scale)
    table = np.column_stack([np.empty((len(Y), 0)), *columns])
    return Remainders(scores=normal_scores(table), column=places, scale=scales)


def _scales(y: Array, width: Array) -> list[float]:
    """The unit of values y (n,), two units, and powers of ten up to a third of their median spread `width` (n,)."""
    typical = float(np.median(width)) if len(width) else 0.0
    largest = typical / WIDE
    if largest <= 0:
        return []
    found = set[float]()
    for power in range(DECADES_BELOW):
        found.add(10.0 ** (np.floor(np.log10(largest)) - power))
    places = decimals(y)
    if places is not None:
        unit = 10.0**-places
        found |= {scale for scale in (unit, 2 * unit) if scale <= largest}
    return sorted(found)


def statistics_across(
    Y: Array,
    Z: Array,
    names: Sequence[str],
    *,
    scores: tuple[Array, Array],
    width: Array,
    of: Conditional,
    places: Rows,
) -> Statistics:
    """Covariances, given the predictors, of released columns with other columns of the original, under permutations too.

    Y, Z : originals and released values (n, t), NaN for those that predictors determine; scores : normal scores (n, t) less
    what trees predict, of originals and of the release; width (n, t) : spread of Y for given predictors. Ranks and digits of
    a released column are compared with the ranks of an original one in both directions, digits with digits of the same
    scale.
    """
    of_originals = remainders(Y, Y, width)
    of_release = remainders(Y, Z, width)
    t = len(names)
    # Columns of both: t of ranks, then the remainders.
    left = of.residuals(np.hstack([scores[0], of_originals.scores]))
    other = of.residuals(np.hstack([scores[1], of_release.scores]))
    sums = of.cross_products(left, other, places)  # (1 + permutations, columns of originals, columns of the release)
    found: Statistics = {}
    for k, original in enumerate(names):
        for j, released in enumerate(names):
            label = f"{released}, by the record's own {original}"
            if j != k:
                found[label, "ranks of another column"] = sums[:, k, j]
                found[label, "ranks of another column, reversed"] = -sums[:, k, j]
            for m in of_release.of_column(j):
                kind = f"digits of ranks below {of_release.scale[m]:g}"
                found[label, kind] = sums[:, k, t + m]
                found[label, f"{kind}, reversed"] = -sums[:, k, t + m]
    for i, (k, scale) in enumerate(zip(of_originals.column, of_originals.scale, strict=True)):
        for m, (j, released_scale) in enumerate(zip(of_release.column, of_release.scale, strict=True)):
            if j != k and scale == released_scale:
                label = f"{names[j]}, by the record's own {names[k]}"
                found[label, f"digits of digits below {scale:g}"] = sums[:, t + i, t + m]
    return found
