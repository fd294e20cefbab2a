"""Habits of reporting: a column that often equals another one, or a multiple of it, and values that end in round numbers."""

from collections.abc import Collection, Mapping, Sequence
from itertools import permutations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..data.structure import Proposal
from ..numerics.location import evenly
from ..rstream import RStream
from ..types import Array, Mask
from .identities import HOLDS, unit_of
from .proposal import proposal

OFTEN, MULTIPLE = 0.1, 0.5  # of the records that equal another column, or a multiple of it
SAMPLE = 2_000  # records, evenly spaced, by which habits are found
FEWEST = 20  # different values that are equal, or round
BY_CHANCE = 10  # times as many as in unrelated columns
DIGITS = 4  # of a multiple's factor that count
ROUND = (1000, 500, 100, 50, 10, 5)  # units of the last digit
OFTEN_ROUND = 2  # times as many multiples of ten as there are by chance
NEAR = 25  # ranks, within which a round number's unit, or a ratio, is that of another record


def often_equal(values: Mapping[str, Array], dependent: Collection[str], derived: Collection[str]) -> list[Proposal]:
    """Columns (n,), NaN for missing, that often equal another one: the pairs of most records, each column once and no circle."""
    part = {name: v[evenly(len(v), SAMPLE)] for name, v in values.items() if name not in derived}
    pairs = [(a, b) for a, b in permutations(part, 2) if a in dependent]
    found = [(b in dependent, *one, a, b) for a, b in pairs if (one := _equal(part[a], part[b])) is not None]
    result, parent = list[Proposal](), dict[str, str]()
    for _, share, factor, low, high in sorted(found, key=lambda one: (-one[1], one[0], *one[3:])):
        root = high
        while root in parent:
            root = parent[root]
        if root != low and low not in parent and (share < HOLDS or factor != 1):
            parent[low] = high
            known = np.isfinite(values[low]) & np.isfinite(values[high])
            count = int(_near(values[low], values[high], factor).sum())
            result.append(proposal("often", (low, high), count, int(known.sum()), terms=((high, factor),)))
    return result


def _equal(x: Array, y: Array) -> tuple[float, float] | None:
    """The share of records in which x is y, or a multiple of it but for rounding, and the factor; None where too few."""
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    both = (x != 0) & (y != 0)
    if both.sum() < FEWEST:
        return None
    high = both & (np.abs(y) >= np.median(np.abs(y[both])))
    for factor, least in ((1.0, OFTEN), (float(f"{np.median(x[high] / y[high]):.{DIGITS}g}"), MULTIPLE)):
        near = _near(x, y, factor) if factor and unit_of(x) else np.zeros(len(x), dtype=bool)
        share = float(near.mean())
        if share >= least and len(np.unique(x[near])) >= FEWEST:
            others = _near(x, np.roll(y, len(y) // 2), factor) | _near(x, np.roll(y, len(y) // 3), factor)
            if share >= BY_CHANCE * others.mean() / 2:
                return share, factor
    return None


def _near(x: Array, y: Array, factor: float) -> Mask:
    """(n,) where x is y, or within a unit of its multiple, and not 0."""
    within = 0.0 if factor == 1 else unit_of(x)
    return np.asarray((np.abs(x - factor * y) <= within * (1 + 1e-9)) & (x != 0) & (y != 0))


def round_numbers(values: Mapping[str, Array]) -> list[Proposal]:
    """Columns that end in zeros at least twice as often as by chance."""
    found = []
    for name, v in values.items():
        v = v[np.isfinite(v) & (v != 0)]
        unit = unit_of(v)
        if unit and len(v) and np.abs(v).max() >= 100 * unit:
            is_round = np.rint(v / unit) % 10 == 0
            if len(np.unique(v[is_round])) >= FEWEST and is_round.mean() >= OFTEN_ROUND / 10:
                found.append(proposal("round", (name,), int(is_round.sum()), len(v), terms=((name, 10 * unit),)))
    return found


def reported(
    habits: Sequence[Proposal], original: Mapping[str, Array], released: Mapping[str, Array], stream: RStream
) -> int:
    """Give released columns (n,) the habits of the original ones. Returns how many values changed.

    A value that often equals another one, or a multiple, has a ratio to it between two of the original's in records near in that
    other value. A round number has the unit of an original one of a near rank. A record's own original value decides neither. Draws:
    2 n uniforms for each habit.
    """
    changed = 0
    for one in sorted(habits, key=lambda one: one.kind == "often"):
        name = one.columns[0]
        u, v = (stream.runif(len(original[name])) for _ in range(2))
        before = released[name].copy()
        if one.kind == "round":
            _round(original[name], released[name], u, v)
        else:
            _follow(one, original, released, u, v)
        changed += int((released[name] != before).sum())
    return changed


def _round(y: Array, z: Array, u: Array, v: Array) -> None:
    unit = unit_of(y)
    rank = np.argsort(np.argsort(np.abs(z), kind="stable"), kind="stable")
    other = np.clip(rank + np.rint((2 * u - 1) * NEAR).astype(np.intp), 0, len(y) - 1)
    step, own = unit * _steps(y / unit)[np.argsort(np.abs(y), kind="stable")][other], unit * _steps(z / unit)
    moved = z + (v - 0.5) * np.where(own > step, own, 0.0)
    z[:] = np.where(np.abs(z) >= step, np.rint(moved / step) * step, z)


def _steps(whole: Array) -> Array:
    """(n,) the largest of ROUND that each number is a multiple of; 1 where of none, and for 0."""
    steps = np.ones(len(whole))
    for step in reversed(ROUND):
        steps[(np.rint(whole) % step == 0) & (whole != 0)] = step
    return steps


def _follow(one: Proposal, original: Mapping[str, Array], released: Mapping[str, Array], u: Array, v: Array) -> None:
    """The ratio to the other column at the same rank as before among near records, in the distribution of the original's there."""
    low, high = one.columns
    ratios, ordered = [], []
    for columns, ties in ((original, original[low]), (released, u)):
        rows = np.flatnonzero((columns[low] != 0) & (columns[high] != 0))
        ordered.append(rows[np.lexsort((ties[rows], columns[high][rows]))])
        ratios.append(columns[low][ordered[-1]] / columns[high][ordered[-1]])
    (truth, own), rows = ratios, ordered[1]
    size = min(2 * NEAR + 1, len(truth), len(own))
    if size < FEWEST:
        return
    place = np.arange(len(own))
    first, other = (np.clip(place * len(each) // len(own) - size // 2, 0, len(each) - size) for each in (own, truth))
    near = (own[first + k] for k in range(size))
    rank = np.add.reduce([np.where(each == own, v[rows], each < own) for each in near]) - 0.5
    middle = np.minimum(place[::NEAR] + NEAR // 2, place[-1])
    windows = np.sort(sliding_window_view(truth, size)[other[middle]], axis=1)
    below = np.clip(rank.astype(np.intp), 0, size - 2)
    low_end, high_end = (windows[place // NEAR, below + k] for k in (0, 1))
    value = released[high][rows] * (low_end + np.clip(rank - below, 0, 1) * (high_end - low_end))
    unit = unit_of(original[low])
    released[low][rows] = np.rint(value / unit) * unit if unit else value
