"""Compiled walks through a tree of rows of coded keys (suppression_tree.py), where an empty cell agrees with anything.

A set of keys is a whole number with a bit for each. Two rows differ on the keys that both have, with unequal values.
"""

from typing import Any, NamedTuple

from ..engine.compile import compiled
from ..types import Array, Codes, Index


class Nodes(NamedTuple):
    """The nodes of a tree, an entry for each in every array; the root is node 0."""

    value: Index
    """The code of the key at the node's level."""
    depth: Index
    """The number of keys down to the node."""
    parent: Index
    child: Index
    """The first child, -1 if there is none."""
    sibling: Index
    """The next child of the same parent, -1 if there is none."""
    weight: Index
    """The records below. A node without records is passed over."""
    needy: Index
    """Those of them that agree with fewer than k records."""
    size: Index
    """Of a leaf: with how many records its rows agree, themselves included."""
    difference: Index
    """Of a node that a walk came to: the keys on which the way to it differs from the row asked for."""
    waiting: Index
    """To work in."""
    found: Index
    """To work in: the leaves that a walk found."""


@compiled
def cost_of(keys: int, costs: Array) -> float:
    """The sum of costs (q,) over a set of keys."""
    total = 0.0
    for j in range(costs.size):
        if keys >> j & 1:
            total += costs[j]
    return total


@compiled
def place(rows: Codes, order: Index, nodes: Nodes, count: int) -> Any:
    """The leaf (n,) of each row (n, q), and the number of nodes, `count` before: those that were missing are made.

    order : the key of each level. A new child comes first, so that sorted rows are placed without a search.
    """
    for r in range(rows.shape[0]):
        node = 0
        for level in range(order.size):
            code = rows[r, order[level]]
            below = nodes.child[node]
            while below >= 0 and nodes.value[below] != code:
                below = nodes.sibling[below]
            if below < 0:
                below = count
                count += 1
                nodes.value[below] = code
                nodes.depth[below] = level + 1
                nodes.parent[below] = node
                nodes.child[below] = -1
                nodes.sibling[below] = nodes.child[node]
                nodes.child[node] = below
            node = below
        nodes.found[r] = node
    return nodes.found[: rows.shape[0]].copy(), count


@compiled
def leaves_within(row: Index, allowed: int, order: Index, nodes: Nodes) -> Any:
    """The leaves whose rows differ from `row` (q,) on no key outside the set `allowed`; nodes.difference says on which."""
    leaves = 0
    waiting = 1
    nodes.waiting[0] = 0
    nodes.difference[0] = 0
    while waiting > 0:
        waiting -= 1
        node = nodes.waiting[waiting]
        if nodes.depth[node] == order.size:
            nodes.found[leaves] = node
            leaves += 1
            continue
        j = order[nodes.depth[node]]
        below = nodes.child[node]
        while below >= 0:
            differs = nodes.value[below] >= 0 and row[j] >= 0 and nodes.value[below] != row[j]
            if nodes.weight[below] > 0 and (not differs or allowed >> j & 1):
                nodes.difference[below] = nodes.difference[node] | differs << j
                nodes.waiting[waiting] = below
                waiting += 1
            below = nodes.sibling[below]
    return nodes.found[:leaves].copy()


@compiled
def cheapest_step(row: Index, chosen: int, costs: Array, order: Index, nodes: Nodes) -> int:
    """The set `chosen` and the keys on which the cheapest further leaf differs from `row` (q,); of equal ones that of later keys.

    costs : (q,), of emptying each key. A leaf in need comes before others of the same cost.
    """
    head_start = costs.min() / 2
    least = float("inf")
    grown = chosen
    waiting = 1
    nodes.waiting[0] = 0
    nodes.difference[0] = chosen
    while waiting > 0:
        waiting -= 1
        node = nodes.waiting[waiting]
        keys = nodes.difference[node]
        cost = cost_of(keys, costs) - (head_start if nodes.needy[node] > 0 else 0.0)
        if cost > least:
            continue
        if nodes.depth[node] == order.size:
            if keys != chosen and (cost < least or keys > grown):
                least = cost
                grown = keys
            continue
        j = order[nodes.depth[node]]
        for differing in (True, False):  # what waits last is looked at first
            below = nodes.child[node]
            while below >= 0:
                differs = nodes.value[below] >= 0 and row[j] >= 0 and nodes.value[below] != row[j]
                if nodes.weight[below] > 0 and differs == differing:
                    nodes.difference[below] = keys | differs << j
                    nodes.waiting[waiting] = below
                    waiting += 1
                below = nodes.sibling[below]
    return grown
