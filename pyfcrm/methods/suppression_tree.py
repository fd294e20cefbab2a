"""Rows of coded keys as a tree: the rows that agree with a row, or nearly so, are found without a look at all others.

A level of the tree is a key, from the key of fewest values to that of most. A way from the root to a leaf is a combination of
values, where empty is one. A walk goes down only where rows may still agree on enough keys.
"""

import numpy as np

from ..types import Array, Codes, Index
from .suppression_kernels import Nodes, cheapest_step, leaves_within, place


class Tree:
    """Rows by their values of some keys, and with how many records each agrees on them, kept while cells are emptied."""

    def __init__(self, codes: Codes, weight: Index, keys: Index, k: int) -> None:
        """codes : (rows, q), -1 where empty; weight : (rows,), the records that each stands for; k : of k-anonymity."""
        self._k = k
        values = [len(np.unique(codes[:, j])) for j in keys]
        self._order = keys[np.argsort(values, kind="stable")]
        self._nodes = Nodes(*np.zeros((len(Nodes._fields), 1 + codes.shape[0] * len(keys)), dtype=np.int64))
        self._nodes.child[0] = -1
        self._count = 1
        sorted_rows = np.lexsort(codes[:, self._order[::-1]].T)
        self._leaf = np.empty(len(codes), dtype=np.int64)
        self._leaf[sorted_rows] = self._place(codes[sorted_rows])
        leaves, first, row_of_leaf = np.unique(self._leaf, return_index=True, return_inverse=True)
        for leaf, records in zip(leaves.tolist(), np.bincount(row_of_leaf, weights=weight).tolist(), strict=True):
            self._add(self._nodes.weight, leaf, int(records))
        for leaf, row in zip(leaves.tolist(), codes[first], strict=True):
            self._set_size(leaf, self.records(self.within(row)))

    def size(self, i: int) -> int:
        """With how many records, itself included, row i agrees."""
        return int(self._nodes.size[self._leaf[i]])

    def sizes(self, leaves: Index) -> Index:
        """With how many records, themselves included, the rows of leaves agree."""
        found: Index = self._nodes.size[leaves]
        return found

    def records(self, leaves: Index) -> int:
        """How many records have the values of leaves."""
        return int(self._nodes.weight[leaves].sum())

    def in_need(self, leaves: Index) -> int:
        """How many records of leaves agree with fewer than k."""
        return int(self._nodes.needy[leaves].sum())

    def within(self, row: Index, allowed: int = 0) -> Index:
        """The leaves that differ from a row (q,) on no key outside the set `allowed`."""
        found: Index = leaves_within(row, allowed, self._order, self._nodes)
        return found

    def split(self, row: Index, j: int) -> tuple[Index, Index]:
        """The leaves that agree with a row (q,), and those that differ from it on key j alone."""
        leaves = self.within(row, 1 << j)
        differs = self._nodes.difference[leaves] > 0
        return leaves[~differs], leaves[differs]

    def cheapest_step(self, row: Index, chosen: int, costs: Array) -> int:
        """The set `chosen` of keys, and those that a row (q,) must lose besides to agree with the cheapest further leaf."""
        return int(cheapest_step(row, chosen, costs, self._order, self._nodes))

    def move(self, i: int, row: Index, size: int, others: Index, step: int) -> None:
        """Gives row i, which stands for one record, other values (q,) with which it agrees with `size` records.

        others : the leaves that agree with it by that, if `step` is 1, or that do so no longer, if it is -1.
        """
        for leaf in others.tolist():
            self._set_size(leaf, int(self._nodes.size[leaf]) + step)
        old = int(self._leaf[i])
        new = int(self._place(row[None])[0])
        self._leaf[i] = new
        for leaf, records in ((old, -1), (new, 1)):
            self._add(self._nodes.weight, leaf, records)
        self._set_size(old, int(self._nodes.size[old]))
        self._set_size(new, size)

    def _set_size(self, leaf: int, size: int) -> None:
        """Notes with how many records the rows of a leaf agree, and whether they are in need."""
        nodes = self._nodes
        nodes.size[leaf] = size
        needy = int(nodes.weight[leaf]) if size < self._k else 0
        if needy != nodes.needy[leaf]:
            self._add(nodes.needy, leaf, needy - int(nodes.needy[leaf]))

    def _add(self, counts: Index, leaf: int, change: int) -> None:
        """Adds to the counts of a leaf and of all nodes above."""
        node = leaf
        while node:
            counts[node] += change
            node = int(self._nodes.parent[node])
        counts[0] += change

    def _place(self, rows: Codes) -> Index:
        """The leaf of each row (n, q), made where it is missing."""
        lacking = self._count + rows.shape[0] * len(self._order) - len(self._nodes.value)
        if lacking > 0:
            longer = max(lacking, len(self._nodes.value))
            self._nodes = Nodes(*(np.concatenate([values, np.zeros(longer, dtype=np.int64)]) for values in self._nodes))
        leaves: Index
        leaves, self._count = place(rows, self._order, self._nodes, self._count)
        return leaves
