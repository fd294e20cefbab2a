"""The propensity of a record to be a protected one, from its values alone: what pMSE and SPECKS are computed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.special import expit

from ..linkage.distance import Location, location
from .measure import Array

RIDGE = 1e-8  # of the mean log likelihood: bounds the coefficients where the files can be told apart completely
RANK_TOL = 1e-9  # a term of which less than this is its own, beside the terms before it, is set aside
GRADIENT = 1e-11
MOST_ITERATIONS = 100
FAR = 1e6  # pooled sd: beyond, a value says no more
LEAVES = 5  # records a leaf of the tree holds at least, as in synthpop


@dataclass(frozen=True)
class Propensity:
    """A classifier's scores.

    original (n,), protected (N,): the estimated probability that each record is a protected one; parameters : of
    the model, None for a tree; converged : whether the fit met its tolerance.
    """

    original: Array
    protected: Array
    parameters: int | None = None
    converged: bool = True


def logistic_propensity(X: Array, Z: Array) -> Propensity:
    """Logistic regression on the attributes and their products two by two.

    X (n, p), Z (N, p). Attributes are standardised by the pooled mean and sd; terms that the others determine are
    set aside and not counted. A ridge of 1e-8 on the coefficients of the orthonormal terms, the intercept aside,
    keeps them finite where the files are separable; it moves no score otherwise by more than about 1e-8.
    Newton's method with halved steps. Source: Woo et al. (2009); Snoke et al. (2018).
    """
    original, protected = orthonormal_terms(X, Z)
    k = original.shape[1] + 1
    start = np.concatenate([[np.log(len(Z) / len(X))], np.zeros(k - 1)])
    coef, converged = ridged_logistic(with_one(original), with_one(protected), start)
    return Propensity(expit(with_one(original) @ coef), expit(with_one(protected) @ coef), k, converged)


def tree_propensity(X: Array, Z: Array) -> Propensity | None:
    """A classification tree (CART, Gini) with at least 5 records in a leaf; None where scikit-learn is missing.

    X (n, p), Z (N, p). Source: Snoke et al. (2018), with scikit-learn's tree.
    """
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        return None
    label = np.repeat([0, 1], [len(X), len(Z)])
    A = np.vstack(_standardised(X, Z))  # scikit-learn's trees work in float32
    tree = DecisionTreeClassifier(min_samples_leaf=LEAVES, random_state=0).fit(A, label)
    scores = tree.predict_proba(A)[:, 1]
    return Propensity(scores[: len(X)], scores[len(X) :])


def _standardised(X: Array, Z: Array) -> tuple[Array, Array]:
    pooled = location(np.vstack([X, Z]))
    return _scores(X, pooled), _scores(Z, pooled)


def _scores(A: Array, where: Location) -> Array:
    varies = where.sd > 0
    scaled = ((A - where.origin) - where.offset) / np.where(varies, where.sd, 1.0)
    return np.clip(np.where(varies, scaled, 0.0), -FAR, FAR)


def orthonormal_terms(X: Array, Z: Array) -> tuple[Array, Array]:
    """Attributes and products, centred, made orthonormal over both files (mean square 1), without collinear ones."""
    x, z = (_products(A) for A in _standardised(X, Z))
    total = len(x) + len(z)
    mean = (x.sum(axis=0) + z.sum(axis=0)) / total
    x, z = x - mean, z - mean
    size = np.sqrt((np.sum(x * x, axis=0) + np.sum(z * z, axis=0)) / total)
    size = np.where(size > 0, size, 1.0)
    x, z = x / size, z / size
    R, pivot = qr(np.vstack([x, z]) / np.sqrt(total), mode="r", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > RANK_TOL))
    kept = pivot[:rank]
    # File by file, by the same steps, so that a file against itself gives two equal halves to the last bit.
    halves = [solve_triangular(R[:rank, :rank], A[:, kept].T, trans="T").T for A in (x, z)]
    return halves[0], halves[1]


def _products(A: Array) -> Array:
    i, j = np.triu_indices(A.shape[1], 1)
    return np.hstack([A, A[:, i] * A[:, j]])


def with_one(A: Array) -> Array:
    return np.column_stack([np.ones(len(A)), A])


def ridged_logistic(A: Array, B: Array, coef: Array) -> tuple[Array, bool]:
    """Coefficients (k,) of the ridged logistic regression telling the rows of B from those of A."""
    total = len(A) + len(B)
    ridge = np.full(len(coef), RIDGE)
    ridge[0] = 0.0
    value = _objective(A, B, coef, ridge)
    for _ in range(MOST_ITERATIONS):
        p, q = expit(A @ coef), expit(B @ coef)
        gradient = (A.T @ p - B.T @ (1 - q)) / total + ridge * coef
        if np.abs(gradient).max() <= GRADIENT:
            return coef, True
        H = ((A.T * (p * (1 - p))) @ A + (B.T * (q * (1 - q))) @ B) / total + np.diag(ridge)
        step = np.linalg.lstsq(H, gradient, rcond=None)[0]
        size = 1.0
        while size > 1e-10 and (now := _objective(A, B, coef - size * step, ridge)) > value:
            size /= 2
        if size <= 1e-10:  # rounding is all that is left
            return coef, bool(np.abs(gradient).max() <= 1e3 * GRADIENT)
        coef, value = coef - size * step, now
    return coef, False


def _objective(A: Array, B: Array, coef: Array, ridge: Array) -> float:
    lost = np.logaddexp(0.0, A @ coef).sum() + np.logaddexp(0.0, -(B @ coef)).sum()
    return float(lost) / (len(A) + len(B)) + float(ridge @ (coef * coef)) / 2
