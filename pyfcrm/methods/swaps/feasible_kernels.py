"""The compiled loop that leads records into their bounds: a record out of them exchanges a value with one that has a smaller
or larger one. Its plain twin is in tests/support/exchanges.py; the tests hold both to the same result."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.compile import ZERO, compiled
from ...types import Array, Index
from .swap_kernels import Held, change_places, room


class Ranked(NamedTuple):
    """wanted : (t, n), values by column, sorted; order : (t, n), the record that holds each rank; rank : (t, n), the rank of
    each record's value."""

    wanted: Array
    order: Index
    rank: Index


@compiled
def repair(ranked: Ranked, bounds: Held, size: Array, todo: Index, u: Array) -> int:
    """Tries len(u) exchanges, for each record of `todo` in turn, and does those after which the two are less far out; how
    many were done. size : (g,), the unit of each bound; u : (m, 2) uniforms.

    One uniform chooses a column of a bound that is broken; the other how far away the partner's rank is, of all ranks on the
    side that helps: as likely from 1 to 10 as from 10 to 100.
    """
    wanted, order, rank = ranked.wanted, ranked.order, ranked.rank
    n, done = wanted.shape[1], 0
    for i in range(u.shape[0]):
        a = todo[i % todo.size]
        c, j = _broken(bounds, a, u[i, 0])
        if c < 0:
            continue
        value = bounds.values[a, j]
        lower, larger = np.searchsorted(wanted[j], value), np.searchsorted(wanted[j], value, side="right")
        m = lower if bounds.held[c, j] > 0 else n - larger
        if m == 0:
            continue
        step = min(int((m + 1.0) ** u[i, 1]), m)
        r = lower - step if bounds.held[c, j] > 0 else larger + step - 1
        b, p = order[j, r], rank[j, a]
        before = _outside(bounds, size, a) + _outside(bounds, size, b)
        change_places(bounds, j, a, b)
        if _outside(bounds, size, a) + _outside(bounds, size, b) < before:
            order[j, p], order[j, r] = b, a
            rank[j, a], rank[j, b] = r, p
            done += 1
        else:
            change_places(bounds, j, a, b)
    return done


@compiled
def _broken(bounds: Held, a: int, share: float) -> tuple[int, int]:
    """A bound that record a breaks and a column of it, the one at this share of them all; -1, -1 where it breaks none."""
    g, t = bounds.held.shape
    many = 0
    for c in range(g):
        if room(bounds, a, c, ZERO, bounds.values[a, 0]) < 0:
            for j in range(t):
                many += bounds.held[c, j] != 0.0
    left = int(share * many)
    for c in range(g):
        if room(bounds, a, c, ZERO, bounds.values[a, 0]) < 0:
            for j in range(t):
                if bounds.held[c, j] != 0.0:
                    if left == 0:
                        return c, j
                    left -= 1
    return -1, -1


@compiled
def _outside(bounds: Held, size: Array, a: int) -> float:
    """How far record a is out of its bounds, each in its own unit."""
    far = 0.0
    for c in range(bounds.held.shape[0]):
        left = room(bounds, a, c, ZERO, bounds.values[a, 0])
        if left < 0:
            far -= left / size[c]
    return far
