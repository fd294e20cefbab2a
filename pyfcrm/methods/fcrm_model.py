"""FCRM(release="model"): Y drawn from a model of Y given X, fuzzy clusters in normal scores. Point masses have a model of their own."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..data.blocks import Sample
from ..errors import InvalidInput, Note
from ..fuzzy.fcm import Settings
from ..fuzzy.mixture import Mixture, Shape, fitted
from ..numerics.factor import independent
from ..numerics.location import evenly, standardise
from ..numerics.sorting import normal_scores
from ..rstream import RStream
from ..types import Array, Mask
from .basis import flexible_basis
from .extremes import top_coded
from .margins import smooth_margin
from .semicontinuous import Known, levels_of_predictors, masses_of, sampled_members
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


def modelled(
    X: Array, Y: Array, c: int | None, settings: Callable[[int], Settings], run: Run, *, flexible: bool = False
) -> Array:
    """Values (n, t) drawn given X (n, s). See FCRM.

    settings : of a fit with so many clusters; flexible : whether columns of X's values and splines are regressors too.
    """
    n = len(X)
    stream = run.stream
    if n < MIN_RECORDS:
        raise InvalidInput("FCRM", f'release="model" needs at least {MIN_RECORDS} records', f"{n}")
    masses = masses_of(Y)
    F = normal_scores(X)
    if flexible:
        basis = flexible_basis(Sample.of(X, Y, run.engine), run.terms, note=run.note)
        F = np.hstack([F[:, basis.own], standardise(basis.added(X), ddof=0)])
    # Without columns that are constant or the same as others.
    F = np.ascontiguousarray(F[:, independent(F / np.sqrt(n))])
    free = masses.free(masses.members)
    varying = np.flatnonzero(free.any(axis=0)).tolist()  # columns with values that are no point mass
    regressors = np.hstack([np.ones((n, 1)), F, masses.members])
    A = np.hstack([regressors, _imputed_scores(Y[:, varying], free[:, varying], regressors, stream)])
    shape = Shape(F.shape[1], masses.members.shape[1], len(varying))
    mixture = _clusters(A, shape, c, settings, run)
    classes = levels_of_predictors(*run.with_pooled(X))
    known = replace(Known.nothing(n, len(masses.values)), classes=classes)
    members = sampled_members(F, masses, stream, known)
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
        values = Y[free[:, j], j]
        margin = smooth_margin(values, stream, coded=top_coded(values))
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
