"""The propensity of a record to be a protected one, from its values alone. pMSE is the mean square of these scores,
SPECKS the distance between the scores of original and protected records."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular

from ..errors import Note
from ..numerics.location import location, scores
from ..types import Array, Codes, Mask, Rows
from .measure import Part, Parts, arrays_measure

RIDGE = 1e-8  # of the mean log likelihood: bounds the coefficients where the files separate completely
RANK_TOL = 1e-9  # a term of which less than this is its own, beside the terms before it, is set aside
GRADIENT = 1e-11
MOST_ITERATIONS = 100
FAR = 1e6  # pooled sd: beyond, a value says no more
FOLDS = 5
LEAVES = 20  # records a leaf of the tree holds at least
# Scores this close are equal: what the fit leaves of rounding must not order them.
EQUAL = 1e-12


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
    set aside and not counted. A ridge of 1e-8 on the coefficients of the orthonormal terms, without the intercept,
    keeps them finite for separable files. Other scores move by at most about 1e-8. By scikit-learn, Newton's method.
    Source: Woo et al. (2009); Snoke et al. (2018).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    terms, n, total = np.vstack(orthonormal_terms(X, Z)), len(X), len(X) + len(Z)
    A = np.pad(terms, [(0, 0), (0, 1)])  # a column of zeros, for files without any term
    model = LogisticRegression(C=1 / (RIDGE * total), solver="newton-cholesky", tol=GRADIENT, max_iter=MOST_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of Newton's line search, after which L-BFGS goes on
        model.fit(A, np.arange(total) >= n)
    chances = model.predict_proba(A)[:, 1]
    return Propensity(chances[:n], chances[n:], A.shape[1], bool(model.n_iter_[0] < MOST_ITERATIONS))


def tree_propensity(X: Array, Z: Array) -> Propensity:
    """A classification tree (CART, Gini), each record scored by the tree of the others.

    X (n, p), Z (N, p). Five folds: each file is sorted by its values, and the k-th record goes to fold k modulo 5. So a
    record and its copy are held out together. At least 20 records in a leaf, or a fifth of the smaller file. Source:
    Snoke et al. (2018), held out, with scikit-learn's tree.
    """
    from sklearn.tree import DecisionTreeClassifier

    leaf = max(1, min(LEAVES, len(X) // FOLDS, len(Z) // FOLDS))

    def fit(A: Array, label: Mask) -> Callable[[Array], Array]:
        tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0).fit(A, label)
        return lambda B: np.asarray(tree.predict_proba(B)[:, 1])

    x, z = _standardised(X, Z)  # scikit-learn's trees work in float32
    return held_out_scores(fit, x, z, folds_by_value(*X.T), folds_by_value(*Z.T))


def held_out_scores(
    fit: Callable[[Array, Mask], Callable[[Array], Array]], X: Array, Z: Array, x_fold: Rows, z_fold: Rows
) -> Propensity:
    """Scores of each record from a classifier that is fitted to the other folds.

    fit : gives the probabilities (k,) of records (k, p), from records (m, p) and whether each is a protected one (m,);
    X (n, p), Z (N, p), which need no pairing; x_fold (n,), z_fold (N,).
    """
    chances = [np.full(len(A), len(Z) / (len(X) + len(Z))) for A in (X, Z)]
    for k in range(FOLDS):
        held = [x_fold == k, z_fold == k]
        A, B = X[~held[0]], Z[~held[1]]
        if not (len(A) and len(B)):
            continue
        classifier = fit(np.vstack([A, B]), np.repeat([False, True], [len(A), len(B)]))
        for chance, values, rows in zip(chances, (X, Z), held, strict=True):
            if rows.any():
                chance[rows] = classifier(values[rows])
    return Propensity(chances[0], chances[1])


def folds_by_value(*columns: Array | Codes) -> Rows:
    """(n,) from 0: the place of each record among those sorted by the columns, modulo 5. File order has no effect."""
    fold = np.empty(len(columns[0]), dtype=np.intp)
    fold[np.lexsort(columns[::-1])] = np.arange(len(fold)) % FOLDS
    return fold


def _standardised(X: Array, Z: Array) -> tuple[Array, Array]:
    pooled = location(np.vstack([X, Z]))
    return np.clip(scores(X, pooled), -FAR, FAR), np.clip(scores(Z, pooled), -FAR, FAR)


def orthonormal_terms(X: Array, Z: Array) -> tuple[Array, Array]:
    """Attributes and products, centred, made orthonormal over both files (mean square 1), without collinear ones."""
    i, j = np.triu_indices(X.shape[1], 1)
    x, z = (np.hstack([A, A[:, i] * A[:, j]]) for A in _standardised(X, Z))
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


@arrays_measure(
    key="pmse",
    title="Propensity score mean square error, from 0 to 0.25",
    reading="How well a logistic regression separates release and original: 0 is not at all.",
    kind="loss",
    identity=0.0,
    source="Woo, Reiter, Oganian and Karr (2009); Snoke et al. (2018)",
    upper=0.25,
)
def pmse(X: Array, Z: Array) -> Parts:
    """pMSE = mean of (p - c)^2 over all records of both files, c the share of protected ones; 0 to 0.25.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Original.
    Z : ndarray, shape (N, p)
        Protected; records need no pairing.

    Returns
    -------
    Parts
        pMSE of a logistic regression on the attributes and their products two by two (the total) and of a
        classification tree. Parts: the null expectation (k - 1)(1 - c)^2 c / (n + N)
        for k parameters, which holds for a release drawn anew from the original's own model, and the ratio of pMSE to
        it. The tree scores held-out records: a tree fitted to the same records separates any two files, except a file
        and its copy. It is near 0 for a file drawn anew.

    References
    ----------
    Woo, Reiter, Oganian and Karr (2009); Snoke et al. (2018).
    """
    logistic, tree = logistic_propensity(X, Z), tree_propensity(X, Z)
    value, total, c = mean_square(logistic), len(X) + len(Z), len(Z) / (len(X) + len(Z))
    k = logistic.parameters or 1
    parts, notes = [Part("logistic", value)], list[Note]()
    if k > 1:
        null = (k - 1) * (1 - c) ** 2 * c / total
        parts += [Part("logistic, null expectation", null, range=(0.0, math.inf), better="neither")]
        parts += [Part("logistic, ratio to its null expectation", value / null, range=(0.0, math.inf))]
    if 4 * k > total:
        wording = "pmse: {count} parameters for {total} records are many: the null expectation is not to be relied on"
        notes.append(Note.of("unreliable", wording, count=k, total=total))
    notes += not_converged("pmse", logistic)
    parts.append(Part("tree, held out", held_out_mean_square(tree)))
    return Parts(value, tuple(parts), notes=tuple(notes))


def mean_square(scores: Propensity) -> float:
    """Mean of (p - c)^2 over both files, c the share of protected records."""
    away = np.concatenate([scores.original, scores.protected])
    away = away - len(scores.protected) / len(away)
    return min(float(np.mean(np.where(np.abs(away) > EQUAL, away, 0.0) ** 2)), 0.25)


def held_out_mean_square(scores: Propensity) -> float:
    """What mean_square estimates, from scores of records that the classifier has not seen: the mean of (label - c)(p - c).

    Where the scores are right it is the same; scores that are noise, or that fit only what was seen, add nothing. At least 0.
    """
    n, N = len(scores.original), len(scores.protected)
    c = N / (n + N)
    together = (1 - c) * np.sum(scores.protected - c) - c * np.sum(scores.original - c)
    return min(max(float(together) / (n + N), 0.0), 0.25)


def not_converged(key: str, scores: Propensity) -> list[Note]:
    """The note on a fit that did not meet its tolerance, if it did not."""
    return [] if scores.converged else [Note.of("not_converged", f"{key}: the logistic regression had not converged")]


@arrays_measure(
    key="specks",
    title="SPECKS, distance between the distributions of propensity scores, from 0 to 1",
    reading="The largest gap between the distributions of propensity scores: 0 where release and original look alike.",
    kind="loss",
    identity=0.0,
    source="Bowen, Liu and Su (2021)",
    upper=1.0,
)
def specks(X: Array, Z: Array) -> Parts:
    """The Kolmogorov-Smirnov distance between the two files' propensity scores, 0 to 1.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Original.
    Z : ndarray, shape (N, p)
        Protected; records need no pairing.

    Returns
    -------
    Parts
        The scores are pMSE's: of a logistic regression on the attributes and their products (the total) and of a
        classification tree that has not seen the records it scores; there the distance
        counts where originals have the lower scores.

    References
    ----------
    Bowen, Liu and Su (2021).
    """
    logistic, tree = logistic_propensity(X, Z), tree_propensity(X, Z)
    value = distance(logistic)
    parts = (Part("logistic", value), Part("tree, held out", distance(tree, one_sided=True)))
    return Parts(value, parts, notes=tuple(not_converged("specks", logistic)))


def distance(scores: Propensity, *, one_sided: bool = False) -> float:
    """The largest difference of the two empirical distribution functions, scores within 1e-12 counting as equal.

    one_sided : only where originals have the lower scores, as they have if the scores of unseen records are worth something.
    """
    both = np.concatenate([scores.original, scores.protected])
    order = np.argsort(both, kind="stable")
    n, N = len(scores.original), len(scores.protected)
    ends = np.append(np.diff(both[order]) > EQUAL, True)
    originals = np.cumsum(order < n)
    protected = np.arange(1, n + N + 1) - originals
    apart = (originals / n - protected / N)[ends]
    return max(float(apart.max()), 0.0) if one_sided else float(np.abs(apart).max())
