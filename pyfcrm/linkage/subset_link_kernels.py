"""Compiled: each original's heaviest agreement pattern with anyone, and with how many, without meeting a pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from .distance import TIE
from .subset_kernels import split

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Places = NDArray[np.int32]


@compiled
def heaviest(
    codes: Places, bits: Index, rising: int, n: int, most: int, weight: Array, best: Array, tied: Index
) -> None:
    """Fills best (n,), each original's largest weight over all protected records, and tied (n,), how many have it.

    codes (p, n + N), bits (p,), most : as in pairs_by_subset. weight (2^p,): -inf where no pair shows the pattern.
    The first `rising` attributes weigh more where they agree, so that agreeing on a subset of them at least is enough
    to know; on the others patterns are told apart, by a Moebius transform for each original.
    """
    p, records = codes.shape
    members, ends = np.empty((p + 1, records), np.int32), np.empty((p + 1, records // 2 + 1), np.int32)
    groups, following, subset = np.zeros(p + 1, np.int64), np.zeros(p + 1, np.int64), np.zeros(p + 1, np.int64)
    tally, met = np.zeros((most, 3), np.int32), np.empty(most, np.int32)
    counts = np.zeros((n, 1 << (p - rising)), np.int32)
    members[0] = np.arange(records)
    ends[0, 0], groups[0], depth = records, 1, 0
    best[:] = -np.inf
    _told_apart(codes, rising, n, members, ends, groups, 0, tally, met, counts)
    _raise(0, bits[rising:], n, members[0], weight, counts, best, tied)
    while depth >= 0:
        j = following[depth]
        if j == rising:
            depth -= 1
            continue
        following[depth] += 1
        S, deeper = subset[depth] | bits[j], depth + 1
        inside = members[depth], ends[depth, : groups[depth]]
        _, parts = split(codes[j], n, *inside, members[deeper], ends[deeper], True, tally, met)
        if parts > 0:
            depth, groups[deeper], following[deeper], subset[deeper] = deeper, parts, j + 1, S
            _told_apart(codes, rising, n, members, ends, groups, depth, tally, met, counts)
            _raise(S, bits[rising:], n, members[depth, : ends[depth, parts - 1]], weight, counts, best, tied)


@compiled
def _told_apart(
    codes: Places,
    rising: int,
    n: int,
    members: Places,
    ends: Places,
    groups: Index,
    top: int,
    tally: Places,
    met: Places,
    counts: Places,
) -> None:
    """counts[i, R] of the originals in the groups at `top`: partners agreeing on R at least of the last attributes."""
    p = codes.shape[0]
    for at in range(ends[top, groups[top] - 1]):
        if members[top, at] < n:
            counts[members[top, at]] = 0
    _write(n, members[top], ends[top, : groups[top]], 0, counts)
    following, subset, depth = np.empty(p + 1, np.int64), np.zeros(p + 1, np.int64), top
    following[top] = rising
    while depth >= top:
        j = following[depth]
        if j == p:
            depth -= 1
            continue
        following[depth] += 1
        R, deeper = subset[depth] | (np.int64(1) << (j - rising)), depth + 1
        inside = members[depth], ends[depth, : groups[depth]]
        _, parts = split(codes[j], n, *inside, members[deeper], ends[deeper], True, tally, met)
        if parts > 0:
            depth, groups[deeper], following[deeper], subset[deeper] = deeper, parts, j + 1, R
            _write(n, members[depth], ends[depth, :parts], R, counts)


@compiled
def _write(n: int, members: Any, ends: Any, R: int, counts: Places) -> None:
    start = 0
    for end in ends:
        others = 0
        for at in range(start, end):
            others += members[at] >= n
        for at in range(start, end):
            if members[at] < n:
                counts[members[at], R] = others
        start = end


@compiled
def _raise(S: int, bits: Any, n: int, members: Any, weight: Array, counts: Places, best: Array, tied: Index) -> None:
    """Takes the heaviest of S with each R that some record shows, if it is heavier than what was met before."""
    size = counts.shape[1]
    full = np.full(size, S)
    for R in range(size):
        for j in range(bits.size):
            if R >> j & 1:
                full[R] |= bits[j]
    for i in members:
        if i >= n:
            continue
        mine, step, heaviest = counts[i], 1, -np.inf
        while step < size:
            for R in range(size):
                if R & step == 0:
                    mine[R] -= mine[R | step]
            step *= 2
        for R in range(size):
            if mine[R] > 0:
                heaviest = max(heaviest, weight[full[R]])
        if heaviest <= best[i]:
            continue
        best[i], tied[i] = heaviest, 0
        for R in range(size):
            if mine[R] > 0 and heaviest - weight[full[R]] <= TIE * abs(heaviest):
                tied[i] += mine[R]
