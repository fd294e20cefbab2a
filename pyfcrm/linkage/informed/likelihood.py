"""Likelihood attacks: on regressions on the unmodified columns with noise, Laplace noise, factors, randomised categories."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...numerics.design import design
from ...numerics.location import location, scores
from ...numerics.moments import whitener
from ...numerics.sorting import normal_scores
from ...progress import OnStep, discard
from ...types import Array, Codes
from .base import DOUBT, Attack, Scores, likelihood_of_centers

LEAST_RESIDUAL = 1e-3  # share of an attribute's variance that predictions leave at least


@dataclass(frozen=True)
class NormalLikelihood(Attack):
    """The record whose x and z give the original's y the largest likelihood, if y given (x, z) is normal.

    The model is z = c + B'x + kept r + e, with y = B'x + r and noise e of covariance N, which follows from the method. B and
    the covariances are estimated from the release. Then y given (x, z) is normal with mean B'x + (z - B'x) S_z^- kept S_y.
    With kept = 0 the release is no more informative on y than x.

    Parameters
    ----------
    kept : float
        Share of an original's own residual in its release: 0 for IPSO and similar methods.
    noise : float
        The variance of the noise, as a multiple of `of`.
    of : {"residuals", "whole", "each", "unknown"}
        N is a multiple of the covariance of y given x; of that of y; or of its diagonal. "unknown": the covariance of y given
        x does not follow from the release, and is that of the originals less that of the predictions.
    by_rank : bool
        Whether X, Y and Z are replaced by the normal scores of their own ranks.

    References
    ----------
    Own design, after Muralidhar and Sarathy's and Burridge's models
    """

    kept: float = 0.0
    noise: float = 1.0
    of: Literal["residuals", "whole", "each", "unknown"] = "residuals"
    by_rank: bool = False

    @property
    def words(self) -> str:
        """See Attack.words."""
        known = "the kept columns and the release" if self.kept else "the kept columns"
        return f"likeliest given {known}" + (", in normal scores" if self.by_rank else "")

    def baseline(self, X: Array, Y: Array, on_step: OnStep = discard) -> float:
        """See Attack.baseline: of normal scores if the attack uses these."""
        if self.by_rank:
            X = normal_scores(X)
            Y = normal_scores(Y)
        return super().baseline(X, Y, on_step)

    def calibrated(self, margins: bool) -> tuple[Attack, ...]:
        """See Attack.calibrated: the model remains valid for other moments and, in normal scores, for other margins."""
        if margins and not self.by_rank:
            return (self, replace(self, by_rank=True))
        return (self,)

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        if self.by_rank:
            X = normal_scores(X)
            Y = normal_scores(Y)
            Z = normal_scores(Z)
        of_originals = location(Y)
        Y = scores(Y, of_originals)
        Z = scores(Z, of_originals)
        center, C = self._model(X, Y, Z)
        W = whitener(C)
        return likelihood_of_centers(Y @ W, center @ W)

    def _model(self, X: Array, Y: Array, Z: Array) -> tuple[Array, Array]:
        """The mean of y given each record's x and z, (n, t), and its covariance (t, t).

        S is a covariance given x, T a covariance; the index is the variable.
        """
        n = len(Z)
        kept = self.kept
        mean = Z.mean(axis=0)
        Q = design(X).columns
        P = Q @ (Q.T @ (Z - mean))  # predictions of z
        R = Z - mean - P
        S_z = R.T @ R / n
        T_z = (P.T @ P + R.T @ R) / n
        if self.of == "unknown":
            return mean + P, Y.T @ Y / n - P.T @ P / n

        # S_z = kept^2 S_y + noise N, where N is S_y, T_y or the diagonal of T_y; likewise T_z = kept^2 T_y + noise N.
        size = kept * kept + self.noise
        if self.of == "residuals":
            S_y = S_z / size
        else:  # noise is added to y itself, so z = kept y + e
            N = T_z / size if self.of == "whole" else np.diag(np.diag(T_z) / size)
            S_y = (S_z - self.noise * N) / kept**2
            P = P / kept
        S_y = _proper(S_y)

        # The regression of y on z given x: M = S_z^- kept S_y. R are the residuals of z; S_y - kept S_y M is what remains.
        M = np.linalg.pinv(S_z, hermitian=True, rcond=1e-10) @ S_y * kept
        return mean + P + R @ M, S_y - kept * S_y @ M


@dataclass(frozen=True)
class PredictionLikelihood(Attack):
    """The record whose prediction gives the original's residuals the largest likelihood, normal and independent.

    The variance of a residual is that of the original minus that of the predictions, at least 1e-3 of the original's.
    Well-predicted attributes have more weight.
    """

    words = "likeliest residuals from the predictions"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        variance_of_y = location(Y).sd ** 2
        variance_of_z = location(Z).sd ** 2
        unit = np.sqrt(np.maximum(variance_of_y - variance_of_z, LEAST_RESIDUAL * variance_of_y))
        unit = np.where(unit > 0, unit, 1.0)
        middle = Y.mean(axis=0)
        return likelihood_of_centers((Y - middle) / unit, (Z - middle) / unit)


def _proper(S: Array) -> Array:
    """The nearest covariance matrix to S (t, t): symmetric, with eigenvalues of at least 0."""
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


@dataclass(frozen=True)
class LaplaceLikelihood(Attack):
    """The record with the smallest sum of absolute differences from the original, as under Laplace noise.

    Laplace noise of scale b has density exp(-|z - y| / b) / (2 b) and sd sqrt(2) b.
    """

    amount: float
    """The sd of the noise, in sd of each attribute of the original."""

    words = "likeliest under Laplace noise"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        sd = location(Y).sd
        scale = np.where(sd > 0, sd, 1.0) * self.amount / np.sqrt(2)
        return sum_over_attributes(Y / scale, Z / scale, lambda j, y, z: -np.abs(y - z))


@dataclass(frozen=True)
class FactorLikelihood(Attack):
    """The likeliest record under lognormal factors, which keep signs and zeros.

    The logarithm of an original has a normal prior, so that the estimate of the original shrinks towards the prior mean.
    """

    amount: float
    """The sd of the factors, whose mean is 1."""

    words = "likeliest under factors, of equal signs and zeros"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        logarithms, signs = _logarithms(Z)
        center, sd = self._model(logarithms, signs)

        def log_likelihood(j: int, y: Array, z: Array) -> Array:
            """Log likelihood (b, N) of originals y (b, 1) given the released z (N,) of attribute j, but for a constant."""
            logarithm, sign = _logarithms(y)
            released_sign = np.sign(z)
            gap = (logarithm - center[:, j]) / sd[j]
            of_amounts = np.where(released_sign == 0, 0.0, -0.5 * gap * gap)
            return np.where(sign == released_sign, of_amounts, -np.inf)

        return sum_over_attributes(Y, Z, log_likelihood)

    def _model(self, z: Array, sign: Array) -> tuple[Array, Array]:
        """Mean (n, t) and sd (t,) of the logarithms of originals given the released ones z (n, t).

        The factors' logarithms have variance v = log(1 + amount^2) and mean -v/2, so that the factors have mean 1. With
        prior variance s, the logarithm given z is normal with mean (prior mean) + s / (s + v) (z - (mean of z)) and variance
        s v / (s + v); the prior mean is the mean of z plus v/2. Estimates are of the records that are not 0.
        """
        noise = float(np.log1p(self.amount**2))
        nonzero = sign != 0
        count = np.maximum(nonzero.sum(axis=0), 1)
        mean = z.sum(axis=0) / count  # zeros count nothing: their logarithm is set to 0
        spread = np.maximum((nonzero * (z - mean) ** 2).sum(axis=0) / count - noise, 0.0)  # s
        share = spread / (spread + noise)
        sd = np.maximum(np.sqrt(share * noise), 1e-9)
        return mean + noise / 2 + share * (z - mean), sd


@dataclass(frozen=True)
class TransitionLikelihood(Attack):
    """Categories that change by a known matrix: the released record to which the transitions of all columns are likeliest.

    Codes for categories, from 0; NaN for missing, which has no information. The shares of the transitions themselves
    stand for the matrix.
    """

    words = "by transition probabilities"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        y = codes_from_one(Y)
        z = codes_from_one(Z)
        tables = [_log_transitions(original, released) for original, released in zip(y.T, z.T, strict=True)]
        return sum_over_attributes(y, z, lambda j, a, b: tables[j][a, b])


def sum_over_attributes(y: Any, z: Any, score: Callable[[int, Any, Any], Array]) -> Scores:
    """Scores that are sums over attributes, with the margin of likelihoods.

    y : (n, p) originals; z : (N, p) protected; score : (b, N) of attribute j, for originals (b, 1) and protected values (N,).
    """

    def block(rows: slice) -> Array:
        """Scores (b, N) of some originals."""
        return np.sum([score(j, y[rows, j, None], z[:, j]) for j in range(y.shape[1])], axis=0)

    return Scores(block, DOUBT)


def _logarithms(A: Array) -> tuple[Array, Array]:
    """Logarithms of magnitudes, 0 for a value of 0; and signs. Both in the shape of A."""
    magnitudes = np.abs(np.where(A == 0, 1.0, A))
    return np.log(magnitudes), np.sign(A)


def codes_from_one(A: Array) -> Codes:
    """Codes (n, q) from 1, 0 for missing."""
    return np.nan_to_num(A + 1.0).astype(np.int64)


def _log_transitions(y: Codes, z: Codes) -> Array:
    """Logarithms (k, k) of the shares of each z within each y, both (n,); 0 where one is missing."""
    size = int(max(y.max(), z.max())) + 1
    table = np.zeros((size, size))
    np.add.at(table, (y, z), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(table / table.sum(axis=1, keepdims=True))
    log[np.isnan(log)] = -np.inf
    log[0] = 0.0
    log[:, 0] = 0.0
    return log
