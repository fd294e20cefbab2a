"""The affine map of a release's residuals that gives it the original's regression on X and residual covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .method import unheard
from .regression import Regression, orthogonal_to, regression
from .residual_factor import RANK_TOL, basis_and_factor, residual_factor

Array = NDArray[np.float64]
SAFE = 1e-8  # least eigenvalue of the correlations of residuals whose cross-products are trusted


@dataclass(frozen=True)
class Moments:
    """What the original's moments are: the regression of Y on (1, X), and S (r, t) with S'S = R'R, its residuals'."""

    fit: Regression
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

    def nearly_given_to(self, z: Array) -> Array:
        """As given_to, of and in the fit's own units, by way of E'E: quicker, and exact to rounding times E's condition."""
        E = orthogonal_to(self.fit.design, z)
        T = E.T @ E
        unit = np.sqrt(np.diag(T))
        if (unit > RANK_TOL).all() and np.linalg.eigvalsh(T / unit / unit[:, None])[0] > SAFE:
            F = np.linalg.cholesky(T).T
            U, _, V = np.linalg.svd(F @ self.factor.T, full_matrices=False)
            return self.fit.fitted + E @ np.linalg.solve(F, U @ V @ self.factor)
        exact, _ = self.given_to(z * self.fit.scale + self.fit.center)
        return (exact - self.fit.center) / self.fit.scale

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
    fit = regression(X, Y, unheard)
    return Moments(fit, residual_factor(fit.residuals))
