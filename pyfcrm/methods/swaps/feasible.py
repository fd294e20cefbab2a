"""A release whose columns are permutations of their margins, led into bounds by exchanges within a column."""

from __future__ import annotations

import numpy as np

from ...constraints.bounds import Bounds
from ...numerics.sorting import stable_order
from ...rstream import RStream
from ...types import Array, Index
from .feasible_kernels import Ranked, repair
from .swap_kernels import Held

ROUNDS, TRIES, FEWEST = (
    100,
    10,
    1_000,
)  # of looking who is out of bounds; attempts for each of them in one; in all, at least
HOPELESS = 0.05  # of records out of a bound after that: it is left to those who move values


def unbounded(t: int) -> Held:
    """No bounds, of records with t columns."""
    return Held(np.empty((0, t)), np.empty((0, t)), np.empty((0, 0)))


def repaired(start: Array, X: Array, bounds: Bounds, stream: RStream) -> Held:
    """`start` (n, t), beside kept columns X (n, s), with values of a column exchanged until records keep the bounds.

    Those that still break a bound are not made to break it more by what follows; a bound that more than a twentieth of the
    records break is left out of what is handed back. Draws: runif(2 m) for m attempts, 10 for each record out of bounds and
    at least 1,000, again until that ends or does not help, at most 100 times.
    """
    held = Held(start.copy(), bounds.held, bounds.left(X))
    order = np.array([stable_order(column) for column in start.T])
    rank: Index = np.empty_like(order)
    for ranks, places in zip(rank, order, strict=True):
        ranks[places] = np.arange(len(start))
    ranked = Ranked(np.ascontiguousarray(np.take_along_axis(start.T, order, axis=1)), order, rank)
    sd = start.std(axis=0)
    size = np.sqrt((bounds.held**2) @ np.where(sd > 0, sd, 1.0) ** 2)
    for _ in range(ROUNDS):
        todo = np.flatnonzero(bounds.broken(X, held.values).any(axis=1))
        u = stream.runif(2 * max(TRIES * len(todo), FEWEST) if len(todo) else 0).reshape(-1, 2)
        if not len(todo) or not repair(ranked, held, size, todo, u):
            break
    within = bounds.broken(X, held.values).mean(axis=0) <= HOPELESS
    return Held(held.values, bounds.held[within], np.ascontiguousarray(held.left[:, within]))
