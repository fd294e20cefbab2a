"""IPSO from noisy sums, differentially private for Y given public X: the sums, their sensitivity, the noise and its accounting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, exp, log, sqrt
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr

from ..errors import InvalidInput, InvalidParameter, Note
from ..numerics.design import design
from ..progress import Reporter
from ..rstream.system import discrete_gaussian, fresh_normals
from ..types import Array

GRID = 2.0**40  # steps of the grid in one sensitivity
MAX_SUMS = 10_000
MARGIN = 1e-9  # relative, for rounding in leverages
DELTA_ERROR = 1e-15  # of rounding in the difference of two probabilities
STATEMENT = (
    "epsilon {epsilon:g}, delta {delta:g}: differential privacy of the confidential values of any one record (zCDP rho {rho:.4g}). "
    "Public: predictors, number of records, which are complete, names, ranges. Not protected: columns released unchanged; the choice "
    "of ranges, method and release"
)
STATEMENT_IN_BRIEF = (
    "epsilon {epsilon:g}, delta {delta:g} for the confidential values of any one record. Not protected: columns released unchanged; "
    "the choice of ranges, method and release"
)
NOISE = (
    "the noise of a mean has a standard deviation of {share:.2g} % of the column's range; max_leverage= limits it (largest leverage "
    "{leverage:.2g}, mean {mean:.2g})"
)
LARGE_DELTA = "delta {delta:g} is not far below 1/n: a mechanism that publishes one record of {total} would satisfy it"
CLIPPED = "{count} of {total} records have a leverage above {leverage:g}: they count with less weight in the regression"
PROJECTED = "the noise exceeds a residual variance, which became 0: there are too few records for this epsilon"


@dataclass(frozen=True)
class Guarantee:
    """Differential privacy of a release, for the confidential values of one record replaced, X and n public.

    Parameters
    ----------
    epsilon, delta : float
        As stated by the user.
    rho : float
        The same noise in zero-concentrated differential privacy, whose budgets add up over releases.
    """

    epsilon: float
    delta: float
    rho: float

    @classmethod
    def of(cls, epsilon: float, delta: float) -> Guarantee:
        """That of the noise calibrated for epsilon and delta."""
        return cls(epsilon, delta, 1 / (2 * noise_multiplier(epsilon, delta) ** 2))

    @property
    def note(self) -> Note:
        """A note on what is protected and what is not."""
        return Note.of("guarantee", STATEMENT, brief=STATEMENT_IN_BRIEF, **vars(self))

    def __str__(self) -> str:
        return str(self.note)


def gaussian_delta(epsilon: float, multiplier: float) -> float:
    """The least delta of a Gaussian mechanism with `multiplier` standard deviations in one sensitivity.

    Source: Balle and Wang (2018), theorem 8.
    """
    a, b = 1 / (2 * multiplier), epsilon * multiplier
    return float(ndtr(a - b) - exp(epsilon + log_ndtr(-a - b)))


def discrete_delta(epsilon: float, multiplier: float) -> float:
    """A bound on the delta of the discrete Gaussian mechanism on the grid, for at most MAX_SUMS sums.

    It is the continuous mechanism's, whose rounded result has the same bound, plus the distance of rounded and discrete
    noise. This is at most 1 / (20 sd^2) in total variation for each sum, with an sd of `multiplier` times GRID steps.
    Source: own.
    """
    distance = MAX_SUMS / (20 * (multiplier * GRID) ** 2)
    return gaussian_delta(epsilon, multiplier) + (1 + exp(epsilon)) * distance + DELTA_ERROR


@cache
def noise_multiplier(epsilon: float, delta: float) -> float:
    """The least noise for epsilon and delta, in standard deviations by sensitivity. Raises InvalidParameter."""

    from scipy.optimize import brentq  # slow to import

    def excess(log_multiplier: float) -> float:
        return discrete_delta(epsilon, exp(log_multiplier)) - delta

    if excess(25.0) > 0:
        raise InvalidParameter("IPSO", "delta", "must be larger: rounded noise has more than that", delta)
    multiplier = exp(brentq(excess, -5.0, 25.0, xtol=1e-12))
    return multiplier * (1 + 1e-10)


def total_epsilon(rho: float, delta: float) -> float:
    """The epsilon, at this delta, of releases whose budgets add up to rho: together they are one Gaussian mechanism.

    At most rho + 2 sqrt(rho log(1/delta)), for any mechanism of zCDP rho. Source: Bun and Steinke (2016).
    """

    from scipy.optimize import brentq  # slow to import

    def excess(epsilon: float) -> float:
        return discrete_delta(epsilon, 1 / sqrt(2 * rho)) - delta

    most = rho + 2 * sqrt(-rho * log(delta))
    if most > 50 or excess(most) > 0:  # where rounded noise has no proof of less
        return most
    return 0.0 if excess(0.0) < 0 else float(brentq(excess, 0.0, most))


@dataclass(frozen=True)
class PublicDesign:
    """Columns that span (1, X), and the weights of the records."""

    columns: Array
    """Columns (n, r), orthonormal."""
    weights: Array
    """Weights (n,), at most 1, so that weight^2 times leverage is at most `leverage`."""
    leverage: float
    """The limit of weight^2 times leverage."""

    @classmethod
    def of(cls, X: Array, max_leverage: float | None = None) -> PublicDesign:
        """The design of X (n, s). max_leverage : the largest leverage with weight 1; a larger h has sqrt(max_leverage / h)."""
        Q = design(X).columns
        h = (Q * Q).sum(axis=1)
        largest = float(h.max())
        leverage = largest if max_leverage is None else min(max_leverage, largest)
        return cls(Q, np.sqrt(np.minimum(1.0, leverage / h)), leverage)

    def scale(self, t: int) -> float:
        """The factor of the sums of squares with which the sensitivity of all sums is that of the sums with X alone."""
        return sqrt(self.leverage / (2 * t))

    def sensitivity(self, t: int) -> float:
        """The largest Euclidean distance of `sums` of two files that differ in one record's y.

        With the record's leverage h and |y|^2 <= t it is max h |y - z|^2 + h/(2t) |yy' - zz'|^2, which opposite corners z = -y
        of the cube attain.
        """
        return 2 * sqrt(self.leverage * t)

    def rounding(self, t: int) -> float:
        """A bound on what floating-point errors add to the distance of two such sums."""
        n, r = self.columns.shape
        unit = (n + 5) * np.finfo(float).eps / 2
        return float(2 * unit / (1 - unit) * (sqrt(r * t * n) + self.scale(t) * t * n))

    def _squares(self, t: int) -> tuple[Any, Array]:
        """The places of squares and products in a symmetric matrix (t, t), and their factors in the vector of sums."""
        upper = np.triu_indices(t)
        return upper, self.scale(t) * np.where(upper[0] == upper[1], 1.0, sqrt(2))

    def sums(self, y: Array) -> Array:
        """All sums as one vector (rt + t(t + 1)/2,): with the columns, then of squares and products. y : (n, t) in [-1, 1]."""
        weighted, (upper, factors) = y * self.weights[:, None], self._squares(y.shape[1])
        return np.concatenate([(self.columns.T @ weighted).ravel(), factors * (y.T @ weighted)[upper]])

    def regression(self, vector: Array, t: int) -> tuple[Array, Array]:
        """Coefficients (r, t) and the residuals' covariance (t, t) from noisy sums, which may not be positive."""
        (upper, factors), B = self._squares(t), np.zeros((t, t))
        A = vector[: -len(factors)].reshape(-1, t)
        B[upper] = B.T[upper] = vector[A.size :] / factors
        b = np.linalg.solve((self.columns * self.weights[:, None]).T @ self.columns, A)
        return np.asarray(b), (B - A.T @ b) / self.weights.sum()


