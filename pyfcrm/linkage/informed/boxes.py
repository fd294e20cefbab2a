"""Predictions of fuzzy c-regression: the lines they lie on, and between which values each must have had its original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...numerics.design import design, with_one
from ...types import Array, Rows
from .base import Attack, Scores
from .likelihood import PredictionLikelihood
from .mixture import fitted_mixture

ROUNDS = 100
EXACT, NOISE = 1e-7, 1e-2  # of the released sd: what lies as near a line is on it; rounding beyond hides the lines
ROUNDED = 1.0  # of a unit, where released values are whole: half of it, and what the lines then miss
ENOUGH = 3  # records on a line, for each of its coefficients, from which it is no coincidence


@dataclass(frozen=True)
class PredictionBoxes(Attack):
    """The likeliest residuals, as PredictionLikelihood, among the released records in whose boxes the original lies.

    Each released value is x'beta of the cluster whose line is nearest to its original, so the original lies nearer to it
    than to what the other lines predict at the same x: in an interval, and with all attributes in a box. The lines come
    from the release alone: as many regressions as there are clusters, fitted by expectation and maximisation, then to the
    values nearest to each. An attribute counts where they meet all its values; where they do, the own record is inside.

    clusters : how many lines an attribute has, a partition to each attribute.
    """

    clusters: int

    @property
    def words(self) -> str:
        """See Attack."""
        return f"likeliest residuals, in the boxes of {self.clusters} lines"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        likely = PredictionLikelihood().scores(X, Y, Z)
        Q, c, place = design(X).columns, self.clusters, np.unique(with_one(X), axis=0, return_inverse=True)[1].ravel()
        found = [(j, *limits) for j, z in enumerate(Z.T) if (limits := intervals(Q, z, c, place)) is not None]

        def block(rows: slice) -> Array:
            S = likely.block(rows)
            for j, low, high in found:
                y = Y[rows, j, None]
                S[(y < low) | (y > high)] = -np.inf
            return S

        return Scores(block, likely.margin)


def intervals(Q: Array, z: Array, c: int, place: Rows) -> tuple[Array, Array] | None:
    """Two (n,): between which values the originals of released values z (n,) lie, each the nearest of c lines in Q (n, r).

    place (n,) : equal where rows of Q are. None where the lines are not found, or none of them differs from chance.
    """
    whole = bool((z == np.rint(z)).all())
    sd = float(z.std())
    near = EXACT * sd + ROUNDED * whole
    if not near < NOISE * sd:
        return None
    order = np.lexsort((z, place))
    apart = (np.diff(z[order]) > 3 * near) & (np.diff(place[order]) == 0)
    if (np.bincount(place[order][1:], weights=apart) >= c).any():  # more than c values at one place: no c lines meet them
        return None
    P = lines(Q, z, c)
    away = np.abs(P - z[:, None])
    on = np.bincount(away.argmin(axis=1), minlength=P.shape[1])
    if (away.min(axis=1) > near).any() or (on[on > 0] < ENOUGH * Q.shape[1]).any():
        return None
    other = P[:, on > 0]
    above = np.where(other > z[:, None] + near, other, np.inf).min(axis=1)
    below = np.where(other < z[:, None] - near, other, -np.inf).max(axis=1)
    return (z + below) / 2 - near, (z + above) / 2 + near


def lines(Q: Array, z: Array, c: int) -> Array:
    """(n, c) what each of c lines in Q (n, r) predicts, fitted to the values z (n,) that are nearest to it."""
    B = np.column_stack([B[:, 0] for _, B, _ in fitted_mixture(Q, z[:, None], c)])
    label = np.full(len(z), -1)
    for _ in range(ROUNDS):
        before, label = label, np.abs(Q @ B - z[:, None]).argmin(axis=1)
        moved = before != label
        for k in np.setdiff1d(np.union1d(before[moved], label[moved]), -1):
            if (on := label == k).any():
                B[:, k] = np.linalg.lstsq(Q[on], z[on], rcond=None)[0]
        if not moved.any():
            break
    return np.asarray(Q @ B)
