"""A normal mixture of regressions in scores: each cluster has a gate on the regressors, a regression and a residual covariance.

Fuzzy c-regression gives the first partition, and expectation maximisation the most likely mixture. No value of a record stays."""

from dataclasses import KW_ONLY, dataclass, replace
from math import inf, log, pi

import numpy as np

from ..data.blocks import Sample
from ..engine import Engine
from ..rstream import RStream
from ..types import Array
from .fcm import Settings
from .fcrm import regression, regressors

RIDGE = 1e-6  # added to the whole file's variances: columns that agree in every score keep a covariance with an inverse
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
    (1, x, d); residual (c, t, t), their covariance; likelihood : its logarithm, after so many iterations. Source:
    Gershenfeld's (1997) cluster-weighted model; location model of Olkin and Tate (1961) for d.
    """

    shape: Shape
    share: Array
    center: Array
    spread: Array
    on: Array
    slopes: Array
    residual: Array
    _: KW_ONLY
    likelihood: float = -inf
    iterations: int = 0
    converged: bool = False

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
        y, weights = np.empty(normals.shape), memberships_of(self.gate(A))[0]
        label = np.minimum((u[:, None] > np.cumsum(weights, axis=1)).sum(axis=1), len(self.share) - 1)
        for i, slopes in enumerate(self.slopes):
            own = label == i
            y[own] = A[own] @ slopes + normals[own] @ np.linalg.cholesky(self.residual[i]).T
        return y

    def bic(self, A: Array) -> float:
        """Schwarz's (1978) criterion of y given (x, d), halved; larger is better. It is the log likelihood minus
        log(n)/2 for each parameter, also of the gate."""
        gate = float(memberships_of(self.gate(A))[1].sum())
        return self.likelihood - gate - 0.5 * log(len(A)) * self.shape.parameters(len(self.share))


def fitted(A: Array, shape: Shape, how: Settings, stream: RStream, engine: Engine) -> Mixture:
    """c clusters of the records A (n, 1 + s + k + t), columns (1, x, d, y).

    They start from fuzzy c-regression of y on x and d (how.m its fuzzifier). They end when an iteration adds less than
    how.tol to a record's likelihood, or after 100 iterations. Slopes are shrunk towards the whole file's with the
    weight of as many records as regressors, and two more; covariances with that of one. So a small cluster does not
    follow single records. Draws: n*c uniforms, by columns. Source: Dempster, Laird and Rubin (1977); the prior is
    Fraley and Raftery's (2007).
    """
    U, r = _start(A, shape, how, stream, engine), shape.regressors
    whole = _mixture([A.T @ A], shape)
    whole = replace(
        whole, spread=whole.spread + RIDGE * np.eye(shape.s), residual=whole.residual + RIDGE * np.eye(shape.t)
    )
    design = (A[:, :r].T @ A[:, :r]) / len(A)
    products = _products(A, U)
    mixture = whole
    for done in range(1, STEPS + 1):
        before, mixture = mixture.likelihood, _mixture(products, shape, (whole, (r + 2) * design))
        U, logs = memberships_of(mixture.joint(A))
        likelihood, products = float(logs.sum()), _products(A, U)
        mixture = replace(mixture, likelihood=likelihood, iterations=done)
        if likelihood - before < how.tol * len(A):
            return replace(mixture, converged=True)
    return mixture


def memberships_of(logs: Array) -> tuple[Array, Array]:
    """(n, c) shares of each record, rows sum to 1, and (n,) the logarithms of what they are shares of."""
    largest = logs.max(axis=1, keepdims=True)
    U = np.exp(logs - largest)
    total = U.sum(axis=1, keepdims=True)
    return U / total, (largest + np.log(total))[:, 0]


def _start(A: Array, shape: Shape, how: Settings, stream: RStream, engine: Engine) -> Array:
    """(n, c) the fuzzy partition by regressions of y on x and d."""
    if how.c == 1 or shape.t == 0:
        return np.full((len(A), how.c), 1.0 / how.c)
    r = shape.regressors
    sample = Sample.of(np.ascontiguousarray(A[:, 1:r]), np.ascontiguousarray(A[:, r:]), engine)
    lines = regression(sample, regressors("FCRM", sample, True, "linear", stream), sample.dependent, how, stream)
    return lines.partition.matrix()


def _products(A: Array, U: Array) -> list[Array]:
    """The cross-products of A (n, p) by cluster, weighted by memberships U (n, c)."""
    return [A.T @ (A * u[:, None]) for u in U.T]


def _mixture(products: list[Array], shape: Shape, prior: tuple[Mixture, Array] | None = None) -> Mixture:
    """From the clusters' weighted cross-products of (1, x, d, y).

    prior : the mixture of the whole file, towards which clusters are shrunk, and cross-products (r, r) of (1, x, d) that
    are added for its slopes.
    """
    s, r = shape.s, shape.regressors
    total = sum(float(M[0, 0]) for M in products)
    clusters = []
    for M in products:
        size = float(M[0, 0])
        held = max(size, 1e-9)
        center = M[0, 1 : 1 + s] / held
        # One record's worth of no slope: columns that are alike, or never on, are no special case.
        G, h = M[:r, :r] + np.diag(np.r_[1e-9, np.ones(r - 1)]), M[:r, r:]
        if prior is not None:
            G, h = G + prior[1], h + prior[1] @ prior[0].slopes[0]
        B = np.linalg.solve(G, h)
        crossed = B.T @ M[:r, r:]
        spread = M[1 : 1 + s, 1 : 1 + s] - held * np.outer(center, center)
        residual = M[r:, r:] - crossed - crossed.T + B.T @ M[:r, :r] @ B
        spread, residual = (spread + spread.T) / 2, (residual + residual.T) / 2
        if prior is not None:
            # The whole file's count as one record: more would blur tight relations.
            spread, residual, held = spread + prior[0].spread[0], residual + prior[0].residual[0], held + 1
        on = (M[0, 1 + s : r] + HALF) / (size + 2 * HALF)
        clusters.append((np.float64(size / total), center, spread / held, on, B, residual / held))
    return Mixture(shape, *(np.stack(part) for part in zip(*clusters, strict=True)))


def _normal(E: Array, S: Array) -> Array:
    """(n,) logarithms of the density of E (n, p) under N(0, S)."""
    if not len(S):
        return np.zeros(len(E))
    L = np.linalg.cholesky(S)
    Z = E @ np.linalg.solve(L, np.eye(len(S))).T
    constant = float(np.log(np.diag(L)).sum()) + 0.5 * len(S) * log(2 * pi)
    return -0.5 * np.einsum("ij,ij->i", Z, Z) - constant
