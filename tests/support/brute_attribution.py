"""Attribute disclosure by keys, by loops over records: the oracle of its tests."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

Rows = Sequence[tuple[Any, ...]]


def alike(q, keys):
    return [i for i, other in enumerate(keys) if other == q]


def rep_u(keys, released):
    found = [len(alike(q, keys)) == 1 and len(alike(q, released)) == 1 for q in keys]
    return 100 * float(np.mean(found))


def attribution(keys, target, released, argument):
    """disco, dcap and the three of tcap, in per cent."""
    disco, cap, certain, matched, single = [], [], [], [], []
    for q, t in zip(keys, target, strict=True):
        values = [argument[i] for i in alike(q, released)]
        own = [target[i] for i in alike(q, keys)]
        right = bool(values) and all(v == t for v in values)
        disco.append(right)
        cap.append(sum(v == t for v in values) / len(values) if values else 0.0)
        matched.append(bool(values))
        single.append(len(set(values)) == 1)
        certain.append(right and len(set(own)) == 1)
    share = {"disco": np.mean(disco), "dcap": np.mean(cap)}
    share["certain"] = sum(certain) / max(sum(matched), 1)
    share["matched"] = sum(disco) / max(sum(matched), 1)
    share["conditional"] = sum(disco) / max(sum(single), 1)
    return {name: 100 * float(value) for name, value in share.items()}


def handed_round(value):
    """The released targets in every order."""
    return (list(order) for order in permutations(value))


def look_up_share(keys, inside, released, value):
    """RAPID's look-up of numbers: each record takes one of its matches at random; inside : its interval."""
    hits = []
    for q, (low, high) in zip(keys, inside, strict=True):
        values = [value[i] for i in alike(q, released)]
        hits.append(sum(low <= v <= high for v in values) / len(values) if values else 0.0)
    return 100 * float(np.mean(hits))


def commonest(keys, released, value):
    """The look-up's class and how sure it is, (-1, 0) of none."""
    notes = []
    for q in keys:
        values = [value[i] for i in alike(q, released) if value[i] >= 0]
        best = min(set(values), key=lambda v: (-values.count(v), v)) if values else -1
        notes.append((best, values.count(best) / len(values) if values else 0.0))
    return notes


def coefficient(attack, base, target, fewest):
    """ALC, per cent: the larger of all attacked and of the best choice."""
    found = []
    for least in (len(target), fewest):
        a, b = best_prc(attack, target, least), best_prc(base, target, least)
        found.append(100 * (a - b) / (1 - b) if b < 1 else 0.0)
    return max(found)


def best_prc(message, target, fewest):
    """The largest PRC over every threshold of sureness that leaves enough records, by loops."""
    attacked = [(v, sure, t) for (v, sure), t in zip(message, target, strict=True) if v >= 0]
    best = 0.0
    for threshold in {sure for _, sure, _ in attacked}:
        chosen = [(v, t) for v, sure, t in attacked if sure >= threshold]
        if len(chosen) < min(fewest, len(attacked)):
            continue
        precision, recall = sum(v == t for v, t in chosen) / len(chosen), len(chosen) / len(target)
        best = max(best, precision * max(0.0, 1 - (np.log10(recall) / -4) ** 3))
    return best
