"""Two intruders who have a release and know the keys of an original record: one fits a model, one looks the keys up.

Both guess the target of each original record, with a probability. Forests are of scikit-learn, with a fixed seed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.attributes import KeysAndTargets
from ..errors import Note
from ..numerics.location import evenly
from ..types import Array, Codes, Mask
from .measure import Parts

# Of a forest: trees, records of a leaf at least, records it is fitted to at most.
TREES, LEAF, MAX_FITTED = 100, 5, 20_000
MODEL, LOOK_UP = "model", "look-up"


@dataclass(frozen=True)
class Guess:
    """A class for each original record and its estimated probability; -1 and 0 without a guess."""

    value: Codes
    sure: Array


Attacker = Callable[[Any, Codes, Any], Guess | None]
"""Guesses from the keys and classes of released records and the keys of the originals; None without classes."""


def no_value(key: str, name: str) -> Parts:
    """The result for a target without values."""
    note = Note.of("left_out", f"{key}: {{columns}} has no value in the original", [name])
    return Parts(0.0, baseline=0.0, notes=(note,))


def features(known: KeysAndTargets) -> tuple[Array, Array]:
    """(n, q) and (N, q): keys as numbers, other types by their codes; a missing value is below all others."""
    columns = []
    for key in known.keys:
        both = np.concatenate(key.numbers or (key.before, key.after)).astype(np.float64)
        columns.append(np.where(np.isnan(both), np.nan_to_num(np.fmin.reduce(both) - 1), both))
    X, Z = np.split(np.column_stack(columns), [len(known.keys[0].before)])
    return X, Z


def forest_numbers(Z: Array, z: Array, X: Array) -> Array | None:
    """Predicted targets of X (n, q), by a forest fitted to Z (N, q) and z (N,) without NaN; None if z is empty."""
    forest = _fitted("RandomForestRegressor", Z, z, ~np.isnan(z))
    return None if forest is None else np.asarray(forest.predict(X))


def forest_classes(Z: Array, z: Codes, X: Array) -> Guess | None:
    """Predicted classes of X (n, q), by a forest fitted to Z (N, q) and codes z (N,) without -1; None if z is empty."""
    forest = _fitted("RandomForestClassifier", Z, z, z >= 0)
    if forest is None:
        return None
    chances = forest.predict_proba(X)
    best = chances.argmax(axis=1)
    return Guess(np.asarray(forest.classes_[best], dtype=np.int64), chances[np.arange(len(X)), best])


def _fitted(name: str, Z: Array, z: Array | Codes, there: Mask) -> Any:
    """A forest fitted to the records that have a target, sorted by their values; at most 20,000 at even steps."""
    from sklearn import ensemble

    rows = np.flatnonzero(there)
    rows = rows[np.lexsort([z[rows], *Z[rows].T[::-1]])]
    rows = rows[evenly(len(rows), MAX_FITTED)]
    forest = getattr(ensemble, name)(n_estimators=TREES, min_samples_leaf=LEAF, random_state=0, n_jobs=1)
    return forest.fit(Z[rows], z[rows]) if len(rows) else None


def looked_up(q_: Codes, t_: Codes, q: Codes) -> Guess:
    """The commonest class among the released records with the same keys, of equally common ones the lowest code.

    q_ (N,), q (n,): combinations of keys; t_ (N,): classes, -1 left out. Sure by its share among them.
    """
    known = t_ >= 0
    pairs, counts = np.unique(np.column_stack([q_[known], t_[known]]), axis=0, return_counts=True)
    width = int(max(q.max(initial=0), q_.max(initial=0))) + 1
    value, most, total = np.full(width, -1, dtype=np.int64), np.zeros(width), np.zeros(width)
    np.add.at(total, pairs[:, 0], counts)
    order = np.lexsort((-pairs[:, 1], counts))  # the last assignment holds: the lowest of the commonest classes
    value[pairs[order, 0]], most[pairs[order, 0]] = pairs[order, 1], counts[order]
    return Guess(value[q], (most / np.maximum(total, 1))[q])


def shares_within(q: Codes, low: Array, high: Array, q_: Codes, z: Array) -> Array:
    """(n,): of the released records with the same keys the share whose value z (N,) lies from low to high (n,); 0 of none.

    A missing z counts among them, and is never inside.
    """
    known = ~np.isnan(z)
    ranks = np.unique(np.concatenate([z[known], low, high]), return_inverse=True)[1].astype(np.int64)
    count, n = int(known.sum()), len(q)
    step = int(ranks.max(initial=0)) + 2
    at = np.sort(q_[known] * step + ranks[:count])
    inside = np.searchsorted(at, q * step + ranks[count + n :], "right")
    inside = inside - np.searchsorted(at, q * step + ranks[count : count + n], "left")
    sizes = np.bincount(q_, minlength=int(max(q.max(initial=0), q_.max(initial=0))) + 1)[q]
    return inside / np.maximum(sizes, 1)
