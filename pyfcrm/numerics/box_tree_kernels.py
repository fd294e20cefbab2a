"""Compiled: the k rows of a table nearest to each row, over a BoxTree."""

from typing import Any

import numpy as np

from ..engine.compile import compiled
from ..types import Array, Index

LANES = 32  # records of a leaf, compared by the same instructions


@compiled
def nearest_places(
    A: Array, leaves: Array, names: Index, low: Array, high: Array, distances: Array, near: Index
) -> None:
    """Fills distances and near (N, k) for the rows of A (N, s); the other arguments are as in BoxTree.

    While the tree is searched, the k nearest rows found are a binary heap with the farthest on top: d[0] is its squared
    distance. A node whose box is farther than that is left out.
    """
    k = distances.shape[1]
    square = np.empty(LANES)  # squared distances to the rows of one leaf
    # Nodes to be searched: node, first leaf, last leaf. At most one waits for each level of the tree, and one more.
    stack = np.empty((64, 3), np.int64)
    box = np.empty(64)  # squared distances to their boxes
    for i in range(A.shape[0]):
        x = A[i]
        d = distances[i]
        who = near[i]
        d[:] = np.inf
        who[:] = -1
        stack[0, 0] = 0
        stack[0, 1] = 0
        stack[0, 2] = leaves.shape[0]
        box[0] = 0.0
        depth = 1
        while depth > 0:
            depth -= 1
            if box[depth] > d[0]:
                continue
            node = stack[depth, 0]
            first = stack[depth, 1]
            last = stack[depth, 2]
            if last - first > 1:
                middle = (first + last) // 2
                left = node + 1
                right = node + 2 * (middle - first)
                to_left = to_box(x, low[left], high[left], np.inf)
                to_right = to_box(x, low[right], high[right], np.inf)
                # The nearer side is searched first, so it goes on top.
                on_top = depth + 1 if to_left <= to_right else depth
                below = 2 * depth + 1 - on_top  # the other one of the places depth and depth + 1
                stack[on_top, 0] = left
                stack[on_top, 1] = first
                stack[on_top, 2] = middle
                box[on_top] = to_left
                stack[below, 0] = right
                stack[below, 1] = middle
                stack[below, 2] = last
                box[below] = to_right
                depth += 2
                continue
            squares(x, leaves[first], square)
            for lane in range(LANES):
                if square[lane] <= d[0]:
                    name = names[first * LANES + lane]
                    if square[lane] < d[0] or (name >= 0 and name < who[0]):
                        _sift(d, who, square[lane], name, k)
        # The heap is sorted in its place: its farthest entry moves to the end, again and again.
        for end in range(k - 1, 0, -1):
            farthest = d[0]
            farthest_name = who[0]
            _sift(d, who, d[end], who[end], end)
            d[end] = farthest
            who[end] = farthest_name
        for j in range(k):
            d[j] = np.sqrt(d[j])


@compiled
def squares(x: Any, block: Any, total: Array) -> None:
    """Fills `total` (lanes,) with the squared distances of x (p,) to a block (p, lanes)."""
    total[:] = 0.0
    for j in range(x.size):
        value = x[j]
        for lane in range(total.size):
            difference = value - block[j, lane]
            total[lane] += difference * difference


@compiled
def to_box(x: Any, low: Any, high: Any, reach: float) -> float:
    """Squared distance from x to a box, or any number beyond `reach` where it is farther."""
    total = 0.0
    for j in range(x.size):
        difference = max(low[j] - x[j], x[j] - high[j], 0.0)
        total += difference * difference
        if total > reach:
            break
    return total


@compiled
def _sift(d: Any, who: Any, square: float, name: int, size: int) -> None:
    """Replaces the top of a binary heap of `size` by an entry; the farthest (then the last by name) is on top."""
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and (d[child + 1] > d[child] or (d[child + 1] == d[child] and who[child + 1] > who[child])):
            child += 1
        if square > d[child] or (square == d[child] and name > who[child]):
            break
        d[hole] = d[child]
        who[hole] = who[child]
        hole = child
    d[hole] = square
    who[hole] = name
