"""Totals, ratios and means of domains, with their covariances under a sampling design."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...types import Array, Mask
from .design import SamplingDesign


@dataclass(frozen=True)
class Estimates:
    """Estimates under a sampling design."""

    values: Array
    """The estimates (k,)."""
    cov: Array
    """Their covariances (k, k)."""

    @property
    def se(self) -> Array:
        """Standard errors (k,)."""
        return np.sqrt(np.diag(self.cov))

    @classmethod
    def of(cls, values: Array, root: Array) -> Estimates:
        """Estimates with a root (k, m) of their covariances."""
        return cls(values, root @ root.T)


def totals(design: SamplingDesign, Y: Array) -> Estimates:
    """Totals (k,) of the columns of Y (n, k), sum of w y."""
    values = design.weights @ Y
    influences = design.weights[:, None] * Y
    return Estimates.of(values, design.root(influences, lambda w: w @ Y))


def ratios(design: SamplingDesign, Y: Array, X: Array) -> Estimates:
    """Ratios (k,) of the totals of Y (n, k) and X (n, k), with influences w (y - ratio x) / sum of w x."""
    below = design.weights @ X
    values = (design.weights @ Y) / below
    influences = design.weights[:, None] * (Y - values * X) / below

    def estimator(w: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((w @ Y) / (w @ X))

    return Estimates.of(values, design.root(influences, estimator))


def means(design: SamplingDesign, y: Array, domains: list[Mask]) -> Estimates:
    """Means (k,) of y (n,) in domains, masks (n,): ratios to their sizes. A missing y is outside all of them."""
    known = np.isfinite(y)
    members = np.column_stack([mask & known for mask in domains]).astype(float)
    values = np.where(known, y, 0.0)
    return ratios(design, members * values[:, None], members)
