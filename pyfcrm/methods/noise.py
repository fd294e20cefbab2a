"""Masking by noise. Some kinds treat each value separately; in the others the noise has the file's covariance.

But for "nonlinear", every factor is a sum over blocks of records, in memory or on disk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from ..data.blocks import Sample, total
from ..data.roles import Roles
from ..engine import Local, Part
from ..errors import InvalidParameter, Note
from ..linkage.informed import Attack, FactorLikelihood, LaplaceLikelihood, NormalLikelihood
from ..numerics.design_by_blocks import centred_factor, column_sums, location
from ..numerics.factor import basis_and_factor
from ..numerics.location import Location, scores
from ..numerics.sorting import normal_scores, placed_by_rank
from ..rstream import RStream
from ..types import Array
from .facts import Facts
from .method import PROBED_RECORDS, Method
from .parameter import param
from .work import NumberWork, Released, Run, SumWork

MIN_VARIANCE = 1e-6  # of a release, for what is left of the original: correlated2 of 100 per cent preserves nothing
MAX_AMOUNT = 1e6  # per cent; beyond it the release shows nothing of the original
ZEROS = "{count} {count:value that is 0 stays|values that are 0 stay} 0: noise was multiplied"
UNIT = Location(*np.ones((3, 1)))  # of kinds that need no location
Draws = Sequence[Any]
Kernel = Callable[[Array, Array], Array]
"""Of a block of dependent columns and of its draws, both (b, t): the released values, or an intermediate result (b, k)."""


def uncorrelated(a: float, where: Location, Y: Array, e: Array) -> Array:
    """Y (b, t) plus normal noise of standard deviation a times each attribute's. e : (b, t) normals.

    Source: Brand (2002), 2.1; sdcMicro's addNoise, "additive".
    """
    return Y + e * (a * where.sd)


def laplace(a: float, where: Location, Y: Array, u: Array) -> Array:
    """Y (b, t) plus Laplace noise of standard deviation a times each attribute's, a scale of a sd / sqrt 2.

    The scale comes from the data's spread, not from a sensitivity: it gives no differential privacy. u : (b, t)
    uniforms, put through the quantile function.
    """
    u = u - 0.5
    standard = -np.sign(u) * np.log1p(-2 * np.abs(u)) / sqrt(2)
    return Y + standard * (a * where.sd)


def multiplicative(a: float, where: Location, Y: Array, e: Array) -> Array:
    """Y (b, t) times exp(s z - s^2/2), s^2 = log(1 + a^2), z normal: factors above 0, of mean 1 and sd a.

    Signs and zeros stay; the mean holds on average and the second moment grows by 1 + a^2.
    e : (b, t) normals. Source: Kim and Winkler (2003), with lognormal factors.
    """
    variance = np.log1p(a * a)
    return Y * np.exp(sqrt(variance) * e - variance / 2)


def correlated2(a: float, where: Location, Y: Array, e: Array) -> Array:
    """d y + a e for Y (b, t), d = sqrt(1 - a^2), e normal of mean (1 - d)/a mean(y) and sd(y), a in (0, 1].

    Means and variances hold on average; despite the name the noise is independent between attributes.
    e : (b, t) normals. Source: sdcMicro's addNoise, "correlated2", delta = a.
    """
    mean, d = where.origin + where.offset, sqrt((1 - a) * (1 + a))
    # (1 - d) mean + d y, written so that a constant column stays as it is.
    shrunk = mean + d * (Y - mean)
    return np.where(where.sd > 0, shrunk + a * (e * where.sd), Y)


def _of_block(sample: Sample, kernel: Callable[[Array, Array], Part]) -> Callable[[Array], Part]:
    """A kernel of dependent columns and draws as a function of a block, which has the draws on its right."""
    s, p = sample.s, sample.s + sample.t
    return lambda block: kernel(block[:, s:p], block[:, p:])


def _standardised(where: Location, n: int, Y: Array, e: Array) -> Array:
    """Columns Y (b, t) centred, sd 1 or 0, over sqrt(n - 1)."""
    return scores(Y, where) / sqrt(max(n - 1, 1))


def _factor(sample: Sample, where: Location) -> Array:
    """T (k, t), k the rank of the standardised dependent columns, with T'T their cross-products."""
    columns = sample.mapped(_of_block(sample, partial(_standardised, where, sample.n)))
    return basis_and_factor(centred_factor(sample.engine, columns, np.zeros(sample.t)))[1]


