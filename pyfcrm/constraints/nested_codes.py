"""Nested codes: each code of one column, such as a municipality, has one code of another column, such as its region."""

from collections.abc import Collection, Sequence
from itertools import permutations

import numpy as np

from ..data import Frame, is_numeric
from ..data.structure import Proposal
from ..data.tally import FEWEST, is_nearly_all
from ..numerics.location import evenly
from ..types import Array, Codes, Integers, Mask
from .proposal import proposal

MOST_LEVELS = 1_000  # of a column
MOST_COLUMNS = 60  # that are compared, those of fewest levels
SAMPLE = 2_000  # records, evenly spaced, in which pairs are looked for
EXPECTED = 12  # records that would break the rule, were the columns unrelated


def nested_codes(frame: Frame, columns: Sequence[str], dependent: Collection[str]) -> list[Proposal]:
    """The pairs of columns of which the first one's codes lie within the second one's, and one is dependent.

    Of two columns with the same codes the dependent one is the second, which the first determines.
    """
    known = _coded(frame, columns)
    found = list[Proposal]()
    for inner, outer in permutations(known, 2):
        if inner not in dependent and outer not in dependent:
            continue
        same_codes = _levels(known[inner]) == _levels(known[outer])
        if same_codes and any(each.columns == (outer, inner) for each in found):
            continue
        found += _nested(inner, outer, known[inner], known[outer])
    return _direct(found)


def _coded(frame: Frame, columns: Sequence[str]) -> dict[str, Codes]:
    """The codes (n,) of the columns that have several, of 10 records on average, -1 where missing."""
    found = dict[str, Codes]()
    if frame.source is not None:  # codes of a file that is read by blocks would take a pass for each column
        return found
    for name in columns:
        if is_numeric(frame, name) and not _may_be_codes(frame.values(name)):
            continue
        codes = frame.codes(name)
        levels = _levels(codes)
        if 2 <= levels <= min(MOST_LEVELS, (codes >= 0).sum() / FEWEST):
            found[name] = codes
    fewest = sorted(found, key=lambda name: _levels(found[name]))[:MOST_COLUMNS]
    return {name: codes for name, codes in found.items() if name in fewest}


def _may_be_codes(v: Array) -> bool:
    """Whether numbers (n,) are whole, and few in a sample."""
    some = v[evenly(len(v), SAMPLE)]
    some = some[np.isfinite(some)]
    return bool((np.rint(some) == some).all()) and len(np.unique(some)) <= min(MOST_LEVELS, len(v) / FEWEST)


def _levels(codes: Codes) -> int:
    return int(codes.max()) + 1


def _nested(inner: str, outer: str, x: Codes, y: Codes) -> list[Proposal]:
    """The rule that column `inner` with codes x (n,) lies within column `outer` with codes y (n,), if it holds, and would not by
    chance."""
    if _levels(y) > _levels(x):
        return []
    sample = evenly(len(x), SAMPLE)
    if _kept(x[sample], y[sample])[0].mean() < 0.95:
        return []
    keeps, known = _kept(x, y)
    count = int(keeps.sum())
    # Codes of few records lie within one by chance.
    sizes = np.bincount(x[known])
    large = sizes[x[known]] >= FEWEST
    shares = np.bincount(y[known]) / known.sum()
    by_chance = float(large.sum() * (1 - shares.max()))
    several = (np.bincount(y[known]) >= FEWEST).sum() >= 2
    if (
        not is_nearly_all(count, int(known.sum()))
        or 2 * large.sum() < known.sum()
        or by_chance < EXPECTED
        or not several
    ):
        return []
    return [proposal("nested", (inner, outer), count, int(known.sum()))]


def _kept(x: Codes, y: Codes) -> tuple[Mask, Mask]:
    """Of the records with both codes, whether they have the outer code that most records with their inner one have; and
    which records (n,) have both."""
    known: Mask = (x >= 0) & (y >= 0)
    if not known.any():
        return np.zeros(1, dtype=bool), known
    majority = outer_codes(x[known], y[known])
    return majority[x[known]] == y[known], known


def outer_codes(x: Codes, y: Codes) -> Integers:
    """(k,) the code of y that most records with each code of x have, the smaller of equally many; -1 for a code that no record has."""
    width = int(y.max()) + 1
    pairs, counts = np.unique(x * width + y, return_counts=True)
    inner = pairs // width
    order = np.lexsort((-pairs, counts, inner))
    last = np.flatnonzero(np.append(np.diff(inner[order]) > 0, True))
    majority = np.full(int(x.max()) + 1, -1, dtype=np.int64)
    majority[inner[order][last]] = (pairs % width)[order][last]
    return majority


def known_outer_codes(x: Codes, y: Codes, units: Codes | None = None) -> Integers:
    """As outer_codes(), -1 also for a code of x that fewer than 10 records have: it shows where these records lie, and no rule.

    units : (n,) the unit of each record; given, 10 units must have the code.
    """
    outer = outer_codes(x, y)
    having = x if units is None else np.unique(np.column_stack([x, units]), axis=0)[:, 0]
    outer[np.bincount(having, minlength=len(outer)) < FEWEST] = -1
    return outer


def _direct(found: list[Proposal]) -> list[Proposal]:
    """Without those that follow from two others."""
    pairs = {one.columns for one in found}

    def follows(one: Proposal) -> bool:
        a, c = one.columns
        return any((a, b) in pairs and (b, c) in pairs for _, b in pairs if b not in (a, c))

    return [one for one in found if not follows(one)]
