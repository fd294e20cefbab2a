"""Which cells of key variables to empty for k-anonymity, where an empty cell agrees with anything.

Source of the reading: Templ, Kowarik and Meindl (2015), sdcMicro's freqCalc.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from ..data.agreeing import agreeing
from ..data.codes import MISSING
from ..progress import OnStep, discard
from ..types import Array, Codes, Index
from .suppression_kernels import cost_of
from .suppression_tree import Tree


def emptied(codes: Codes, k: int, key_sets: Sequence[Sequence[int]], costs: Array, step: OnStep = discard) -> Codes:
    """Codes with cells set to -1 until each record agrees with k records, itself included, on every set of keys.

    Parameters
    ----------
    codes : ndarray of int, shape (n, q)
        Coded keys, -1 where empty; n is at least k.
    k : int
        The least number of agreeing records.
    key_sets : sequence of sequences of int
        Positions of keys. Most files have one set, all keys.
    costs : ndarray, shape (q,)
        Of emptying a cell of each key.
    step : callable, optional
        Called with the numbers of sets done and of all sets, the last of them the pass that restores.

    Returns
    -------
    ndarray of int, shape (n, q)
        From no cell could its value be restored alone.

    Notes
    -----
    A record that agrees with k at the start does so at the end, because an emptied cell only adds agreement. Such records of
    equal keys are one row. Which cells are emptied depends on the order of records only where two of them help equally.
    """
    sets = [np.array(keys, dtype=np.int64) for keys in key_sets]
    in_need = np.zeros(len(codes), dtype=bool)
    for keys in sets:
        in_need |= agreeing(codes[:, keys]) < k
    alone = codes[in_need]
    shared, counts = np.unique(codes[~in_need], axis=0, return_counts=True)
    weight = np.concatenate([np.ones(len(alone), dtype=np.int64), counts])
    rows = np.ascontiguousarray(np.vstack([alone, shared]), dtype=np.int64)
    cells = list[tuple[int, int]]()
    for done, keys in enumerate(sets):
        step(done, len(sets) + 1)
        cells += _empty(rows, Tree(rows, weight, keys, k), k, keys, costs)
    step(len(sets), len(sets) + 1)
    trees = [(keys, Tree(rows, weight, keys, k)) for keys in sets]
    _restore(rows, alone, trees, k, sorted(cells, key=lambda cell: -costs[cell[1]]))
    result = codes.copy()
    result[in_need] = rows[: len(alone)]
    return result


def _empty(rows: Codes, tree: Tree, k: int, keys: Index, costs: Array) -> list[tuple[int, int]]:
    """Empties cells of rows until every row agrees with k records on the keys; returns the cells.

    First comes the row whose cells help most rows for their cost. The benefit of a set falls while others are emptied, so
    that a row is looked at again only when it comes first.
    """

    def best(i: int) -> tuple[float, int]:
        """A cheap set of keys whose emptying makes row i agree with k records; it grows from none by the cheapest steps."""
        chosen = 0
        while tree.records(leaves := tree.within(rows[i], chosen)) < k:
            chosen = tree.cheapest_step(rows[i], chosen, costs)
        return -tree.in_need(leaves) / cost_of(chosen, costs), chosen

    waiting = [(best(i)[0], i) for i in range(len(rows)) if tree.size(i) < k]
    heapq.heapify(waiting)
    cells = []
    while waiting:
        i = heapq.heappop(waiting)[1]
        if tree.size(i) >= k:
            continue
        benefit, chosen = best(i)
        if waiting and benefit > waiting[0][0]:
            heapq.heappush(waiting, (benefit, i))
            continue
        for j in keys.tolist():
            if chosen >> j & 1:
                same, others = tree.split(rows[i], j)
                rows[i, j] = MISSING
                tree.move(i, rows[i], tree.records(same) + tree.records(others), others, 1)
                cells.append((i, j))
    return cells


def _restore(
    rows: Codes, original: Codes, trees: Sequence[tuple[Index, Tree]], k: int, cells: list[tuple[int, int]]
) -> None:
    """Gives cells of rows their original values again where no set of keys needs them empty."""
    for i, j in cells:
        row = rows[i].copy()
        row[j] = original[i, j]
        affected = [(tree, *tree.split(row, j)) for keys, tree in trees if j in keys]
        if all(tree.records(same) >= k and (tree.sizes(others) > k).all() for tree, same, others in affected):
            rows[i] = row
            for tree, same, others in affected:
                tree.move(i, row, tree.records(same), others, -1)
