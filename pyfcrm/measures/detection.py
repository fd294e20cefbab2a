"""Detection: how often a classifier tells a released record from an original one that it has not seen."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ..errors import Note
from ..types import Array, Rows
from .measure import Facts, Measure, Part, Parts
from .propensity import EQUAL, Propensity, not_converged, orthonormal_terms, ridged_logistic, with_one

FOLDS = 5
LEAVES = 20  # records a leaf holds at least: scikit-learn's default
TREES, LOGISTIC = "gradient-boosted trees", "logistic"
NEED = "need scikit-learn, which is not installed: pip install 'pyfcrm[sequential]'"


def folds(X: Array, Z: Array) -> tuple[Array, Array, Rows | None]:
    """The two files (n, p) in an order of their own, and the fold (n,) of each record with both its copies.

    Records are sorted by their values in X, then in Z, so that the order of the file says nothing; the k-th goes to
    fold k modulo 5, so that every fold spans the range of the first attribute. None for a single record.
    """
    order = np.lexsort(np.hstack([X, Z]).T[::-1])
    fold = np.arange(len(X)) % FOLDS if len(X) > 1 else None
    return X[order], Z[order], fold


def held_out(X: Array, Z: Array, x_fold: Rows, z_fold: Rows) -> tuple[Propensity, str]:
    """Scores of each record from the best classifier there is, fitted to the other folds, and the classifier's name.

    X (n, p), Z (N, p), which need no pairing; x_fold (n,), z_fold (N,). Gradient-boosted trees where scikit-learn is
    installed, else the logistic regression of pMSE, which sees far less.
    """
    trees = trees_held_out(X, Z, x_fold, z_fold)
    return (logistic_held_out(X, Z, x_fold, z_fold), LOGISTIC) if trees is None else (trees, TREES)


def logistic_held_out(X: Array, Z: Array, x_fold: Rows, z_fold: Rows) -> Propensity:
    """Scores of each record from the logistic regression of pMSE fitted to the other folds.

    X (n, p), Z (N, p); x_fold (n,), z_fold (N,). Scaling and the terms set aside come from all records, whichever file
    they are in.
    """
    x, z = orthonormal_terms(X, Z)
    x, z = with_one(x), with_one(z)
    original, protected, converged = np.empty(len(x)), np.empty(len(z)), True
    for k in np.unique(x_fold):
        a, b = x_fold == k, z_fold == k
        coef, done = ridged_logistic(x[~a], z[~b], np.zeros(x.shape[1]))
        original[a], protected[b] = expit(x[a] @ coef), expit(z[b] @ coef)
        converged = converged and done
    return Propensity(original, protected, x.shape[1], converged)


def trees_held_out(X: Array, Z: Array, x_fold: Rows, z_fold: Rows) -> Propensity | None:
    """Scores of each record from gradient-boosted trees fitted to the other folds; None without scikit-learn.

    X (n, p), Z (N, p); x_fold (n,), z_fold (N,). HistGradientBoostingClassifier with its defaults: 100 trees of up to 31
    leaves, a leaf of at least 20 records, or n/5 where that is fewer.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        return None
    from threadpoolctl import threadpool_limits

    leaf = max(1, min(LEAVES, len(X) // FOLDS))
    original, protected = np.empty(len(X)), np.empty(len(Z))
    # One thread: sums come in one order on any machine, and small files are faster so.
    with threadpool_limits(limits=1):
        for k in np.unique(x_fold):
            a, b = x_fold == k, z_fold == k
            A, label = np.vstack([X[~a], Z[~b]]), np.repeat([0, 1], [int((~a).sum()), int((~b).sum())])
            model = HistGradientBoostingClassifier(min_samples_leaf=leaf, early_stopping=False, random_state=0)
            model.fit(A, label)
            original[a] = model.predict_proba(X[a])[:, 1]
            protected[b] = model.predict_proba(Z[b])[:, 1]
    return Propensity(original, protected)


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
        said = "detection: one record cannot be held out; 50 stands for not told apart"
        return Parts(50.0, notes=(Note.of("by_definition", said),))
    scores, classifier = held_out(x, z, fold, fold)
    value = 100 * area(scores, fold, fold)
    notes = (*weaker("detection", classifier), *not_converged("detection", scores), *_below(value, len(X)))
    return Parts(value, (Part(classifier, value),), notes=notes)


def weaker(owner: str, classifier: str) -> tuple[Note, ...]:
    """The note on a classifier that is not the best there is."""
    said = f"{owner}: by the logistic regression, which sees less; the {TREES} {NEED}"
    return (Note.of("needs_package", said),) if classifier == LOGISTIC else ()


def _below(value: float, n: int) -> tuple[Note, ...]:
    """A note where the AUC, per cent, is below 50 by more than three of its sd under chance (Hanley and McNeil 1982)."""
    if 50 - value <= 3 * 100 * np.sqrt((2 * n + 1) / (12 * n * n)):
        return ()
    said = (
        "detection: {value:.1f} is below 50 by more than chance: released records sit on other records' values, "
        "which the classifier has met as originals; read it as no better than 50"
    )
    return (Note.of("unreliable", said, value=value),)


def area(scores: Propensity, x_fold: Rows, z_fold: Rows) -> float:
    """The mean over folds of the share of (original, protected) pairs of one fold that are ordered rightly, 0 to 1."""
    found = [_ordered(scores.original[x_fold == k], scores.protected[z_fold == k]) for k in np.unique(x_fold)]
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
