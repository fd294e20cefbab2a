"""Whether a single record decides the extremes or the moments of a margin, and the column that is released then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from ..data.preserved_totals import Contributions
from ..numerics.decimals import decimals
from ..rstream import RStream
from ..types import Array, Codes, Rows
from .margins import FEWEST, SmoothMargin, point_masses

DECISION_SEED = (
    1  # of the draws that decide whether a column is top-coded: each release of a file has the same decision
)
DRAWS = 40  # margins, with a unit and without
UNITS = 3  # of each column, those with the largest values
NEAR = 0.1  # of a value: an extreme further from it does not disclose it
MOST = 0.5  # by which the share of disclosing margins may exceed that of near ones without the unit
MOST_BY_DEFAULT = 0.4  # above which a column is top-coded, as the verdict's draws may differ
MANY = 10  # units: an extreme near a value that so many reach, within a tenth of it, is not one unit's
DOMINATED = 0.5  # of a value: units with near values hide each other where no other comes to this part of them

Extremes = Callable[[RStream, Rows], Array]
"""A function of a stream and places of records: the smallest and the largest value of each of some margins (d, 2) of a column
without these records, treated as the whole column is."""

ALL_RECORDS: Rows = np.arange(0)


def smooth_extremes(y: Array, masses: Array, coded: Array | None, stream: RStream, without: Rows) -> Array:
    """The smallest and the largest value (DRAWS, 2) of smooth margins of a column (n,) without some records.

    masses : the point masses of the column; coded : (n,) the top-coded column, whose moments the margins have, None where it keeps its
    own. A margin without a record is top-coded where that of the column is: otherwise that the next record is top-coded would look like
    the first one's disclosure.

    The outermost values come one from each of DRAWS equally likely parts of their distribution, so that shares of margins
    vary less than those of independent ones.
    """
    rest = np.delete(y, without)
    margin = SmoothMargin.of(rest, masses, None if coded is None else np.delete(coded, without))
    outermost = (np.arange(DRAWS) + stream.runif(DRAWS)) / DRAWS
    return margin.drawn_ends(stream, outermost)


def original_extremes(y: Array, stream: RStream, without: Rows) -> Array:
    """The smallest and the largest value (1, 2) of a column (n,) without some records, whose margin is released as it is."""
    rest = np.delete(y, without)
    return np.array([[rest.min(), rest.max()]])


def largest_units(y: Array, units: Codes | None = None) -> list[Rows]:
    """The records of each of the three units with the largest values of a column (n,), by size; then of those that hide each other.

    Left out are units whose value ten units reach or nearly reach (see `tolerance`): an extreme there depends on all of these.
    units : (n,) the unit of each record; None where each is its own.
    """
    if units is None:
        units = np.arange(len(y))
    sizes = np.abs(y)
    digits = decimals(y)
    found = list[Rows]()
    examined = set[int]()
    for row in np.argsort(-sizes, kind="stable"):
        if len(examined) == UNITS or sizes[row] == 0:
            break
        if units[row] in examined:
            continue
        examined.add(int(units[row]))
        reaching = np.sign(y[row]) * y >= sizes[row] - tolerance(float(y[row]), digits)
        if len(np.unique(units[reaching])) < MANY:
            found.append(np.flatnonzero(units == units[row]))
    return found + _hiding_groups(y, found)


def _hiding_groups(y: Array, units: Sequence[Rows]) -> list[Rows]:
    """The records of each two or three of some units that dominate y (n,) with near values, of one sign: without one of them,
    the others give the same extreme, and all are disclosed.

    Often the largest of many values are near. They are no group where another unit comes to half of them.
    """
    groups = list[Rows]()
    for size in range(2, len(units) + 1):
        for first, *others in combinations(units, size):
            value, _ = _value_and_side(y, first)
            rows = np.concatenate([first, *others])
            rest = np.sign(value) * np.delete(y, rows)
            distances = [abs(_value_and_side(y, other)[0] - value) for other in others]
            are_near = max(distances) <= tolerance(value, decimals(y))
            if are_near and (rest < DOMINATED * abs(value)).all():
                groups.append(rows)
    return groups


def tolerance(value: float, digits: int | None) -> float:
    """The distance within which an extreme is near a value: a tenth of it, at least a unit of the column's last decimal.

    Among whole numbers 4 is near 5: that the largest family has 5 children, not 4, is no disclosure by itself.
    """
    unit = 0.0 if digits is None else 10.0**-digits
    return max(NEAR * abs(value), unit)


def share_near(y: Array, rows: Rows, ends: Array) -> float:
    """The share of pairs of ends (d, 2) of which one is near the largest value (see `tolerance`) of some records of y (n,)."""
    value, side = _value_and_side(y, rows)
    return float(np.mean(np.abs(ends[:, side] - value) <= tolerance(value, decimals(y))))


def _value_and_side(y: Array, rows: Rows) -> tuple[float, int]:
    """The largest value of some records of y (n,) by size, and the end at which it lies: 0 for the smallest, 1 for the largest."""
    value = float(y[rows[np.abs(y[rows]).argmax()]])
    return value, int(value > 0)


def excess_of_unit(y: Array, rows: Rows, with_unit: Array, without_unit: Array) -> float:
    """By how much the share of margins whose extreme discloses the largest value of some records exceeds that without them.

    An extreme discloses the value if it is near it (see `tolerance`), and nearer to it than to the median extreme of margins
    without the unit. Otherwise a small change could cross the tenth: extremes 9 per cent off with the unit, and 11 without
    it, disclose little, and every margin of a narrow column is about that near to its largest value.

    y : (n,); rows : the records of the unit; with_unit, without_unit : extremes (d, 2).
    """
    value, side = _value_and_side(y, rows)
    distance = np.abs(with_unit[:, side] - value)
    halfway = abs(float(np.median(without_unit[:, side])) - value) / 2
    disclosing = np.mean(distance <= min(tolerance(value, decimals(y)), halfway))
    return float(disclosing) - share_near(y, rows, without_unit)


def largest_excess(
    y: Array, extremes: Extremes, stream: RStream, units: Codes | None = None, *, cleared: float = 0.0
) -> float:
    """The largest such excess of the largest units of a column (n,), see `largest_units`; 0 where many reach their values.

    Without units that have all values there is no margin: every extreme near their values discloses them.
    cleared : up to which an excess need not be known. It is at most the share of margins near the value: where that is no larger,
    it counts in place of the excess, and no margins without the unit are drawn.
    """
    candidates = largest_units(y, units)
    if not candidates:
        return 0.0
    with_unit = extremes(stream, ALL_RECORDS)

    def excess(rows: Rows) -> float:
        near = share_near(y, rows, with_unit)
        if len(rows) == len(y) or near <= cleared:
            return near
        return excess_of_unit(y, rows, with_unit, extremes(stream, rows))

    return max(excess(rows) for rows in candidates)


def has_unsafe_squares(y: Array) -> bool:
    """Whether single records dominate the squared deviations of values (m,) from their mean, by the rules of magnitude tables.

    A standard deviation that is released exactly would disclose the largest.
    """
    if y.min() == y.max():
        return False
    squares = (y - y.mean()) ** 2
    return bool(Contributions.of(squares[:, None]).violated_rules(0))


def top_coded(y: Array, masses: Array | None = None) -> Array | None:
    """A column (n,) with its tails replaced by their means, for its moments; None where it keeps its own.

    Its own disclose a record where single records dominate the squared deviations of the values that are no point masses,
    or where one decides the extremes of margins with them. Values beyond the start of a tail become the mean of the
    fitted tail, with the column's decimals. Where that is larger than their own mean, they become this one: a top code that
    raised the standard deviation would bring the margins nearer to the largest value. A tail towards zero stays.

    The decision is a test of the file: its draws come from a stream of their own, and leave that of the release as it is, so
    that the verdict can try its seeds.
    """
    if masses is None:
        masses = point_masses(y)[0]
    rest = ~np.isin(y, masses)
    if rest.sum() < 2:
        return None
    unsafe = has_unsafe_squares(y[rest])
    if not unsafe:
        stream = RStream(DECISION_SEED)
        # Margins of fewer amounts have records of the point masses too, among which no amount would be near the extreme.
        examined = y if rest.sum() >= FEWEST else y[rest]
        extremes = partial(smooth_extremes, examined, masses, None)
        if largest_excess(examined, extremes, stream, cleared=MOST_BY_DEFAULT) <= MOST_BY_DEFAULT:
            return None
    margin = SmoothMargin.of(y, masses)
    if margin.tails is None:
        return None
    low, high = margin.tails
    digits = margin.digits
    coded = y.copy()
    for tail, side in ((low, -1.0), (high, 1.0)):
        beyond = side * y > tail.start
        if beyond.any() and (side * y[rest] > 0).any():
            mean = min(tail.mean, float((side * y[beyond]).mean()))
            coded[beyond] = side * (mean if digits is None else np.round(mean, digits))
    return coded
