"""SPECKS: how far apart the propensity scores of original and protected records are distributed."""

from __future__ import annotations

import numpy as np

from .measure import Array, Facts, Measure, Part, Parts
from .pmse import NO_TREE, not_converged
from .propensity import Propensity, logistic_propensity, tree_propensity

# Scores this close are equal: what the fit leaves of rounding must not order them.
EQUAL = 1e-12


def specks(X: Array, Z: Array) -> Parts:
    """The Kolmogorov-Smirnov distance between the two files' propensity scores, 0 to 1.

    X (n, p), Z (N, p), of which records need no pairing. The scores are pMSE's: of a logistic regression on the
    attributes and their products (the total) and, where scikit-learn is installed, of a classification tree.
    Source: Bowen, Liu and Su (2021).
    """
    logistic, tree = logistic_propensity(X, Z), tree_propensity(X, Z)
    value = distance(logistic)
    notes, parts = not_converged("specks", logistic), [Part("logistic", value)]
    if tree is None:
        notes.append(f"specks: the tree {NO_TREE}")
    else:
        parts.append(Part("tree", distance(tree)))
    return Parts(value, tuple(parts), notes=tuple(notes))


def distance(scores: Propensity) -> float:
    """The largest difference of the two empirical distribution functions, scores within 1e-12 counting as equal."""
    both = np.concatenate([scores.original, scores.protected])
    order = np.argsort(both, kind="stable")
    n, N = len(scores.original), len(scores.protected)
    ends = np.append(np.diff(both[order]) > EQUAL, True)
    originals = np.cumsum(order < n)
    protected = np.arange(1, n + N + 1) - originals
    return float(np.abs(originals / n - protected / N)[ends].max())


SPECKS = Measure(
    Facts(
        key="specks",
        title="SPECKS, distance between the distributions of propensity scores, from 0 to 1",
        kind="loss",
        better="lower",
        identity=0.0,
        paired=False,
        source="Bowen, Liu and Su (2021)",
        upper=1.0,
    ),
    specks,
)
