"""Attacks on fuzzy c-regression: the likelihood of a mixture of regressions on the unmodified columns. For predictions,
the lines on which they lie bound each original."""

from dataclasses import dataclass

import numpy as np

from ...numerics.design import RANK_TOL, design, with_one
from ...numerics.location import location, scores, standardise
from ...numerics.moments import whitener
from ...progress import OnStep, discard
from ...types import Array, Rows
from .base import DOUBT, Attack, Scores, linked, squared
from .likelihood import PredictionLikelihood

ROUNDS, FOLDS = 50, 5
FLOOR = 1e-4  # of the whole residual covariance, added to each component's, so that none collapses on a few records
LINE_ROUNDS = 100
EXACT, NOISE = 1e-7, 1e-2  # of the released sd: a value this near to a line is on it; coarser rounding hides the lines
ROUNDED = 1.0  # width of whole released values: half a unit of rounding, and the error of the lines
MIN_RECORDS = 3  # on a line, for each of its coefficients: more than a coincidence


@dataclass(frozen=True)
class MixtureLikelihood(Attack):
    """The record whose x gives the original's y the largest likelihood, if y given x is a mixture of normal regressions.

    EM fits the mixture to the release. It starts from parts of the residuals along their first principal direction;
    shares do not depend on x.

    components : number of regressions, at least 1.
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
        return self._scores(design(X).columns, Y, Z, np.arange(len(Z)))

    def baseline(self, X: Array, Y: Array, on_step: OnStep = discard) -> float:
        """See Attack; by the same mixture of the originals, fitted for each fifth of the records to the other four."""
        n, links = len(Y), 0.0
        if not X.shape[1] or n < FOLDS:
            return 0.0
        Y, Q, fold = standardise(Y), design(X).columns, np.arange(n) % FOLDS
        for k in range(FOLDS):
            on_step(k, FOLDS)
            share = linked(self._scores(Q, Y, Y, np.flatnonzero(fold != k)), n).share
            links += float(share[fold == k].sum())
        return 100 * links / n

    def _scores(self, Q: Array, Y: Array, Z: Array, rows: Rows) -> Scores:
        """The scores of a mixture fitted to these rows of Q and Z."""
        parts = []
        for share, B, C in fitted_mixture(Q[rows], Z[rows], self.components):
            W = whitener(C)
            parts.append((np.log(share) - 0.5 * np.linalg.slogdet(C)[1], Y @ W, Q @ B @ W))

        def block(rows: slice) -> Array:
            S = np.full((len(Y[rows]), len(Z)), -np.inf)
            for constant, a, b in parts:
                np.logaddexp(S, constant - 0.5 * squared(a[rows], b), out=S)
            return S

        return Scores(block, DOUBT)


def fitted_mixture(Q: Array, Z: Array, components: int) -> list[tuple[float, Array, Array]]:
    """Regressions of Z (n, t) on Q (n, r): share, coefficients (r, t) and covariance (t, t) of each."""
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
    """For weights W (k, n): shares (k,), coefficients (k, r, t), residuals (k, n, t) and covariances (k, t, t)."""
    mass = np.maximum(W.sum(axis=1), 1e-9)
    weighted = W[:, None, :] * Q.T
    B = np.linalg.pinv(weighted @ Q, rcond=RANK_TOL, hermitian=True) @ (weighted @ Z)
    R = Z - Q @ B
    C = (W[:, :, None] * R).transpose(0, 2, 1) @ R / mass[:, None, None] + floor
    return mass / len(Z), B, R, C


def _densities(R: Array, C: Array) -> Array:
    """(k, n) logarithms of the normal densities of R (k, n, t), without the constant."""
    return -0.5 * (((R @ whitener(C)) ** 2).sum(axis=2) + np.linalg.slogdet(C)[1][:, None])


@dataclass(frozen=True)
class PredictionBoxes(Attack):
    """The likeliest residuals, as PredictionLikelihood, among the released records in whose boxes the original lies.

    Each released value is x'beta of the cluster whose line is nearest to its original. So the original is nearer to
    this value than to the predictions of the other lines at the same x. It lies in an interval for each attribute, and
    in a box for all. The lines are estimated from the release: one regression for each cluster, fitted by EM, then to
    the values nearest to each. An attribute is used if all of its values are on the lines; then the own record is
    inside.

    clusters : lines of each attribute, which has a partition of its own.
    """

    clusters: int

    @property
    def words(self) -> str:
        """See Attack."""
        return f"likeliest residuals, in the boxes of {self.clusters} lines"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        likely = PredictionLikelihood().scores(X, Y, Z)
        Q, c, place = design(X).columns, self.clusters, np.unique(with_one(X), axis=0, return_inverse=True)[1]
        boxes = [(j, *limits) for j, z in enumerate(Z.T) if (limits := intervals(Q, z, c, place)) is not None]

        def block(rows: slice) -> Array:
            S = likely.block(rows)
            for j, low, high in boxes:
                y = Y[rows, j, None]
                S[(y < low) | (y > high)] = -np.inf
            return S

        return Scores(block, likely.margin)


def intervals(Q: Array, z: Array, c: int, place: Rows) -> tuple[Array, Array] | None:
    """Two (n,): lower and upper bounds of the originals of released values z (n,), each the nearest of c lines in Q (n, r).

    place (n,) : equal for equal rows of Q. None if no lines are found, or too few records are on one.
    """
    whole = bool((z == np.rint(z)).all())
    sd = float(z.std())
    near = EXACT * sd + ROUNDED * whole
    if not near < NOISE * sd:
        return None
    order = np.lexsort((z, place))
    apart = (np.diff(z[order]) > 3 * near) & (np.diff(place[order]) == 0)
    if (np.bincount(place[order][1:], weights=apart) >= c).any():  # more than c values at one place are not on c lines
        return None
    P = lines(Q, z, c)
    away = np.abs(P - z[:, None])
    on = np.bincount(away.argmin(axis=1), minlength=P.shape[1])
    if (away.min(axis=1) > near).any() or (on[on > 0] < MIN_RECORDS * Q.shape[1]).any():
        return None
    other = P[:, on > 0]
    above = np.where(other > z[:, None] + near, other, np.inf).min(axis=1)
    below = np.where(other < z[:, None] - near, other, -np.inf).max(axis=1)
    return (z + below) / 2 - near, (z + above) / 2 + near


def lines(Q: Array, z: Array, c: int) -> Array:
    """(n, c) predictions of c lines in Q (n, r), each fitted to the values z (n,) that are nearest to it."""
    B = np.column_stack([B[:, 0] for _, B, _ in fitted_mixture(Q, z[:, None], c)])
    label = np.full(len(z), -1)
    for _ in range(LINE_ROUNDS):
        before, label = label, np.abs(Q @ B - z[:, None]).argmin(axis=1)
        moved = before != label
        for k in np.setdiff1d(np.union1d(before[moved], label[moved]), -1):
            if (on := label == k).any():
                B[:, k] = np.linalg.lstsq(Q[on], z[on], rcond=None)[0]
        if not moved.any():
            break
    return Q @ B
