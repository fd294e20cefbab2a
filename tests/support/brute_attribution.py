"""Attribute disclosure by keys, by loops over records: the oracle of its tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np

Rows = Sequence[tuple[Any, ...]]


def alike(q: tuple[Any, ...], keys: Rows) -> list[int]:
    return [i for i, other in enumerate(keys) if other == q]


def rep_u(keys: Rows, released: Rows) -> float:
    found = [len(alike(q, keys)) == 1 and len(alike(q, released)) == 1 for q in keys]
    return 100 * float(np.mean(found))


def attribution(keys: Rows, target: Sequence[Any], released: Rows, given: Sequence[Any]) -> dict[str, float]:
    """disco, dcap and the three of tcap, in per cent."""
    disco, cap, certain, matched, single = [], [], [], [], []
    for q, t in zip(keys, target, strict=True):
        values = [given[i] for i in alike(q, released)]
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


def handed_round(given: Sequence[Any]) -> Iterator[list[Any]]:
    """The released targets in every order."""
    return (list(order) for order in permutations(given))
