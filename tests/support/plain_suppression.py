"""Local suppression where an empty cell agrees with anything, records compared one with one: the oracle of its test."""

import heapq

import numpy as np

from .brute_measures import agreeing


def emptied(codes, k, key_sets, costs):
    """As pyfcrm.methods.suppression.emptied."""
    done = codes.copy()
    cells = []
    for keys in key_sets:
        cells += _empty(done, k, list(keys), costs)
    for i, j in sorted(cells, key=lambda cell: -costs[cell[1]]):
        trial = done.copy()
        trial[i, j] = codes[i, j]
        if all(min(agreeing(trial[:, list(keys)])) >= k for keys in key_sets):
            done = trial
    return done


def _empty(codes, k, keys, costs):
    """Empties cells, in place, and returns them: first the record whose cells help most records in need for their cost."""

    def needy():
        return np.array(agreeing(codes[:, keys])) < k

    def best(i):
        differs = (codes != codes[i]) & (codes >= 0) & (codes[i] >= 0)
        sets = sum(differs[:, j].astype(int) << j for j in keys)
        chosen = 0
        while (sets & ~chosen == 0).sum() < k:
            further = {(union, need) for union, need in zip(sets | chosen, needy(), strict=True) if union != chosen}
            chosen = min(further, key=lambda step: (_cost(step[0], costs) - step[1] * costs.min() / 2, -step[0]))[0]
        helped = ((sets & ~chosen == 0) & needy()).sum()
        return -helped / _cost(chosen, costs), chosen

    cells = []
    waiting = [(best(i)[0], i) for i in np.flatnonzero(needy()).tolist()]
    heapq.heapify(waiting)
    while waiting:
        i = heapq.heappop(waiting)[1]
        if needy()[i]:
            benefit, chosen = best(i)
            if waiting and benefit > waiting[0][0]:
                heapq.heappush(waiting, (benefit, i))
            else:
                emptied_keys = [j for j in keys if chosen >> j & 1]
                cells += [(i, j) for j in emptied_keys]
                codes[i, emptied_keys] = -1
    return cells


def _cost(keys, costs):
    return sum(cost for j, cost in enumerate(costs) if keys >> j & 1)
