"""Which cells of key variables to empty for k-anonymity, where an empty cell agrees with anything.

Source of the reading: Templ, Kowarik and Meindl (2015), sdcMicro's freqCalc.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.agreeing import agreeing, agreeing_weight
from ..data.codes import MISSING
from ..progress import OnStep, discard
from ..types import Array, Codes, Index
from .suppression_kernels import cheapest_set, cost_of, count_change, restorable


@dataclass
class Rows:
    """Rows of coded keys with the number of records that each stands for."""

    codes: Codes
    """(rows, q), changed in place."""

    weight: Index
    """(rows,)"""

    def sizes(self, keys: Index) -> Index:
        """With how many records, itself included, each row agrees on the keys: (rows,)."""
        return np.rint(agreeing_weight(self.codes[:, keys], self.weight.astype(np.float64))).astype(np.int64)


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
    A record that agrees with k at the start does so at the end, because an emptied cell only adds agreement. So the time
    grows with the number of other records times the number of different rows, and with k.
    """
    sets = [np.array(keys, dtype=np.int64) for keys in key_sets]
    in_need = np.zeros(len(codes), dtype=bool)
    for keys in sets:
        in_need |= agreeing(codes[:, keys]) < k
    alone = codes[in_need]
    shared, counts = np.unique(codes[~in_need], axis=0, return_counts=True)
    weight = np.concatenate([np.ones(len(alone), dtype=np.int64), counts])
    rows = Rows(np.ascontiguousarray(np.vstack([alone, shared]), dtype=np.int64), weight)
    cells = list[tuple[int, int]]()
    for done, keys in enumerate(sets):
        step(done, len(sets) + 1)
        cells += _empty(rows, k, keys, costs)
    step(len(sets), len(sets) + 1)
    _restore(rows, alone, k, sets, sorted(cells, key=lambda cell: -costs[cell[1]]))
    result = codes.copy()
    result[in_need] = rows.codes[: len(alone)]
    return result


def _empty(rows: Rows, k: int, keys: Index, costs: Array) -> list[tuple[int, int]]:
    """Empties cells of rows until every row agrees with k records on the keys; returns the cells.

    First comes the row whose cells help most rows for their cost. The benefit of a set falls while others are emptied, so
    that a row is looked at again only when it comes first.
    """
    sizes = rows.sizes(keys)
    work = np.empty(len(sizes), dtype=np.int64)

    def best(i: int) -> tuple[float, int]:
        chosen, helped = cheapest_set(rows.codes, rows.weight, i, keys, costs, sizes, k, work)
        return -helped / cost_of(chosen, costs), int(chosen)

    waiting = [(best(i)[0], i) for i in np.flatnonzero(sizes < k).tolist()]
    heapq.heapify(waiting)
    cells = []
    while waiting:
        i = heapq.heappop(waiting)[1]
        if sizes[i] >= k:
            continue
        benefit, chosen = best(i)
        if waiting and benefit > waiting[0][0]:
            heapq.heappush(waiting, (benefit, i))
            continue
        for j in keys.tolist():
            if chosen >> j & 1:
                count_change(rows.codes, rows.weight, i, j, rows.codes[i, j], keys, 1, sizes)
                rows.codes[i, j] = MISSING
                cells.append((i, j))
    return cells


def _restore(rows: Rows, original: Codes, k: int, sets: Sequence[Index], cells: list[tuple[int, int]]) -> None:
    """Gives cells of rows their original values again where no set of keys needs them empty."""
    counted = [(keys, rows.sizes(keys)) for keys in sets]
    for i, j in cells:
        value = original[i, j]
        affected = [(keys, sizes) for keys, sizes in counted if j in keys]
        if all(restorable(rows.codes, rows.weight, i, j, value, keys, sizes, k) for keys, sizes in affected):
            for keys, sizes in affected:
                count_change(rows.codes, rows.weight, i, j, value, keys, -1, sizes)
            rows.codes[i, j] = value
