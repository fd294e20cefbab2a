"""Masking by noise: the kinds that treat each value by itself, and the method; see correlated_noise for the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..data.blocks import Sample, total
from ..engine import Added
from ..errors import InvalidParameter, Note
from ..linkage.informed import Attack, FactorLikelihood, LaplaceLikelihood, NormalLikelihood
from ..numerics.design_by_blocks import location
from ..numerics.location import Location
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .correlated_noise import TOGETHER
from .draws import drawn_by_column
from .method import Released, SummedMethod
from .parameter import param

LEAST = (
    1e-6  # of the variance of a release, for what is left of the original: correlated2 of 100 per cent keeps nothing
)
MOST = 1e6  # per cent; beyond it there is nothing left to see


def uncorrelated(Y: Array, a: float, e: Array, where: Location) -> Array:
    """Y (b, t) plus normal noise of standard deviation a times each attribute's. e : (b, t) normals.

    Source: Brand (2002), 2.1; sdcMicro's addNoise, "additive".
    """
    return Y + e * (a * where.sd)


def laplace(Y: Array, a: float, u: Array, where: Location) -> Array:
    """Y (b, t) plus Laplace noise of standard deviation a times each attribute's, a scale of a sd / sqrt 2.

    The scale comes from the data's spread, not from a sensitivity: no differential privacy is promised.
    u : (b, t) uniforms, put through the quantile function.
    """
    u = u - 0.5
    standard = -np.sign(u) * np.log1p(-2 * np.abs(u)) / np.sqrt(2)
    return Y + standard * (a * where.sd)


def multiplicative(Y: Array, a: float, e: Array, where: Location | None = None) -> Array:
    """Y (b, t) times exp(s z - s^2/2), s^2 = log(1 + a^2), z normal: factors above 0, of mean 1 and sd a.

    Signs and zeros stay; the mean holds on average and the second moment grows by 1 + a^2.
    e : (b, t) normals. Source: Kim and Winkler (2003), with lognormal factors.
    """
    variance = np.log1p(a * a)
    return Y * np.exp(np.sqrt(variance) * e - variance / 2)


def correlated2(Y: Array, a: float, e: Array, where: Location) -> Array:
    """d y + a e for Y (b, t), d = sqrt(1 - a^2), e normal of mean (1 - d)/a mean(y) and sd(y), a in (0, 1].

    Means and variances hold on average; despite the name the noise is independent between attributes.
    e : (b, t) normals. Source: sdcMicro's addNoise, "correlated2", delta = a.
    """
    mean, d = where.origin + where.offset, np.sqrt((1 - a) * (1 + a))
    # (1 - d) mean + d y, written so that a constant column stays as it is.
    shrunk = mean + d * (Y - mean)
    return np.where(where.sd > 0, shrunk + a * (e * where.sd), Y)


ONE_BY_ONE: dict[str, Callable[[Array, float, Array, Location], Array]] = {
    "uncorrelated": uncorrelated,
    "laplace": laplace,
    "multiplicative": multiplicative,
    "correlated2": correlated2,
}
KINDS = ("uncorrelated", "correlated", "linear", "nonlinear", "laplace", "multiplicative", "correlated2")


@dataclass(frozen=True)
class _OneByOne:
    """A block's values with its draws, each by itself; first : of the dependent columns."""

    kind: str
    a: float
    first: int
    where: Location

    def __call__(self, block: Array) -> Array:
        t = len(self.where.sd)
        Y, e = block[:, self.first : self.first + t], block[:, self.first + t :]
        return ONE_BY_ONE[self.kind](Y, self.a, e, self.where)


@dataclass(frozen=True)
class _Zeros(Added):
    """How many values of some columns are 0."""

    first: int

    def part(self, block: Array) -> int:
        return int((block[:, self.first :] == 0).sum())


@dataclass(frozen=True)
class Noise(SummedMethod):
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

    Seed: undoes every kind: the noise is made again and taken off, its size being told by the release itself. With
    "nonlinear" values come back to within the distance of neighbours in rank.

    References
    ----------
    Brand (2002); Kim (1986); Sullivan (1989); sdcMicro's addNoise.
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

    about = "noise added to each value, in per cent of its attribute's standard deviation"
    source = "Brand (2002); Kim (1986); Sullivan (1989)"
    undone_by_seed = True
    masks = "perturb"

    def _check(self) -> None:
        if self.kind == "correlated2" and self.amount > 100:
            raise InvalidParameter("Noise", "amount", "must be at most 100 for correlated2", self.amount)

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """See Method.attacks: the amount tells the covariance of the noise."""
        a = self.amount / 100
        d = 1 / float(np.sqrt(1 + a * a))  # of what is linear, or of scores, after both have their variance again
        known: dict[str, tuple[Attack, ...]] = {
            "uncorrelated": (NormalLikelihood(1.0, a * a, "each"),),
            "correlated": (NormalLikelihood(1.0, a * a, "whole"),),
            "linear": (NormalLikelihood(d, 1 - d * d, "whole"),),
            "nonlinear": (NormalLikelihood(d, 1 - d * d, "whole", by_rank=True),),
            "laplace": (LaplaceLikelihood(a), NormalLikelihood(1.0, a * a, "each")),
            "multiplicative": (FactorLikelihood(a),),
            "correlated2": (NormalLikelihood(float(np.sqrt(max(1 - a * a, LEAST))), a * a, "each"),),
        }
        return known[self.kind]

    def guesser(self, X: Array, Y: Array) -> Callable[[RStream], Array]:
        """See Method.guesser: draws go by columns, and those of the first attribute come first."""
        y, a = Y[: self.guessed_by, :1], self.amount / 100
        if self.kind == "multiplicative":
            return lambda stream: multiplicative(y, a, stream.rnorm(len(y))[:, None])
        if self.kind == "laplace":
            return lambda stream: laplace(0 * y, a, stream.runif(len(y))[:, None], Location(*np.ones((3, 1))))
        return lambda stream: stream.rnorm(len(y))[:, None]

    def fit(self, sample: Sample, stream: RStream, note: Reporter = discard) -> Released:
        """See SummedMethod.fit."""
        a, s, t = self.amount / 100, sample.s, sample.t
        if self.kind == "multiplicative":
            where = Location(*np.zeros((3, t)))  # not asked for
            zeros = total(sample.engine, _Zeros(s), sample.blocks)
            if zeros:
                note(
                    Note.of(
                        "left_as_is",
                        "{count} {count:value that is 0 stays|values that are 0 stay} 0: noise was multiplied",
                        count=int(zeros),
                    )
                )
        else:
            where = location(sample.engine, sample.blocks, sample.n, s, s + t)
            for j in np.flatnonzero(where.sd == 0).tolist():
                note(Note.of("constant", "{attributes} is constant and stays as it is", [j]))
        draws = drawn_by_column(sample, stream, note, "uniform" if self.kind == "laplace" else "normal")
        if self.kind in ONE_BY_ONE:
            return Released(_OneByOne(self.kind, a, s, where), draws)
        return TOGETHER[self.kind](a, sample, where, draws)

    def passes(self, t: int) -> int:
        """See Method.passes."""
        return 9
