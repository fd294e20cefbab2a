"""A donor for each record: another record near it in X, chosen fairly where distances tie."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..linkage.distance import row_blocks, standardise
from ..rstream import RStream

Array = NDArray[np.float64]
Places = NDArray[np.intp]
NEAR = 1e-9  # relative: two distances closer than this are a tie
ROUNDING = 1e-12  # standard deviations


def donors_near(owner: str, X: Array, k: int, stream: RStream) -> Places:
    """(n,) for each record another one among its k nearest in standardised X (n, s); s may be 0.

    Each of the k has the same chance. Where several tie for the last places, they share the chance of those places, so
    that the order of the file decides nothing; with fewer than k others all of them have it, and with no columns all
    are as near. Draws: n uniforms. Errors: InvalidInput with a single record.
    """
    n = len(X)
    if n < 2:
        raise InvalidInput(owner, "a donor needs at least two records", n)
    points = _Points(standardise(X) + 0.0, min(k, n - 1))  # -0 is 0
    u, chosen = stream.runif(n), np.empty(n, dtype=np.intp)
    for places in row_blocks(len(points.places), points.asked):
        first, last = points.start[places.start], points.start[places.stop]
        records = points.members[first:last]
        chosen[records] = points.drawn(places, records, u[records])
    return chosen


class _Points:
    """The distinct places of the records, each with the records that are there."""

    def __init__(self, Z: Array, k: int) -> None:
        from scipy.spatial import cKDTree

        self.k = k
        if not Z.shape[1]:
            Z = np.zeros((len(Z), 1))
        self.places, at, self.count = np.unique(Z, axis=0, return_inverse=True, return_counts=True)
        self.at = at.reshape(-1)
        self.members = np.argsort(self.at, kind="stable")
        self.start = np.concatenate([[0], np.cumsum(self.count)])
        self.turn = np.empty(len(Z), dtype=np.intp)  # of a record among those at its place
        self.turn[self.members] = np.arange(len(Z)) - self.start[self.at[self.members]]
        self.tree: Any = cKDTree(self.places)
        self.asked = min(k + 1, len(self.places))  # a record's own place may hold nobody else

    def drawn(self, places: slice, records: Places, u: Array) -> Places:
        """The donors of the records at a range of places, u (N,) in (0, 1)."""
        distances, near = self.tree.query(self.places[places], k=[*range(1, self.asked + 1)])
        own = np.arange(places.start, places.stop)
        others = self.count[near] - (near == own[:, None])
        enough = np.argmax(np.cumsum(others, axis=1) >= self.k, axis=1)
        limit = distances[np.arange(len(own)), enough]  # how far the k-th other is
        tie = NEAR * limit + ROUNDING
        row = self.at[records] - places.start
        donors = self._pick(records, u, near[row], distances[row], limit[row], tie[row])
        if self.asked < len(self.places):
            # More places may tie with the last one that was asked for.
            for r in np.flatnonzero(distances[:, -1] <= limit + tie):
                there = row == r
                near_r, distances_r = self._within(int(own[r]), float(limit[r] + tie[r]))
                donors[there] = self._pick(records[there], u[there], near_r, distances_r, limit[[r]], tie[[r]])
        return donors

    def _within(self, place: int, radius: float) -> tuple[Places, Array]:
        """(1, q) the places within a radius, the nearest first, and their distances."""
        near = np.sort(np.asarray(self.tree.query_ball_point(self.places[place], radius), dtype=np.intp))
        distances = np.linalg.norm(self.places[near] - self.places[place], axis=1)
        order = np.argsort(distances, kind="stable")
        return near[None, order], distances[None, order]

    def _pick(self, records: Places, u: Array, near: Places, distances: Array, limit: Array, tie: Array) -> Places:
        """(N,) donors. near, distances : (N, q) or (1, q), ascending; limit, tie : (N,) or (1,)."""
        others = self.count[near] - (near == self.at[records][:, None])
        nearer = distances < (limit - tie)[:, None]
        within = distances <= (limit + tie)[:, None]
        sure, all_of_them = (others * nearer).sum(axis=1), (others * within).sum(axis=1)
        v = u * self.k
        share = np.maximum(v - sure, 0.0) / (self.k - sure)
        last = np.minimum(sure + (share * (all_of_them - sure)).astype(np.intp), all_of_them - 1)
        which = np.where(v < sure, v.astype(np.intp), last)
        ends = np.cumsum(others, axis=1)
        column = np.argmax(ends > which[:, None], axis=1)
        row = np.arange(len(records))
        place = np.broadcast_to(near, others.shape)[row, column]
        turn = which - (ends - others)[row, column]
        # The record itself is no donor.
        turn += (place == self.at[records]) & (turn >= self.turn[records])
        return self.members[self.start[place] + turn]
