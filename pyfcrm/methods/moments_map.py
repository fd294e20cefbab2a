"""The affine map of a release's residuals that gives it the original's regression on X and residual covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.blocks import Sample, strips
from ..engine import Local
from ..numerics.design import Design, orthogonal_to, projection
from ..numerics.factor import RANK_TOL, basis_and_factor, solved
from ..progress import discard
from ..types import Array
from .regression import regression


@dataclass(frozen=True)
class Fitted:
    """The regression of Y, centred and at norm 1, on (1, X), with a row for each record.

    design : of (1, X), orthonormal; targets, fitted : (n, t); scale, center : (t,).
    """

    design: Design
    targets: Array
    fitted: Array
    scale: Array
    center: Array

    def released(self, noise: Array) -> Array:
        """The predictions with noise (n, t) added, in the data's units."""
        made = self.fitted + noise
        made *= self.scale
        made += self.center
        return made


@dataclass(frozen=True)
class Moments:
    """What the original's moments are: the regression of Y on (1, X), and S (r, t) with S'S = R'R, its residuals'."""

    fit: Fitted
    factor: Array

    def given_to(self, Z: Array) -> tuple[Array, int]:
        """Z (n, t) with these moments, and the rank of its residuals (below that of S they cannot be reached).

        With E the residuals of Z on (1, X), T = E'E and S = R'R, the release is xB + E M, M the symmetric map
        T^-1/2 (T^1/2 S T^1/2)^1/2 T^-1/2: of all residuals in the span of E with cross-products S, the nearest to E.
        It is computed as their Procrustes problem, without an inverse: E = Q F, and E M = Q O G with G'G = S and O the
        orthonormal factor of F G'. So a singular T or S is no special case.
        Source: own use; the map is Olkin and Pukelsheim's (1982), the solution Schoenemann's (1966).
        """
        Q, F = self._basis(Z)
        U, _, V = np.linalg.svd(F @ self.factor.T, full_matrices=False)
        return self.fit.released(Q @ (U @ V @ self.factor)), len(F)

    def _basis(self, Z: Array) -> tuple[Array, Array]:
        """Q (n, k) orthonormal and orthogonal to (1, X), and F (k, t), with QF the residuals of Z (n, t)."""
        D, z = self.fit.design, (Z - self.fit.center) / self.fit.scale
        E = orthogonal_to(D, orthogonal_to(D, z))
        size = np.linalg.norm(E, axis=0)
        # What rounding leaves of a column that X explains altogether must not count as residuals.
        there = size > RANK_TOL * np.maximum(1.0, np.linalg.norm(z, axis=0))
        E, unit = np.where(there, E, 0.0), np.where(there, size, 1.0)
        Q, F = basis_and_factor(E / unit)
        if F.shape[0] < F.shape[1]:  # nearly collinear columns bring rounding back along X
            Q = np.linalg.qr(orthogonal_to(D, Q))[0]
            return Q, (Q.T @ E)
        return Q, F * unit


def moments_of(X: Array, Y: Array) -> Moments:
    """The moments of Y (n, t) given X (n, s), s may be 0; collinear columns are no special case."""
    sample = Sample.of(X, Y, Local(1))  # whoever wants other threads has them for the columns
    fit = regression(sample, discard)
    r = fit.basis.rank
    inverse = solved(fit.S[:r, :r], np.eye(r))
    design = Design(
        np.ascontiguousarray(np.vstack([fit.basis(parts)[:, :r] @ inverse for parts in strips(np.hstack([X, Y]))])),
        inverse,
        r,
    )
    center, scale = fit.basis.mean, fit.basis.scale
    targets = (Y - center) / scale
    return Moments(Fitted(design, targets, projection(design, targets), scale, center), fit.factor)
