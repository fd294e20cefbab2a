"""Masking by noise: each kind is a function of the dependent attributes, the amount and a stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidParameter
from ..numerics.factor import basis_and_factor, residual_factor
from ..numerics.location import Location, location, scores
from ..numerics.sorting import normal_scores, placed_by_rank
from ..progress import Note, ignore
from ..rstream import RStream
from ..types import Array
from .draws import ByColumn, Draws, normals_with_factor
from .method import Method
from .parameter import param

MOST = 1e6  # per cent; beyond it there is nothing left to see


def uncorrelated(Y: Array, a: float, stream: Draws, where: Location | None = None) -> Array:
    """Y (n, t) plus normal noise of standard deviation a times each attribute's. Draws: n x t normals by columns.

    where : of all records, where Y is a block of them. Source: Brand (2002), 2.1; sdcMicro's addNoise, "additive".
    """
    return Y + stream.rnorm_matrix(*Y.shape) * (a * (where or location(Y)).sd)


def laplace(Y: Array, a: float, stream: Draws, where: Location | None = None) -> Array:
    """Y (n, t) plus Laplace noise of standard deviation a times each attribute's, a scale of a sd / sqrt 2.

    The scale comes from the data's spread, not from a sensitivity: no differential privacy is promised.
    where : of all records, where Y is a block of them. Draws: n x t uniforms by columns, put through the quantile function.
    """
    u = stream.runif_matrix(*Y.shape) - 0.5
    standard = -np.sign(u) * np.log1p(-2 * np.abs(u)) / np.sqrt(2)
    return Y + standard * (a * (where or location(Y)).sd)


def multiplicative(Y: Array, a: float, stream: Draws) -> Array:
    """Y (n, t) times exp(s z - s^2/2), s^2 = log(1 + a^2), z normal: factors above 0, of mean 1 and sd a.

    Signs and zeros stay; the mean holds on average and the second moment grows by 1 + a^2.
    Draws: n x t normals by columns. Source: Kim and Winkler (2003), with lognormal factors.
    """
    variance = np.log1p(a * a)
    return Y * np.exp(np.sqrt(variance) * stream.rnorm_matrix(*Y.shape) - variance / 2)


def correlated(Y: Array, a: float, stream: Draws) -> Array:
    """Y (n, t) plus normal noise of covariance a^2 S, S the sample covariance of Y.

    The noise has the rank of Y: what is an exact linear identity in Y stays one. Draws: n x t normals by columns.
    Source: Brand (2002), 2.2. (sdcMicro's "correlated" takes noise/100 for a^2.)
    """
    where = location(Y)
    return Y + a * like_in_covariance(scores(Y, where), stream) * where.sd


def like_in_covariance(Z: Array, stream: Draws) -> Array:
    """Normal noise (n, t) whose covariance is the sample covariance of Z (n, t), columns centred, sd 1 or 0."""
    n = len(Z)
    T = residual_factor(Z / np.sqrt(max(n - 1, 1)))
    return normals_with_factor(n, T, stream)


def correlated2(Y: Array, a: float, stream: Draws, where: Location | None = None) -> Array:
    """d y + a e for Y (n, t), d = sqrt(1 - a^2), e normal of mean (1 - d)/a mean(y) and sd(y), a in (0, 1].

    Means and variances hold on average; despite the name the noise is independent between attributes.
    where : of all records, where Y is a block of them. Draws: n x t normals by columns.
    Source: sdcMicro's addNoise, "correlated2", delta = a.
    """
    where = where or location(Y)
    mean, d = where.origin + where.offset, np.sqrt((1 - a) * (1 + a))
    # (1 - d) mean + d y, written so that a constant column stays as it is.
    shrunk = mean + d * (Y - mean)
    return np.where(where.sd > 0, shrunk + a * (stream.rnorm_matrix(*Y.shape) * where.sd), Y)


def linear(Y: Array, a: float, stream: Draws) -> Array:
    """Y (n, t) plus correlated noise of covariance a^2 S, transformed so that sample means and covariances are Y's.

    Kim multiplies the deviations of y + e from the mean by one number, near 1/sqrt(1 + a^2), that keeps S without
    bias. Here it is the symmetric matrix nearest to it that keeps S exactly: with Y = QT centred, Q orthonormal,
    y + e is Q + aE in that basis, and its polar factor (the orthonormal matrix nearest to it) replaces Q.
    With few records there is little room: with two, a release is the original or its mirror image.
    Draws: n x t normals by columns. Source: Kim (1986); the polar factor: Higham (1986).
    """
    where = location(Y)
    n, t = Y.shape
    noise = stream.rnorm_matrix(n, t)
    Q, T = basis_and_factor(scores(Y, where) / np.sqrt(max(n - 1, 1)))
    G = Q + a / np.sqrt(max(n - 1, 1)) * noise[:, : len(T)]
    left, _, right = np.linalg.svd(G - G.mean(axis=0), full_matrices=False)
    deviations = (left @ right) @ T * np.sqrt(max(n - 1, 1))
    return np.where(where.sd > 0, (where.origin + where.offset) + deviations * where.sd, Y)


def nonlinear(Y: Array, a: float, stream: Draws) -> Array:
    """The values of each attribute of Y (n, t), placed by the ranks of its normal scores with correlated noise.

    The noise's covariance is a^2 that of the scores. Each margin is the original's exactly: the values released are
    the file's own, at other records. Draws: n x t normals by columns. Source: Sullivan (1989), with the empirical
    margins and without her later steps, which search for the best correlations.
    """
    S = normal_scores(Y)
    Z = scores(S, location(S))
    return placed_by_rank(Y, Z + a * like_in_covariance(Z, stream))


KINDS: dict[str, Callable[[Array, float, Draws], Array]] = {
    "uncorrelated": uncorrelated,
    "correlated": correlated,
    "linear": linear,
    "nonlinear": nonlinear,
    "laplace": laplace,
    "multiplicative": multiplicative,
    "correlated2": correlated2,
}


@dataclass(frozen=True)
class Noise(Method):
    """Noise added to (or multiplied with) the dependent attributes; X is not used.

    amount : a, in per cent of each attribute's sd (n - 1), above 0 and at most 10^6; S is the covariance of Y. By kind:
    "uncorrelated": normal, of sd a sd, independent between attributes: means and covariances between attributes hold
    on average, variances grow by 1 + a^2. "correlated": normal of covariance a^2 S: means and correlations hold on
    average, collinear attributes stay collinear. "linear": correlated, then transformed so that the file's means and
    covariances are the original's exactly. "nonlinear": correlated noise on normal scores, values placed by the
    result's ranks: each margin is the original's exactly. "laplace": Laplace of sd a sd, no differential privacy.
    "multiplicative": times lognormal factors of mean 1 and sd a (of the value, not of the attribute): signs and
    zeros stay, means hold on average. "correlated2", sdcMicro's with delta = a, at most 100: shrunk towards the mean,
    then noise independent between attributes: means and variances hold on average.
    Seed: undoes every kind: the noise is made again and taken off, its size being told by the release itself. With
    "nonlinear" values come back to within the distance of neighbours in rank.
    Draws: by columns, n normals each (laplace: n uniforms). A constant attribute stays as it is, but with
    "multiplicative". Source: Brand (2002); Kim (1986); Sullivan (1989); sdcMicro's addNoise.
    """

    kind: str = param("uncorrelated", words=KINDS, help="how the noise is made, and what of the file it keeps")
    amount: float = param(
        10.0,
        above=0,
        high=MOST,
        dial=(0.1, 1000),
        help="size of the noise",
        unit="per cent of each attribute's standard deviation",
    )

    about: ClassVar[str] = "noise added to each value, in per cent of its attribute's standard deviation"
    source: ClassVar[str] = "Brand (2002); Kim (1986); Sullivan (1989)"
    undone_by_seed: ClassVar[bool] = True

    def _check(self) -> None:
        if self.kind == "correlated2" and self.amount > 100:
            raise InvalidParameter("Noise", "amount", "must be at most 100 for correlated2", self.amount)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = ignore) -> Array:
        """See Method.protect."""
        if self.kind == "multiplicative":
            zeros = int((Y == 0).sum())
            if zeros:
                note(f"{zeros} values that are 0 stay 0: noise was multiplied")
        else:
            for j in np.flatnonzero(location(Y).sd == 0):
                note(f"dependent attribute {j + 1} is constant and stays as it is")
        return KINDS[self.kind](Y, self.amount / 100, ByColumn(stream, note))
