"""A normal mixture of regressions in scores: each cluster has a gate on the regressors, a regression and a residual covariance.

Fuzzy c-regression gives the first partition, and expectation maximisation the most likely mixture. The mixture contains no
record's value."""

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
# Half a record with each point mass and half a record without it are added to every cluster: no probability is 0 or 1.
HALF = 0.5


@dataclass(frozen=True)
class Shape:
    """Numbers of columns of the table (1, x, d, y) from which a mixture is fitted."""

    s: int
    """Columns x: scores of regressors."""
    k: int
    """Columns d: 1 where a point mass occurs, else 0."""
    t: int
    """Columns y: scores of responses."""

    @property
    def regressors(self) -> int:
        """Columns of (1, x, d), r = 1 + s + k."""
        return 1 + self.s + self.k

    def parameters(self, c: int) -> int:
        """Number of parameters of c clusters.

        A cluster has s means and s (s + 1) / 2 covariances of x, k probabilities, r t slopes and t (t + 1) / 2 residual
        covariances. The c shares sum to 1.
        """
        gate = self.s + self.s * (self.s + 1) // 2 + self.k
        regression = self.regressors * self.t + self.t * (self.t + 1) // 2
        return c * (gate + regression) + c - 1


@dataclass(frozen=True)
class Mixture:
    """c clusters: y given (x, d) is normal in each, and the gate weighs them by x and d alone.

    Source: Gershenfeld's (1997) cluster-weighted model; location model of Olkin and Tate (1961) for d.
    """

    shape: Shape
    """Numbers of columns."""
    _: KW_ONLY
    share: Array
    """Shares (c,) of the clusters, which sum to 1."""
    center: Array
    """Means (c, s) of x."""
    spread: Array
    """Covariances (c, s, s) of x."""
    on: Array
    """Probabilities (c, k) that d is 1."""
    slopes: Array
    """Coefficients (c, 1 + s + k, t) of y on (1, x, d)."""
    residual: Array
    """Covariances (c, t, t) of the regressions' residuals."""
    likelihood: float = -inf
    """The logarithm of the likelihood of the records."""
    iterations: int = 0
    """Iterations of expectation maximisation."""
    converged: bool = False
    """Whether the last iteration added less than the tolerance."""

    def gate(self, A: Array) -> Array:
        """Logarithms (n, c) of share times the density of x and d. A : (n, 1 + s + k, or more)."""
        s = self.shape.s
        x = A[:, 1 : 1 + s]
        d = A[:, 1 + s : self.shape.regressors]
        logs = np.empty((len(A), len(self.share)))
        for i, share in enumerate(self.share):
            # A Bernoulli density: d log(on) + (1 - d) log(1 - on) = d log(on / (1 - on)) + log(1 - on).
            on = self.on[i]
            logs[:, i] = _normal(x - self.center[i], self.spread[i]) + d @ np.log(on / (1 - on))
            logs[:, i] += log(max(share, 1e-300)) + np.log1p(-on).sum()
        return logs

    def joint(self, A: Array) -> Array:
        """Logarithms (n, c) of share times the density of x, d and y: the gate times that of y. A : (n, 1 + s + k + t)."""
        logs = self.gate(A)
        r = self.shape.regressors
        for i, slopes in enumerate(self.slopes):
            logs[:, i] += _normal(A[:, r:] - A[:, :r] @ slopes, self.residual[i])
        return logs

    def drawn(self, A: Array, u: Array, normals: Array) -> Array:
        """Draws (n, t) of y given (1, x, d) = A (n, 1 + s + k).

        u : (n,) uniforms, which draw a cluster by the gate; normals : (n, t), from which its residuals are made.
        """
        weights = memberships_of(self.gate(A))[0]
        # The cluster drawn is the first whose cumulative weight reaches u.
        label = (u[:, None] > np.cumsum(weights, axis=1)).sum(axis=1)
        label = np.minimum(label, len(self.share) - 1)  # rounding may leave the sum of weights below u
        y = np.empty(normals.shape)
        for i, slopes in enumerate(self.slopes):
            own = label == i
            # L e has covariance S for normals e of covariance 1 and S = L L'.
            y[own] = A[own] @ slopes + normals[own] @ np.linalg.cholesky(self.residual[i]).T
        return y

    def bic(self, A: Array) -> float:
        """Schwarz's (1978) criterion of y given (x, d), halved; larger is better.

        It is the logarithm of the conditional likelihood, that of (x, d, y) less that of (x, d), minus log(n)/2 for each
        parameter, those of the gate included.
        """
        of_gate = float(memberships_of(self.gate(A))[1].sum())
        return self.likelihood - of_gate - 0.5 * log(len(A)) * self.shape.parameters(len(self.share))


def fitted(A: Array, shape: Shape, settings: Settings, stream: RStream, engine: Engine) -> Mixture:
    """The mixture of the records A (n, 1 + s + k + t), columns (1, x, d, y).

    settings : number of clusters, fuzzifier and tolerance. EM starts from fuzzy c-regression of y on x and d. It ends when an
    iteration adds less than the tolerance to the mean log likelihood of a record, or after 100 iterations. Slopes are shrunk
    towards the whole file's, with the weight of r + 2 records; covariances with that of one record. So a small cluster does
    not follow single records.
    Draws: n*c uniforms, by columns.
    Source: Dempster, Laird and Rubin (1977); the prior is Fraley and Raftery's (2007).
    """
    r = shape.regressors
    # The mixture of one cluster, towards which the clusters are shrunk.
    whole = _mixture([A.T @ A], shape)
    whole = replace(
        whole,
        spread=whole.spread + RIDGE * np.eye(shape.s),
        residual=whole.residual + RIDGE * np.eye(shape.t),
    )
    one_record = (A[:, :r].T @ A[:, :r]) / len(A)  # mean cross-products of (1, x, d)
    prior = Prior(whole, (r + 2) * one_record)

    products = _products(A, _start(A, shape, settings, stream, engine))
    likelihood = -inf
    mixture = whole
    for iteration in range(1, STEPS + 1):
        before = likelihood
        mixture = _mixture(products, shape, prior)
        U, logs = memberships_of(mixture.joint(A))
        likelihood = float(logs.sum())
        mixture = replace(mixture, likelihood=likelihood, iterations=iteration)
        if likelihood - before < settings.tol * len(A):
            return replace(mixture, converged=True)
        products = _products(A, U)  # the E step: weights of the next iteration
    return mixture


