"""A donor for each record: another record near it in X, chosen fairly where distances tie; in wide files by a tree."""

from typing import Any

import numpy as np

from ..engine import Engine
from ..engine.threads import side_by_side
from ..errors import InvalidInput
from ..numerics.box_tree import box_tree
from ..numerics.location import distance_columns, row_blocks
from ..rstream import RStream
from ..types import Array, Rows, Terms

NEAR = 1e-9  # relative: two distances closer than this are a tie
ROUNDING = 1e-12  # standard deviations
# Places and columns from which scipy's tree looks at most of the file for each; its answers but for the order of ties.
MANY, WIDE = 20_000, 4


def donors_near(owner: str, X: Array, k: int, stream: RStream, engine: Engine | None = None, terms: Terms = ()) -> Rows:
    """(n,) for each record another one among its k nearest in X (n, s), by distance_columns; s may be 0.

    Each of the k has the same chance. If several tie for the last places, they share the probability of these places,
    so that the order of the file has no effect. With fewer than k others all of them are near, and without columns all
    are equally near. engine : of this machine, for threads. Draws: n uniforms. Errors: InvalidInput with a single
    record.
    """
    if len(X) < 2:
        raise InvalidInput(owner, "a donor needs at least two records", len(X))
    return Donors(X, k, terms).draw(stream, engine)


def near_in_order(X: Array, k: int, first: int, terms: Terms) -> Rows:
    """(first, k) of the first records the k nearest others in X (n, s), the nearest first; ties by file order.

    Where nothing ties, donors_near takes from them the one at floor(k u).
    """
    A = distance_columns(X, terms)
    d = ((A[:first, None] - A) ** 2).sum(axis=2)
    d[np.arange(first), np.arange(first)] = np.inf
    return np.argsort(d, axis=1, kind="stable")[:, : min(k, len(X) - 1)]


class Donors:
    """The distinct places of at least two records in X (n, s), by distance_columns, each with the records that are there, and k."""

    def __init__(self, X: Array, k: int, terms: Terms = ()) -> None:
        from scipy.spatial import cKDTree

        self.k, Z = min(k, len(X) - 1), distance_columns(X, terms) + 0.0  # -0 is 0
        if not Z.shape[1]:
            Z = np.zeros((len(Z), 1))
        self.places, at, self.count = np.unique(Z, axis=0, return_inverse=True, return_counts=True)
        self.at = at.reshape(-1)
        self.members = np.argsort(self.at, kind="stable")
        self.start = np.concatenate([[0], np.cumsum(self.count)])
        self.turn = np.empty(len(Z), dtype=np.intp)  # of a record among those at its place
        self.turn[self.members] = np.arange(len(Z)) - self.start[self.at[self.members]]
        self.tree: Any = cKDTree(self.places)
        # A record may be alone at its place; one more shows whether any ties with the last.
        self.neighbours = min(self.k + 2, len(self.places))
        self.blocks = list(row_blocks(len(self.places), self.neighbours))
        self.nearest: tuple[Array, Rows] | None = None  # of a single block, for the next draw
        wide = len(self.places) >= MANY and Z.shape[1] >= WIDE
        self.leaves = box_tree(self.places) if wide else None

    def draw(self, stream: RStream, engine: Engine | None = None) -> Rows:
        """(n,) a donor for each record; see donors_near."""
        n = len(self.at)
        u, chosen = stream.runif(n), np.empty(n, dtype=np.intp)

        def choose(block: int) -> None:
            places = self.blocks[block]
            records = self.members[self.start[places.start] : self.start[places.stop]]
            chosen[records] = self.drawn(places, records, u[records])

        side_by_side(choose, len(self.blocks), n, engine)
        return chosen

    def near(self, places: slice) -> tuple[Array, Rows]:
        """(N, neighbours) the places nearest to those of a range, the nearest first: their distances, and which they are."""
        if self.nearest is not None:
            return self.nearest
        A, k = self.places[places], self.neighbours
        near = self.tree.query(A, k=[*range(1, k + 1)])[1] if self.leaves is None else self.leaves.nearest(A, k)[1]
        found = _ordered(A[:, None], self.places, near)
        self.nearest = found if len(self.blocks) == 1 else None
        return found

    def drawn(self, places: slice, records: Rows, u: Array) -> Rows:
        """The donors of the records at a range of places, u (N,) in (0, 1)."""
        distances, near = self.near(places)
        own = np.arange(places.start, places.stop)
        others = self.count[near] - (near == own[:, None])
        enough = np.argmax(np.cumsum(others, axis=1) >= self.k, axis=1)
        limit = distances[np.arange(len(own)), enough]  # how far the k-th other is
        tie = NEAR * limit + ROUNDING
        row = self.at[records] - places.start
        donors = self._pick(records, u, near[row], distances[row], limit[row], tie[row])
        if self.neighbours < len(self.places):
            # More places may tie with the last neighbour.
            for r in np.flatnonzero(distances[:, -1] <= limit + tie):
                there = row == r
                distances_r, near_r = self._within(int(own[r]), float(limit[r] + tie[r]))
                donors[there] = self._pick(records[there], u[there], near_r, distances_r, limit[[r]], tie[[r]])
        return donors

    def _within(self, place: int, radius: float) -> tuple[Array, Rows]:
        """(1, q) the places within a radius, the nearest first: their distances, and which they are."""
        near = np.asarray(self.tree.query_ball_point(self.places[place], radius), dtype=np.intp)
        return _ordered(self.places[place], self.places, near[None])

    def _pick(self, records: Rows, u: Array, near: Rows, distances: Array, limit: Array, tie: Array) -> Rows:
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


def _ordered(at: Array, A: Array, near: Rows) -> tuple[Array, Rows]:
    """Distances (N, q) of the rows `near` (N, q) of A (n, s) from `at`, and those rows, ascending; equal ones by row."""
    near = np.sort(near, axis=1)
    distances = np.linalg.norm(A[near] - at, axis=2)
    order = np.argsort(distances, axis=1, kind="stable")
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(near, order, axis=1)
