"""Relations of two columns that nobody declared: zero in the same records, zero where the other is, one at most the other.

Each must hold more often than in unrelated columns with the same values.
"""

from collections.abc import Collection, Mapping
from itertools import permutations

import numpy as np

from ..data.structure import Proposal
from ..data.tally import is_nearly_all
from ..numerics.location import evenly
from ..types import Array, Mask
from .proposal import proposal

FEWEST = 20  # records
SOME = 10  # records that are zero, and that are not
ALMOST = 0.995  # of the records: what holds in so many is proposed
ZERO_SAMPLE = 20_000  # records, evenly spaced, in which pairs of zeros are looked for
SAMPLE = 2_000  # records, evenly spaced, that estimate chance
ROUGHLY = 4  # times as many may break it in the sample
CHANCE = 0.01  # of pairs of records that would break it, were the columns unrelated
NEAR, REACHED = 0.9, 0.01  # a share of the records reaches so much of the bound
ALL_NEAR = 0.75  # of the bound, which some records reach of one that all records keep
PER_EXCEPTION = 5  # records that come near the bound, for each one that breaks it
EXPECTED = 12  # records that would break a rule, were the columns unrelated
SCALABILITY = 0.9  # the least of an order: 1 less the records that break it, over those that would by chance
EQUAL = 0.95  # of the records: columns that are equal in so many are another rule's


def relations(values: Mapping[str, Array], dependent: Collection[str]) -> list[Proposal]:
    """The relations among columns (n,), NaN for missing, of which one is dependent."""
    varying = {name: v for name, v in values.items() if np.isfinite(v).sum() >= FEWEST and np.nanstd(v) > 0}
    found = [*_zeros(varying, dependent), *_direct(_at_most(varying))]
    return [one for one in found if any(name in dependent for name in one.columns)]


def _direct(found: list[Proposal]) -> list[Proposal]:
    """Without those that follow from two others, of (a, b) and (b, c). What all records keep follows from such alone, and what
    a release keeps from such."""

    def follows(one: Proposal) -> bool:
        a, c = one.columns
        pairs = {each.columns for each in found if each.exact >= one.exact and each.holds >= one.holds}
        return any((a, b) in pairs and (b, c) in pairs for _, b in pairs)

    return [one for one in found if not follows(one)]


def _zeros(values: Mapping[str, Array], dependent: Collection[str]) -> list[Proposal]:
    """Columns that are zero together, and columns that are zero wherever another one is."""
    names = [n for n, v in values.items() if (v == 0).sum() >= SOME and (np.isfinite(v) & (v != 0)).sum() >= SOME]
    if len(names) < 2:
        return []
    sample = evenly(len(values[names[0]]), ZERO_SAMPLE)
    possible = _zero_pairs(np.column_stack([values[name][sample] for name in names]))
    groups, alone = list[Proposal](), list[str]()
    left = list(names)
    while left:
        first, *others = left
        k = names.index(first)
        group = [first]
        for name in others:
            j = names.index(name)
            if possible[k, j] and possible[j, k] and _are_zero_together(values[first], values[name]):
                group.append(name)
        left = [name for name in left if name not in group]
        alone.append(first)
        if len(group) > 1:
            A = np.column_stack([values[name] for name in group])
            zeros = (A[np.isfinite(A).all(axis=1)] == 0).sum(axis=1)
            count = int(np.isin(zeros, (0, len(group))).sum())
            groups.append(proposal("zero_together", tuple(group), count, len(zeros)))
    # Of columns that are zero together the first one stands for all.
    pairs = list[Proposal]()
    for a, b in permutations(alone, 2):
        if possible[names.index(a), names.index(b)]:
            pairs += _zero_where(a, b, values[a], values[b])
    return [*groups, *_direct(pairs)]


def _zero_pairs(A: Array) -> Mask:
    """(p, p) whether column a of a sample A (m, p) may be zero wherever column b is: few records are against it."""
    zero = (A == 0).astype(np.float32)
    other = (np.isfinite(A) & (A != 0)).astype(np.float32)
    against = other.T @ zero
    few: Mask = against <= np.maximum(SOME, zero.sum(axis=0) / SOME)
    return few


def _zero_where(a: str, b: str, x: Array, y: Array) -> list[Proposal]:
    """The rule that column a is zero where b is, if it holds and would not by chance."""
    known = np.isfinite(x) & np.isfinite(y)
    zero = x[known] == 0
    where = y[known] == 0
    both = int((zero & where).sum())
    against = int((where & ~zero).sum())
    some_other = int((~zero & ~where).sum()) >= SOME
    more = int((zero & ~where).sum()) >= SOME
    by_chance = int(where.sum()) * float((~zero).mean())
    few = against <= both / SOME and is_nearly_all(len(zero) - against, len(zero))
    if both < SOME or not some_other or not more or not few or by_chance < EXPECTED:
        return []
    return [proposal("zero_where", (a, b), len(zero) - against, len(zero))]


def _are_zero_together(x: Array, y: Array) -> bool:
    """Whether few records, of all and of each side, are against it."""
    known = np.isfinite(x) & np.isfinite(y)
    x_zero = x[known] == 0
    y_zero = y[known] == 0
    both = int((x_zero & y_zero).sum())
    neither = int((~x_zero & ~y_zero).sum())
    against = len(x_zero) - both - neither
    smaller = min(both, neither)
    if smaller < SOME:
        return False
    if against <= (1 - ALMOST) * smaller:
        return True
    return against <= smaller / SOME and is_nearly_all(both + neither, len(x_zero))


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
        below = x <= y
        broken = int((~below).sum())
        chance = _by_chance(x, y)
        by_chance = chance * len(x)
        # Ranges that hardly overlap keep an order of their own accord (H of Loevinger, 1948).
        if by_chance < EXPECTED or broken > (1 - SCALABILITY) * by_chance:
            continue
        every = is_nearly_all(len(x) - broken, len(x))
        if not every and (below.mean() < ALMOST or chance < CHANCE or (x == y).mean() > EQUAL):
            continue
        if every:
            near = ALL_NEAR
            least = float(max(SOME, PER_EXCEPTION * broken))
        else:
            near = NEAR
            least = max(SOME, REACHED * len(x))
        if ((x >= near * y) & (y > 0) & below & (x != 0)).sum() >= least:
            found.append(proposal("at_most", (a, b), int(below.sum()), len(x)))
    return found


def _by_chance(x: Array, y: Array) -> float:
    """The share of pairs of records, one for x and one for y, in which x is above y."""
    rows = evenly(len(x), SAMPLE)
    return float(np.searchsorted(np.sort(y[rows]), x[rows], side="left").mean() / len(rows))
