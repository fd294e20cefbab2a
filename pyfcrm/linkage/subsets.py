"""Group-bys on subsets of attributes, for exact agreement: one way of `patterns`, for values that often agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..types import TIE, Array, Index, Places
from .agreement import Comparison, Patterns, own_patterns

MOST_SUBSET_BITS = 20
MOST_UNCLEAR = 5  # attributes told apart, by 2^5 counters for each original
PER_RECORD = 8.0  # nanoseconds, as measured


@dataclass(frozen=True)
class Coded:
    """Values of both files as whole numbers, (p, n + N), -1 where only one file has them; the rarest attributes first.

    attributes (p,): which attribute each row is; shared (p,): records whose value both files have; most : codes of
    an attribute at most.
    """

    codes: Places
    attributes: Index
    shared: Index
    most: int


@dataclass(frozen=True)
class SubsetPairs:
    """No pair is met: agreeing on a subset at least is a group-by, and a Moebius transform gives the patterns."""

    comparison: Comparison

    def cost_of_counting(self) -> float:
        """See linkage.patterns.CountingStrategy. A subset is made of the records that its rarest attribute leaves."""
        p = len(self._coded.shared)
        return float((self._coded.shared * 2.0 ** np.arange(p - 1, -1, -1)).sum()) * PER_RECORD

    def count(self) -> Patterns | None:
        """See linkage.patterns.CountingStrategy."""
        from .subset_kernels import pairs_by_subset, to_patterns

        coded, n = self._coded, len(self.comparison.A)
        pairs = np.zeros(1 << len(coded.codes), np.int64)
        pairs_by_subset(coded.codes, np.int64(1) << coded.attributes, n, max(coded.most, 1), pairs)
        to_patterns(pairs)
        occur = np.flatnonzero(pairs)
        return Patterns(occur, pairs[occur])

    def cost_of_linking(self, patterns: Patterns) -> float:
        """See linkage.patterns.CountingStrategy. Of the usual case; the other one is rare, and each pattern then costs a group-by."""
        return 2 * self.cost_of_counting()

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """See linkage.patterns.CountingStrategy."""
        p = len(self.comparison.width)
        unclear = not_rising(patterns, weight, p)
        if len(unclear) <= MOST_UNCLEAR and clear(patterns, weight, p, unclear):
            return self._linked_at_once(patterns, weight, unclear)
        return self._linked_in_turn(patterns, weight)

    def _linked_at_once(self, patterns: Patterns, weight: Array, unclear: list[int]) -> Array:
        """By linkage.subset_kernels.heaviest, the attributes in `unclear` told apart."""
        from .subset_kernels import heaviest

        coded, n = self._coded, len(self.comparison.A)
        laid_out = np.full(1 << len(coded.codes), -np.inf)
        laid_out[patterns.codes] = weight
        last = np.isin(coded.attributes, unclear)
        order = np.concatenate([np.flatnonzero(~last), np.flatnonzero(last)])
        best, tied = np.empty(n), np.empty(n, np.int64)
        bits, rising = np.int64(1) << coded.attributes[order], len(order) - len(unclear)
        heaviest(coded.codes[order], bits, rising, n, max(coded.most, 1), laid_out, best, tied)
        own = laid_out[own_patterns(self.comparison)]
        return (best - own <= TIE * np.abs(best)) / tied

    def _linked_in_turn(self, patterns: Patterns, weight: Array) -> Array:
        """The heaviest patterns first: an original is done with once one of its pairs shows one."""
        order = np.argsort(-weight, kind="stable")
        heaviest_first, falling = patterns.codes[order].tolist(), weight[order]
        own = weight[np.searchsorted(patterns.codes, own_patterns(self.comparison))]
        partners = Partners(self.comparison, self._coded, tuple(heaviest_first))
        share, rows = np.zeros(len(own)), np.arange(len(own))
        for q, best in enumerate(falling):
            exactly = partners.showing(q, q, rows)
            found, tied = rows[exactly > 0], exactly[exactly > 0]
            reach = TIE * abs(best)
            for r in range(q + 1, len(falling)):
                if not len(found) or best - falling[r] > reach:
                    break
                tied = tied + partners.showing(r, q, found)
            share[found] = (best - own[found] <= reach) / tied
            rows = rows[exactly == 0]
            if not len(rows):
                break
        return share

    @cached_property
    def _coded(self) -> Coded:
        from .subset_kernels import encode

        A, B = self.comparison.A, self.comparison.B
        codes, most = np.empty((A.shape[1], len(A) + len(B)), np.int32), 0
        for j, row in enumerate(codes):
            a, b = np.ascontiguousarray(A[:, j]), np.ascontiguousarray(B[:, j])
            most = max(most, encode(a, np.argsort(a), b, np.argsort(b), row[: len(A)], row[len(A) :]))
        shared = np.array([np.count_nonzero(row >= 0) for row in codes])
        order = np.argsort(shared, kind="stable")
        return Coded(codes[order], order, shared[order], most)


def not_rising(patterns: Patterns, weight: Array, p: int) -> list[int]:
    """The attributes that do not always weigh more, ties counted, where they agree."""
    reach, codes = 2 * TIE * np.abs(weight).max(), patterns.codes
    found = []
    for j in range(p):
        place = np.minimum(np.searchsorted(codes, codes | 1 << j), len(codes) - 1)
        both = (codes >> j & 1 == 0) & (codes[place] == codes | 1 << j)
        if (weight[place] - weight <= reach)[both].any():
            found.append(j)
    return found


def clear(patterns: Patterns, weight: Array, p: int, unclear: list[int]) -> bool:
    """Whether patterns unlike on the other attributes never tie, and weigh more where they agree on more of those."""
    apart = sum(1 << j for j in unclear)
    falling = np.argsort(-weight, kind="stable")
    codes, heavy = patterns.codes[falling], weight[falling]
    rising, told = codes & ~apart, codes & apart
    near = -np.diff(heavy) <= 2 * TIE * np.abs(weight).max()
    if (near & (rising[1:] != rising[:-1])).any():
        return False
    # Of patterns told apart alike, one that agrees on more than a heavier one would have to come before it.
    return not any(((told[q + 1 :] == told[q]) & (rising[q + 1 :] & g == g)).any() for q, g in enumerate(rising))


class Partners:
    """How many protected records show a pattern with each original: group-bys less those of the patterns above."""

    def __init__(self, comparison: Comparison, coded: Coded, patterns: tuple[int, ...]) -> None:
        n, N = len(comparison.A), len(comparison.B)
        by_attribute = coded.codes[np.argsort(coded.attributes)]
        self.a = np.ascontiguousarray(by_attribute[:, :n].T)
        self.b = np.ascontiguousarray(by_attribute[:, n:].T)
        self.patterns = patterns
        self.table = np.empty((1 << (2 * N - 1).bit_length(), 2), np.int32)

    def showing(self, q: int, passed: int, rows: Index) -> Index:
        """(rows,): records that show pattern q with each original, none showing one before `passed`."""
        made: dict[int, Index] = {}
        for r in sorted(self._with_above(q, passed), key=lambda r: -self.patterns[r].bit_count()):
            made[r] = self._agreeing(self.patterns[r], rows)
            for above in self._above(r, passed):
                made[r] = made[r] - made[above]
        return made[q]

    def _with_above(self, q: int, passed: int) -> list[int]:
        return [q, *self._above(q, passed)]

    def _above(self, q: int, passed: int) -> Iterator[int]:
        """Patterns from `passed` on that agree wherever q does, and on more."""
        g = self.patterns[q]
        return (r for r in range(passed, len(self.patterns)) if r != q and self.patterns[r] & g == g)

    def _agreeing(self, pattern: int, rows: Index) -> Index:
        from .subset_kernels import partners

        if pattern == 0:
            return np.full(len(rows), len(self.b))
        chosen = np.array([j for j in range(self.b.shape[1]) if pattern >> j & 1])
        out = np.empty(len(rows), np.int64)
        partners(self.a, self.b, rows, chosen, self.table, out)
        return out