def correlated(a: float, where: Location, sample: Sample, draws: Draws) -> Kernel:
    """Y (n, t) plus normal noise of covariance a^2 S, S the sample covariance of Y.

    The noise has the rank of Y: what is an exact linear identity in Y stays one. draws : n x t normals.
    Source: Brand (2002), 2.2. (sdcMicro's "correlated" takes noise/100 for a^2.)
    """
    T = _factor(sample, where)
    return lambda Y, e: Y + a * (e[:, : len(T)] @ T) * where.sd


def linear(a: float, where: Location, sample: Sample, draws: Draws) -> Kernel:
    """Y (n, t) plus correlated noise of covariance a^2 S, transformed so that sample means and covariances are Y's.

    Kim multiplies the deviations of y + e from the mean by one number, near 1/sqrt(1 + a^2), that keeps S without
    bias. Here it is the symmetric matrix nearest to it that keeps S exactly. With Y = QT centred, Q orthonormal, y + e
    is Q + aE in that basis. Its polar factor (the nearest orthonormal matrix) replaces Q: that basis times V D^-1 V',
    with D and V of its triangular factor. With few records the release is nearly determined: with two, it is the
    original or its mirror image. draws : n x t normals. Source: Kim (1986); the polar factor: Higham (1986).
    """
    n, root = sample.n, sqrt(max(sample.n - 1, 1))
    T = _factor(sample, where)
    to_basis = np.linalg.pinv(T)

    def moved(Y: Array, e: Array) -> Array:
        """Q + a E: the orthonormal basis Q of standardised columns, and noise E in that basis."""
        return _standardised(where, n, Y, e) @ to_basis + a / root * e[:, : len(T)]

    blocks = sample.mapped(_of_block(sample, moved), draws)
    mean = column_sums(sample.engine, blocks, len(T))[0] / n
    _, size, right = np.linalg.svd(centred_factor(sample.engine, blocks, mean), full_matrices=False)
    M = (right.T / np.where(size > 0, size, np.inf)) @ right @ T * root

    def kernel(Y: Array, e: Array) -> Array:
        return np.where(where.sd > 0, (where.origin + where.offset) + ((moved(Y, e) - mean) @ M) * where.sd, Y)

    return kernel


def nonlinear(a: float, Y: Array, e: Array) -> Array:
    """The values of each attribute of Y (n, t), placed by the ranks of its normal scores with correlated noise.

    The noise's covariance is a^2 that of the scores. Each margin is the original's exactly: the values released are
    the file's own, at other records. e : (n, t) normals.
    Source: Sullivan (1989), with the empirical margins and without her later steps, which search for the best correlations.
    """
    S = normal_scores(Y)
    sample = Sample.of(np.empty((len(Y), 0)), S, Local())
    where = location(sample.engine, sample.blocks, len(Y), 0, Y.shape[1])
    return placed_by_rank(Y, correlated(a, where, sample, ())(S, e))


SEPARATE = {
    "uncorrelated": uncorrelated,
    "laplace": laplace,
    "multiplicative": multiplicative,
    "correlated2": correlated2,
}
JOINT = {"correlated": correlated, "linear": linear}


