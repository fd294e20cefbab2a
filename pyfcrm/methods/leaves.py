"""Densities in the leaves of one tree: frequencies of shared values, and truncated normals of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ..types import Array, Integers, Mask

MIN_SD = 1e-9  # of a normal, as a share of the column's sd
MIN_DENSITY = 1e-300  # the logarithm of 0 is not finite
FEW_VALUES = 32  # of a column, whose densities in every leaf are computed once and then looked up
ROOT_TAU = np.sqrt(2 * np.pi)
Ranks = NDArray[np.float32]
"""(n, p) ranks of values among the distinct ones of their column, in the single precision of scikit-learn's trees."""


@dataclass(frozen=True)
class Columns:
    """The columns that a forest is grown from."""

    A: Array
    """(n, p) the values."""
    R: Ranks
    """(n, p) their ranks."""
    shared: Mask
    """(n, p) whether a value is a point mass."""
    bounds: Array
    """(2, p) of all draws."""
    given: int = 0
    """The number of columns, the first ones, that are not drawn: their cuts are exact."""

    @cached_property
    def examples(self) -> list[Integers | None]:
        """One record of each rank, by given column; None for a column of more than FEW_VALUES ranks."""
        found = list[Integers | None]()
        for ranks in self.R[:, : self.given].T:
            _, first = np.unique(ranks, return_index=True)
            found.append(first if len(first) <= FEW_VALUES else None)
        return found


def columns_of(A: Array, masses: Sequence[Array], bounds: Array, enough: int, given: int = 0) -> Columns:
    """The columns A (n, p), with the point masses of each.

    Where fewer than `enough` records have other values, each of these becomes the nearest point mass.
    """
    A = A.copy()
    shared = np.ones(A.shape, dtype=bool)
    ranks = np.empty(A.shape, dtype=np.float32)
    for j, a in enumerate(A.T):
        values = np.unique(a)
        unshared = ~np.isin(a, masses[j])
        if unshared.sum() < enough and not unshared.all():
            values = values[np.isin(values, masses[j])]
            a[unshared] = values[np.searchsorted((values[1:] + values[:-1]) / 2, a[unshared])]
            unshared[:] = False
        shared[:, j] = ~unshared
        ranks[:, j] = np.searchsorted(values, a)
    return Columns(A, ranks, shared, bounds, given)


@dataclass(frozen=True)
class RankTable:
    """The r ranks of a column in the l leaves of a tree."""

    is_inside: Mask
    """(r, l) whether a rank is within the bounds of a leaf."""
    log_density: Array
    """(r, l) the logarithm of its density in the leaf."""


