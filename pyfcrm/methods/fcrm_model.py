"""FCRM(release="model"): Y drawn from a model of Y given X, fuzzy clusters in normal scores. Point masses have a model of their own."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..data.tally import NEARLY_ALL
from ..errors import InvalidInput, Note
from ..fuzzy.fcm import Settings
from ..fuzzy.mixture import Mixture, Shape, fitted
from ..numerics.factor import independent
from ..numerics.location import evenly
from ..numerics.sorting import normal_scores
from ..rstream import RStream
from ..types import Array, Integers, Mask
from .margins import FEWEST, point_masses, smooth_margin
from .work import Run

MIN_RECORDS = 3
MAX_CLUSTERS = 8  # that are tried
CHOICE_RECORDS = 5_000  # evenly spaced, by which the number of clusters is chosen
RECORDS_PER_COLUMN = 5  # that a cluster must have on average
PATIENCE = 2  # numbers of clusters without gain after which no more are tried
IMPUTATIONS = 3  # rounds in which the scores of point masses are imputed
CHOSEN = "c = {c} clusters chosen by BIC of Y given X among {fewest} to {most}{of}"
FEWER = "c = {requested} clusters requested for {n} records: {c} fitted, each of which needs {each} records"
NOT_CONVERGED = "the clusters had not converged after {iterations} iterations"
AT_MASSES = "{count} {count:value is|values are} in {masses} point masses, drawn first, as many as in the original: {attributes}"
MARGINS = "margins are smoothed by rank, and point masses keep their counts"

MASS_SHARE = 0.05  # of the records that a point mass has at least
MAX_MASSES = 2  # of a column; where more values are frequent they are distinguished by rank
LOGISTIC_RECORDS = 20_000  # evenly spaced, that the probabilities are fitted to
RULE_RECORDS = 30  # of one pattern, from which on a member that none or few of them are is a rule
EXCEPTIONS = 0.1  # of those records, and fewer than 10 and 1 per cent of all records, are few
RIDGE, STEPS = 1.0, 12


def modelled(X: Array, Y: Array, c: int | None, settings: Callable[[int], Settings], run: Run) -> Array:
    """Values (n, t) drawn given X (n, s); settings : of a fit with so many clusters. See FCRM."""
    n = len(X)
    stream = run.stream
    if n < MIN_RECORDS:
        raise InvalidInput("FCRM", f'release="model" needs at least {MIN_RECORDS} records', f"{n}")
    masses, F = masses_of(Y), normal_scores(X)
    # Without columns that are constant or the same as others.
    F = np.ascontiguousarray(F[:, independent(F / np.sqrt(n))])
    free = masses.free(masses.members)
    varying = np.flatnonzero(free.any(axis=0)).tolist()  # columns with values that are no point mass
    regressors = np.hstack([np.ones((n, 1)), F, masses.members])
    A = np.hstack([regressors, _imputed_scores(Y[:, varying], free[:, varying], regressors, stream)])
    shape = Shape(F.shape[1], masses.members.shape[1], len(varying))
    mixture = _clusters(A, shape, c, settings, run)
    members = sampled_members(F, masses, stream)
    u = stream.runif(n)
    normals = stream.rnorm_matrix(n, len(varying))
    scores = mixture.drawn(np.hstack([np.ones((n, 1)), F, members]), u, normals)
    if len(masses.values):
        columns, count = np.unique(masses.columns).tolist(), int(masses.members.sum())
        run.note(Note.of("group_sizes", AT_MASSES, columns, count=count, masses=len(masses.values)))
    run.note(Note.of("chosen", MARGINS))
    Z, released_free = np.empty(Y.shape), masses.free(members)
    for value, j, rows in zip(masses.values, masses.columns, members.T, strict=True):
        Z[rows, j] = value
    for i, j in enumerate(varying):
        places = np.flatnonzero(released_free[:, j])
        margin = smooth_margin(Y[free[:, j], j])
        ranks = ((np.arange(len(places)) + 0.5) / len(places) * len(margin)).astype(np.intp)
        Z[places[np.argsort(scores[places, i], kind="stable")], j] = margin[ranks]
    return Z


def _imputed_scores(Y: Array, free: Mask, regressors: Array, stream: RStream) -> Array:
    """Normal scores (n, t) of Y where values are no point masses; for point masses, regressions on all other columns,
    with noise.

    They are not released: they place every record among the clusters. Draws: n normals for each column with point masses.
    """
    S = np.nan_to_num(normal_scores(np.where(free, Y, np.nan)))
    noise = {i: stream.rnorm(len(S)) for i in range(S.shape[1]) if not free[:, i].all()}
    for _ in range(IMPUTATIONS):
        for i, normals in noise.items():
            rows, A = free[:, i], np.hstack([regressors, np.delete(S, i, axis=1)])
            known, others = A[rows], A[~rows]
            ridge = np.diag(np.r_[1e-9, np.ones(A.shape[1] - 1)])
            beta = np.linalg.solve(known.T @ known + ridge, known.T @ S[rows, i])
            sd = float(np.sqrt(np.mean((S[rows, i] - known @ beta) ** 2)))
            S[~rows, i] = others @ beta + sd * normals[~rows]
    return S


def _clusters(A: Array, shape: Shape, c: int | None, settings: Callable[[int], Settings], run: Run) -> Mixture:
    """The clusters of the records, c of them, or as many as BIC chooses. A : columns (1, x, d, y)."""
    n, each = len(A), RECORDS_PER_COLUMN * (shape.s + shape.t + 1)
    most, mixture = max(1, n // each), None
    if c is None:
        some = A[evenly(n, CHOICE_RECORDS)]
        mixture, tried = _chosen(some, shape, min(MAX_CLUSTERS, most), settings, run)
        c, of = len(mixture.share), f" of {len(some)} records" if len(some) < n else ""
        run.note(Note.of("chosen", CHOSEN, c=c, fewest=1, most=tried, of=of))
    elif c > most:
        run.note(Note.of("approximated", FEWER, requested=c, n=n, c=most, each=each))
        c = most
    if mixture is None or n > CHOICE_RECORDS:
        mixture = fitted(A, shape, settings(c), run.stream, run.engine)
    if not mixture.converged:
        run.note(Note.of("not_converged", NOT_CONVERGED, iterations=mixture.iterations))
    return mixture


def _chosen(A: Array, shape: Shape, most: int, settings: Callable[[int], Settings], run: Run) -> tuple[Mixture, int]:
    """The mixture with the best criterion, and how many were tried."""
    mixtures, criteria = list[Mixture](), list[float]()
    for c in range(1, most + 1):
        run.tracker.step(c - 1, most)
        mixtures.append(fitted(A, shape, settings(c), run.stream, run.engine))
        criteria.append(mixtures[-1].bic(A))
        if c - 1 - np.argmax(criteria) >= PATIENCE:
            break
    return mixtures[int(np.argmax(criteria))], len(mixtures)


@dataclass(frozen=True)
class PointMasses:
    """The k point masses of t columns, and the records that have them."""

    values: Array
    """The point masses (k,)."""
    columns: Integers
    """The column (k,) of each."""
    members: Mask
    """Mask (n, k): which records have which."""
    t: int
    """Number of columns."""

    def of(self, j: int) -> Integers:
        """The point masses of column j."""
        return np.flatnonzero(self.columns == j)

    def free(self, members: Mask) -> Mask:
        """Mask (n, t): whether a value is no point mass of its column, by these members (n, k)."""
        return ~(members @ (self.columns[:, None] == np.arange(self.t)))


def masses_of(Y: Array) -> PointMasses:
    """The point masses of Y (n, t): at most two a column, each of a twentieth of the records at least.

    Where fewer than ten records have another value, these become members of the nearest point mass.
    """
    found, t = [_frequent(y) for y in Y.T], Y.shape[1]
    values, columns = np.concatenate(found), np.repeat(np.arange(t), [len(frequent) for frequent in found])
    members = Y[:, columns] == values
    masses = PointMasses(values, columns, members, t)
    for j, free in enumerate(masses.free(members).T):
        own = masses.of(j)
        if len(own) and free.sum() < FEWEST:
            for record in np.flatnonzero(free):
                members[record, own[np.abs(values[own] - Y[record, j]).argmin()]] = True
    return masses


def _frequent(y: Array) -> Array:
    """Point masses (at most 2,) of y (n,), ascending."""
    values, counts = point_masses(y)
    order = np.argsort(-counts, kind="stable")[:MAX_MASSES]
    return np.sort(values[order[counts[order] >= MASS_SHARE * len(y)]])


def sampled_members(F: Array, masses: PointMasses, stream: RStream) -> Mask:
    """Members (n, k) of the point masses among the released records, one after another.

    Each is drawn by a logistic regression on F (n, q) and the point masses before.
    Each has as many members as in the original. A record has at most one of a column, and exactly one where all originals
    have. If few of 30 or more records that are alike in an earlier point mass, or in all of them, are members, none is; nor if
    few are not. Few is fewer than 10, than a tenth of them, and than 1 per cent of all records. Of 10 to 29 such records of which
    all are members, or none, the share is shrunk, as they may be so by chance. Draws: n uniforms a point mass.
    Source: order sampling, Rosén (1997).
    """
    members = masses.members
    n, k = members.shape
    released = np.zeros((n, k), dtype=bool)
    pattern = np.zeros(2 * n, dtype=np.int64)  # of the point masses so far, of originals and then of released records
    rows = evenly(n, LOGISTIC_RECORDS)
    for b in range(k):
        u, own = stream.runif(n), masses.of(int(masses.columns[b]))
        beta = _logistic(np.hstack([F[rows], members[rows, :b]]), members[rows, b])
        logits = np.hstack([np.ones((n, 1)), F, released[:, :b]]) @ beta
        rule, own_logits = _rules(members[:, :b], members[:, b], released[:, :b], pattern)
        logits = np.where(np.isnan(own_logits), logits, own_logits)
        if b == own[-1] and members[:, own].any(axis=1).all():
            rule[:] = 1
        rule[released[:, own].any(axis=1)] = 0
        undecided = np.flatnonzero(rule < 0)
        size = int(np.clip(members[:, b].sum() - (rule == 1).sum(), 0, len(undecided)))
        released[:, b] = rule == 1
        # Each has about its own probability; all are moved so that they add up to the size, which changes no order.
        by_chance = undecided[np.argsort((np.log(u / (1 - u)) - logits)[undecided], kind="stable")]
        released[by_chance[:size], b] = True
        pattern = np.unique(2 * pattern + np.concatenate([members[:, b], released[:, b]]), return_inverse=True)[1]
    return released


def _rules(before: Mask, member: Mask, released: Mask, pattern: Integers) -> tuple[Integers, Array]:
    """Membership (n,), 1 or 0 where the point masses before decide whether a released record is a member, -1 where they do not;
    and logits (n,) of membership in small classes, NaN elsewhere."""
    n = len(member)
    inside, outside = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    logits = np.full(n, np.nan)
    for group in (*np.vstack([before, released]).T.astype(np.int64), pattern):
        sizes = np.bincount(group[:n], minlength=group.max() + 1)
        hits = np.bincount(group[:n], weights=member, minlength=group.max() + 1)
        few = np.minimum(min(FEWEST, (1 - NEARLY_ALL) * n), EXCEPTIONS * sizes)
        known = sizes >= RULE_RECORDS
        inside |= (known & (sizes - hits < few))[group[n:]]
        outside |= (known & (hits < few))[group[n:]]
        # Of m records k = 0 or k = m are members: the share (k + 1/2) / (m + 1).
        small = (sizes >= FEWEST) & ~known & ((hits == 0) | (hits == sizes))
        shrunk = np.where(small, np.log((hits + 0.5) / (sizes - hits + 0.5)), np.nan)[group[n:]]
        logits = np.where(np.isnan(shrunk), logits, shrunk)
    return np.where(inside == outside, -1, inside).astype(np.int64), logits


def _logistic(F: Array, member: Mask) -> Array:
    """Coefficients (1 + q,) of a logistic regression with a ridge, by Newton's method."""
    A = np.hstack([np.ones((len(F), 1)), F])
    ridge = np.diag(np.r_[1e-6, np.full(F.shape[1], RIDGE)])
    beta = np.zeros(A.shape[1])
    for _ in range(STEPS):
        p = expit(A @ beta)
        weight = np.maximum(p * (1 - p), 1e-6)
        beta += np.linalg.solve((A * weight[:, None]).T @ A + ridge, A.T @ (member - p) - ridge @ beta)
    return beta
