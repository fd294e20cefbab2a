"""Detection: how often a classifier tells a released record from an original one that it has not seen."""

from __future__ import annotations

import numpy as np

from .held_out import Index, folds, logistic_held_out, trees_held_out
from .measure import Array, Facts, Measure, Part, Parts
from .pmse import not_converged
from .propensity import Propensity
from .specks import EQUAL

NEED = "need scikit-learn, which is not installed: pip install 'pyfcrm[sequential]'"


def detection(X: Array, Z: Array) -> Parts:
    """Area under the ROC curve of telling release from original, cross-validated, per cent; 50 is perfect.

    X, Z : (n, p) original and protected, paired by position. In words: the chance that, of one protected and one
    original record not seen in training, the protected one gets the higher score, ties counting a half; the mean
    over five folds. The scores are of gradient-boosted trees where scikit-learn is installed; else, noted, of the
    logistic regression with interactions of pMSE, which sees far less. The part says which.
    Both copies of a record are in one fold. Were they not, a classifier would meet the near twin of a held-out record
    with the other label, and score below chance: light noise, of one per cent, would look better than perfect.
    Below 50 by more than chance still says that records sit beside *other* records' values, as after swapping: the
    classifier has met those under the other label. That is not better than 50, and is noted.
    Source: own; the idea of Snoke et al. (2018) and of Lopez-Paz and Oquab (2017), held out.
    """
    x, z, fold = folds(X, Z)
    if fold is None:
        return Parts(50.0, notes=("detection: one record cannot be held out; 50 stands for not told apart",))
    trees = trees_held_out(x, z, fold)
    if trees is not None:
        value = 100 * area(trees, fold)
        return Parts(value, (Part("gradient-boosted trees", value),), notes=_below(value, len(X)))
    logistic = logistic_held_out(x, z, fold)
    value = 100 * area(logistic, fold)
    weaker = f"detection: by the logistic regression, which sees less; the gradient-boosted trees {NEED}"
    return Parts(
        value, (Part("logistic", value),), notes=(weaker, *not_converged("detection", logistic), *_below(value, len(X)))
    )


def _below(value: float, n: int) -> tuple[str, ...]:
    """A note where the AUC, per cent, is below 50 by more than three of its sd under chance (Hanley and McNeil 1982)."""
    if 50 - value <= 3 * 100 * np.sqrt((2 * n + 1) / (12 * n * n)):
        return ()
    said = f"detection: {value:.1f} is below 50 by more than chance: released records sit on other records' values"
    return (f"{said}, which the classifier has met as originals; read it as no better than 50",)


def area(scores: Propensity, fold: Index) -> float:
    """The mean over folds of the share of (original, protected) pairs of one fold that are ordered rightly, 0 to 1."""
    found = [_ordered(scores.original[fold == k], scores.protected[fold == k]) for k in np.unique(fold)]
    return float(np.mean(found))


def _ordered(original: Array, protected: Array) -> float:
    """Share of pairs with protected above original; scores within 1e-12 tie and count a half."""
    at = np.sort(original)
    below = np.searchsorted(at, protected - EQUAL, side="left")
    upto = np.searchsorted(at, protected + EQUAL, side="right")
    return float((below + upto).sum()) / (2 * len(original) * len(protected))


DETECTION = Measure(
    Facts(
        key="detection",
        title="Detection, cross-validated AUC of telling release from original, 50 is perfect",
        kind="loss",
        better="lower",
        identity=50.0,
        paired=True,
        source="own; after Snoke et al. (2018), Lopez-Paz and Oquab (2017)",
    ),
    detection,
)
