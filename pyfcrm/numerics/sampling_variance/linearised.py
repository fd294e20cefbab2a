"""Linearised variances of a sample of clusters in strata, the clusters of each stratum drawn with replacement."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...types import Array, Codes, Mask, Rows
from .design import Estimator


@dataclass(frozen=True, kw_only=True)
class Linearised:
    """A sample of clusters in H strata. See SamplingDesign.

    The variance of a sum of influences is sum over strata of c / (c - 1) times the squared deviations of its c clusters' sums from
    their mean. A stratum of one cluster has the square of that cluster's sum, as R's survey has it by lonely.psu = "adjust".
    Source: Binder (1983); Wolter (2007), 6.11.
    """

    weights: Array
    """The weights (n,), above 0."""
    clusters: Codes
    """The cluster (n,) of each record, from 0: different ones in different strata."""
    stratum_of: Codes
    """The stratum (C,) of each cluster, from 0."""

    @classmethod
    def of(cls, weights: Array, strata: Codes, clusters: Codes) -> Linearised:
        """The design of records with these strata and clusters (n,), whose codes count within strata."""
        pairs = np.stack([strata, clusters], axis=1)
        found, places = np.unique(pairs, axis=0, return_inverse=True)
        stratum_of = np.unique(found[:, 0], return_inverse=True)[1]
        return cls(weights=weights, clusters=places.reshape(-1), stratum_of=stratum_of)

    @property
    def sizes(self) -> Codes:
        """Number of clusters (H,) of each stratum."""
        return np.bincount(self.stratum_of)

    @property
    def lonely(self) -> int:
        """Number of strata of one cluster."""
        return int((self.sizes == 1).sum())

    @property
    def freedom(self) -> int:
        """See SamplingDesign: clusters less strata, of those that have records."""
        present = np.unique(self.clusters)
        return len(present) - len(np.unique(self.stratum_of[present]))

    @property
    def _factors(self) -> Array:
        """The factor (H,) of the squares of each stratum: c / (c - 1), and 1 for one cluster."""
        c = self.sizes.astype(float)
        return np.where(c > 1, c / np.maximum(c - 1, 1), 1.0)

    def taken(self, rows: Rows | Mask) -> Linearised:
        """See SamplingDesign."""
        return replace(self, weights=self.weights[rows], clusters=self.clusters[rows])

    def root(self, influences: Array, estimator: Estimator) -> Array:
        """See SamplingDesign: by the influences."""
        columns = [np.bincount(self.clusters, weights=u, minlength=len(self.stratum_of)) for u in influences.T]
        totals = np.column_stack([np.empty((len(self.stratum_of), 0)), *columns])
        several = self.sizes[self.stratum_of] > 1
        sums = np.column_stack([np.bincount(self.stratum_of, weights=t) for t in totals.T])
        means = (sums / self.sizes[:, None])[self.stratum_of]
        deviations = np.where(several[:, None], totals - means, totals)
        return np.asarray((deviations * np.sqrt(self._factors[self.stratum_of])[:, None]).T)

    def errors_by_group(self, codes: Codes, count: int, values: Array) -> Array:
        """See SamplingDesign.

        The influences on the mean of a group are w (y - mean) / sum of w for its records, and 0 for all others.
        """
        sums = np.bincount(codes, weights=self.weights, minlength=count)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.bincount(codes, weights=self.weights * values, minlength=count) / sums
        u = self.weights * (values - means[codes]) / sums[codes]

        # The sum of each cluster in each group, for the pairs that have records.
        C = len(self.stratum_of)
        pairs, place = np.unique(codes * C + self.clusters, return_inverse=True)
        totals = np.bincount(place, weights=u, minlength=len(pairs))
        # The same by group and stratum: the mean counts clusters without records too.
        H = len(self.sizes)
        cells, cell_of = np.unique(pairs // C * H + self.stratum_of[pairs % C], return_inverse=True)
        size = self.sizes[cells % H]
        mean = np.where(size > 1, np.bincount(cell_of, weights=totals, minlength=len(cells)) / size, 0.0)
        absent = size - np.bincount(cell_of, minlength=len(cells))
        squares = np.bincount(cell_of, weights=(totals - mean[cell_of]) ** 2, minlength=len(cells)) + absent * mean**2
        variances = np.bincount(cells // H, weights=squares * self._factors[cells % H], minlength=count)
        return np.where(np.bincount(codes, minlength=count) > 0, np.sqrt(variances), np.nan)
