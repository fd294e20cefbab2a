"""Compiled: originals are compared with blocks of protected records until one is closer than their own; a k-d tree for the rest.

Distances are summed attribute by attribute like the plain code's, so every comparison gives the same. Records lie
in blocks, (blocks, p, lanes), so that one instruction works on several of them; the last block may be short.
"""

import numpy as np

from ..engine.compile import compiled
from ..numerics.box_tree_kernels import LANES, squares, to_box
from ..types import TIE, Array, Index

# Relative, on squares: beyond it a distance is farther or nearer whatever the rounding; within, roots are compared.
BAND = 4 * TIE
CLOSER_RECORD_FOUND = -1
BLOCK = 64  # records of a sampled block: fewer cost more each


@compiled
def candidates(total: Array, own: float) -> int:
    """Number of the squared distances `total` (lanes,) that may tie with `own`; CLOSER_RECORD_FOUND where one is smaller.

    Most distances are clearly larger or smaller than `own`. Only for the others roots are compared, as the plain code does.
    """
    far = own * (1.0 + BAND)
    clearly_smaller = own * (1.0 - BAND)
    near = 0
    smaller = 0
    for lane in range(total.size):
        near += total[lane] <= far
        smaller += total[lane] < clearly_smaller
    if smaller > 0:
        return CLOSER_RECORD_FOUND
    if near > 0:
        for lane in range(total.size):
            if total[lane] <= far and np.sqrt(own) > np.sqrt(total[lane]) * (1 + TIE):
                return CLOSER_RECORD_FOUND
    return near


@compiled
def scan(X: Array, own: Array, blocks: Array, rows: Index) -> int:
    """Moves those of the originals `rows` to the front that have no closer record in the blocks; returns their number.

    own : (n,) squared distance of every original to its own record.
    """
    left = 0
    total = np.empty(BLOCK)
    for r in range(rows.size):
        i = rows[r]
        survives = True
        for b in range(blocks.shape[0]):
            squares(X[i], blocks[b], total)
            if candidates(total, own[i]) == CLOSER_RECORD_FOUND:
                survives = False
                break
        if survives:
            rows[left] = i
            left += 1
    return left


@compiled
def tied_by_tree(
    X: Array,
    own: Array,
    blocks: Array,
    copies: Index,
    low: Array,
    high: Array,
    rows: Index,
    own_records: int,
    ties: Array,
) -> None:
    """Fills ties[i] for the originals in `rows`: infinite if some record is strictly nearer, else the records tied with its own.

    blocks : the tree's leaves; copies : (blocks, LANES) protected records that equal each row, 0 where there is none;
    low, high : (nodes, p) the corners of the tree's boxes; own_records : 1 where the own records are in the tree, else 0.
    """
    total = np.empty(LANES)
    stack = np.empty((64, 3), np.int64)
    for r in range(rows.size):
        i = rows[r]
        # The first search counts all records that may tie, and finds the smallest distance among them. Where the own record is
        # not the only one, a second search counts those that tie with the smallest distance.
        least, tied = _search(X[i], own[i], np.inf, blocks, copies, low, high, total, stack)
        if tied > own_records:
            least, tied = _search(X[i], own[i], least, blocks, copies, low, high, total, stack)
        ties[i] = tied if least >= 0 else np.inf


@compiled
def _search(
    x: Array,
    own: float,
    least: float,
    blocks: Array,
    copies: Index,
    low: Array,
    high: Array,
    total: Array,
    stack: Index,
) -> tuple[float, float]:
    """The smallest distance, and how many of the records that may tie with the own one are as near as `least`.

    CLOSER_RECORD_FOUND and 0 where one is strictly nearer. x (p,) : the original; own : its squared distance to its own
    record; least : a distance, infinite to count all. The rest as in `tied_by_tree`; total and stack are overwritten.

    Nodes are numbered in preorder. The leaves of a node are blocks first, ..., last - 1, halved at the middle. The left
    child follows its parent. It has middle - first leaves, so 2 (middle - first) - 1 nodes, after which comes the right
    child. `reach` does not shrink: a record that ties is as far as the own one, and all of these count.
    """
    reach = own * (1.0 + BAND)  # squared: boxes and records beyond it are farther than the own record
    smallest = np.sqrt(own)
    tied = 0.0
    # Nodes to be searched, the next one on top: node, first leaf, last leaf. It starts with the root.
    stack[0, 0] = 0
    stack[0, 1] = 0
    stack[0, 2] = blocks.shape[0]
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        first = stack[depth, 1]
        last = stack[depth, 2]
        if last - first > 1:
            middle = (first + last) // 2
            left = node + 1
            right = node + 2 * (middle - first)
            to_left = to_box(x, low[left], high[left], reach)
            to_right = to_box(x, low[right], high[right], reach)
            # The nearer side is searched first, so it goes on top: the farther one is put down before it. In one of the two
            # turns left_side is true, in the other it is false.
            for left_side in (to_left > to_right, to_left <= to_right):
                if left_side and to_left <= reach:
                    stack[depth, 0] = left
                    stack[depth, 1] = first
                    stack[depth, 2] = middle
                    depth += 1
                elif not left_side and to_right <= reach:
                    stack[depth, 0] = right
                    stack[depth, 1] = middle
                    stack[depth, 2] = last
                    depth += 1
            continue
        # A leaf.
        squares(x, blocks[first], total)
        near = candidates(total, own)
        if near == CLOSER_RECORD_FOUND:
            return float(CLOSER_RECORD_FOUND), 0.0
        if near == 0:
            continue
        for lane in range(LANES):
            # A row of the tree stands for all records that equal it; rows that fill up a leaf stand for none.
            if total[lane] <= reach and copies[first, lane] > 0:
                distance = np.sqrt(total[lane])
                smallest = min(smallest, distance)
                if distance <= least * (1 + TIE):
                    tied += copies[first, lane]
    return smallest, tied
