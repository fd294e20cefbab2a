"""pMSE: how well a classifier tells the release from the original, as the mean square of its propensity scores."""

from __future__ import annotations

import math

import numpy as np

from .measure import Array, Facts, Measure, Part, Parts
from .propensity import Propensity, logistic_propensity, tree_propensity

NO_TREE = "needs scikit-learn, which is not installed: pip install 'pyfcrm[sequential]'"


def pmse(X: Array, Z: Array) -> Parts:
    """pMSE = mean of (p - c)^2 over all records of both files, c the share of protected ones; 0 to 0.25.

    X (n, p), Z (N, p), of which records need no pairing. p is estimated by a logistic regression on the attributes
    and their products two by two (the total) and, where scikit-learn is installed, by a classification tree.
    Parts: the null expectation (k - 1)(1 - c)^2 c / (n + N) for k parameters, which holds for a release drawn
    anew from the original's own model, and the ratio of pMSE to it; a tree has no such closed form.
    Source: Woo, Reiter, Oganian and Karr (2009); Snoke et al. (2018).
    """
    logistic, tree = logistic_propensity(X, Z), tree_propensity(X, Z)
    value, total, c = mean_square(logistic), len(X) + len(Z), len(Z) / (len(X) + len(Z))
    k = logistic.parameters or 1
    parts, notes = [Part("logistic", value)], []
    if k > 1:
        null = (k - 1) * (1 - c) ** 2 * c / total
        parts += [Part("logistic, null expectation", null, range=(0.0, math.inf), better="neither")]
        parts += [Part("logistic, ratio to its null expectation", value / null, range=(0.0, math.inf))]
    if 4 * k > total:
        notes.append(f"pmse: {k} parameters for {total} records are many: the null expectation is not to be relied on")
    notes += not_converged("pmse", logistic)
    if tree is None:
        notes.append(f"pmse: the tree {NO_TREE}")
    else:
        parts.append(Part("tree", mean_square(tree)))
    return Parts(value, tuple(parts), notes=tuple(notes))


def mean_square(scores: Propensity) -> float:
    """Mean of (p - c)^2 over both files."""
    n, N = len(scores.original), len(scores.protected)
    c = N / (n + N)
    squares = np.sum((scores.original - c) ** 2) + np.sum((scores.protected - c) ** 2)
    return min(float(squares) / (n + N), 0.25)


def not_converged(key: str, scores: Propensity) -> list[str]:
    """The note on a fit that did not meet its tolerance, if it did not."""
    return [] if scores.converged else [f"{key}: the logistic regression had not converged"]


PMSE = Measure(
    Facts(
        key="pmse",
        title="Propensity score mean square error, from 0 to 0.25",
        kind="loss",
        better="lower",
        identity=0.0,
        paired=False,
        source="Woo, Reiter, Oganian and Karr (2009); Snoke et al. (2018)",
        upper=0.25,
    ),
    pmse,
)
