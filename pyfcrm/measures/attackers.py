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

TREES = 100  # of a forest
LEAF = 5  # least records in a leaf
MAX_FITTED = 20_000  # most records to which a forest is fitted
# Names of the attacks.
MODEL = "model"
LOOK_UP = "look-up"


@dataclass(frozen=True)
class Guess:
    """A class for each original record, and the estimated probability that it is right."""

    value: Codes
    """The guessed classes (n,); -1 without a guess."""
    sure: Array
    """Their probabilities (n,); 0 without a guess."""


Attacker = Callable[[Any, Codes, Any], Guess | None]
"""Guesses from the keys and classes of released records and the keys of the originals; None without classes."""


def no_value(key: str, name: str) -> Parts:
    """The result for a target without values."""
    note = Note.of("left_out", f"{key}: {{columns}} has no value in the original", [name])
    return Parts(0.0, baseline=0.0, notes=(note,))


def features(known: KeysAndTargets) -> tuple[Array, Array]:
    """The keys of both files as numbers, (n, q) and (N, q), other types by their codes; a missing value is below all others."""
    columns = []
    for key in known.keys:
        values = np.concatenate(key.numbers or (key.before, key.after)).astype(np.float64)
        below_all = np.nan_to_num(np.fmin.reduce(values) - 1)  # fmin ignores NaN; 0 if all are missing
        columns.append(np.where(np.isnan(values), below_all, values))
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
    """A forest of scikit-learn's class `name`, fitted to the records `there` (N,); None without such records.

    The records are sorted by their values, so that their order in the file has no effect; at most 20,000 at even steps.
    """
    from sklearn import ensemble

    rows = np.flatnonzero(there)
    if not len(rows):
        return None
    rows = rows[np.lexsort([z[rows], *Z[rows].T[::-1]])]
    rows = rows[evenly(len(rows), MAX_FITTED)]
    forest = getattr(ensemble, name)(n_estimators=TREES, min_samples_leaf=LEAF, random_state=0, n_jobs=1)
    return forest.fit(Z[rows], z[rows])


def looked_up(q_: Codes, t_: Codes, q: Codes) -> Guess:
    """The commonest class among the released records with the same keys, of equally common ones the lowest code.

    q_ (N,), q (n,) : combinations of keys, in the release and in the original; t_ (N,) : classes, -1 left out. The
    probability of a guess is the share of its class among these records.
    """
    known = t_ >= 0
    keys_and_classes, counts = np.unique(np.column_stack([q_[known], t_[known]]), axis=0, return_counts=True)
    keys = keys_and_classes[:, 0]
    classes = keys_and_classes[:, 1]
    # By keys: the commonest class, how many records have it, and how many there are.
    size = int(max(q.max(initial=0), q_.max(initial=0))) + 1
    commonest = np.full(size, -1, dtype=np.int64)
    most = np.zeros(size)
    total = np.zeros(size)
    np.add.at(total, keys, counts)
    order = np.lexsort((-classes, counts))  # of assignments to one place the last remains: the lowest of the commonest
    commonest[keys[order]] = classes[order]
    most[keys[order]] = counts[order]
    return Guess(value=commonest[q], sure=(most / np.maximum(total, 1))[q])


def shares_within(q: Codes, low: Array, high: Array, q_: Codes, z: Array) -> Array:
    """Shares (n,) of the released records with the same keys whose value z (N,) lies from low to high (n,); 0 of none.

    q (n,), q_ (N,) : combinations of keys, in the original and in the release. A missing z counts among the records, and is
    never inside.
    """
    known = ~np.isnan(z)
    ranks = np.unique(np.concatenate([z[known], low, high]), return_inverse=True)[1].astype(np.int64)
    rank_of_z, rank_of_low, rank_of_high = np.split(ranks, [int(known.sum()), int(known.sum()) + len(q)])
    # Keys and rank in one whole number: one sorted array answers for all keys.
    step = int(ranks.max(initial=0)) + 2
    released = np.sort(q_[known] * step + rank_of_z)
    up_to_high = np.searchsorted(released, q * step + rank_of_high, "right")
    below_low = np.searchsorted(released, q * step + rank_of_low, "left")
    inside = up_to_high - below_low
    sizes = np.bincount(q_, minlength=int(max(q.max(initial=0), q_.max(initial=0))) + 1)[q]
    return inside / np.maximum(sizes, 1)
