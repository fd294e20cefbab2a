"""A tree for the records nearest to each record, where X has several columns: compiled, and leaf by leaf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class DonorTree:
    """The rows of a table (n, s), in leaves that lie together.

    leaves : (B, s, LANES), what is left over of the last being infinitely far; names : (B LANES,) which row stands
    where, -1 for none; low, high : (2B - 1, s) the corners of the nodes' boxes, a node of leaves [first, last) having
    its left child, of half the leaves, next to it, and its right one after all of the left's.
    """

    leaves: Array
    names: Places
    low: Array
    high: Array

    def nearest(self, A: Array, k: int) -> tuple[Array, Places]:
        """(N, k) distances of each row of A (N, s) to the k nearest in the tree, ascending, and which rows those are.

        k : at most n. Equal distances stand in the order of the table.
        """
        from .donor_kernels import nearest_places

        distances, near = np.empty((len(A), k)), np.empty((len(A), k), np.int64)
        nearest_places(np.ascontiguousarray(A), self.leaves, self.names, self.low, self.high, distances, near)
        return distances, near


def donor_tree(A: Array) -> DonorTree:
    """The tree of a table A (n, s), s at least 1: each node is cut in halves where it is widest."""
    from .donor_kernels import LANES

    n, s = A.shape
    count = -(-n // LANES)
    low, high = np.empty((2, 2 * count - 1, s))
    order, stack = np.arange(n), [(0, 0, count)]
    while stack:
        node, first, last = stack.pop()
        rows = order[first * LANES : last * LANES]
        inside = A[rows]
        low[node], high[node] = inside.min(axis=0), inside.max(axis=0)
        if last - first > 1:
            middle = (first + last) // 2
            widest = int(np.argmax(high[node] - low[node]))
            rows[:] = rows[np.argpartition(inside[:, widest], (middle - first) * LANES)]
            stack += [(node + 1, first, middle), (node + 2 * (middle - first), middle, last)]
    names = np.full(count * LANES, -1)
    names[:n] = order
    leaves = np.where((names >= 0)[:, None], A[names], np.inf)
    return DonorTree(np.ascontiguousarray(leaves.reshape(count, LANES, s).transpose(0, 2, 1)), names, low, high)
