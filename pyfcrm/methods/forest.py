"""Adversarial random forests: trees that tell the records from ones drawn within the leaves of the trees before, until they
no longer can; then within a leaf the columns are nearly independent of each other (Watson et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..progress import ProgressTracker
from ..rstream import RStream
from ..types import Array, Integers

WORDS = 8  # of the stream's, of 32 bits, that a forest is grown from
Ranks = NDArray[np.float32]
"""(n, p) places of values among the different ones of their column: single precision is what trees work in."""


@dataclass(frozen=True)
class Growth:
    """How forests are grown. trees : in each; delta : above one half, the accuracy that ends the rounds; rounds : at
    most; min_leaf : records in a leaf, original and drawn ones."""

    trees: int
    delta: float
    rounds: int
    min_leaf: int


@dataclass(frozen=True)
class Grown:
    """trees : scikit-learn's trees of the last forest; accuracy : by round, the share of records classified correctly out of bag."""

    trees: Sequence[Any]
    accuracy: tuple[float, ...]


def grown(R: Ranks, how: Growth, stream: RStream, tracker: ProgressTracker) -> Grown:
    """The last forest. R : the originals.

    Draws: n uniforms a column for records whose columns have nothing to do with each other, and 8 for a forest; then each
    round two a record for a tree and a leaf, n a column, and 8.
    """
    n, p = R.shape
    drawn = np.column_stack([R[_places(stream.runif(n), n), j] for j in range(p)])
    accuracy: list[float] = []
    kept: Sequence[Any] = ()
    for done in range(how.rounds):
        tracker.step(done, how.rounds)
        trees, right = _forest(R, drawn, how, stream)
        if accuracy and right >= accuracy[-1]:
            break
        kept = trees
        accuracy.append(right)
        if right <= 0.5 + how.delta:
            break
        drawn = _drawn_within(R, kept, stream)
    return Grown(kept, tuple(accuracy))


def _forest(R: Ranks, drawn: Ranks, how: Growth, stream: RStream) -> tuple[Sequence[Any], float]:
    """Trees that tell the records R from drawn ones, and the share (of both) that they tell right out of bag."""
    from sklearn.ensemble import RandomForestClassifier

    words = (stream.runif(WORDS) * 2.0**32).astype(np.uint32)
    forest = RandomForestClassifier(how.trees, min_samples_leaf=how.min_leaf, random_state=np.random.RandomState(words))
    both = np.vstack([R, drawn])
    original = np.arange(len(both)) < len(R)
    forest.fit(both, original)
    votes, seen = np.zeros(len(both)), np.zeros(len(both), dtype=np.int64)
    for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.ones(len(both), dtype=bool)
        out[bag] = False
        votes[out] += tree.predict_proba(both[out])[:, 1] - 0.5
        seen += out
    known = seen > 0
    right = np.where(votes == 0, 0.5, (votes > 0) == original)[known]
    return forest.estimators_, float(right.mean()) if known.any() else 1.0


def _drawn_within(R: Ranks, trees: Sequence[Any], stream: RStream) -> Ranks:
    """As many records as R, each of a tree and a leaf that a record of R is in, every column from another record of it."""
    n, p = R.shape
    of, like = _places(stream.runif(n), len(trees)), _places(stream.runif(n), n)
    U = [stream.runif(n) for _ in range(p)]
    draws = np.empty_like(R)
    for b, tree in enumerate(trees):
        rows = of == b
        leaf = tree.apply(R)
        order = np.argsort(leaf, kind="stable")
        start, stop = (np.searchsorted(leaf[order], leaf[like[rows]], side) for side in ("left", "right"))
        for j in range(p):
            draws[rows, j] = R[order[start + _places(U[j][rows], stop - start)], j]
    return draws


def _places(u: Array, size: int | Integers) -> Integers:
    """(n,) whole numbers from 0, below the size."""
    return np.floor(u * size).astype(np.int64)
