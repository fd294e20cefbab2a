"""A release drawn from a model of Y given X: fuzzy clusters in normal scores, and the heaps by themselves. No donor."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import InvalidInput, Note
from ..fuzzy.fcrm import Settings
from ..fuzzy.mixture import Fitted, Shape, fitted
from ..numerics.factor import independent
from ..numerics.sorting import normal_scores
from ..rstream import RStream
from ..types import Array, Mask
from .margins import smooth_margin
from .method import Run
from .point_masses import Heaps, drawn_heaps, heaps_of

FEWEST = 3  # records
MOST = 8  # clusters that are tried
SAMPLE = 5_000  # records, evenly spaced, that the number of clusters is chosen by
EACH = 5  # records for each column that a cluster must have on average
PATIENCE = 2  # numbers of clusters without gain after which no more are tried
ROUNDS = 3  # of filling in the scores of values on heaps
CHOSEN = "c = {c} clusters chosen by BIC of Y given X among {fewest} to {most}{of}"
FEWER = "c = {requested} clusters requested for {n} records: {c} fitted, each of which needs {each} records"
UNSETTLED = "the clusters had not come to rest after {iterations} iterations"
HEAPED = "{count} {count:value is|values are} on heaps, {heaps} of them, drawn by themselves, as many as in the original: {attributes}"
MARGINS = "margins are smoothed by rank, and point masses keep their counts"


@dataclass(frozen=True)
class _Records:
    """A (n, 1 + s + k + t), columns (1, x, d, y), y in normal scores; shape : of it; varying : which columns of Y those t
    are, in which there is something to draw."""

    A: Array
    shape: Shape
    varying: list[int]


def modelled(X: Array, Y: Array, c: int | None, how: Settings, stream: RStream, run: Run) -> Array:
    """(n, t) drawn given X (n, s); how : c is not heeded. See FCRM."""
    n = len(X)
    if n < FEWEST:
        raise InvalidInput("FCRM", f'release="model" needs at least {FEWEST} records', f"{n}")
    heaps, F = heaps_of(Y), _scores(X)
    records = _records(F, Y, heaps, stream)
    mixture = _clusters(records, c, how, stream, run).mixture
    on = drawn_heaps(F, heaps, stream)
    A = np.hstack([np.ones((n, 1)), F, on])
    u = stream.runif(n)
    scores = mixture.drawn(A, u, stream.rnorm_matrix(n, len(records.varying)))
    _say_heaps(heaps, run)
    run.note(Note.of("chosen", MARGINS))
    return _placed(Y, heaps, on, scores, records.varying)


def _scores(X: Array) -> Array:
    """(n, s') normal scores of X, without columns that are constant or the same as others."""
    F = normal_scores(X)
    return np.ascontiguousarray(F[:, independent(F / np.sqrt(len(F)))])


def _records(F: Array, Y: Array, heaps: Heaps, stream: RStream) -> _Records:
    free = _free(heaps, heaps.on, Y.shape[1])
    varying = [j for j in range(Y.shape[1]) if free[:, j].any()]
    free, S = free[:, varying], np.zeros((len(Y), len(varying)))
    for i, j in enumerate(varying):
        S[free[:, i], i] = normal_scores(Y[free[:, i], j : j + 1])[:, 0]
    given = np.hstack([np.ones((len(Y), 1)), F, heaps.on])
    _fill(S, free, given, stream)
    return _Records(np.hstack([given, S]), Shape(F.shape[1], heaps.on.shape[1], len(varying)), varying)


def _fill(S: Array, free: Mask, given: Array, stream: RStream) -> None:
    """Scores where a value is on a heap: of its column's regression on all others, with noise, again as these are filled in.

    They are not released: they give every record a place among the clusters. Draws: n normals for each column with heaps.
    """
    heaped = [i for i in range(S.shape[1]) if not free[:, i].all()]
    noise = {i: stream.rnorm(len(S)) for i in heaped}
    for _ in range(ROUNDS):
        for i in heaped:
            A = np.hstack([given, np.delete(S, i, axis=1)])
            known, others = A[free[:, i]], A[~free[:, i]]
            ridge = np.diag(np.r_[1e-9, np.ones(A.shape[1] - 1)])
            beta = np.linalg.solve(known.T @ known + ridge, known.T @ S[free[:, i], i])
            sd = float(np.sqrt(np.mean((S[free[:, i], i] - known @ beta) ** 2)))
            S[~free[:, i], i] = others @ beta + sd * noise[i][~free[:, i]]


def _clusters(records: _Records, c: int | None, how: Settings, stream: RStream, run: Run) -> Fitted:
    """The clusters of the records, c of them, or as many as are best."""
    n, shape = len(records.A), records.shape
    each = EACH * (shape.s + shape.t + 1)
    most = max(1, n // each)
    if c is None:
        best = _chosen(records, min(MOST, most), how, stream, run)
        if n <= SAMPLE:
            return best
        c = len(best.mixture.share)
    elif c > most:
        run.note(Note.of("approximated", FEWER, requested=c, n=n, c=most, each=each))
        c = most
    fit = fitted(records.A, shape, replace(how, c=c), stream, run.engine)
    if not fit.converged:
        run.note(Note.of("not_converged", UNSETTLED, iterations=fit.iterations))
    return fit


def _chosen(records: _Records, most: int, how: Settings, stream: RStream, run: Run) -> Fitted:
    n = len(records.A)
    rows = np.arange(n) if n <= SAMPLE else np.linspace(0, n - 1, SAMPLE).astype(np.intp)
    A = records.A[rows]
    tried: list[Fitted] = []
    criteria: list[float] = []
    best = 0
    for c in range(1, most + 1):
        run.tracker.step(c - 1, most)
        tried.append(fitted(A, records.shape, replace(how, c=c), stream, run.engine))
        criteria.append(tried[-1].bic(A))
        best = int(np.argmax(criteria))
        if c - 1 - best >= PATIENCE:
            break
    of = f" of {len(A)} records" if len(A) < n else ""
    run.note(Note.of("chosen", CHOSEN, c=best + 1, fewest=1, most=len(tried), of=of))
    if not tried[best].converged:
        run.note(Note.of("not_converged", UNSETTLED, iterations=tried[best].iterations))
    return tried[best]


def _free(heaps: Heaps, on: Mask, t: int) -> Mask:
    """(n, t) True where a value is on no heap of its column."""
    return np.column_stack([~on[:, heaps.of(j)].any(axis=1) for j in range(t)]) if t else np.empty((len(on), 0), bool)


def _placed(Y: Array, heaps: Heaps, on: Mask, scores: Array, varying: list[int]) -> Array:
    """The heaps' values where a record is on one, and elsewhere the quantiles of the smoothed margin of what is free."""
    Z = np.empty(Y.shape)
    before, after = (_free(heaps, which, Y.shape[1]) for which in (heaps.on, on))
    for j in range(Y.shape[1]):
        for b in heaps.of(j):
            Z[on[:, b], j] = heaps.values[b]
        rows = np.flatnonzero(after[:, j])
        if len(rows):
            margin = smooth_margin(Y[before[:, j], j])
            place = ((np.arange(len(rows)) + 0.5) / len(rows) * len(margin)).astype(np.intp)
            Z[rows[np.argsort(scores[rows, varying.index(j)], kind="stable")], j] = margin[place]
    return Z


def _say_heaps(heaps: Heaps, run: Run) -> None:
    if len(heaps.values):
        columns = sorted(set(heaps.columns.tolist()))
        run.note(Note.of("group_sizes", HEAPED, columns, count=int(heaps.on.sum()), heaps=len(heaps.values)))
