"""Variances by replicate weights: an estimate is made again with each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...types import Array, Codes, Mask, Rows
from ..factor import independent, triangle
from .design import Estimator

DEPENDENT = 1e-5  # part of a column of weights that the columns before it must leave, as in R's survey


@dataclass(frozen=True, kw_only=True)
class Replicated:
    """A sample with R replicate weights. See SamplingDesign.

    The variance is scale times the sum of rscale_r (t_r - mean of t)^2 over the replicates, as R's survey has it. Replicates that do not
    determine an estimate, or have the factor 0, do not count. Source: Wolter (2007), chapters 3 to 5.
    """

    weights: Array
    """The weights (n,), above 0."""
    replicates: Array
    """The replicate weights (n, R), at least 0."""
    scale: float
    """The factor of the sum."""
    rscales: Array
    """The factor (R,) of each replicate."""
    freedom: int
    """See SamplingDesign: the rank of the replicate weights less 1."""

    @classmethod
    def of(cls, weights: Array, replicates: Array, scale: float, rscales: Array) -> Replicated:
        """The design with these weights (n,), (n, R) and factors."""
        norms = np.linalg.norm(replicates, axis=0)
        scaled = replicates / np.where(norms > 0, norms, 1.0)
        freedom = len(independent(triangle(scaled), DEPENDENT)) - 1
        return cls(weights=weights, replicates=replicates, scale=scale, rscales=rscales, freedom=freedom)

    def taken(self, rows: Rows | Mask) -> Replicated:
        """See SamplingDesign."""
        return replace(self, weights=self.weights[rows], replicates=self.replicates[rows])

    def root(self, influences: Array, estimator: Estimator) -> Array:
        """See SamplingDesign: by the estimator."""
        estimates = np.array([estimator(weights) for weights in self.replicates.T])
        return self._deviations(estimates).T

    def errors_by_group(self, codes: Codes, count: int, values: Array) -> Array:
        """See SamplingDesign."""
        from scipy.sparse import csr_array  # slow to import

        indicators = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(count, len(codes)))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (indicators @ (self.replicates * values[:, None])) / (indicators @ self.replicates)
        errors = np.linalg.norm(self._deviations(means.T), axis=0)
        return np.where(np.bincount(codes, minlength=count) > 0, errors, np.nan)

    def _deviations(self, estimates: Array) -> Array:
        """The deviations (R, k) of estimates (R, k) from their means over replicates, times the roots of the factors."""
        counts = np.isfinite(estimates) & (self.rscales > 0)[:, None]
        known = np.where(counts, estimates, 0.0)
        number = counts.sum(axis=0)
        means = known.sum(axis=0) / np.maximum(number, 1)
        deviations = np.where(counts, known - means, 0.0)
        factors = np.sqrt(self.scale * self.rscales)
        return np.where(number > 1, deviations * factors[:, None], np.nan)
