"""The leaves of a tree as densities: how many records are in each, and in each column the values that many records share and a
normal distribution, cut at the leaf's bounds, of the others; leaves and values drawn from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from ..types import Array, Integers, Mask
from .forest import Ranks

TINY = 1e-9  # of a column's sd: no normal is narrower
LEAST = 1e-300  # of a density: far out in a wide normal there is none left
ROOT_TAU = np.sqrt(2 * np.pi)


@dataclass(frozen=True)
class Columns:
    """What is known of the columns A (n, p) before any tree.

    R : the values' ranks among the different ones; shared (n, p) whether so many records have the value that it is nobody's
    own; values : by column the different values, ascending; bounds (2, p) : in which everything drawn is.
    """

    A: Array
    R: Ranks
    shared: Mask
    values: tuple[Array, ...]
    bounds: Array


def columns_of(A: Array, bounds: Array, heap: int, enough: int) -> Columns:
    """The columns, where fewer than `heap` records share a value that is theirs. Where a column has such values and others,
    and fewer than `enough` of them, they are counted to the nearest that is shared."""
    A, shared, values = A.copy(), np.ones(A.shape, dtype=bool), []
    ranks = np.empty(A.shape, dtype=np.float32)
    for j, a in enumerate(A.T):
        different, counts = np.unique(a, return_counts=True)
        own = (counts < heap)[np.searchsorted(different, a)]
        if own.sum() < enough and not own.all():
            different = different[counts >= heap]
            a[own] = different[np.searchsorted((different[1:] + different[:-1]) / 2, a[own])]
            own[:] = False
        values.append(different)
        shared[:, j], ranks[:, j] = ~own, np.searchsorted(different, a)
    return Columns(A, ranks, shared, tuple(values), bounds)


@dataclass(frozen=True)
class Nodes:
    """A tree's k nodes, each before its left part and that before its right part.

    feature, left, right, parent (k,) int; threshold (k,) in ranks; records : (n,) the originals by leaf; start, stop (k,) :
    those of a node among them; ends (k,) whether no record goes further.
    """

    feature: Integers
    threshold: Array
    left: Integers
    right: Integers
    parent: Integers
    records: Integers
    start: Integers
    stop: Integers
    ends: Mask

    @property
    def size(self) -> Integers:
        """(k,) originals in each."""
        return self.stop - self.start


def nodes_of(tree: Any, R: Ranks, min_leaf: int) -> Nodes:
    """The nodes of scikit-learn's tree. One that would leave a part of fewer than min_leaf originals, but some, is not cut."""
    inner = tree.tree_
    left, right = inner.children_left.astype(np.int64), inner.children_right.astype(np.int64)
    k = len(left)
    at = np.arange(k)
    parent, after = np.zeros(k, dtype=np.int64), at + 1
    leaf = left < 0
    parent[left[~leaf]] = parent[right[~leaf]] = at[~leaf]
    for node in at[~leaf][::-1].tolist():
        after[node] = after[right[node]]
    of = tree.apply(R)
    records = np.argsort(of, kind="stable")
    start, stop = np.searchsorted(of[records], at), np.searchsorted(of[records], after)
    size = stop - start
    small = (size > 0) & (size < min_leaf)
    ends = leaf | small[left] | small[right]
    return Nodes(inner.feature.astype(np.int64), inner.threshold, left, right, parent, records, start, stop, ends)


