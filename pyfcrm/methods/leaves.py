"""Densities in the leaves of one tree: frequencies of shared values, and truncated normals of the others."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ..types import Array, Integers, Mask

MIN_SD = 1e-9  # of a normal, as a share of the column's sd
MIN_DENSITY = 1e-300  # the logarithm of 0 is not finite
ROOT_TAU = np.sqrt(2 * np.pi)
Ranks = NDArray[np.float32]
"""(n, p) ranks of values among the distinct ones of their column, in the single precision of scikit-learn's trees."""


class Columns(NamedTuple):
    """The columns A (n, p) that a forest is grown from.

    R : ranks of the values; shared : whether so many records have a value that it is a point mass; bounds (2, p) : of all draws.
    """

    A: Array
    R: Ranks
    shared: Mask
    bounds: Array


def columns_of(A: Array, bounds: Array, point_mass: int, enough: int) -> Columns:
    """The columns, with values of at least `point_mass` records as shared ones.

    Where fewer than `enough` records have other values, each of these becomes the nearest shared value.
    """
    A, shared, ranks = A.copy(), np.ones(A.shape, dtype=bool), np.empty(A.shape, dtype=np.float32)
    for j, a in enumerate(A.T):
        values, counts = np.unique(a, return_counts=True)
        unshared = (counts < point_mass)[np.searchsorted(values, a)]
        if unshared.sum() < enough and not unshared.all():
            values = values[counts >= point_mass]
            a[unshared] = values[np.searchsorted((values[1:] + values[:-1]) / 2, a[unshared])]
            unshared[:] = False
        shared[:, j], ranks[:, j] = ~unshared, np.searchsorted(values, a)
    return Columns(A, ranks, shared, bounds)


