"""The affine map of a release's residuals that gives it the original's regression on X and residual covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.blocks import Sample, strips
from ..engine import Engine, Local
from ..engine.threads import side_by_side
from ..numerics.design import Design, orthogonal_to, projection
from ..numerics.factor import RANK_TOL, basis_and_factor
from ..numerics.tall_factor import solved
from ..progress import ignore
from ..types import Array
from .regression import regression

SAFE = 1e-8  # least eigenvalue of the correlations of residuals whose cross-products are trusted
FULL = 1e-3  # of what a column of the design leaves in the few records, beside its share of the norm
RECORDS_AT_ONCE = 16384  # much larger, and they leave the cache


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

    def nearly_given_to(self, z: Array, share: float = 1.0, engine: Engine | None = None) -> Array:
        """As given_to, of and in the fit's own units, by way of E'E: quicker, and exact to rounding times E's condition.

        share : how much of the way from z is gone, 1 to there and more beyond; engine : for threads. Returns (n, t) by columns.
        """
        D, n = self.fit.design.columns, len(z)
        blocks = [slice(start, start + RECORDS_AT_ONCE) for start in range(0, n, RECORDS_AT_ONCE)]
        slopes = np.sum(side_by_side(lambda k: D[blocks[k]].T @ z[blocks[k]], len(blocks), n, engine), axis=0)

        def squared(k: int) -> Array:
            E = z[blocks[k]] - D[blocks[k]] @ slopes
            return np.asarray(E.T @ E)

        T = np.sum(side_by_side(squared, len(blocks), n, engine), axis=0)
        M = self._symmetric(T)
        if M is None:
            exact, _ = self.given_to(z * self.fit.scale + self.fit.center)
            return np.asfortranarray(z + share * ((exact - self.fit.center) / self.fit.scale - z))
        by_z, by_x = share * M, share * (D.T @ self.fit.targets - slopes @ M)
        by_z[np.diag_indices_from(by_z)] += 1 - share
        moved = np.empty(z.shape, order="F")

        def move(k: int) -> None:
            moved[blocks[k]] = z[blocks[k]] @ by_z + D[blocks[k]] @ by_x

        side_by_side(move, len(blocks), n, engine)
        return moved

    def _symmetric(self, T: Array) -> Array | None:
        """The map M (t, t) of given_to from T = E'E, None where that cannot be trusted."""
        unit = np.sqrt(np.diag(T))
        if not (unit > RANK_TOL).all() or np.linalg.eigvalsh(T / unit / unit[:, None])[0] <= SAFE:
            return None
        F = np.linalg.cholesky(T).T
        U, _, V = np.linalg.svd(F @ self.factor.T, full_matrices=False)
        return np.asarray(np.linalg.solve(F, U @ V @ self.factor))

    def given_by_few(self, Z: Array, count: int) -> Array | None:
        """Z (n, t) with these moments, only the first `count` records moved; None where those cannot bear them.

        What the others leave of the original's cross-products with (1, X) and of its own is a regression and a residual
        covariance for the few: they are mapped to those as given_to maps all. Source: own.
        """
        D, y, z = self.fit.design.columns, self.fit.targets, (Z - self.fit.center) / self.fit.scale
        few, rest = slice(count), slice(count, None)
        Q, R = np.linalg.qr(D[few])
        if count <= D.shape[1] + y.shape[1] or (np.abs(np.diag(R)) <= FULL * np.sqrt(count / len(z))).any():
            return None
        slopes = np.linalg.solve(R.T, D.T @ y - D[rest].T @ z[rest])
        S = y.T @ y - z[rest].T @ z[rest] - slopes.T @ slopes
        unit = np.sqrt(np.maximum(np.diag(S), 0.0))
        if not (unit > RANK_TOL).all() or np.linalg.eigvalsh(S / unit / unit[:, None])[0] <= SAFE:
            return None
        E = z[few] - Q @ (Q.T @ z[few])
        B, F = basis_and_factor(E - Q @ (Q.T @ E))
        if len(F) < len(S):
            return None
        G = np.linalg.cholesky(S).T
        U, _, V = np.linalg.svd(F @ G.T)
        moved = Z.copy()
        moved[few] = (Q @ slopes + B @ (U @ V @ G)) * self.fit.scale + self.fit.center
        return moved

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
    fit = regression(sample, ignore)
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
