"""Information preserving statistical obfuscation: IPSO-A, B and C (Burridge 2003; thesis A.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidInput
from ..numerics.design import design
from ..numerics.factor import residual_factor, upper_basis
from ..progress import Note, ignore
from ..rstream import RStream
from ..types import Array
from .method import Method
from .parameter import param
from .regression import Regression, exact_noise, orthogonal_to, regression, say_rank


@dataclass(frozen=True)
class IPSO(Method):
    """Regression of the dependent attributes on (1, X), released with nothing, with noise, or with noise made to fit.

    kind : "A" releases the predictions xB; "B" adds residuals of noise on x, which keeps the coefficients B;
    "C" gives those residuals the covariance of the original ones, which keeps B, the means and the covariances exactly.
    variant : "burridge", or "thesis" for what its R code does, draw for draw: its noise is regressed on x and y, and
    B's noise has standard deviation 1 in the data's own units.
    Draws: burridge, B and C: one n x t block of normals by columns. thesis, always: two such blocks, B's before C's.
    Seed: burridge, B and C: gives the residuals' covariance, no record: another original with the same B and covariance
    has the same release. thesis, B and C: undoes it, as EGADP. A has no noise.
    Works when X or Y is exactly collinear. Source: Burridge (2003); thesis 3 and A.1.
    """

    kind: str = param(
        "C", words=("A", "B", "C"), help="the regression alone, with noise, or with noise made to fit exactly"
    )
    variant: str = param(
        "burridge", words=("burridge", "thesis"), help="the published form, or what the thesis's code does"
    )

    about: ClassVar[str] = "regression on the independent attributes, with noise that keeps means and covariances (C)"
    source: ClassVar[str] = "Burridge (2003)"

    @property
    def undone_by_seed(self) -> bool:
        """See Method.undone_by_seed."""
        return self.variant == "thesis" and self.kind != "A"

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = ignore) -> Array:
        """See Method.protect."""
        fit = regression(X, Y, note)
        if self.variant == "burridge":
            return fit.released(self._burridge(fit, stream, note))
        return fit.released(self._thesis(X, fit, stream, note))

    def _burridge(self, fit: Regression, stream: RStream, note: Note) -> Array:
        D, R = fit.design, fit.residuals
        if self.kind == "A":
            return np.zeros_like(R)
        n, t = R.shape
        noise = stream.rnorm_matrix(n, t)
        T = residual_factor(R)
        say_rank(T, t, note)
        if self.kind == "B":
            # Noise of covariance S = R'R/n. T'T = R'R, so the first rows of noise that T needs are multiplied by it.
            e = noise[:, : len(T)] @ T / np.sqrt(n)
            return orthogonal_to(D, orthogonal_to(D, e))
        r = orthogonal_to(D, orthogonal_to(D, noise[:, : len(T)]))
        return upper_basis(r) @ T

    def _thesis(self, X: Array, fit: Regression, stream: RStream, note: Note) -> Array:
        n, t = fit.residuals.shape
        first, second = stream.rnorm_matrix(n, t), stream.rnorm_matrix(n, t)
        if self.kind == "A":
            return np.zeros_like(fit.residuals)
        noise = _studentised(first if self.kind == "B" else second)
        if self.kind == "C":
            return exact_noise("IPSO", X, fit, noise, note, "the thesis's variant ")
        both = design(np.column_stack([X, fit.targets]))
        return orthogonal_to(both, orthogonal_to(both, noise)) / fit.scale


def _studentised(A: Array) -> Array:
    if len(A) < 2:
        raise InvalidInput("IPSO", "the thesis's variant needs at least two records", len(A))
    return (A - A.mean(axis=0)) / A.std(axis=0, ddof=1)
