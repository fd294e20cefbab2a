"""Attacks on fuzzy c-regression: the likelihood of a mixture of regressions on the unmodified columns.

For predictions, the lines on which they lie bound each original.
"""

from dataclasses import dataclass

import numpy as np

from ...numerics.design import RANK_TOL, design, with_one
from ...numerics.location import location, scores, standardise
from ...numerics.moments import whitener
from ...progress import OnStep, discard
from ...types import Array, Rows
from .base import DOUBT, Attack, Scores, linked, shared_rows, squared
from .likelihood import PredictionLikelihood

ROUNDS = 50  # of EM
FOLDS = 5
FLOOR = 1e-4  # of the whole residual covariance, added to each component's, so that none collapses on a few records
LINE_ROUNDS = 100
EXACT = 1e-7  # of the released sd: a value this near to a line is on it
NOISE = 1e-2  # of the released sd: coarser rounding hides the lines
ROUNDED = 1.0  # width of whole released values: half a unit of rounding, and the error of the lines
MIN_RECORDS = 3  # on a line, for each of its coefficients: more than a coincidence


@dataclass(frozen=True)
class MixtureLikelihood(Attack):
    """The record whose x gives the original's y the largest likelihood, if y given x is a mixture of normal regressions.

    EM fits the mixture to the release. It starts from parts of the residuals along their first principal direction;
    shares do not depend on x.
    """

    components: int
    """Number of regressions, at least 1."""

    @property
    def words(self) -> str:
        """See Attack.words."""
        return f"likeliest given the kept columns, under {self.components} regressions"

    def calibrated(self, margins: bool) -> tuple[Attack, ...]:
        """See Attack.calibrated: the mixture is fitted to the release, so the attack is the same."""
        return (self,)

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        of_originals = location(Y)
        Y = scores(Y, of_originals)
        Z = scores(Z, of_originals)
        return self._scores(design(X).columns, Y, Z, np.arange(len(Z)))

    def baseline(self, X: Array, Y: Array, on_step: OnStep = discard) -> float:
        """See Attack.baseline: by the same mixture of the originals, fitted for each fifth of the records to the other four."""
        n = len(Y)
        if not X.shape[1] or n < FOLDS:
            return 0.0
        Y = standardise(Y)
        Q = design(X).columns
        fold = np.arange(n) % FOLDS
        links = 0.0
        for k in range(FOLDS):
            on_step(k, FOLDS)
            share = linked(self._scores(Q, Y, Y, np.flatnonzero(fold != k)), n).share
            links += float(share[fold == k].sum())
        return 100 * links / n

    def _scores(self, Q: Array, Y: Array, Z: Array, rows: Rows) -> Scores:
        """The scores of a mixture fitted to these rows of Q and Z."""
        first, place = shared_rows(Q)
        # For each component: log(share) - log|C| / 2; then originals and predictions in units in which C is 1.
        components = []
        for share, B, C in fitted_mixture(Q[rows], Z[rows], self.components):
            W = whitener(C)
            constant = np.log(share) - 0.5 * np.linalg.slogdet(C)[1]
            components.append((constant, Y @ W, (Q @ B @ W)[first]))

        def block(rows: slice) -> Array:
            """Log likelihoods (b, K) of originals given each of the K different x: of all components together."""
            S = np.full((len(Y[rows]), len(first)), -np.inf)
            for constant, originals, predictions in components:
                np.logaddexp(S, constant - 0.5 * squared(originals[rows], predictions), out=S)
            return S

        return Scores(block, DOUBT, place)


