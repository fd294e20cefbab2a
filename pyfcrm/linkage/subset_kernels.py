"""Compiled group-bys on subsets of attributes, for exact agreement: pairs are counted and never met. And each
original's heaviest agreement pattern with anyone, and with how many.

Codes are whole numbers from 0, equal where values are equal in both files; -1 is a value that only one file has.
"""

from typing import Any

import numpy as np

from ..engine.compile import ZERO, compiled
from ..types import TIE, Array, Index, Places

Groups = tuple[Places, Places, Index, Places, Places]
Walk = tuple[Index, Index]


@compiled
def pairs_by_subset(codes: Places, bits: Index, n: int, most: int, pairs: Index) -> None:
    """pairs[S]: the pairs that agree on every attribute of the subset S at least, for all 2^p of them.

    codes (p, n + N), the originals first; bits (p,) of each row in S; most : codes an attribute has at most.
    """
    p, records = codes.shape
    groups = _one_group(p, records, most)
    pairs[0] = n * (records - n)
    walk, depth = (np.zeros(p + 1, np.int64), np.zeros(p + 1, np.int64)), ZERO
    while True:
        depth, both = _next_subset(codes, bits, n, groups, walk, depth)
        if depth < 0:
            break
        pairs[walk[1][depth]] = both


@compiled
def _one_group(p: int, records: int, most: int) -> Groups:
    """Groups of records by depth, at depth 0 all records: members (p + 1, records), where each group ends, how many
    groups there are, and space for counts of `most` codes."""
    members, ends = np.empty((p + 1, records), np.int32), np.empty((p + 1, records // 2 + 1), np.int32)
    sizes, tally, met = np.ones(p + 1, np.int64), np.zeros((most, 3), np.int32), np.empty(most, np.int32)
    for i in range(records):  # an assignment of arrays takes seconds to compile
        members[0, i] = i
    ends[0, 0] = records
    return members, ends, sizes, tally, met


@compiled
def _next_subset(codes: Places, bits: Index, n: int, groups: Groups, walk: Walk, depth: int) -> tuple[int, int]:
    """The depth of the next subset of the attributes on which records agree, and the pairs within its groups; -1 after the last.

    Depth first: each group of records is split by one more attribute, and parts without a partner are dropped. walk : by
    depth the next attribute, and the subset; depth : of the one before.
    """
    members, ends, sizes, tally, met = groups
    following, subset = walk
    while depth >= 0:
        j, deeper = following[depth], depth + 1
        if j == codes.shape[0]:
            depth -= 1
            continue
        following[depth] += 1
        inside = members[depth], ends[depth, : sizes[depth]]
        both, parts = split(codes[j], n, *inside, members[deeper], ends[deeper], tally, met)
        if parts > 0:
            sizes[deeper], following[deeper], subset[deeper] = parts, j + 1, subset[depth] | bits[j]
            return deeper, both
    return depth, 0


@compiled
def split(
    code: Any, n: int, members: Any, ends: Any, new: Any, new_ends: Any, tally: Places, met: Places
) -> tuple[Any, int]:
    """Pairs within the parts of all groups, and how many parts have a partner, which are written. Leaves `tally` empty."""
    pairs, parts, out, start = np.int64(0), 0, 0, 0
    for end in ends:
        found = 0
        for at in range(start, end):
            i = members[at]
            c = code[i]
            if c >= 0:
                if tally[c, 0] == 0 and tally[c, 1] == 0:
                    met[found] = c
                    found += 1
                tally[c, 0 if i < n else 1] += 1
        for q in range(found):
            c = met[q]
            both = np.int64(tally[c, 0]) * np.int64(tally[c, 1])
            pairs += both
            tally[c, 2] = -1
            if both > 0:
                tally[c, 2] = out
                out += tally[c, 0] + tally[c, 1]
                new_ends[parts] = out
                parts += 1
        for at in range(start, end):
            c = code[members[at]]
            if c >= 0 and tally[c, 2] >= 0:
                new[tally[c, 2]] = members[at]
                tally[c, 2] += 1
        for q in range(found):
            tally[met[q], 0], tally[met[q], 1] = 0, 0
        start = end
    return pairs, parts


@compiled
def to_patterns(pairs: Any) -> None:
    """From pairs that agree on S at least to pairs that agree on S and nowhere else (Moebius), in place."""
    step = 1
    while step < pairs.size:
        for S in range(pairs.size):
            if S & step == 0:
                pairs[S] -= pairs[S | step]
        step *= 2


@compiled
def heaviest(codes: Places, bits: Index, n: int, most: int, weight: Array, best: Array, tied: Index) -> None:
    """Fills best (n,), each original's largest weight over all protected records, and tied (n,), how many have it.

    codes (p, n + N), bits (p,), most : as in pairs_by_subset. weight (2^p,): -inf where no pair shows the pattern.
    """
    p, records = codes.shape
    groups, counts = _one_group(p, records, most), np.zeros((n, 1 << p), np.int32)
    members, ends, sizes, _, _ = groups
    counts[:, 0] = records - n
    walk, depth = (np.zeros(p + 1, np.int64), np.zeros(p + 1, np.int64)), ZERO
    while True:
        depth, _ = _next_subset(codes, bits, n, groups, walk, depth)
        if depth < 0:
            break
        _count_partners(n, members[depth], ends[depth, : sizes[depth]], walk[1][depth], counts)
    for i in range(n):
        to_patterns(counts[i])
        best[i], tied[i] = -np.inf, 0
        for S in range(weight.size):
            if counts[i, S] > 0:
                best[i] = max(best[i], weight[S])
        for S in range(weight.size):
            if counts[i, S] > 0 and best[i] - weight[S] <= TIE * abs(best[i]):
                tied[i] += counts[i, S]


@compiled
def _count_partners(n: int, members: Any, ends: Any, S: int, counts: Places) -> None:
    """counts[i, S] of the originals in the groups of S: the protected records that agree on S at least."""
    start = 0
    for end in ends:
        others = 0
        for at in range(start, end):
            others += members[at] >= n
        for at in range(start, end):
            if members[at] < n:
                counts[members[at], S] = others
        start = end