class LeafDensity:
    """The densities of the columns in the k nodes of scikit-learn's tree, each node before its left and its right part.

    Values are drawn from a leaf of at least `min_leaf` originals; for a smaller one from the nearest node above that has as many.
    The leaf beside it is not blurred: where records are rare, forests find relations. A normal is fitted to `enough` values: those
    of the nearest node above that has as many, within its bounds. In a column of shared values only, the frequencies
    of the parent node count as much as `smooth` records.

    left, right, parent, size (k,) : size counts originals; is_leaf (k,); leaves : those with originals, level by level;
    large (k,) : the node from which the values of each are drawn; box, bounds (2, k, p) : of ranks and of values; unshared (k, p) : values.
    """

    def __init__(self, tree: Any, columns: Columns, min_leaf: int, enough: int, smooth: float) -> None:
        self.columns, self.smooth, inner = columns, smooth, tree.tree_
        self.left, self.right = (part.astype(np.int64) for part in (inner.children_left, inner.children_right))
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
        self.is_leaf = end
        self._fit_normals()
        self._descend(inner.feature, inner.threshold, enough=enough, min_leaf=min_leaf)

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
            unit[unit == 0] = 1.0
            D /= unit
            mean = self._sums(D) / self.unshared
            variance = self._sums(D**2) / self.unshared - mean**2
            self.mean, self.sd = centre + unit * mean, unit * np.sqrt(np.maximum(variance, MIN_SD**2))

    def _sums(self, values: Array | Mask) -> Any:
        """Sums (k, p) by node, of values (n, p) in the order of the leaves."""
        total: Any = np.cumsum(values, axis=0)
        total = np.vstack([np.zeros((1, total.shape[1]), dtype=total.dtype), total])
        return total[self.stop] - total[self.start]

    def _descend(self, feature: Integers, threshold: Array, *, enough: int, min_leaf: int) -> None:
        """Leaves, bounds, and the nodes whose values, and whose normal in each column, each node has, level by level."""
        self.large = np.zeros(len(self.size), dtype=np.int64)
        self.source = np.zeros(self.unshared.shape, dtype=np.int64)
        self.box = np.full((2, *self.unshared.shape), np.inf)
        self.box[0] = -np.inf
        level, leaves = np.zeros(1, dtype=np.int64), list[Integers]()
        while len(level):
            leaves.append(level[self.is_leaf[level]])
            level = level[~self.is_leaf[level]]
            parts_below = self.left[level], self.right[level]
            for side, parts in zip((1, 0), parts_below, strict=True):
                self.box[:, parts] = self.box[:, level]
                self.box[side, parts, feature[level]] = threshold[level]
                self.large[parts] = np.where(self.size[parts] >= min_leaf, parts, self.large[level])
                known = self.unshared[parts] >= enough
                self.source[parts] = np.where(known, parts[:, None], self.source[level])
            level = np.concatenate(parts_below)
        self.leaves = np.concatenate(leaves)
        self.leaves = self.leaves[self.size[self.leaves] > 0]
        self.bounds = np.repeat(self.columns.bounds[:, None], len(self.size), axis=1)
        for j in range(self.box.shape[2]):
            is_cut = np.isfinite(self.box[:, :, j])
            self.bounds[is_cut, j] = self._cuts(j, self.box[is_cut, j], enough)

    def _cuts(self, j: int, cuts: Array, enough: int) -> Array:
        """Values (k,) at cuts (k,) between ranks of column j.

        In a column that is drawn it is the mean of the `enough` nearest values that are no point masses, half of them on
        either side, so that no bound is the place of a record or two. Near an end of the column it lies between its bound
        there and the mean of the first, in proportion to the number of values.
        """
        a = self.columns.A[:, j]
        if j < self.columns.given:
            values = np.unique(a)
            return np.asarray(np.interp(cuts, np.arange(len(values)), values))
        drawn = ~self.columns.shared[:, j]
        if not drawn.any():
            return cuts  # no value is drawn within bounds
        order = np.argsort(a[drawn], kind="stable")
        values = a[drawn][order]
        m = len(values)
        half = min(enough, m) / 2
        below = np.searchsorted(self.columns.R[drawn, j][order], cuts)
        first = np.clip(below - int(half), 0, m - int(2 * half))
        total = np.concatenate([[0.0], np.cumsum(values)])
        mean = (total[first + int(2 * half)] - total[first]) / int(2 * half)
        low, high = self.columns.bounds[:, j]
        mean = np.where(below < half, low + (mean - low) * below / half, mean)
        return np.where(m - below < half, high + (mean - high) * (m - below) / half, mean)

    def leaf_of(self, u: Array) -> Integers:
        """Leaf (m,) of a random original, by uniforms u (m,)."""
        leaves = self.leaves[np.argsort(self.start[self.leaves])]
        place = (u * len(self.records)).astype(np.int64)
        return leaves[np.searchsorted(self.start[leaves], place, side="right") - 1]

    def compatible_leaves(self, records: Integers, s: int) -> tuple[Integers, Integers, Array]:
        """Leaves that may contain the first s columns of these records (m,).

        s : at most the number of given columns.
        (k,) indices of the records, ascending, leaves, and the logarithm of the leaf's originals times the density of the s columns.
        """
        leaves = self.leaves
        may_contain = np.ones((len(records), len(leaves)), dtype=bool)
        for j in range(s):
            rank = self.columns.R[records, j]
            table = self._tables[j]
            if table is None:
                may_contain &= self._is_inside(rank, j)
            else:
                may_contain &= table.is_inside[rank.astype(np.int64)]
        at, place = np.nonzero(may_contain)
        node = leaves[place]
        weight = np.log(self.size[node])
        for j in range(s):
            table = self._tables[j]
            if table is None:
                weight += self._log_density(node, j, records[at])
            else:
                rank = self.columns.R[records[at], j].astype(np.int64)
                weight += table.log_density[rank, place]
        return at, node, weight

    @cached_property
    def _tables(self) -> list[RankTable | None]:
        """What is known of every rank of each given column in every leaf; None for a column of many ranks."""
        tables = list[RankTable | None]()
        for j, records in enumerate(self.columns.examples):
            if records is None:
                tables.append(None)
                continue
            shape = len(records), len(self.leaves)
            log_density = self._log_density(np.tile(self.leaves, len(records)), j, np.repeat(records, len(self.leaves)))
            tables.append(RankTable(self._is_inside(self.columns.R[records, j], j), log_density.reshape(shape)))
        return tables

    def _is_inside(self, rank: Ranks, j: int) -> Mask:
        """(m, l) whether these ranks (m,) of column j are within the bounds of each leaf."""
        low, high = self.box[:, self.leaves, j]
        return (rank[:, None] > low) & (rank[:, None] <= high)

    def _log_density(self, node: Integers, j: int, record: Integers) -> Array:
        """Logarithms (m,) of `density`."""
        return np.log(np.maximum(self.density(node, j, record), MIN_DENSITY))

    def _parent_weight(self, node: Integers, j: int) -> Array:
        smooth = 0.0 if self.unshared[0, j] else self.smooth
        return np.asarray(smooth / (self.size[node] + smooth), dtype=np.float64)

    def sample(self, node: Integers, j: int, u: Array) -> Array:
        """Values (m,) of column j in these leaves (m,), by uniforms u (m,)."""
        node = self.large[node]
        above = self._parent_weight(node, j)
        up = u < above
        u = np.where(up, u / np.where(up, above, 1.0), (u - above) / (1 - above))
        node = np.where(up, self.parent[node], node)
        places, size, unshared = self._shared_places[j], self.size[node], self.unshared[node, j]
        count = size - unshared
        share = count / size
        results, on = np.empty(len(node)), (u < share) | (unshared == 0)
        chosen = np.minimum((u[on] / share[on] * count[on]).astype(np.int64), count[on] - 1)
        first = np.searchsorted(places, self.start[node[on]])
        results[on] = self.columns.A[self.records[places[first + chosen]], j]
        mean, sd, low, high, below, above = self._normal(node[~on], j)
        u = (u[~on] - share[~on]) / (1 - share[~on])
        results[~on] = np.clip(mean + sd * ndtri(below + u * (above - below)), low, high)
        return results

    def _normal(self, node: Integers, j: int) -> tuple[Array, ...]:
        """Means (m,), standard deviations, lower and upper bounds, and the probabilities below these."""
        source = self.source[node, j]
        mean, sd, (low, high) = self.mean[source, j], self.sd[source, j], self.bounds[:, source, j]
        return mean, sd, low, high, ndtr((low - mean) / sd), ndtr((high - mean) / sd)

    def density(self, node: Integers, j: int, record: Integers) -> Array:
        """Density (m,) of column j of these records (m,) in these leaves (m,); of a shared value the frequency."""
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
