"""Regressions of many columns on one design, with classical or linearised standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ....numerics.sampling_variance.design import SamplingDesign
from ....numerics.sampling_variance.regression import linear_coefficients
from ....types import Array, Codes

SINGULAR = 1e-10  # relative: eigenvalues of A'A below it count as 0
FLOOR = 0.01  # standard deviations of the response, in the least standard error of a residual


@dataclass(frozen=True, kw_only=True)
class Regression:
    """A design A (n, k) of some records."""

    A: Array
    """The regressors (n, k), the constant among them."""
    weights: Array | None
    """Positive weights (n,); None for equal ones."""
    clusters: Codes | None
    """The cluster (n,) of each record; None for independent records."""
    inverse: Array
    """(A'WA)^+ (k, k)."""
    design: SamplingDesign | None = None
    """The sampling design, which goes before clusters; None where none is known."""

    @classmethod
    def of(
        cls, A: Array, weights: Array | None, clusters: Codes | None, design: SamplingDesign | None = None
    ) -> Regression:
        """The design with columns A (n, k)."""
        weighted = A if weights is None else A * weights[:, None]
        inverse = np.linalg.pinv(A.T @ weighted, rcond=SINGULAR, hermitian=True)
        return cls(
            A=A, weights=weights, clusters=clusters, inverse=np.asarray(inverse, dtype=np.float64), design=design
        )

    def coefficients(self, Y: Array) -> Array:
        """Coefficients (k, r) of the columns of Y (n, r)."""
        weighted = Y if self.weights is None else Y * self.weights[:, None]
        return np.asarray(self.inverse @ (self.A.T @ weighted))

    def residuals(self, Y: Array) -> Array:
        """Residuals (n, r) of the columns of Y (n, r)."""
        return np.asarray(Y - self.A @ self.coefficients(Y))

    def errors(self, E: Array, sd: Array) -> Array:
        """Standard errors (k, r) of the coefficients with residuals E (n, r), of responses with standard deviations sd (r,).

        Classical: sigma sqrt(diag (A'A)^-1), with sigma at least .01 sd; with weights or clusters at least this, and linearised:
        c / (c - 1) (A'WA)^-1 (sum of u u') (A'WA)^-1, u the scores w e a of a record or cluster, c their number. Source: Binder (1983).
        With a sampling design they are the design's.
        """
        n, k = self.A.shape
        root = np.sqrt(np.maximum(np.diag(self.inverse), 0.0))[:, None]
        freedom = max(n - k, 1)
        if self.weights is None and self.clusters is None and self.design is None:
            sigma = np.sqrt((E * E).sum(axis=0) / freedom)
            return np.asarray(root * np.maximum(sigma, FLOOR * sd))
        weights = np.ones(n) if self.weights is None else self.weights
        # (A'WA)^-1 has the weights' scale: a classical error has weights of mean 1.
        floors = root * np.sqrt(weights.mean()) * (FLOOR * sd)
        columns = [self._linearised(weights * e, e) for e in E.T]
        return np.maximum(np.column_stack([np.empty((k, 0)), *columns]), floors)

    def _linearised(self, scores: Array, e: Array) -> Array:
        """Standard errors (k,) of the coefficients with residuals e (n,), whose scores (n,) have the weights."""
        influences = self.A * scores[:, None]
        if self.design is None:
            return linearised_errors(influences, self.inverse, self.clusters)
        # Coefficients of the residuals are those of the response less a constant, so that they vary alike.
        root = self.design.root(influences @ self.inverse, partial(linear_coefficients, self.A, e))
        return np.asarray(np.linalg.norm(root, axis=1))


def linearised_errors(scores: Array, inverse: Array, clusters: Codes | None) -> Array:
    """Linearised standard errors (k,) of k coefficients: c / (c - 1) times the sum of squares of the influences.

    An influence is that of a record, or of all records of one of c clusters: its scores (n, k) times the inverse (k, k) of the
    derivative of the estimating equations. Source: Binder (1983).
    """
    if clusters is not None:
        scores = sums_by_cluster(scores, clusters)
    number = len(scores)
    influence = scores @ inverse
    return np.asarray(np.sqrt(number / max(number - 1, 1) * (influence * influence).sum(axis=0)))


def sums_by_cluster(scores: Array, clusters: Codes) -> Array:
    """Sums (c, k) of the rows of scores (n, k) by cluster (n,)."""
    places = np.unique(clusters, return_inverse=True)[1]
    columns = [np.bincount(places, weights=column) for column in scores.T]
    return np.column_stack(columns)