class LeafDensity:
    """The densities of the columns in the k nodes of scikit-learn's tree, each node before its left and its right part.

    A node is a leaf where a part would have fewer than `min_leaf` originals, but some. A normal is fitted to `enough` values:
    those of the nearest node above that has as many, within its bounds. In a column of shared values only, the frequencies
    of the parent node count as much as `smooth` records.

    left, right, parent, feature, size (k,) : size counts originals; is_leaf (k,); bounds (2, k, p); unshared (k, p) : values.
    """

    def __init__(self, tree: Any, columns: Columns, min_leaf: int, enough: int, smooth: float) -> None:
        self.columns, self.smooth, inner = columns, smooth, tree.tree_
        self.left, self.right, self.feature = (
            part.astype(np.int64) for part in (inner.children_left, inner.children_right, inner.feature)
        )
        self.threshold = inner.threshold
        nodes = np.arange(len(self.left))
        end, after = self.left < 0, nodes + 1
        self.parent = np.zeros(len(nodes), dtype=np.int64)
        self.parent[self.left[~end]] = self.parent[self.right[~end]] = nodes[~end]
        for node in nodes[~end][::-1].tolist():
            after[node] = after[self.right[node]]
        leaf = tree.apply(columns.R)
        self.records = np.argsort(leaf, kind="stable")
        self.start, self.stop = (np.searchsorted(leaf[self.records], where) for where in (nodes, after))
        self.size = self.stop - self.start
        small = (self.size > 0) & (self.size < min_leaf)
        self.is_leaf = end | small[self.left] | small[self.right]
        self._fit_normals()
        self._descend(enough)

    def _fit_normals(self) -> None:
        """Means and standard deviations of the unshared values, by node and column; the places of values by rank."""
        A, shared = self.columns.A[self.records], self.columns.shared[self.records]
        self._shared_places = [np.flatnonzero(part) for part in shared.T]
        ranks, n = self.columns.R[self.records].astype(np.int64), len(A)
        self._by_rank = [np.sort(column * n + np.arange(n)) for column in ranks.T]
        self.unshared = self._sums(~shared)
        with np.errstate(invalid="ignore", divide="ignore"):
            centre = np.where(shared, 0.0, A).sum(axis=0) / (~shared).sum(axis=0)
            D = np.where(shared, 0.0, A - centre)
            unit = np.sqrt((D**2).sum(axis=0) / (~shared).sum(axis=0))
            D /= unit
            mean = self._sums(D) / self.unshared
            variance = self._sums(D**2) / self.unshared - mean**2
            self.mean, self.sd = centre + unit * mean, unit * np.sqrt(np.maximum(variance, MIN_SD**2))

    def _sums(self, values: Array | Mask) -> Any:
        """(k, p) by node, of values (n, p) in the order of the leaves."""
        total: Any = np.cumsum(values, axis=0)
        total = np.vstack([np.zeros((1, total.shape[1]), dtype=total.dtype), total])
        return total[self.stop] - total[self.start]

    def _descend(self, enough: int) -> None:
        """Bounds, and the node whose normal each node has in each column, level by level."""
        cuts = np.empty(len(self.left))
        for j in range(self.columns.A.shape[1]):
            values, split = np.unique(self.columns.A[:, j]), self.feature == j
            cuts[split] = np.interp(self.threshold[split], np.arange(len(values)), values)
        self.bounds = np.repeat(self.columns.bounds[:, None], len(self.left), axis=1)
        self.source = np.zeros(self.unshared.shape, dtype=np.int64)
        level = np.flatnonzero(self.left[:1] >= 0)
        while len(level):
            parts_below = self.left[level], self.right[level]
            for side, parts in zip((1, 0), parts_below, strict=True):
                self.bounds[:, parts] = self.bounds[:, level]
                self.bounds[side, parts, self.feature[level]] = cuts[level]
                known = self.unshared[parts] >= enough
                self.source[parts] = np.where(known, parts[:, None], self.source[level])
            level = np.concatenate(parts_below)
            level = level[self.left[level] >= 0]

    def leaf_of(self, u: Array) -> Integers:
        """(m,) the leaf of a random original, by uniforms u (m,)."""
        n, node = len(self.records), np.zeros(len(u), dtype=np.int64)
        place = np.minimum((u * n).astype(np.int64), n - 1)
        while not (leaf := self.is_leaf[node]).all():
            left, right = self.left[node], self.right[node]
            node = np.where(leaf, node, np.where(place < self.start[right], left, right))
        return node

    def compatible_leaves(self, records: Integers, s: int) -> tuple[Integers, Integers, Array]:
        """Leaves that may contain the first s columns of these records (m,).

        (k,) indices of the records, leaves, and the logarithm of the leaf's originals times the density of the s columns.
        """
        at, node = np.arange(len(records)), np.zeros(len(records), dtype=np.int64)
        matches = list[tuple[Integers, Integers]]()
        while len(at):
            leaf = self.is_leaf[node]
            matches.append((at[leaf], node[leaf]))
            at, node = at[~leaf], node[~leaf]
            feature = self.feature[node]
            free = feature >= s
            less = self.columns.R[records[at], np.where(free, 0, feature)] <= self.threshold[node]
            left, right = free | less, free | ~less
            node = np.concatenate([self.left[node[left]], self.right[node[right]]])
            at = np.concatenate([at[left], at[right]])
            occupied = self.size[node] > 0
            at, node = at[occupied], node[occupied]
        at, node = (np.concatenate(parts) for parts in zip(*matches, strict=True))
        weight = np.log(self.size[node])
        for j in range(s):
            weight += np.log(np.maximum(self.density(node, j, records[at]), MIN_DENSITY))
        return at, node, weight

    def _parent_weight(self, node: Integers, j: int) -> Array:
        smooth = 0.0 if self.unshared[0, j] else self.smooth
        return np.asarray(smooth / (self.size[node] + smooth), dtype=np.float64)

    def sample(self, node: Integers, j: int, u: Array) -> Array:
        """(m,) values of column j in these leaves (m,), by uniforms u (m,)."""
        above = self._parent_weight(node, j)
        up = u < above
        u = np.where(up, u / np.where(up, above, 1.0), (u - above) / (1 - above))
        node = np.where(up, self.parent[node], node)
        places, size = self._shared_places[j], self.size[node]
        first = np.searchsorted(places, self.start[node])
        count = np.searchsorted(places, self.stop[node]) - first
        share = count / size
        results, on = np.empty(len(node)), (u < share) | (count == size)
        chosen = np.minimum((u[on] / share[on] * count[on]).astype(np.int64), count[on] - 1)
        results[on] = self.columns.A[self.records[places[first[on] + chosen]], j]
        mean, sd, low, high, below, above = self._normal(node[~on], j)
        u = (u[~on] - share[~on]) / (1 - share[~on])
        results[~on] = np.clip(mean + sd * ndtri(below + u * (above - below)), low, high)
        return results

    def _normal(self, node: Integers, j: int) -> tuple[Array, ...]:
        """(m,) means, standard deviations, lower and upper bounds, and the probabilities below these."""
        source = self.source[node, j]
        mean, sd, (low, high) = self.mean[source, j], self.sd[source, j], self.bounds[:, source, j]
        return mean, sd, low, high, ndtr((low - mean) / sd), ndtr((high - mean) / sd)

    def density(self, node: Integers, j: int, record: Integers) -> Array:
        """(m,) density of column j of these records (m,) in these leaves (m,); of a shared value the frequency."""
        above = self._parent_weight(node, j)
        own, parent = (self._density(part, j, record) for part in (node, self.parent[node]))
        return (1 - above) * own + above * parent

    def _density(self, node: Integers, j: int, record: Integers) -> Array:
        x, shared = self.columns.A[record, j], self.columns.shared[record, j]
        results, size = np.empty(len(node)), self.size[node]
        first = self.columns.R[record, j].astype(np.int64)[shared] * len(self.records)
        low, high = (np.searchsorted(self._by_rank[j], first + end[node[shared]]) for end in (self.start, self.stop))
        results[shared] = (high - low) / size[shared]
        free, x = ~shared, x[~shared]
        mean, sd, low, high, below, above = self._normal(node[free], j)
        normal = np.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * ROOT_TAU * (above - below))
        results[free] = np.where((x < low) | (x > high), 0.0, normal) * self.unshared[node[free], j] / size[free]
        return results
