"""Propensity scores of records that the classifier was not fitted to: what detection is computed from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .measure import Array
from .propensity import Propensity, orthonormal_terms, ridged_logistic, with_one

Index = NDArray[np.intp]

FOLDS = 5
LEAVES = 20  # records a leaf holds at least: scikit-learn's default


def folds(X: Array, Z: Array) -> tuple[Array, Array, Index | None]:
    """The two files (n, p) in an order of their own, and the fold (n,) of each record with both its copies.

    Records are sorted by their values in X, then in Z, so that the order of the file says nothing; the k-th goes to
    fold k modulo 5, so that every fold spans the range of the first attribute. None for a single record.
    """
    order = np.lexsort(np.hstack([X, Z]).T[::-1])
    fold = np.arange(len(X)) % FOLDS if len(X) > 1 else None
    return X[order], Z[order], fold


def logistic_held_out(X: Array, Z: Array, fold: Index) -> Propensity:
    """Scores of each record from the logistic regression of pMSE fitted to the other folds.

    X, Z (n, p); fold (n,). Scaling and the terms set aside come from all records, whichever file they are in.
    """
    x, z = orthonormal_terms(X, Z)
    x, z = with_one(x), with_one(z)
    original, protected, converged = np.empty(len(x)), np.empty(len(z)), True
    for k in np.unique(fold):
        held = fold == k
        coef, done = ridged_logistic(x[~held], z[~held], np.zeros(x.shape[1]))
        original[held], protected[held] = expit(x[held] @ coef), expit(z[held] @ coef)
        converged = converged and done
    return Propensity(original, protected, x.shape[1], converged)


def trees_held_out(X: Array, Z: Array, fold: Index) -> Propensity | None:
    """Scores of each record from gradient-boosted trees fitted to the other folds; None without scikit-learn.

    X, Z (n, p); fold (n,). HistGradientBoostingClassifier with its defaults: 100 trees of up to 31 leaves, a leaf
    of at least 20 records, or n/5 where that is fewer.
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
        for k in np.unique(fold):
            held = fold == k
            A, label = np.vstack([X[~held], Z[~held]]), np.repeat([0, 1], int((~held).sum()))
            model = HistGradientBoostingClassifier(min_samples_leaf=leaf, early_stopping=False, random_state=0)
            model.fit(A, label)
            original[held] = model.predict_proba(X[held])[:, 1]
            protected[held] = model.predict_proba(Z[held])[:, 1]
    return Propensity(original, protected)
