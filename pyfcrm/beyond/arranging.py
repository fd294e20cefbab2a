"""Standardised records on disk, those whose protected values are near each other side by side.

A tree of cuts at medians of a sample says where each record goes. Whatever it says, no result depends on it: only how
many blocks of records have to be looked at together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..engine import row_blocks
from ..linkage.distance import Location, scores
from .rows import Rows, Scratch

Array = NDArray[np.float64]
Index = NDArray[np.int64]
SAMPLE = 1 << 16  # records that the cuts are made from
CELLS = 4  # at least, for each block of records


@dataclass(frozen=True)
class Cuts:
    """A complete binary tree in a heap from 1: records whose attribute[node] is above cut[node] go to the right."""

    attribute: Index
    cut: Array

    def cells(self, Z: Array) -> Index:
        """(b,) which leaf each record of Z (b, p) is in, from 0, from left to right."""
        node, rows = np.ones(len(Z), np.int64), np.arange(len(Z))
        while len(node) and node[0] < len(self.cut):
            node = 2 * node + (Z[rows, self.attribute[node]] > self.cut[node])
        return node - len(self.cut)


def cuts(Z: Array, leaves: int) -> Cuts:
    """Of a sample Z (b, p), b >= 1; leaves : a power of two. Each cut halves the attribute that spreads furthest."""
    attribute, cut = np.zeros(leaves, np.int64), np.zeros(leaves)
    here = {1: Z}
    for node in range(1, leaves):
        part = here.pop(node)
        if len(part):
            attribute[node] = j = int(np.argmax(part.max(axis=0) - part.min(axis=0)))
            cut[node] = np.median(part[:, j])
        above = part[:, attribute[node]] > cut[node]
        here[2 * node], here[2 * node + 1] = part[~above], part[above]
    return Cuts(attribute, cut)


def arranged(rows: Rows, x: Location, z: Location, blocks: int, told: Callable[[int], None]) -> Scratch:
    """Records of 2 p + 1 numbers: the original's and the protected one's attributes, standardised, and its number.

    rows : the original's p columns, then the protected ones; x, z : where these lie; blocks : about how many there will
    be; told : called with the records dealt with so far, twice each.
    """
    p = rows.p // 2
    parts, step = row_blocks(rows.n), max(1, rows.n // SAMPLE)
    sample = [scores(rows.read(where)[-where.start % step :: step, p:], z) for where in parts]
    tree = cuts(np.vstack(sample), 1 << max(0, int(np.ceil(np.log2(CELLS * blocks)))))
    counts = np.zeros(len(tree.cut), np.int64)
    for where in parts:
        counts += np.bincount(tree.cells(scores(rows.read(where)[:, p:], z)), minlength=len(counts))
        told(where.stop)
    at, made = np.cumsum(counts) - counts, Scratch(2 * p + 1)
    for where in parts:
        A = rows.read(where)
        X, Z = scores(A[:, :p], x), scores(A[:, p:], z)
        cell = tree.cells(Z)
        order = np.argsort(cell, kind="stable")
        together = np.column_stack([X, Z, np.arange(where.start, where.stop, dtype=np.float64)])[order]
        ends = np.cumsum(np.bincount(cell, minlength=len(counts)))
        for k in np.unique(cell):
            part = together[ends[k - 1] if k else 0 : ends[k]]
            made.write(int(at[k]), part)
            at[k] += len(part)
        told(rows.n + where.stop)
    return made