class Leaves:
    """Densities in the nodes of one tree; a column of shared values only, of categories, is also, with `smooth` records'
    weight, that of the node that the leaf is a part of.

    A normal is of `enough` values: of those in the nearest node above that has them, within that node's bounds.
    """

    def __init__(self, nodes: Nodes, columns: Columns, enough: int, smooth: float) -> None:
        self.nodes, self.columns, self.smooth = nodes, columns, smooth
        A, shared = columns.A[nodes.records], columns.shared[nodes.records]
        self._shared_so_far = np.vstack([np.zeros((1, A.shape[1]), dtype=np.int64), np.cumsum(shared, axis=0)])
        self._shared_at = [np.flatnonzero(part) for part in shared.T]
        ranks, n = columns.R[nodes.records].astype(np.int64), len(A)
        self._by_rank = [np.sort(each * n + np.arange(n)) for each in ranks.T]
        self.own = self._within(np.cumsum(~shared, axis=0))
        with np.errstate(invalid="ignore", divide="ignore"):
            centre = np.where(shared, 0.0, A).sum(axis=0) / (~shared).sum(axis=0)
            D = np.where(shared, 0.0, A - centre)
            unit = np.sqrt((D**2).sum(axis=0) / (~shared).sum(axis=0))
            D /= unit
            mean = self._within(np.cumsum(D, axis=0)) / self.own
            variance = self._within(np.cumsum(D**2, axis=0)) / self.own - mean**2
            self.mean, self.sd = centre + unit * mean, unit * np.sqrt(np.maximum(variance, TINY**2))
        self._descend(enough)

    def _within(self, sums: Array) -> Array:
        """(k, p) by node, of cumulated (n, p)."""
        whole = np.vstack([np.zeros((1, sums.shape[1]), dtype=sums.dtype), sums])
        return whole[self.nodes.stop] - whole[self.nodes.start]

    def _descend(self, enough: int) -> None:
        """Bounds, and where each column's normal is taken from: level by level."""
        nodes = self.nodes
        k, p = self.own.shape
        self.bounds = np.empty((2, k, p))
        self.bounds[:, 0] = self.columns.bounds
        self.source = np.zeros((k, p), dtype=np.int64)
        level = np.zeros(1, dtype=np.int64)
        while len(level):
            level = level[nodes.left[level] >= 0]
            feature = nodes.feature[level]
            cuts = self._cuts(feature, nodes.threshold[level])
            for side, parts in ((1, nodes.left[level]), (0, nodes.right[level])):
                self.bounds[:, parts] = self.bounds[:, level]
                self.bounds[side, parts, feature] = cuts
                known = self.own[parts] >= enough
                self.source[parts] = np.where(known, parts[:, None], self.source[level])
            level = np.concatenate([nodes.left[level], nodes.right[level]])

    def _cuts(self, feature: Integers, threshold: Array) -> Array:
        cuts = np.empty(len(feature))
        for j in np.unique(feature):
            values, here = self.columns.values[j], feature == j
            cuts[here] = np.interp(threshold[here], np.arange(len(values)), values)
        return cuts

    def of_any(self, u: Array) -> Integers:
        """(m,) the leaf of any original, by uniforms u (m,)."""
        nodes = self.nodes
        place = np.minimum((u * len(nodes.records)).astype(np.int64), len(nodes.records) - 1)
        node = np.zeros(len(u), dtype=np.int64)
        while not nodes.ends[node].all():
            on = ~nodes.ends[node]
            right = nodes.right[node[on]]
            node[on] = np.where(place[on] < nodes.start[right], nodes.left[node[on]], right)
        return node

    def given(self, records: Integers, s: int) -> tuple[Integers, Integers, Array]:
        """Leaves in which the first s columns of these records (m,) can be.

        (k,) places among the records, leaves, and the logarithm of how many originals a leaf has times the density of what
        is given.
        """
        nodes, R = self.nodes, self.columns.R
        at, node = np.arange(len(records)), np.zeros(len(records), dtype=np.int64)
        found = list[tuple[Integers, Integers]]()
        while len(at):
            ends = nodes.ends[node]
            found.append((at[ends], node[ends]))
            at, node = at[~ends], node[~ends]
            feature = nodes.feature[node]
            kept = feature < s
            less = R[records[at], np.where(kept, feature, 0)] <= nodes.threshold[node]
            left, right = ~kept | less, ~kept | ~less
            node = np.concatenate([nodes.left[node[left]], nodes.right[node[right]]])
            at = np.concatenate([at[left], at[right]])
            some = nodes.size[node] > 0
            at, node = at[some], node[some]
        at, node = (np.concatenate(parts) for parts in zip(*found, strict=True))
        weight = np.log(nodes.size[node])
        for j in range(s):
            weight += np.log(np.maximum(self.density(node, j, records[at]), LEAST))
        return at, node, weight

    def _weight_above(self, node: Integers, j: int) -> Array:
        """Of the node that a node is a part of, in a column of categories; the root is a part of itself."""
        smooth = 0.0 if self.own[0, j] else self.smooth
        return np.asarray(smooth / (self.nodes.size[node] + smooth), dtype=np.float64)

    def drawn(self, node: Integers, j: int, u: Array) -> Array:
        """(m,) values of column j in these leaves (m,), of uniforms."""
        above = self._weight_above(node, j)
        up = u < above
        u = np.where(up, u / np.where(up, above, 1.0), (u - above) / (1 - above))
        node = np.where(up, self.nodes.parent[node], node)
        first = self._shared_so_far[self.nodes.start[node], j]
        count = self._shared_so_far[self.nodes.stop[node], j] - first
        share = count / self.nodes.size[node]
        results = np.empty(len(node))
        on = (u < share) | (count == self.nodes.size[node])
        place = np.minimum((u[on] / share[on] * count[on]).astype(np.int64), count[on] - 1)
        results[on] = self.columns.A[self.nodes.records[self._shared_at[j][first[on] + place]], j]
        results[~on] = self._normal(self.source[node[~on], j], j, (u[~on] - share[~on]) / (1 - share[~on]))
        return results

    def _normal(self, node: Integers, j: int, u: Array) -> Array:
        mean, sd, (low, high) = self.mean[node, j], self.sd[node, j], self.bounds[:, node, j]
        below, above = ndtr((low - mean) / sd), ndtr((high - mean) / sd)
        return np.clip(mean + sd * ndtri(below + u * (above - below)), low, high)

    def density(self, node: Integers, j: int, record: Integers) -> Array:
        """(m,) of these records' (m,) values of column j in these leaves (m,): a share where the value is a shared one."""
        above = self._weight_above(node, j)
        here, there = (self._density(each, j, record) for each in (node, self.nodes.parent[node]))
        return (1 - above) * here + above * there

    def _density(self, node: Integers, j: int, record: Integers) -> Array:
        x, rank, shared = (each[record, j] for each in (self.columns.A, self.columns.R, self.columns.shared))
        results, size = np.empty(len(node)), self.nodes.size[node]
        results[shared] = self._alike(node[shared], j, rank[shared]) / size[shared]
        at, free = self.source[node[~shared], j], x[~shared]
        mean, sd, (low, high) = self.mean[at, j], self.sd[at, j], self.bounds[:, at, j]
        inside = ndtr((high - mean) / sd) - ndtr((low - mean) / sd)
        normal = np.exp(-0.5 * ((free - mean) / sd) ** 2) / (sd * ROOT_TAU * inside)
        results[~shared] = (
            np.where((free < low) | (free > high), 0.0, normal) * self.own[node[~shared], j] / size[~shared]
        )
        return results

    def _alike(self, node: Integers, j: int, rank: Array) -> Integers:
        """(m,) how many originals of a node have the value of this rank."""
        first = rank.astype(np.int64) * len(self.nodes.records)
        ends = (np.searchsorted(self._by_rank[j], first + each[node]) for each in (self.nodes.stop, self.nodes.start))
        return np.subtract(*ends)
