"""A normal mixture of regressions in scores: each cluster has a gate on the regressors, a regression and a residual covariance.

Fuzzy c-regression gives the first partition, and expectation maximisation the most likely mixture. No value of a record stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log, pi

import numpy as np

from ..data.blocks import Sample
from ..engine import Engine
from ..rstream import RStream
from ..types import Array, Integers
from .fcm import Settings
from .fcrm import regression, regressors

AT_ONCE = 1 << 14  # records
RIDGE = 1e-6  # added to the whole file's variances: columns that agree in every score keep a covariance with an inverse
WORTH = 1  # records that the whole file's covariances count for in a cluster's: more would blur tight relations
STEPS = 100
HALF = 0.5  # of a record with and without each point mass, added to every cluster: no probability is 0 or 1


@dataclass(frozen=True)
class Shape:
    """How the columns (1, x, d, y) are counted: s of x, k of d, t of y."""

    s: int
    k: int
    t: int

    @property
    def regressors(self) -> int:
        """1 + s + k."""
        return 1 + self.s + self.k

    def parameters(self, c: int) -> int:
        """How many numbers c clusters are."""
        gate = self.s + self.s * (self.s + 1) // 2 + self.k
        return c * (gate + self.regressors * self.t + self.t * (self.t + 1) // 2) + c - 1


@dataclass(frozen=True)
class Mixture:
    """c clusters: y given (x, d) is normal in each, and the gate weighs them by x and d alone.

    share (c,); center (c, s), spread (c, s, s) of x; on (c, k) the chance that d is 1; slopes (c, 1 + s + k, t) of y on
    (1, x, d); residual (c, t, t), their covariance. Source: Gershenfeld's (1997) cluster-weighted model; location model
    of Olkin and Tate (1961) for d.
    """

    shape: Shape
    share: Array
    center: Array
    spread: Array
    on: Array
    slopes: Array
    residual: Array

    def gate(self, A: Array) -> Array:
        """(n, c) logarithms of share times the density of x and d; A (n, 1 + s + k, or more)."""
        s, k = self.shape.s, self.shape.k
        x, d = A[:, 1 : 1 + s], A[:, 1 + s : 1 + s + k]
        logs = np.empty((len(A), len(self.share)))
        for i, share in enumerate(self.share):
            on = self.on[i]
            logs[:, i] = _normal(x - self.center[i], self.spread[i]) + d @ np.log(on / (1 - on))
            logs[:, i] += log(max(share, 1e-300)) + np.log1p(-on).sum()
        return logs

    def joint(self, A: Array) -> Array:
        """(n, c) the same of (x, d, y); A (n, 1 + s + k + t)."""
        logs, r = self.gate(A), self.shape.regressors
        for i, slopes in enumerate(self.slopes):
            logs[:, i] += _normal(A[:, r:] - A[:, :r] @ slopes, self.residual[i])
        return logs

    def drawn(self, A: Array, u: Array, normals: Array) -> Array:
        """(n, t) y for (1, x, d) = A (n, 1 + s + k): u (n,) draws a cluster by the gate; its regression has residuals
        by normals (n, t)."""
        y = np.empty(normals.shape)
        for rows in _blocks(len(A)):
            weights, _ = memberships_of(self.gate(A[rows]))
            label: Integers = np.minimum((u[rows, None] > np.cumsum(weights, axis=1)).sum(axis=1), len(self.share) - 1)
            for i, slopes in enumerate(self.slopes):
                own = np.flatnonzero(label == i) + rows.start
                y[own] = A[own] @ slopes + normals[own] @ np.linalg.cholesky(self.residual[i]).T
        return y


@dataclass(frozen=True)
class Prior:
    """What clusters are drawn towards, the whole file: spread (s, s), residual (t, t), slopes (1 + s + k, t), and design
    (1 + s + k, 1 + s + k), the mean cross-products of (1, x, d)."""

    spread: Array
    residual: Array
    slopes: Array
    design: Array


@dataclass(frozen=True)
class Fitted:
    """A mixture with its logarithmic likelihood, and whether that had come to rest after so many iterations."""

    mixture: Mixture
    likelihood: float
    iterations: int
    converged: bool

    def bic(self, A: Array) -> float:
        """Schwarz's (1978) criterion of y given (x, d), halved; larger is better. It is the log likelihood minus
        log(n)/2 for each parameter, also of the gate."""
        gate = sum(float(memberships_of(self.mixture.gate(A[rows]))[1].sum()) for rows in _blocks(len(A)))
        parameters = self.mixture.shape.parameters(len(self.mixture.share))
        return self.likelihood - gate - 0.5 * log(len(A)) * parameters


def fitted(A: Array, shape: Shape, how: Settings, stream: RStream, engine: Engine | None = None) -> Fitted:
    """c clusters of the records A (n, 1 + s + k + t), columns (1, x, d, y).

    They start from fuzzy c-regression of y on x and d (how.m its fuzzifier). They end when an iteration adds less than
    how.tol to a record's likelihood, or after 100 iterations. Slopes are shrunk towards the whole file's with the
    weight of as many records as regressors, and two more; covariances with that of one. So a small cluster does not
    follow single records. Draws: n*c uniforms, by columns. Source: Dempster, Laird and Rubin (1977); the prior is
    Fraley and Raftery's (2007).
    """
    U = _start(A, shape, how, stream, engine)
    whole = _mixture([A.T @ A], shape, None)
    prior = Prior(
        whole.spread[0] + RIDGE * np.eye(shape.s),
        whole.residual[0] + RIDGE * np.eye(shape.t),
        whole.slopes[0],
        (A[:, : shape.regressors].T @ A[:, : shape.regressors]) / len(A),
    )
    before, mixture, done = -np.inf, whole, 0
    products = [A.T @ (A * u[:, None]) for u in U.T]
    for done in range(1, STEPS + 1):
        mixture = _mixture(products, shape, prior)
        likelihood, products = _step(A, mixture)
        if likelihood - before < how.tol * len(A):
            return Fitted(mixture, likelihood, done, True)
        before = likelihood
    return Fitted(mixture, before, done, False)


def memberships_of(logs: Array) -> tuple[Array, Array]:
    """(n, c) shares of each record, rows sum to 1, and (n,) the logarithms of what they are shares of."""
    largest = logs.max(axis=1, keepdims=True)
    U = np.exp(logs - largest)
    total = U.sum(axis=1, keepdims=True)
    return U / total, (largest + np.log(total))[:, 0]


def _start(A: Array, shape: Shape, how: Settings, stream: RStream, engine: Engine | None) -> Array:
    """(n, c) the fuzzy partition by regressions of y on x and d."""
    if how.c == 1 or shape.t == 0:
        return np.full((len(A), how.c), 1.0 / how.c)
    from ..engine import Local

    r = shape.regressors
    sample = Sample.of(np.ascontiguousarray(A[:, 1:r]), np.ascontiguousarray(A[:, r:]), engine or Local())
    columns = tuple(range(sample.s, sample.s + sample.t))
    lines = regression(sample, regressors(sample, True), columns, how, stream)
    return lines.in_memory().membership


def _step(A: Array, mixture: Mixture) -> tuple[float, list[Array]]:
    """The likelihood of a mixture, and the weighted cross-products of its most likely partition."""
    likelihood, c = 0.0, len(mixture.share)
    products = [np.zeros((A.shape[1],) * 2) for _ in range(c)]
    for rows in _blocks(len(A)):
        block = A[rows]
        U, logs = memberships_of(mixture.joint(block))
        likelihood += float(logs.sum())
        for i in range(c):
            products[i] += block.T @ (block * U[:, i, None])
    return likelihood, products


def _mixture(products: list[Array], shape: Shape, prior: Prior | None) -> Mixture:
    """From the clusters' weighted cross-products of (1, x, d, y); without a prior, of the whole file."""
    s, r = shape.s, shape.regressors
    total = sum(float(M[0, 0]) for M in products)

    def covariance(S: Array, size: float, of_all: Array | None) -> Array:
        if of_all is None:
            return (S + S.T) / (2 * size)
        return ((S + S.T) / 2 + WORTH * of_all) / (size + WORTH)

    clusters = []
    for M in products:
        size = float(M[0, 0])
        held = max(size, 1e-9)
        center = M[0, 1 : 1 + s] / held
        # One record's worth of no slope: columns that are alike, or never on, are no special case.
        G, h = M[:r, :r] + np.diag(np.r_[1e-9, np.ones(r - 1)]), M[:r, r:]
        if prior is not None:
            worth = (r + 2) * prior.design
            G, h = G + worth, h + worth @ prior.slopes
        B = np.linalg.solve(G, h)
        crossed = B.T @ M[:r, r:]
        spread = M[1 : 1 + s, 1 : 1 + s] - held * np.outer(center, center)
        left = M[r:, r:] - crossed - crossed.T + B.T @ M[:r, :r] @ B
        spread = covariance(spread, held, None if prior is None else prior.spread)
        residual = covariance(left, held, None if prior is None else prior.residual)
        on = (M[0, 1 + s : r] + HALF) / (size + 2 * HALF)
        clusters.append((np.float64(size / total), center, spread, on, B, residual))
    return Mixture(shape, *(np.stack(part) for part in zip(*clusters, strict=True)))


def _normal(E: Array, S: Array) -> Array:
    """(n,) logarithms of the density of E (n, p) under N(0, S)."""
    if not len(S):
        return np.zeros(len(E))
    L = np.linalg.cholesky(S)
    Z = E @ np.linalg.solve(L, np.eye(len(S))).T
    constant = float(np.log(np.diag(L)).sum()) + 0.5 * len(S) * log(2 * pi)
    return -0.5 * np.einsum("ij,ij->i", Z, Z) - constant


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + AT_ONCE, n)) for start in range(0, n, AT_ONCE))
