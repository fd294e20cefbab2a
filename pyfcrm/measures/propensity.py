"""The propensity of a record: the probability that it is a protected one, estimated from its values alone.

pMSE is the mean square of these scores about their expectation, SPECKS the distance between the scores of original and
protected records.
"""

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
RANK_TOL = 1e-9  # least part of a term, of norm 1, that the terms before it must not explain
GRADIENT = 1e-11  # tolerance of the logistic regression
MOST_ITERATIONS = 100
FAR = 1e6  # pooled sd at which values are clipped
FOLDS = 5
LEAVES = 20  # least records in a leaf of a tree
# Scores this close are equal: the rounding of a fit must not order them.
EQUAL = 1e-12


@dataclass(frozen=True)
class Propensity:
    """A classifier's scores: estimated probabilities that a record is a protected one."""

    original: Array
    """Scores (n,) of the original records."""
    protected: Array
    """Scores (N,) of the protected records."""
    parameters: int | None = None
    """Number of parameters of the model, the intercept included; None for trees."""
    converged: bool = True
    """Whether the fit met its tolerance."""


def logistic_propensity(X: Array, Z: Array) -> Propensity:
    """Logistic regression on the attributes and their products two by two.

    X (n, p), Z (N, p). Attributes are standardised by the pooled mean and sd; terms that the others determine are
    omitted and not counted. A ridge of 1e-8 on the coefficients of the orthonormal terms, without the intercept,
    keeps them finite for separable files. Other scores move by at most about 1e-8. By scikit-learn, Newton's method.
    Source: Woo et al. (2009); Snoke et al. (2018).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    n = len(X)
    total = len(X) + len(Z)
    terms = np.vstack(orthonormal_terms(X, Z))
    # A column of zeros, for files without any term. With it, the columns are as many as terms and intercept.
    A = np.pad(terms, [(0, 0), (0, 1)])
    model = LogisticRegression(C=1 / (RIDGE * total), solver="newton-cholesky", tol=GRADIENT, max_iter=MOST_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of Newton's line search, after which L-BFGS goes on
        model.fit(A, np.arange(total) >= n)
    chances = model.predict_proba(A)[:, 1]
    return Propensity(
        original=chances[:n],
        protected=chances[n:],
        parameters=A.shape[1],
        converged=bool(model.n_iter_[0] < MOST_ITERATIONS),
    )


def tree_propensity(X: Array, Z: Array) -> Propensity:
    """A classification tree (CART, Gini), each record scored by the tree of the others.

    X (n, p), Z (N, p). Five folds: each file is sorted by its values, and the k-th record goes to fold k modulo 5. So a
    record and its copy are held out together. At least 20 records in a leaf, or a fifth of the smaller file. Source:
    Snoke et al. (2018), held out, with scikit-learn's tree.
    """
    from sklearn.tree import DecisionTreeClassifier

    leaf = max(1, min(LEAVES, len(X) // FOLDS, len(Z) // FOLDS))

    def fit(A: Array, label: Mask) -> Callable[[Array], Array]:
        """A tree fitted to records and their labels, as held_out_scores takes it."""
        tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0).fit(A, label)
        return lambda B: np.asarray(tree.predict_proba(B)[:, 1])

    # scikit-learn's trees work in float32, which loses the digits of values far from 0.
    x, z = _standardised(X, Z)
    return held_out_scores(fit, x, z, folds_by_value(*X.T), folds_by_value(*Z.T))


def held_out_scores(
    fit: Callable[[Array, Mask], Callable[[Array], Array]], X: Array, Z: Array, x_fold: Rows, z_fold: Rows
) -> Propensity:
    """Scores of each record from a classifier that is fitted to the other folds.

    fit : gives the probabilities (k,) of records (k, p), from records (m, p) and whether each is a protected one (m,);
    X (n, p), Z (N, p), which need no pairing; x_fold (n,), z_fold (N,).
    """
    share_of_protected = len(Z) / (len(X) + len(Z))
    original = np.full(len(X), share_of_protected)
    protected = np.full(len(Z), share_of_protected)
    for k in range(FOLDS):
        x_held_out = x_fold == k
        z_held_out = z_fold == k
        A = X[~x_held_out]
        B = Z[~z_held_out]
        if not (len(A) and len(B)):
            continue  # nothing to learn from: the scores remain those of guessing
        if not (x_held_out.any() or z_held_out.any()):
            continue  # there are fewer folds: nothing is scored
        classifier = fit(np.vstack([A, B]), np.repeat([False, True], [len(A), len(B)]))
        if x_held_out.any():
            original[x_held_out] = classifier(X[x_held_out])
        if z_held_out.any():
            protected[z_held_out] = classifier(Z[z_held_out])
    return Propensity(original, protected)


def folds_by_value(*columns: Array | Codes) -> Rows:
    """The fold (n,) of each record, from 0: its place among the records sorted by the columns, modulo 5.

    So the order of the file has no effect.
    """
    fold = np.empty(len(columns[0]), dtype=np.intp)
    fold[np.lexsort(columns[::-1])] = np.arange(len(fold)) % FOLDS
    return fold


def _standardised(X: Array, Z: Array) -> tuple[Array, Array]:
    """Both files by the mean and sd of all their records, clipped at FAR."""
    pooled = location(np.vstack([X, Z]))
    return np.clip(scores(X, pooled), -FAR, FAR), np.clip(scores(Z, pooled), -FAR, FAR)


def orthonormal_terms(X: Array, Z: Array) -> tuple[Array, Array]:
    """Attributes and their products two by two, orthogonal over both files, without collinear ones: (n, k) and (N, k).

    Each has mean 0 and mean square 1 over the records of both files.
    """
    # Each step is done file by file, so that a file against itself gives two equal results to the last bit.
    i, j = np.triu_indices(X.shape[1], 1)
    x, z = _standardised(X, Z)
    x = np.hstack([x, x[:, i] * x[:, j]])
    z = np.hstack([z, z[:, i] * z[:, j]])

    total = len(x) + len(z)
    mean = (x.sum(axis=0) + z.sum(axis=0)) / total
    x = x - mean
    z = z - mean
    size = np.sqrt((np.sum(x * x, axis=0) + np.sum(z * z, axis=0)) / total)
    size = np.where(size > 0, size, 1.0)
    x = x / size
    z = z / size

    # With [x; z] / sqrt(total) = Q R, the rows of [x; z] R^-1 have the columns of Q times sqrt(total).
    R, pivot = qr(np.vstack([x, z]) / np.sqrt(total), mode="r", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > RANK_TOL))
    used = pivot[:rank]
    triangle = R[:rank, :rank]
    x = solve_triangular(triangle, x[:, used].T, trans="T").T
    z = solve_triangular(triangle, z[:, used].T, trans="T").T
    return x, z


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
    logistic = logistic_propensity(X, Z)
    tree = tree_propensity(X, Z)
    value = mean_square(logistic)
    total = len(X) + len(Z)
    c = len(Z) / total
    k = logistic.parameters or 1
    parts = [Part("logistic", value)]
    notes = list[Note]()
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
    p = np.concatenate([scores.original, scores.protected])
    away = p - len(scores.protected) / len(p)
    away = np.where(np.abs(away) > EQUAL, away, 0.0)
    return min(float(np.mean(away**2)), 0.25)


def held_out_mean_square(scores: Propensity) -> float:
    """An estimate of mean_square from scores of held-out records: the mean of (label - c)(p - c), at least 0.

    The label is 1 for a protected record, else 0. For scores p that are the probability of the label, the expectation of
    (label - c)(p - c) is that of (p - c)^2. Scores that are noise, or fit only the training records, add nothing.
    """
    n = len(scores.original)
    N = len(scores.protected)
    c = N / (n + N)
    together = (1 - c) * np.sum(scores.protected - c) - c * np.sum(scores.original - c)
    return min(max(float(together) / (n + N), 0.0), 0.25)


def not_converged(key: str, scores: Propensity) -> list[Note]:
    """The note on a fit that did not meet its tolerance; none for another fit."""
    if scores.converged:
        return []
    return [Note.of("not_converged", f"{key}: the logistic regression had not converged")]


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
        The scores are pMSE's: of a logistic regression on the attributes and their products (the total), and of a
        classification tree, held out; there the distance counts where originals have the lower scores.

    References
    ----------
    Bowen, Liu and Su (2021).
    """
    logistic = logistic_propensity(X, Z)
    tree = tree_propensity(X, Z)
    value = distance(logistic)
    parts = (Part("logistic", value), Part("tree, held out", distance(tree, one_sided=True)))
    return Parts(value, parts, notes=tuple(not_converged("specks", logistic)))


def distance(scores: Propensity, *, one_sided: bool = False) -> float:
    """The largest difference of the two empirical distribution functions, scores within 1e-12 counting as equal.

    one_sided : only where originals have the lower scores, as they have if scores of held-out records distinguish the files.
    """
    n = len(scores.original)
    N = len(scores.protected)
    p = np.concatenate([scores.original, scores.protected])
    order = np.argsort(p, kind="stable")
    last_of_equal = np.append(np.diff(p[order]) > EQUAL, True)
    # Records of each file with a score up to each score.
    originals = np.cumsum(order < n)
    protected = np.arange(1, n + N + 1) - originals
    difference = (originals / n - protected / N)[last_of_equal]
    if one_sided:
        return max(float(difference.max()), 0.0)
    return float(np.abs(difference).max())
