"""PRL of files beyond memory: values as whole numbers for exact agreement, agreement patterns counted, and records
linked by weight, for two blocks at a time.

Most records of a release that was drawn anew share no value with anyone; they are left out, for all their pairs agree
nowhere.

Counts add up over pairs of blocks. An original is lost as soon as one protected record anywhere weighs more than its
own; ties add up. Each pair of blocks is counted and linked by linkage.patterns, as in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..data.records import DiskColumns, DiskRecords, Records, column
from ..engine import row_blocks
from ..types import TIE, Array, Index, Places
from .agreement import Comparison, Patterns, own_patterns
from .nearest_by_blocks import counted
from .on_cluster import Counts, as_linkage, as_patterns, fitted
from .patterns import Pairs
from .probabilistic import EMFit, Linkage, few_attributes

NOBODY = -1.0, -2.0  # codes of a value that only the original, only the protected file has
Told = Callable[[int, int], None]
VALUES = 1 << 21  # of one file in a block; two blocks linked hold about twenty times as many
NOWHERE = np.inf  # agrees with no value


@dataclass(frozen=True)
class Coded:
    """rows : the originals' codes, then the protected ones', of the records that are kept; kept : (n,) which these are."""

    rows: DiskRecords
    kept: NDArray[np.bool_]


def coded(rows: Records, told: Callable[[int], None]) -> Coded:
    """The codes of records that hold the original's p columns, then the protected ones, a column at a time.

    A record is kept where its original, or its protected one, has a value that the other file has too.
    told : called with the columns done. Memory holds some 50 bytes a record; the disk, 24 bytes a value at most.
    """
    from .subset_kernels import encode

    p, n = rows.p // 2, rows.n
    codes, kept = DiskColumns(n, 2 * p, kind=np.int32), np.zeros(n, np.bool_)
    a_codes, b_codes = np.empty((2, n), np.int32)
    for j in range(p):
        a, b = column(rows, j)[:, 0], column(rows, p + j)[:, 0]
        encode(a, np.argsort(a), b, np.argsort(b), a_codes, b_codes)
        kept |= (a_codes >= 0) | (b_codes >= 0)
        codes.write(j, np.where(a_codes < 0, np.int32(NOBODY[0]), a_codes))
        codes.write(p + j, np.where(b_codes < 0, np.int32(NOBODY[1]), b_codes))
        told(j + 1)
    made = DiskRecords(2 * p)
    for where in row_blocks(n):
        if kept[where].any():
            made.append(codes.read(where)[kept[where]])
    codes.close()
    return Coded(made, kept)


class BlockPairs:
    """All pairs of the records in two tables, a block of originals with a block of protected records at a time.

    rows : the original's p columns, then the protected ones; width : (p,) values no further apart agree; others : further
    records of either file, which agree with nobody anywhere; told : called with (done, of how many).
    """

    def __init__(self, rows: Records, width: Array, others: int, told: Told) -> None:
        self.rows, self.width, self.others, self.told = rows, width, others, told
        count = -(-rows.n // max(1, VALUES // (rows.p // 2)))
        self.places = [slice(k * rows.n // count, (k + 1) * rows.n // count) for k in range(count)]
        self.most, self.done = count * count + count * (count + 1) // 2, 0

    def count(self) -> Patterns:
        """How many pairs show each pattern that occurs."""
        kernel, made, p = Counts(self.width), Counter[int](), self.rows.p // 2
        for one in self.places:
            A = np.ascontiguousarray(self.rows.read(one)[:, :p])
            for other in self.places:
                made = kernel.add(made, kernel.part((np.ascontiguousarray(self.rows.read(other)[:, p:]), A, 0)))
                self._step()
        n = self.rows.n + self.others
        made += Counter({0: n * n - self.rows.n**2})
        return as_patterns(made)

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """(n,): 1/t where an original's own record is among its t pairs of largest weight (K,), else 0."""
        ties = np.zeros(self.rows.n, np.int64)
        own = np.empty(self.rows.n)
        for one in self.places:
            A, B = self._read(one)
            comparison = Comparison(A, B, self.width)
            own[one] = weight[np.searchsorted(patterns.codes, own_patterns(comparison))]
            ties[one] = counted(Pairs(comparison).link(patterns, weight))
            self._step()
        within = ties.astype(np.int32)
        for one, other in combinations(self.places, 2):
            self._meet(one, other, patterns, weight, ties, within)
            self._step()
        if self.others:
            none = weight[0]  # the pattern 0 comes first, and occurs
            heavier = none - own > TIE * abs(none)
            as_heavy = ~heavier & (own - none <= TIE * np.abs(own))
            ties = np.where(heavier, 0, np.where(as_heavy & (ties > 0), ties + self.others, ties))
        return np.where(ties > 0, 1.0 / np.maximum(ties, 1), 0.0)

    def _meet(self, one: slice, other: slice, patterns: Patterns, weight: Array, ties: Index, within: Places) -> None:
        """Link the originals of either block that are not lost yet among the protected records of both."""
        at = np.concatenate([np.arange(one.start, one.stop), np.arange(other.start, other.stop)])
        left = ties[at] > 0
        if not left.any():
            return
        A, B = (np.concatenate(pair) for pair in zip(self._read(one), self._read(other), strict=True))
        A[~left] = NOWHERE
        with np.errstate(invalid="ignore"):  # a pattern that does not occur weighs -inf, and may be a lost original's
            found = counted(Pairs(Comparison(A, B, self.width)).link(patterns, weight))
        known = at[left]
        ties[known] = np.where(found[left] > 0, ties[known] + found[left] - within[known], 0)

    def _read(self, where: slice) -> tuple[Array, Array]:
        A, p = self.rows.read(where), self.rows.p // 2
        return np.ascontiguousarray(A[:, :p]), np.ascontiguousarray(A[:, p:])

    def _step(self) -> None:
        self.done += 1
        self.told(self.done, self.most)


def linkage_by_blocks(rows: Records, width: Array, told: Told) -> tuple[Linkage, int]:
    """linkage.probabilistic.probabilistic_linkage of the halves of `records`, and how many blocks were linked.

    rows : the original's p columns, then the protected ones, p <= 63; width : (p,) values no further apart agree; told :
    called with (done, of how many). Memory holds two blocks and 50 bytes a record. Time grows with n^2 where values
    agree; for exact agreement (width 0) records that share no value with anyone cost nothing.
    """
    n, p = rows.n, rows.p // 2
    few_attributes(p)
    share = np.full(n, 1.0 / n)  # of a record that agrees with nobody: all protected records are the same to it
    if width.any():
        pairs = BlockPairs(rows, width, 0, told)
        fit, share[:] = _linked(pairs, p, n)
        return as_linkage(fit, share), len(pairs.places)
    only = coded(rows, lambda _: told(0, 1))
    pairs = BlockPairs(only.rows, width, n - only.rows.n, told)
    fit, share[only.kept] = _linked(pairs, p, n)
    only.rows.close()
    return as_linkage(fit, share), len(pairs.places)


def _linked(pairs: BlockPairs, p: int, n: int) -> tuple[EMFit, Array]:
    patterns = pairs.count()
    fit, weight = fitted(patterns, p, n)
    return fit, pairs.link(patterns, weight)
