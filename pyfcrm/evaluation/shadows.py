"""Membership inference with shadow releases: a classifier of members, trained on releases of random halves.

The method is public, so an intruder with a reference file protects random parts of it, sees which records are members, and
trains. Half of the records train the classifier that attacks the other half, in releases of other parts: records and splits
that are used for training are not attacked. Source: Shokri, Stronati, Song and Shmatikov (2017); Stadler, Oprisanu and
Troncoso (2022).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..numerics.location import location
from ..rstream import RStream
from ..types import Array, Integers, Mask
from .attacks import Originals, Split, nearest, occurrences, ranked

NEAR = 1e-6  # of a sd: added to distances before their logarithm, and to those in ranks
TREES: Mapping[str, Any] = {"max_iter": 60, "max_leaf_nodes": 8, "l2_regularization": 1.0}
Classifier = Callable[[Array], Array]
"""Features (n, p) to scores (n,), larger for members."""


@dataclass(frozen=True)
class Shadows:
    """fold (n,) : 0 or 1; classifiers : by fold, each trained on the records of the other fold."""

    fold: Integers
    classifiers: tuple[Classifier, Classifier]

    @classmethod
    def trained(cls, splits: Sequence[Split], originals: Originals, stream: RStream) -> Shadows:
        """From shadow releases, each a split of its own. Draws: a permutation of the records, for the folds."""
        fold = stream.sample_int(len(originals.Y)) % 2
        table = [features(originals, split.Z) for split in splits]

        def classifier(which: int) -> Classifier:
            rows = fold != which
            A, label = (np.concatenate([array[rows] for array in part]) for part in (table, [s.member for s in splits]))
            return _trees(A, label)

        return cls(fold, (classifier(0), classifier(1)))

    def scores(self, originals: Originals, Z: Array) -> Array:
        """(n,) how like a member each record looks in the release Z (N, t): its rank in its fold, as a share."""
        table, ranks = features(originals, Z), np.empty(len(self.fold))
        for which, classifier in enumerate(self.classifiers):
            rows = self.fold == which
            ranks[rows] = ranked(*2 * [classifier(table[rows])[:, None]])[:, 0]
        return ranks


def features(originals: Originals, Z: Array) -> Array:
    """(n, 5 t + 2) what a release Z (N, t) shows of each original.

    By column: whether its value occurs, weighted by its rarity; log count of the value against its expectation; log distance to
    the nearest released value, and this against the distance to the nearest other original; log frequency among the
    originals. Of the whole record: log distance in ranks, and this against the distance to the nearest other original.
    """
    Y, sd = originals.Y, location(originals.Y).sd
    columns = []
    for y, z, unit in zip(Y.T, Z.T, np.where(sd > 0, sd, 1.0), strict=True):
        usual, count = occurrences(y, y), occurrences(y, z)
        near = np.log(NEAR + _gap(y, np.unique(z)) / unit)
        other = np.log(NEAR + np.where(usual > 1, 0.0, _gap_to_others(y)) / unit)
        expected = np.log1p(usual * len(z) / len(y))
        columns += [(count > 0) * np.log(len(y) / usual), np.log1p(count) - expected, near, near - other, np.log(usual)]
    whole = np.log(NEAR + nearest(originals.ranks, ranked(Z, Y))[0])
    return np.column_stack([*columns, whole, whole - np.log(NEAR + originals.in_ranks)])


def _gap(y: Array, values: Array) -> Array:
    """(n,) the distance from each of y to the nearest of ascending values."""
    place = np.searchsorted(values, y)
    last = len(values) - 1
    return np.minimum(np.abs(y - values[np.minimum(place, last)]), np.abs(y - values[np.maximum(place - 1, 0)]))


def _gap_to_others(y: Array) -> Array:
    """(n,) the distance from each of y to the nearest different value; that of 1 where there is none."""
    values, place = np.unique(y, return_inverse=True)
    if len(values) == 1:
        return np.ones(len(y))
    steps = np.concatenate([[np.inf], np.diff(values), [np.inf]])
    return np.minimum(steps[:-1], steps[1:])[place]


def _trees(A: Array, label: Mask) -> Classifier:
    """60 small gradient-boosted trees, fitted to A (n, p) and label (n,)."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # sums in the same order on every machine
        model = HistGradientBoostingClassifier(early_stopping=False, random_state=0, **TREES)
        model.fit(A, label)

    def scores(B: Array) -> Array:
        with threadpool_limits(limits=1):
            return np.asarray(model.decision_function(B))

    return scores
