"""A balanced tree of boxes (k-d tree) over the rows of a table, for nearest-neighbour searches in compiled code."""

from dataclasses import dataclass

import numpy as np

from ..types import Array, Index


@dataclass(frozen=True)
class BoxTree:
    """The rows of a table (n, s) in B leaves of LANES neighbouring rows.

    A node covers the leaves from `first` to before `last`. Its left child has half of them and is the next node; its right
    child comes after all nodes of the left one. A child with b leaves has 2 b - 1 nodes, itself included.
    """

    leaves: Array
    """The rows of each leaf by columns, (B, s, LANES); inf where the last leaf is short."""
    names: Index
    """The row of the table at each place of the leaves, (B LANES,); -1 for none."""
    low: Array
    """Lower corners (2B - 1, s) of the nodes' boxes: the smallest values of their rows."""
    high: Array
    """Upper corners (2B - 1, s)."""

    def nearest(self, A: Array, k: int) -> tuple[Array, Index]:
        """Ascending distances (N, k) from each row of A (N, s) to the k nearest rows in the tree, and these rows (N, k).

        k : at most n. Equal distances are ordered by row.
        """
        from .box_tree_kernels import nearest_places

        distances = np.empty((len(A), k))
        near = np.empty((len(A), k), np.int64)
        nearest_places(np.ascontiguousarray(A), self.leaves, self.names, self.low, self.high, distances, near)
        return distances, near


def box_tree(A: Array) -> BoxTree:
    """The tree of a table A (n, s), s at least 1: each node is halved along its widest column.

    Source: Friedman, Bentley and Finkel (1977).
    """
    from .box_tree_kernels import LANES

    n, s = A.shape
    count = -(-n // LANES)  # leaves, the last one short
    low = np.empty((2 * count - 1, s))
    high = np.empty((2 * count - 1, s))
    order = np.arange(n)
    waiting = [(0, 0, count)]  # nodes that are not yet examined: node, first leaf, last leaf
    while waiting:
        node, first, last = waiting.pop()
        rows = order[first * LANES : last * LANES]  # a view: its order is changed in place
        inside = A[rows]
        low[node] = inside.min(axis=0)
        high[node] = inside.max(axis=0)
        if last - first > 1:
            middle = (first + last) // 2
            widest = int(np.argmax(high[node] - low[node]))
            rows[:] = rows[np.argpartition(inside[:, widest], (middle - first) * LANES)]
            left = node + 1
            right = node + 2 * (middle - first)
            waiting += [(left, first, middle), (right, middle, last)]
    names = np.full(count * LANES, -1)
    names[:n] = order
    return BoxTree(in_blocks(A[order], LANES), names, low, high)


def in_blocks(A: Array, lanes: int, fill: float = np.inf) -> Array:
    """The rows of A (n, s) in blocks by columns, (B, s, lanes); `fill` where the last block is short."""
    count = -(-len(A) // lanes)
    padded = np.full((count * lanes, A.shape[1]), fill)
    padded[: len(A)] = A
    return np.ascontiguousarray(padded.reshape(count, lanes, A.shape[1]).transpose(0, 2, 1))
