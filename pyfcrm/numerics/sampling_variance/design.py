"""What an estimator asks of a sampling design."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...types import Array, Codes, Mask, Rows

Estimator = Callable[[Array], Array]
"""The estimates (k,) by some weights (n,), of which some may be 0."""


class SamplingDesign(Protocol):
    """The sampling design of n records: `Linearised` or `Replicated`."""

    @property
    def weights(self) -> Array:
        """The weights (n,), above 0."""

    @property
    def freedom(self) -> int:
        """Degrees of freedom of its variances."""

    def taken(self, rows: Rows | Mask) -> SamplingDesign:
        """The design of some records, as a domain: clusters without a record in it count as such, with totals of 0."""

    def root(self, influences: Array, estimator: Estimator) -> Array:
        """A root V (k, m) of the covariances V V' of k estimates.

        influences : (n, k), of which the estimates are the sums in a first approximation, weights included; estimator : the estimates
        by other weights. A design uses one of them.
        """

    def errors_by_group(self, codes: Codes, count: int, values: Array) -> Array:
        """Standard errors (g,) of the weighted means of values (n,) in `count` groups. codes : (n,), the group of each record."""