def memberships_of(logs: Array) -> tuple[Array, Array]:
    """Memberships (n, c), rows sum to 1, from logarithms of densities (n, c); and the logarithms of the rows' sums (n,)."""
    largest = logs.max(axis=1, keepdims=True)
    U = np.exp(logs - largest)
    total = U.sum(axis=1, keepdims=True)
    return U / total, (largest + np.log(total))[:, 0]


def _start(A: Array, shape: Shape, settings: Settings, stream: RStream, engine: Engine) -> Array:
    """The membership (n, c) of fuzzy c-regression of y on x and d."""
    if settings.c == 1 or shape.t == 0:
        return np.full((len(A), settings.c), 1.0 / settings.c)
    r = shape.regressors
    sample = Sample.of(np.ascontiguousarray(A[:, 1:r]), np.ascontiguousarray(A[:, r:]), engine)
    design = regressors("FCRM", sample, True, "linear", stream)
    return regression(sample, design, settings, stream).partition.matrix()


def _products(A: Array, U: Array) -> list[Array]:
    """The cross-products (p, p) of A (n, p) in each cluster, weighted by memberships U (n, c)."""
    return [A.T @ (A * u[:, None]) for u in U.T]


@dataclass(frozen=True)
class Prior:
    """The whole file, towards which clusters are shrunk."""

    whole: Mixture
    """Its mixture of one cluster."""
    products: Array
    """The cross-products (r, r) of (1, x, d) with which its slopes are added to a cluster's."""


def _mixture(products: list[Array], shape: Shape, prior: Prior | None = None) -> Mixture:
    """The mixture by the clusters' weighted cross-products of (1, x, d, y). prior : None for no shrinkage."""
    total = sum(float(M[0, 0]) for M in products)  # element (0, 0) is the sum of a cluster's weights
    clusters = [_cluster(M, shape, prior) for M in products]
    return Mixture(
        shape,
        share=np.array([cluster.size / total for cluster in clusters]),
        center=np.stack([cluster.center for cluster in clusters]),
        spread=np.stack([cluster.spread for cluster in clusters]),
        on=np.stack([cluster.on for cluster in clusters]),
        slopes=np.stack([cluster.slopes for cluster in clusters]),
        residual=np.stack([cluster.residual for cluster in clusters]),
    )


@dataclass(frozen=True)
class Cluster:
    """One cluster of a Mixture."""

    size: float
    """The sum of its weights, in records."""
    center: Array
    """Mean (s,) of x."""
    spread: Array
    """Covariance (s, s) of x."""
    on: Array
    """Probabilities (k,) that d is 1."""
    slopes: Array
    """Coefficients (r, t) of y on (1, x, d)."""
    residual: Array
    """Covariance (t, t) of the regression's residuals."""


def _cluster(M: Array, shape: Shape, prior: Prior | None) -> Cluster:
    """One cluster by its weighted cross-products M (r + t, r + t) of (1, x, d, y)."""
    s = shape.s
    r = shape.regressors
    size = float(M[0, 0])
    divisor = max(size, 1e-9)
    center = M[0, 1 : 1 + s] / divisor

    # The normal equations G B = h, with a ridge of 1: one record, in scores, of no slope. So columns that are alike, or
    # never on, are no special case.
    G = M[:r, :r] + np.diag(np.r_[1e-9, np.ones(r - 1)])
    h = M[:r, r:]
    if prior is not None:
        G = G + prior.products
        h = h + prior.products @ prior.whole.slopes[0]
    B = np.linalg.solve(G, h)

    # Sums of squares about the means of x, and of the residuals: Y'Y - B'A'Y - Y'A B + B'A'A B.
    spread = M[1 : 1 + s, 1 : 1 + s] - divisor * np.outer(center, center)
    crossed = B.T @ M[:r, r:]
    residual = M[r:, r:] - crossed - crossed.T + B.T @ M[:r, :r] @ B
    spread = (spread + spread.T) / 2
    residual = (residual + residual.T) / 2
    if prior is not None:
        # The whole file's covariances count as one record: more would blur tight relations.
        spread = spread + prior.whole.spread[0]
        residual = residual + prior.whole.residual[0]
        divisor = divisor + 1

    return Cluster(
        size=size,
        center=center,
        spread=spread / divisor,
        on=(M[0, 1 + s : r] + HALF) / (size + 2 * HALF),
        slopes=B,
        residual=residual / divisor,
    )


def _normal(E: Array, S: Array) -> Array:
    """Logarithms (n,) of the density of E (n, p) under N(0, S): -|L^-1 e|^2 / 2 - log |L| - p log(2 pi) / 2, LL' = S."""
    if not len(S):
        return np.zeros(len(E))
    L = np.linalg.cholesky(S)
    Z = E @ np.linalg.solve(L, np.eye(len(S))).T
    constant = float(np.log(np.diag(L)).sum()) + 0.5 * len(S) * log(2 * pi)
    return -0.5 * np.einsum("ij,ij->i", Z, Z) - constant
