"""A balanced tree of boxes (k-d tree) over the rows of a table, for nearest-neighbour searches in compiled code."""

from dataclasses import dataclass

import numpy as np

from ..types import Array, Index


@dataclass(frozen=True)
class BoxTree:
    """The rows of a table (n, s) by leaves of neighbouring rows.

    leaves : (B, s, LANES), inf where the last leaf is short; names : (B LANES,) row at each place, -1 for none; low, high :
    (2B - 1, s) corners of the nodes' boxes. The left child of a node of leaves [first, last) has half of the leaves and
    is the next node. The right child comes after all nodes of the left one.
    """

    leaves: Array
    names: Index
    low: Array
    high: Array

    def nearest(self, A: Array, k: int) -> tuple[Array, Index]:
        """(N, k) ascending distances from each row of A (N, s) to the k nearest rows in the tree, and these rows.

        k : at most n. Equal distances are ordered by row.
        """
        from .box_tree_kernels import nearest_places

        distances, near = np.empty((len(A), k)), np.empty((len(A), k), np.int64)
        nearest_places(np.ascontiguousarray(A), self.leaves, self.names, self.low, self.high, distances, near)
        return distances, near


def box_tree(A: Array) -> BoxTree:
    """The tree of a table A (n, s), s at least 1: each node is halved along its widest column."""
    from .box_tree_kernels import LANES

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
    return BoxTree(in_blocks(A[order], LANES), names, low, high)


def in_blocks(A: Array, lanes: int, fill: float = np.inf) -> Array:
    """(B, s, lanes): the rows of A (n, s) in blocks, `fill` where the last block is short."""
    count = -(-len(A) // lanes)
    padded = np.full((count * lanes, A.shape[1]), fill)
    padded[: len(A)] = A
    return np.ascontiguousarray(padded.reshape(count, lanes, A.shape[1]).transpose(0, 2, 1))
