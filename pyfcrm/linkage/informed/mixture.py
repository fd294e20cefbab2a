"""Likelihood given the kept columns under several regressions at once, as a fuzzy c-regression has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...numerics.design import Design, coefficients, design
from ...numerics.location import location, scores, standardise
from ...progress import OnStep, discard_steps
from ...types import Array, Rows
from .base import DOUBT, Attack, Scores, linked, squared, whitener

ROUNDS, FOLDS = 50, 5
FLOOR = 1e-4  # of the whole residual covariance, added to each component's: none collapses on a few records


@dataclass(frozen=True)
class MixtureLikelihood(Attack):
    """The record under whose x the original's y is the likeliest, y given x being a mixture of normal regressions.

    The mixture is fitted to the release by expectation and maximisation, from parts of the residuals along their first
    direction; its shares are the same at every x.

    components : how many regressions, at least 1.
    """

    components: int

    @property
    def words(self) -> str:
        """See Attack."""
        return f"likeliest given the kept columns, under {self.components} regressions"

    def calibrated(self, margins: bool) -> tuple[Attack, ...]:
        """See Attack."""
        return (self,)

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        where = location(Y)
        Y, Z = scores(Y, where), scores(Z, where)
        block = self._scored(design(X).columns, Y, Z, np.arange(len(Z)))
        return Scores(block, DOUBT)

    def baseline(self, X: Array, Y: Array, on_step: OnStep = discard_steps) -> float:
        """See Attack: the same mixture of the originals, fitted for each fifth of the records to the four others."""
        n, found = len(Y), 0.0
        if not X.shape[1] or n < FOLDS:
            return 0.0
        Y, Q, fold = standardise(Y), design(X).columns, np.arange(n) % FOLDS
        for k in range(FOLDS):
            on_step(k, FOLDS)
            share = linked(Scores(self._scored(Q, Y, Y, np.flatnonzero(fold != k))), n).share
            found += float(share[fold == k].sum())
        return 100 * found / n

    def _scored(self, Q: Array, Y: Array, Z: Array, rows: Rows) -> Callable[[slice], Array]:
        """The block of Scores for a mixture fitted to these rows of Q and Z."""
        parts = []
        for share, B, C in fitted_mixture(Q[rows], Z[rows], self.components):
            W = whitener(C)
            parts.append((np.log(share) - 0.5 * np.linalg.slogdet(C)[1], Y @ W, Q @ B @ W))

        def block(rows: slice) -> Array:
            S = np.full((len(Y[rows]), len(Z)), -np.inf)
            for constant, a, b in parts:
                np.logaddexp(S, constant - 0.5 * squared(a[rows], b), out=S)
            return S

        return block


def fitted_mixture(Q: Array, Z: Array, components: int) -> list[tuple[float, Array, Array]]:
    """Regressions of Z (n, t) on Q (n, r): of each its share, coefficients (r, t) and covariance (t, t)."""
    n, k = len(Z), max(1, min(components, len(Z) // (2 * (Q.shape[1] + Z.shape[1]) + 4)))
    R = Z - Q @ np.linalg.lstsq(Q, Z, rcond=None)[0]
    S = R.T @ R / n
    floor = FLOOR * (S + np.trace(S) / len(S) * np.eye(len(S)))
    first = np.linalg.eigh(S)[1][:, -1]
    W = np.ascontiguousarray(np.eye(k)[:, np.argsort(np.argsort(R @ first, kind="stable")) * k // n])
    for _ in range(ROUNDS):
        share, B, R, C = _components(Q, Z, W, floor)
        new = np.log(share)[:, None] + _densities(R, C)
        np.exp(new - new.max(axis=0), out=new)
        new /= new.sum(axis=0)
        moved = float(np.abs(new - W).max())
        W = new
        if moved < 1e-4:
            break
    return list(zip(share.tolist(), B, C, strict=True))


def _components(Q: Array, Z: Array, W: Array, floor: Array) -> tuple[Array, Array, Array, Array]:
    """Of weights W (k, n): shares (k,), coefficients (k, r, t), residuals (k, n, t) and covariances (k, t, t)."""
    mass = np.maximum(W.sum(axis=1), 1e-9)
    B = np.nan_to_num(coefficients(Design(Q, np.eye(Q.shape[1]), Q.shape[1]), Z, W.T))
    R = Z - Q @ B
    C = (W[:, :, None] * R).transpose(0, 2, 1) @ R / mass[:, None, None] + floor
    return mass / len(Z), B, R, C


def _densities(R: Array, C: Array) -> Array:
    """(k, n) logarithms of the normal densities of R (k, n, t), but for a constant."""
    return np.asarray(-0.5 * (((R @ whitener(C)) ** 2).sum(axis=2) + np.linalg.slogdet(C)[1][:, None]))
