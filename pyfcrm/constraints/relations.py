"""Relations of two columns that nobody declared: zero in the same records, one at most the other.

Each must hold more often than in unrelated columns with the same values.
"""

from collections.abc import Mapping
from itertools import permutations

import numpy as np

from ..data.structure import Proposal
from ..numerics.location import evenly
from ..types import Array
from .proposal import proposal

FEWEST = 20  # records
SOME = 10  # records that are zero, and that are not
ALMOST = 0.995  # of the records: what holds in so many is proposed
SAMPLE = 2_000  # records, evenly spaced, that estimate chance
ROUGHLY = 4  # times as many may break it in the sample
CHANCE = 0.01  # of pairs of records that would break it, were the columns unrelated
NEAR, REACHED = 0.9, 0.01  # a share of the records reaches so much of the bound
ALL_NEAR = 0.75  # of the bound, which some records reach of one that all records keep
EXPECTED = 12  # records that would break such a bound, were the columns unrelated
EQUAL = 0.95  # of the records: columns that are equal in so many are another rule's


def relations(values: Mapping[str, Array]) -> list[Proposal]:
    """The relations among columns (n,), NaN for missing."""
    varying = {name: v for name, v in values.items() if np.isfinite(v).sum() >= FEWEST and np.nanstd(v) > 0}
    return [*_zero_together(varying), *_direct(_at_most(varying))]


def _direct(found: list[Proposal]) -> list[Proposal]:
    """Without those that follow from two others, a <= b and b <= c; what all records keep follows from such alone."""

    def follows(one: Proposal) -> bool:
        (a, c), pairs = one.columns, {each.columns for each in found if each.exact >= one.exact}
        return any((a, b) in pairs and (b, c) in pairs for _, b in pairs)

    return [one for one in found if not follows(one)]


def _zero_together(values: Mapping[str, Array]) -> list[Proposal]:
    """Columns of which, where one is zero, all are."""
    left = [n for n, v in values.items() if (v == 0).sum() >= SOME and (np.isfinite(v) & (v != 0)).sum() >= SOME]
    found: list[Proposal] = []
    while left:
        first = values[left[0]]
        columns = tuple(name for name in left if name == left[0] or _are_zero_together(first, values[name]))
        left = [name for name in left if name not in columns]
        if len(columns) > 1:
            A = np.column_stack([values[name] for name in columns])
            zeros = (A[np.isfinite(A).all(axis=1)] == 0).sum(axis=1)
            count = int(np.isin(zeros, (0, len(columns))).sum())
            found.append(proposal("zero_together", columns, count, len(zeros)))
    return found


def _are_zero_together(x: Array, y: Array) -> bool:
    known = np.isfinite(x) & np.isfinite(y)
    zero = x[known] == 0
    return bool((zero != (y[known] == 0)).sum() <= (1 - ALMOST) * min(zero.sum(), (~zero).sum()))


def _at_most(values: Mapping[str, Array]) -> list[Proposal]:
    """Pairs of which one is never above the other, comes near it, and would be above it by chance.

    Columns of unrelated units do not come near each other, or pass each other.
    """
    found = []
    part = {name: v[evenly(len(v), SAMPLE)] for name, v in values.items()}
    for a, b in permutations(values, 2):
        if (part[a] > part[b]).mean() > ROUGHLY * (1 - ALMOST):  # in the sample already
            continue
        x, y = values[a], values[b]
        known = np.isfinite(x) & np.isfinite(y)
        x, y = x[known], y[known]
        if len(x) < FEWEST:
            continue
        below, chance = x <= y, _by_chance(x, y)
        every = bool(below.all()) and chance * len(x) >= EXPECTED
        if below.mean() < ALMOST or chance < CHANCE or ((x == y).mean() > EQUAL and not every):
            continue
        near, least = (ALL_NEAR, SOME) if every else (NEAR, max(SOME, REACHED * len(x)))
        if ((x >= near * y) & (y > 0) & below & (x != 0)).sum() >= least:
            found.append(proposal("at_most", (a, b), int(below.sum()), len(x)))
    return found


def _by_chance(x: Array, y: Array) -> float:
    """The share of pairs of records, one for x and one for y, in which x is above y."""
    rows = evenly(len(x), SAMPLE)
    return float(np.searchsorted(np.sort(y[rows]), x[rows], side="left").mean() / len(rows))
