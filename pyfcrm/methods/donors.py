"""A donor for each record: another record near it in X, chosen fairly where distances tie; in wide files by a tree."""

from typing import Any

import numpy as np

from ..engine import Engine
from ..engine.engines import side_by_side
from ..errors import InvalidInput
from ..numerics.box_tree import BoxTree, box_tree
from ..numerics.location import distance_columns, row_blocks
from ..rstream import RStream
from ..types import Array, Rows, Terms

NEAR = 1e-9  # relative: two distances closer than this are a tie
ROUNDING = 1e-12  # standard deviations
# Places and columns from which scipy's tree looks at most of the file for each; its answers but for the order of ties.
MANY, WIDE = 20_000, 4


def donors_near(
    owner: str, X: Array, k: int, stream: RStream, *, engine: Engine | None = None, terms: Terms = ()
) -> Rows:
    """A record (n,) for each record, another one among its k nearest in X (n, s), by distance_columns; s may be 0.

    Each of the k has the same chance. If several tie for the last places, they share the probability of these places,
    so that the order of the file has no effect. With fewer than k others all of them are near, and without columns all
    are equally near. engine : of this machine, for threads. Draws: n uniforms. Errors: InvalidInput with a single
    record.
    """
    if len(X) < 2:
        raise InvalidInput(owner, "a donor needs at least two records", len(X))
    return Donors(X, k, terms).draw(stream, engine)


def near_in_order(X: Array, k: int, first: int, terms: Terms) -> Rows:
    """The k nearest others (first, k) of the first records, or all n, in X (n, s), the nearest first; ties by file order.

    Where nothing ties, donors_near takes from them the one at floor(k u).
    """
    A = distance_columns(X, terms)
    d = ((A[:first, None] - A) ** 2).sum(axis=2)
    np.fill_diagonal(d, np.inf)
    return np.argsort(d, axis=1, kind="stable")[:, : min(k, len(X) - 1)]


class Donors:
    """The distinct places of at least two records in X (n, s), by distance_columns, each with the records that are there, and k."""

    def __init__(self, X: Array, k: int, terms: Terms = ()) -> None:
        from scipy.spatial import cKDTree

        self.k, Z = min(k, len(X) - 1), distance_columns(X, terms) + 0.0  # -0 is 0
        if not Z.shape[1]:
            Z = np.zeros((len(Z), 1))
        self.places, self.at, self.count = np.unique(Z, axis=0, return_inverse=True, return_counts=True)
        self.members = np.argsort(self.at, kind="stable")
        self.start = np.concatenate([[0], np.cumsum(self.count)])
        self.turn = np.empty(len(Z), dtype=np.intp)  # of a record among those at its place
        self.turn[self.members] = np.arange(len(Z)) - self.start[self.at[self.members]]
        wide = len(self.places) >= MANY and Z.shape[1] >= WIDE
        self.tree: Any = box_tree(self.places) if wide else cKDTree(self.places)
        # A record may be alone at its place; one more shows whether any ties with the last.
        self.neighbours = min(self.k + 2, len(self.places))
        self.blocks = list(row_blocks(len(self.places), self.neighbours))
        self.nearest: tuple[Array, Rows] | None = None  # of a single block, for the next draw

    def draw(self, stream: RStream, engine: Engine | None = None) -> Rows:
        """A donor (n,) for each record; see donors_near."""
        n = len(self.at)
        u, chosen = stream.runif(n), np.empty(n, dtype=np.intp)

        def choose(block: int) -> None:
            rows = self.blocks[block]
            places = np.arange(rows.start, rows.stop)
            records = self.members[self.start[rows.start] : self.start[rows.stop]]
            near = self.nearest or self._near(places, self.neighbours)
            chosen[records] = self._drawn(places, records, u[records], *near)
            self.nearest = near if len(self.blocks) == 1 else None

        side_by_side(choose, len(self.blocks), n, engine)
        return chosen

    def _near(self, places: Rows, q: int) -> tuple[Array, Rows]:
        """The places (N, q) nearest to these (N,), the nearest first, equally near ones in order: distances, and which they are."""
        A = self.places[places]
        near = self.tree.nearest(A, q) if isinstance(self.tree, BoxTree) else self.tree.query(A, k=[*range(1, q + 1)])
        near = np.sort(near[1], axis=1)
        distances = np.linalg.norm(self.places[near] - A[:, None], axis=2)
        order = np.argsort(distances, axis=1, kind="stable")
        return np.take_along_axis(distances, order, axis=1), np.take_along_axis(near, order, axis=1)

    def _drawn(self, places: Rows, records: Rows, u: Array, distances: Array, near: Rows) -> Rows:
        """Donors (m,) of the records (m,) at places (N,), ascending; u (m,) in (0, 1); distances and near as from `_near`."""
        row, q = np.searchsorted(places, self.at[records]), near.shape[1]
        others = self.count[near] - (near == places[:, None])
        ends = np.cumsum(others, axis=1)
        limit = distances[np.arange(len(places)), np.argmax(ends >= self.k, axis=1)]  # how far the k-th other is
        tie = NEAR * limit + ROUNDING
        sure = (others * (distances < (limit - tie)[:, None])).sum(axis=1)[row]
        possible = (others * (distances <= (limit + tie)[:, None])).sum(axis=1)[row]
        v = u * self.k
        share = np.maximum(v - sure, 0.0) / (self.k - sure)
        last = np.minimum(sure + (share * (possible - sure)).astype(np.intp), possible - 1)
        which = np.where(v < sure, v.astype(np.intp), last)
        column = np.argmax(ends[row] > which[:, None], axis=1)
        place, turn = near[row, column], which - (ends - others)[row, column]
        # The record itself is no donor.
        turn += (place == self.at[records]) & (turn >= self.turn[records])
        donors = self.members[self.start[place] + turn]
        if q < len(self.places):  # more places may tie with the last one
            undecided, more = np.flatnonzero(distances[:, -1] <= limit + tie), min(2 * q, len(self.places))
            for part in row_blocks(len(undecided), more):
                again, some = np.isin(row, undecided[part]), places[undecided[part]]
                donors[again] = self._drawn(some, records[again], u[again], *self._near(some, more))
        return donors