def fitted_mixture(Q: Array, Z: Array, components: int) -> list[tuple[float, Array, Array]]:
    """Regressions of Z (n, t) on Q (n, r): share, coefficients (r, t) and covariance (t, t) of each, by EM.

    There are fewer components than named where a component would have fewer than 2 (r + t) + 4 records.
    Source: DeSarbo and Cron (1988).
    """
    n = len(Z)
    least_records = 2 * (Q.shape[1] + Z.shape[1]) + 4
    k = max(1, min(components, n // least_records))

    # The start: equal parts of the records along the first principal direction of the residuals of one regression.
    R = Z - Q @ np.linalg.lstsq(Q, Z, rcond=None)[0]
    S = R.T @ R / n
    floor = FLOOR * (S + np.trace(S) / len(S) * np.eye(len(S)))
    first_direction = np.linalg.eigh(S)[1][:, -1]
    rank = np.argsort(np.argsort(R @ first_direction, kind="stable"))  # from 0
    part = rank * k // n
    W = np.ascontiguousarray(np.eye(k)[:, part])  # (k, n), memberships of 0 and 1

    for _ in range(ROUNDS):
        # M step, then E step: memberships in proportion to share times density, scaled by the largest.
        fit = _components(Q, Z, W, floor)
        new = np.log(fit.share)[:, None] + _densities(fit.residuals, fit.covariances)
        np.exp(new - new.max(axis=0), out=new)
        new /= new.sum(axis=0)
        moved = float(np.abs(new - W).max())
        W = new
        if moved < 1e-4:
            break
    return list(zip(fit.share.tolist(), fit.coefficients, fit.covariances, strict=True))


@dataclass(frozen=True)
class Components:
    """The k regressions of a mixture."""

    share: Array
    """Shares (k,) of the records, by their memberships."""
    coefficients: Array
    """Coefficients (k, r, t) of Z on Q."""
    residuals: Array
    """Residuals (k, n, t) of every record in each regression."""
    covariances: Array
    """Covariances (k, t, t) of the residuals."""


def _components(Q: Array, Z: Array, W: Array, floor: Array) -> Components:
    """The regressions of Z (n, t) on Q (n, r) with weights W (k, n). floor : (t, t), added to each covariance."""
    mass = np.maximum(W.sum(axis=1), 1e-9)
    weighted = W[:, None, :] * Q.T  # (k, r, n): Q'W, so that B = (Q'W Q)^- Q'W Z
    B = np.linalg.pinv(weighted @ Q, rcond=RANK_TOL, hermitian=True) @ (weighted @ Z)
    R = Z - Q @ B
    C = (W[:, :, None] * R).transpose(0, 2, 1) @ R / mass[:, None, None] + floor
    return Components(share=mass / len(Z), coefficients=B, residuals=R, covariances=C)


def _densities(R: Array, C: Array) -> Array:
    """Logarithms (k, n) of the normal densities of R (k, n, t) with covariances C (k, t, t), without t log(2 pi) / 2."""
    return -0.5 * (((R @ whitener(C)) ** 2).sum(axis=2) + np.linalg.slogdet(C)[1][:, None])


@dataclass(frozen=True)
class PredictionBoxes(Attack):
    """The likeliest residuals, as PredictionLikelihood, among the released records in whose boxes the original lies.

    Each released value is x'beta of the cluster whose line is nearest to its original. So the original is nearer to
    this value than to the predictions of the other lines at the same x. It lies in an interval for each attribute, and
    in a box for all. The lines are estimated from the release: one regression for each cluster, fitted by EM, then to
    the values nearest to each. An attribute is used if all of its values are on the lines; then the own record is
    inside.
    """

    clusters: int
    """Number of lines of each attribute, which has a partition of its own."""

    @property
    def words(self) -> str:
        """See Attack.words."""
        return f"likeliest residuals, in the boxes of {self.clusters} lines"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        likely = PredictionLikelihood().scores(X, Y, Z)
        Q = design(X).columns
        place = np.unique(with_one(X), axis=0, return_inverse=True)[1]  # equal x have one number; X may have no column
        boxes = []
        for j, z in enumerate(Z.T):
            limits = intervals(Q, z, self.clusters, place)
            if limits is not None:
                low, high = limits
                boxes.append((j, low, high))

        def block(rows: slice) -> Array:
            """Log likelihoods (b, N); -inf for released records in whose boxes the original does not lie."""
            S = likely.of_records(rows)
            for j, low, high in boxes:
                y = Y[rows, j, None]
                S[(y < low) | (y > high)] = -np.inf
            return S

        return Scores(block, likely.margin)


def intervals(Q: Array, z: Array, c: int, place: Rows) -> tuple[Array, Array] | None:
    """Lower and upper bounds (n,) of the originals of released values z (n,), each the nearest of c lines in Q (n, r).

    place : (n,), equal for equal rows of Q. None if no lines are found, or too few records are on one.
    """
    # `near` is the largest distance from a line of a value that lies on it.
    whole = bool((z == np.rint(z)).all())
    sd = float(z.std())
    near = EXACT * sd + ROUNDED * whole
    if not near < NOISE * sd:
        return None

    # c lines have at most c values at one place: fewer than c gaps between values that are clearly apart.
    order = np.lexsort((z, place))
    apart = (np.diff(z[order]) > 3 * near) & (np.diff(place[order]) == 0)
    gaps = np.bincount(place[order][1:], weights=apart)
    if (gaps >= c).any():
        return None

    # Every value must be on a line, and every line that is used must have enough records.
    predictions = lines(Q, z, c)
    distance = np.abs(predictions - z[:, None])
    records = np.bincount(distance.argmin(axis=1), minlength=predictions.shape[1])
    used = records > 0
    if (distance.min(axis=1) > near).any() or (records[used] < MIN_RECORDS * Q.shape[1]).any():
        return None

    # The original is nearer to the released value than to the next line above and the next line below.
    others = predictions[:, used]
    above = np.where(others > z[:, None] + near, others, np.inf).min(axis=1)
    below = np.where(others < z[:, None] - near, others, -np.inf).max(axis=1)
    return (z + below) / 2 - near, (z + above) / 2 + near


def lines(Q: Array, z: Array, c: int) -> Array:
    """Predictions (n, c) of c lines in Q (n, r), each fitted to the values z (n,) that are nearest to it."""
    B = np.column_stack([coefficients[:, 0] for _, coefficients, _ in fitted_mixture(Q, z[:, None], c)])
    label = np.full(len(z), -1)
    for _ in range(LINE_ROUNDS):
        before = label
        label = np.abs(Q @ B - z[:, None]).argmin(axis=1)
        moved = before != label
        changed_lines = np.setdiff1d(np.union1d(before[moved], label[moved]), -1)
        for k in changed_lines:
            own = label == k
            if own.any():
                B[:, k] = np.linalg.lstsq(Q[own], z[own], rcond=None)[0]
        if not moved.any():
            break
    return Q @ B
