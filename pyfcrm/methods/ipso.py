"""Information preserving statistical obfuscation: IPSO-A, B and C (Burridge 2003; thesis A.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arguments import choice
from ..errors import InvalidInput
from ..fuzzy.weighted_ls import Design, design, projection
from ..rstream import RStream
from .method import Method, Note, unheard
from .residual_factor import lower_basis, residual_factor, upper_basis

Array = NDArray[np.float64]


@dataclass(frozen=True)
class IPSO(Method):
    """Regression of the dependent attributes on (1, X), released with nothing, with noise, or with noise made to fit.

    kind : "A" releases the predictions xB; "B" adds residuals of noise on x, which keeps the coefficients B;
    "C" gives those residuals the covariance of the original ones, which keeps B, the means and the covariances exactly.
    variant : "burridge", or "thesis" for what its R code does, draw for draw: its noise is regressed on x and y, and
    B's noise has standard deviation 1 in the data's own units.
    Draws: burridge, B and C: one n x t block of normals by columns. thesis, always: two such blocks, B's before C's.
    Works when X or Y is exactly collinear. Source: Burridge (2003); thesis 3 and A.1.
    """

    kind: str = "C"
    variant: str = "burridge"

    about: ClassVar[str] = "regression on the independent attributes, with noise that keeps means and covariances (C)"
    source: ClassVar[str] = "Burridge (2003)"

    def __post_init__(self) -> None:
        choice("IPSO", "kind", self.kind, ("A", "B", "C"))
        choice("IPSO", "variant", self.variant, ("burridge", "thesis"))

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = unheard) -> Array:
        """See Method.protect."""
        center = Y.mean(axis=0)
        scale = np.linalg.norm(Y - center, axis=0)
        scale[scale == 0] = 1.0
        D, Z = design(X), (Y - center) / scale
        if D.rank < X.shape[1] + 1:
            note(f"the independent attributes have rank {D.rank - 1} of {X.shape[1]}: collinear ones were set aside")
        fitted = projection(D, Z)
        # Twice is enough: the second projection takes out what rounding left.
        R = orthogonal_to(D, orthogonal_to(D, Z))
        added = (
            self._burridge(D, R, stream, note)
            if self.variant == "burridge"
            else self._thesis(X, Z, R, scale, stream, note)
        )
        return (fitted + added) * scale + center

    def _burridge(self, D: Design, R: Array, stream: RStream, note: Note) -> Array:
        if self.kind == "A":
            return np.zeros_like(R)
        n, t = R.shape
        noise = stream.rnorm_matrix(n, t)
        T = residual_factor(R)
        _say_rank(T, t, note)
        if self.kind == "B":
            # Noise of covariance S = R'R/n. T'T = R'R, so the first rows of noise that T needs are multiplied by it.
            e = noise[:, : len(T)] @ T / np.sqrt(n)
            return orthogonal_to(D, orthogonal_to(D, e))
        r = orthogonal_to(D, orthogonal_to(D, noise[:, : len(T)]))
        return upper_basis(r) @ T

    def _thesis(self, X: Array, Z: Array, R: Array, scale: Array, stream: RStream, note: Note) -> Array:
        n, t = R.shape
        first, second = stream.rnorm_matrix(n, t), stream.rnorm_matrix(n, t)
        if self.kind == "A":
            return np.zeros_like(R)
        both = design(np.column_stack([X, Z]))
        noise = _studentised(first if self.kind == "B" else second)
        r = orthogonal_to(both, orthogonal_to(both, noise))
        if self.kind == "B":
            return r / scale
        T = residual_factor(R)
        _say_rank(T, t, note)
        if n - both.rank < len(T):
            rule = f"the thesis's variant needs at least {both.rank + len(T)} records for these attributes"
            raise InvalidInput("IPSO", rule, n)
        return lower_basis(r[:, : len(T)]) @ T


def orthogonal_to(D: Design, A: Array) -> Array:
    """What the regression of A (n, t) on the design leaves."""
    return A - projection(D, A)


def _studentised(A: Array) -> Array:
    if len(A) < 2:
        raise InvalidInput("IPSO", "the thesis's variant needs at least two records", len(A))
    return (A - A.mean(axis=0)) / A.std(axis=0, ddof=1)


def _say_rank(T: Array, t: int, note: Note) -> None:
    if len(T) < t:
        note(f"the residuals of the {t} dependent attributes have rank {len(T)}: a factor of that rank was used")
