"""Likelihood of noise that is not normal in the attributes themselves: Laplace's, and factors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...numerics.location import location
from ...types import Array
from .attack import Attack
from .links import Scores
from .normal import DOUBT


@dataclass(frozen=True)
class LaplaceLikelihood(Attack):
    """The record from which an original would come nearest in the sum of absolute differences, as Laplace noise has it.

    amount : sd of the noise, in sd of each attribute of the original.
    """

    amount: float

    @property
    def words(self) -> str:
        """See Attack."""
        return "likeliest under Laplace noise"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        sd = location(Y).sd
        scale = np.where(sd > 0, sd, 1.0) * self.amount / np.sqrt(2)
        y, z = Y / scale, Z / scale

        def block(rows: slice) -> Array:
            S = np.zeros((len(y[rows]), len(z)))
            for a, b in zip(y[rows].T, z.T, strict=True):
                S -= np.abs(a[:, None] - b)
            return S

        return Scores(block, DOUBT)


@dataclass(frozen=True)
class FactorLikelihood(Attack):
    """The likeliest record under lognormal factors: values of another sign, and zeros that are none, are ruled out.

    The logarithm of an original is taken for normal around a mean, so that a released one is drawn towards that: a large
    value more likely became large.

    amount : sd of the factors, whose mean is 1.
    """

    amount: float

    @property
    def words(self) -> str:
        """See Attack."""
        return "likeliest under factors, of equal signs and zeros"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        sign_y, sign_z = np.sign(Y), np.sign(Z)
        y, z = (np.log(np.abs(np.where(A == 0, 1.0, A))) for A in (Y, Z))
        center, sd = self._model(z, sign_z)

        def block(rows: slice) -> Array:
            S = np.zeros((len(y[rows]), len(z)))
            same = np.ones(S.shape, dtype=bool)
            for j, spread in enumerate(sd):
                same &= sign_y[rows, j][:, None] == sign_z[:, j]
                gap = (y[rows, j][:, None] - center[:, j]) / spread
                S -= np.where(sign_z[:, j] == 0, 0.0, 0.5 * gap * gap)
            return np.where(same, S, -np.inf)

        return Scores(block, DOUBT)

    def _model(self, z: Array, sign: Array) -> tuple[Array, Array]:
        """Mean (n, t) and sd (t,) of the logarithms of originals given the released ones z (n, t)."""
        noise = float(np.log1p(self.amount**2))
        center, sd = np.empty_like(z), np.empty(z.shape[1])
        for j, (column, there) in enumerate(zip(z.T, (sign != 0).T, strict=True)):
            own = column[there]
            mean, spread = (own.mean(), max(own.var() - noise, 0.0)) if len(own) else (0.0, 0.0)
            share = spread / (spread + noise)
            center[:, j] = mean + noise / 2 + share * (column - mean)
            sd[j] = max(np.sqrt(share * noise), 1e-9)
        return center, sd
