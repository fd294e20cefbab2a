"""Compiled group-bys on subsets of attributes, for exact agreement: pairs are counted, not compared one by one.

From the counts follow the largest weight of each original over all protected records, and how many of these have it.
Codes are whole numbers from 0, equal where values are equal in both files; a value that only one file has is below 0.
"""

from typing import Any

import numpy as np

from ..engine.compile import compiled
from ..types import TIE, Array, Index, Places


@compiled
def split(code: Any, n: int, members: Any, ends: Any, tally: Places, met: Places) -> tuple[Places, Places, Places]:
    """Splits groups of records by one more attribute; parts without an original or without a protected record are dropped.

    code : (n + N,), the originals first; members : the records by group; ends : where each group ends among them; tally :
    (codes, 3) zeros, which are restored; met : (codes,), to work in. Returns the members and ends of the parts, and for each
    member the number of protected records in its part.

    The columns of tally are, for each code: originals, protected records, and the next free place of its part.
    """
    new_members = np.empty(members.size, np.int32)
    partners = np.empty(members.size, np.int32)
    new_ends = np.empty(members.size // 2 + 1, np.int32)
    parts = 0
    length = 0  # of the members of all parts so far
    start = 0
    for end in ends:
        # The codes of the group, and how many records have each.
        found = 0
        for place in range(start, end):
            i = members[place]
            c = code[i]
            if c >= 0:
                if tally[c, 0] == 0 and tally[c, 1] == 0:
                    met[found] = c
                    found += 1
                tally[c, 0 if i < n else 1] += 1
        # A part for each code that both files have.
        for q in range(found):
            c = met[q]
            tally[c, 2] = -1
            if tally[c, 0] > 0 and tally[c, 1] > 0:
                tally[c, 2] = length
                length += tally[c, 0] + tally[c, 1]
                new_ends[parts] = length
                parts += 1
        # The members of these parts, in their order.
        for place in range(start, end):
            c = code[members[place]]
            if c >= 0 and tally[c, 2] >= 0:
                new_members[tally[c, 2]] = members[place]
                partners[tally[c, 2]] = tally[c, 1]
                tally[c, 2] += 1
        for q in range(found):
            tally[met[q], 0] = 0
            tally[met[q], 1] = 0
        start = end
    return new_members[:length], new_ends[:parts], partners[:length]


@compiled
def to_patterns(pairs: Any) -> None:
    """Changes numbers of pairs (2^p,) that agree at least on S into those that agree on S and nowhere else, in place.

    A subset S of the attributes is a whole number of p bits. A Moebius transform over the subsets: for each attribute, the
    bit `step`, the pairs that agree on it too are subtracted.
    """
    step = 1
    while step < pairs.size:
        for S in range(pairs.size):
            if S & step == 0:
                pairs[S] -= pairs[S | step]
        step *= 2


@compiled
def heaviest(counts: Places, weight: Array, best: Array, tied: Index) -> None:
    """Fills best (n,) with each original's largest weight over all protected records, and tied (n,) with how many have it.

    counts : (n, 2^p), the protected records that agree at least on S, which are overwritten; weight : (2^p,), -inf where no
    pair has the pattern.
    """
    for i in range(best.size):
        to_patterns(counts[i])
        best[i] = -np.inf
        tied[i] = 0
        for S in range(weight.size):
            if counts[i, S] > 0:
                best[i] = max(best[i], weight[S])
        for S in range(weight.size):
            if counts[i, S] > 0 and best[i] - weight[S] <= TIE * abs(best[i]):
                tied[i] += counts[i, S]