@dataclass(frozen=True)
class Noise(Method):
    """Noise added to (or multiplied with) the dependent attributes; X is not used.

    Parameters
    ----------
    kind : str
        In what follows a is the amount and S the covariance of Y. "uncorrelated": normal, of sd a sd, independent
        between attributes: means and covariances between attributes hold on average, variances grow by 1 + a^2.
        "correlated": normal of covariance a^2 S: means and correlations hold on average, collinear attributes stay
        collinear. "linear": correlated, then transformed so that the file's means and covariances are the original's
        exactly. "nonlinear": correlated noise on normal scores, values placed by the result's ranks: each margin is
        the original's exactly. "laplace": Laplace of sd a sd, no differential privacy. "multiplicative": times
        lognormal factors of mean 1 and sd a (of the value, not of the attribute): signs and zeros stay, means hold on
        average. "correlated2": sdcMicro's with delta = a, at most 100: shrunk towards the mean, then noise independent
        between attributes: means and variances hold on average.
    amount : float
        a, in per cent of each attribute's sd (n - 1), above 0 and at most 10^6.

    Notes
    -----
    A constant attribute stays as it is, but with "multiplicative".

    Draws: by columns, n normals each (laplace: n uniforms).

    Seed: undoes every kind: the noise can be generated again and subtracted, and the release discloses its size. With
    "nonlinear" values come back to within the distance of neighbours in rank.

    References
    ----------
    Brand (2002); Kim (1986); Sullivan (1989); sdcMicro's addNoise.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.Noise("linear", amount=50), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    kind: str = param(
        "uncorrelated",
        words=(*SEPARATE, *JOINT, "nonlinear"),
        help="how the noise is generated, and what of the file it preserves",
    )
    amount: float = param(
        10.0,
        above=0,
        high=MAX_AMOUNT,
        dial=(0.1, 1000),
        help="size of the noise",
        unit="per cent of each attribute's standard deviation",
    )

    about = "noise added to each value, in per cent of its attribute's standard deviation"
    term = "additive noise"
    source = "Brand (2002); Kim (1986); Sullivan (1989)"
    group = "perturb"

    def _check(self) -> None:
        if self.kind == "correlated2" and self.amount > 100:
            raise InvalidParameter("Noise", "amount", "must be at most 100 for correlated2", self.amount)

    def work(self, roles: Roles, records: int | None) -> NumberWork | SumWork:
        """See Method.work: "nonlinear" takes ranks among all records, other kinds need sums."""
        if self.kind == "nonlinear":
            return NumberWork(self._by_ranks)
        return SumWork(self.fit)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="perturb",
            pairs="always",
            keeps="",
            averages=True,
            reissues_values=self.kind == "nonlinear",
            undone_by_seed=True,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=self._attacks,
            seed_probe="release",
        )

    @property
    def _attacks(self) -> tuple[Attack, ...]:
        """The likelihood of the noise, whose covariance the amount determines."""
        a = self.amount / 100
        if self.kind == "laplace":
            return (LaplaceLikelihood(a), NormalLikelihood(1.0, a * a, "each"))
        if self.kind == "multiplicative":
            return (FactorLikelihood(a),)
        if self.kind == "correlated2":
            return (NormalLikelihood(sqrt(max(1 - a * a, MIN_VARIANCE)), a * a, "each"),)
        if self.kind in ("uncorrelated", "correlated"):
            return (NormalLikelihood(1.0, a * a, "each" if self.kind == "uncorrelated" else "whole"),)
        d = 1 / sqrt(1 + a * a)  # of what is linear, or of scores, after both have their variance again
        return (NormalLikelihood(d, 1 - d * d, "whole", by_rank=self.kind == "nonlinear"),)

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """See Method.guesser: draws are by columns, those of the first attribute first."""
        y = Y[:PROBED_RECORDS, :1]
        draw = RStream.runif if self.kind == "laplace" else RStream.rnorm
        base = y if self.kind == "multiplicative" else 0 * y  # of ranks, the noise alone
        kernel = partial(SEPARATE.get(self.kind, uncorrelated), self.amount / 100, UNIT, base)
        return lambda stream: kernel(draw(stream, len(y))[:, None])

    def fit(self, sample: Sample, run: Run) -> Released:
        """See SumWork.fit."""
        a = self.amount / 100
        where = self._location(sample, run)
        draws = sample.draws(run.stream, sample.t, "uniform" if self.kind == "laplace" else "normal")
        if self.kind in JOINT:
            joint = JOINT[self.kind](a, where, sample, draws)
            return Released(_of_block(sample, joint), draws)
        separate = partial(SEPARATE[self.kind], a, where)
        return Released(_of_block(sample, separate), draws)

    def _by_ranks(self, X: Array, Y: Array, run: Run) -> Array:
        """The release "nonlinear" (n, t), see NumberWork.release."""
        sample = Sample.of(X, Y, run.engine)
        self._location(sample, run)  # for its notes
        draws = sample.draws(run.stream, sample.t, "normal")
        return nonlinear(self.amount / 100, Y, np.vstack(draws))

    def _location(self, sample: Sample, run: Run) -> Location:
        """Means and standard deviations of the dependent columns. Notes values that noise does not change."""
        if self.kind == "multiplicative":
            zeros = total(sample.engine, _of_block(sample, lambda Y, _: int((Y == 0).sum())), sample.blocks)
            if zeros:
                run.note(Note.of("left_as_is", ZEROS, count=zeros))
            return UNIT
        where = location(sample.engine, sample.blocks, sample.n, sample.s, sample.s + sample.t)
        for j in np.flatnonzero(where.sd == 0).tolist():
            run.note(Note.of("constant", "{attributes} is constant and stays as it is", [j]))
        return where
