"""Compiled comparisons of one record with all others, on keys where an empty cell agrees with anything.

A set of keys is a whole number with a bit for each. Two rows differ on the keys that both have, with unequal values. Row r
of the codes stands for weight[r] records; a row of which cells are emptied stands for one.
"""

from typing import Any

from ..engine.compile import compiled
from ..types import Array, Codes, Index


@compiled
def cost_of(keys: int, costs: Array) -> float:
    """The sum of costs (q,) over a set of keys."""
    total = 0.0
    for j in range(costs.size):
        if keys >> j & 1:
            total += costs[j]
    return total


@compiled
def cheapest_set(
    codes: Codes, weight: Index, i: int, used: Index, costs: Array, sizes: Index, k: int, sets: Index
) -> Any:
    """A cheap set of keys whose emptying in row i of codes (n, q) makes it agree with k records, itself included.

    used : the keys that are compared; costs : (q,), of emptying each; sizes : (n,), with how many records each agrees now;
    sets : (n,), to work in. From no key, the set grows by the keys of the row that needs fewest more, one that agrees
    with fewer than k itself before others of the same cost. Returns the set, and how many such rows agree with i then.
    """
    for r in range(codes.shape[0]):
        sets[r] = 0
        for j in used:
            if codes[i, j] >= 0 and codes[r, j] >= 0 and codes[i, j] != codes[r, j]:
                sets[r] |= 1 << j
    head_start = costs.min() / 2
    chosen = 0
    while True:
        agreeing = 0
        helped = 0
        for r in range(sets.size):
            if sets[r] & ~chosen == 0:
                agreeing += weight[r]
                helped += sizes[r] < k
        if agreeing >= k:
            return chosen, helped
        least = float("inf")
        grown = chosen
        for r in range(sets.size):
            union = sets[r] | chosen
            if union != chosen:
                cost = cost_of(union, costs) - (head_start if sizes[r] < k else 0.0)
                if cost < least:
                    least = cost
                    grown = union
        chosen = grown


@compiled
def differs_only_at(codes: Codes, i: int, r: int, j: int, value: int, used: Index) -> bool:
    """Whether `value` in cell (i, j) of codes (n, q) is all that keeps rows i and r from agreeing on the keys used."""
    agree = r != i and codes[r, j] >= 0 and codes[r, j] != value
    for other in used:
        if not agree:
            break
        agree = other == j or codes[i, other] < 0 or codes[r, other] < 0 or codes[i, other] == codes[r, other]
    return agree


@compiled
def restorable(codes: Codes, weight: Index, i: int, j: int, value: int, used: Index, sizes: Index, k: int) -> bool:
    """Whether each record still agrees with k records after the empty cell (i, j) of codes has its value again.

    sizes : (n,), with how many records each agrees now.
    """
    own = sizes[i]
    for r in range(sizes.size):
        if differs_only_at(codes, i, r, j, value, used):
            own -= weight[r]
            if own < k or sizes[r] <= k:
                return False
    return True


@compiled
def count_change(codes: Codes, weight: Index, i: int, j: int, value: int, used: Index, step: int, sizes: Index) -> None:
    """Adds the records that only `value` in cell (i, j) keeps from agreeing with row i, times `step`, to sizes (n,) of both.

    step : 1 if the cell is about to lose that value, -1 if it is about to have it again.
    """
    for r in range(sizes.size):
        if differs_only_at(codes, i, r, j, value, used):
            sizes[i] += step * weight[r]
            sizes[r] += step