def noisy(vector: Array, sensitivity: float, rounding: float, multiplier: float) -> Array:
    """The vector rounded to a grid, with discrete Gaussian noise of `multiplier` standard deviations in one sensitivity.

    rounding : what floating-point errors may add to the sensitivity. Raises InvalidInput for too many sums.
    """
    if len(vector) > MAX_SUMS:
        raise InvalidInput("IPSO", f"with epsilon there may be at most {MAX_SUMS:,} sums", len(vector))
    step = sensitivity / GRID
    steps = (sensitivity * (1 + MARGIN) + rounding) / step + sqrt(len(vector))  # rounding moves each sum by half a step
    scale = ceil(multiplier * steps)
    return np.array([int(x) + discrete_gaussian(scale) for x in np.rint(vector / step)], dtype=np.float64) * step


def private_release(
    kind: str, X: Array, Y: Array, ranges: Array, *, guarantee: Guarantee, max_leverage: float | None, note: Reporter
) -> Array:
    """The release (n, t) of IPSO-B or C from noisy sums. ranges : (t, 2), the stated range of each column."""
    (n, t), low, width = Y.shape, ranges[:, 0], ranges[:, 1] - ranges[:, 0]
    D = PublicDesign.of(X, max_leverage)
    r = D.columns.shape[1]
    if n < r + t:
        raise InvalidInput("IPSO", f"needs at least {r + t} records for these attributes", n)
    multiplier = noise_multiplier(guarantee.epsilon, guarantee.delta)
    y = 2 * ((np.clip(Y, *ranges.T) - low) / width) - 1
    vector = noisy(D.sums(np.clip(y, -1, 1)), D.sensitivity(t), D.rounding(t), multiplier)
    b, S = D.regression(vector, t)
    values, V = np.linalg.eigh(S)
    root = V * np.sqrt(np.maximum(values, 0.0))
    E = fresh_normals(n, t)
    E -= D.columns @ (D.columns.T @ E)
    if kind == "C":
        E = np.linalg.qr(E)[0] * sqrt(n)
    # Notes are on public facts and on noisy sums only.
    note(guarantee.note)
    share = 100 * multiplier * D.sensitivity(t) / (2 * sqrt(n))
    note(Note.of("guarantee", NOISE, share=share, leverage=D.leverage, mean=r / n))
    if reduced := int((D.weights < 1).sum()):
        note(Note.of("guarantee", CLIPPED, count=reduced, total=n, leverage=D.leverage))
    if guarantee.delta * n >= 0.1:
        note(Note.of("risk", LARGE_DELTA, delta=guarantee.delta, total=n))
    if values[0] < 0:
        note(Note.of("unreliable", PROJECTED))
    return (D.columns @ b + E @ root.T + 1) * (width / 2) + low
