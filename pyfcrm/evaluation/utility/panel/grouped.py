"""Means by group and their standard errors: of equal or weighted records, independent or in clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....numerics.sampling_variance.design import SamplingDesign
from ....types import Array, Codes, Mask, Rows


@dataclass(frozen=True, kw_only=True)
class Grouped:
    """Records of some groups."""

    codes: Codes
    """The group (m,) of each record, from 0."""
    count: int
    """Number of groups."""
    weights: Array
    """Positive weights (m,), 1 where there are none."""
    clusters: Codes | None
    """The cluster (m,) of each record, from 0; None for independent records."""
    design: SamplingDesign | None = None
    """The sampling design of the records, which goes before clusters; None where none is known."""

    @classmethod
    def of(
        cls,
        codes: Codes,
        count: int,
        weights: Array | None,
        clusters: Codes | None,
        design: SamplingDesign | None = None,
    ) -> Grouped:
        """The records that have a group. codes (n,), -1 for none; design : of all n records, as are weights and clusters."""
        chosen = codes >= 0
        grouped = cls(
            codes=codes,
            count=count,
            weights=np.ones(len(codes)) if weights is None else weights,
            clusters=clusters,
            design=design,
        )
        return grouped.taken(chosen)

    def taken(self, chosen: Mask | Rows) -> Grouped:
        """The same groups of some records."""
        return Grouped(
            codes=self.codes[chosen],
            count=self.count,
            weights=self.weights[chosen],
            clusters=None if self.clusters is None else self.clusters[chosen],
            design=None if self.design is None else self.design.taken(chosen),
        )

    @property
    def sizes(self) -> Array:
        """Number of records (g,) of each group."""
        return np.bincount(self.codes, minlength=self.count).astype(float)

    def sums(self, values: Array) -> Array:
        """Sums (g,) of values (m,)."""
        return np.bincount(self.codes, weights=values, minlength=self.count).astype(float)

    def means(self, values: Array) -> Array:
        """Weighted means (g,) of values (m,); NaN of an empty group."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.sums(self.weights * values) / self.sums(self.weights))

    def errors(self, values: Array, means: Array) -> Array:
        """Standard errors (g,) of these means.

        With u_i = w_i (y_i - mean) / sum w, added up over clusters, se^2 = c / (c - 1) sum u^2, c the number of records or
        clusters of the group: the linearised form of a ratio, Särndal, Swensson and Wretman (1992), 5.6. With equal
        weights it is sd / sqrt(n). With a sampling design it is the design's.
        """
        if self.design is not None:
            return self.design.errors_by_group(self.codes, self.count, values)
        u = self.weights * (values - means[self.codes])
        if self.clusters is None:
            squares = self.sums(u * u)
            number = self.sizes
        else:
            pairs, place = np.unique(
                self.codes * (self.clusters.max(initial=0) + 1) + self.clusters, return_inverse=True
            )
            group_of_pair = pairs // (self.clusters.max(initial=0) + 1)
            totals = np.bincount(place, weights=u, minlength=len(pairs))
            squares = np.bincount(group_of_pair, weights=totals * totals, minlength=self.count).astype(float)
            number = np.bincount(group_of_pair, minlength=self.count).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.sqrt(number / (number - 1) * squares) / self.sums(self.weights))


def share_floors(sizes: Array) -> Array:
    """The least standard errors (g,) of shares of so many records: those of half a record, sqrt(1 / (2 n) / n)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(0.5) / sizes)
