"""Compiled group-bys on subsets of attributes, for exact agreement: pairs are counted and never met. And each
original's heaviest agreement pattern with anyone, and with how many.

Codes are whole numbers from 0, equal where values are equal in both files; below 0 is a value that only one file has.
"""

from typing import Any

import numpy as np

from ..engine.compile import compiled
from ..types import TIE, Array, Index, Places


@compiled
def split(code: Any, n: int, members: Any, ends: Any, tally: Places, met: Places) -> tuple[Places, Places, Places]:
    """Groups of records by one more attribute; parts without an original or without a protected record are dropped.

    code (n + N,), the originals first; members : the records by group, and ends : where each group ends among them; tally
    (codes, 3) of zeros, which are restored, and met (codes,) : work space. Returns the members and ends of the parts, and
    for each member the number of protected records in its part.
    """
    new, partners = np.empty(members.size, np.int32), np.empty(members.size, np.int32)
    new_ends = np.empty(members.size // 2 + 1, np.int32)
    parts, out, start = 0, 0, 0
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
            tally[c, 2] = -1
            if tally[c, 0] > 0 and tally[c, 1] > 0:
                tally[c, 2] = out
                out += tally[c, 0] + tally[c, 1]
                new_ends[parts] = out
                parts += 1
        for at in range(start, end):
            c = code[members[at]]
            if c >= 0 and tally[c, 2] >= 0:
                new[tally[c, 2]], partners[tally[c, 2]] = members[at], tally[c, 1]
                tally[c, 2] += 1
        for q in range(found):
            tally[met[q], 0], tally[met[q], 1] = 0, 0
        start = end
    return new[:out], new_ends[:parts], partners[:out]


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
def heaviest(counts: Places, weight: Array, best: Array, tied: Index) -> None:
    """Fills best (n,), each original's largest weight over all protected records, and tied (n,), how many have it.

    counts (n, 2^p) : the protected records that agree on S at least, which are overwritten; weight (2^p,) : -inf where no
    pair shows the pattern.
    """
    for i in range(best.size):
        to_patterns(counts[i])
        best[i], tied[i] = -np.inf, 0
        for S in range(weight.size):
            if counts[i, S] > 0:
                best[i] = max(best[i], weight[S])
        for S in range(weight.size):
            if counts[i, S] > 0 and best[i] - weight[S] <= TIE * abs(best[i]):
                tied[i] += counts[i, S]
