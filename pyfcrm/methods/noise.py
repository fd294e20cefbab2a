"""Masking by noise. Some kinds treat each value separately; in the others the noise has the file's covariance.

Every factor is a sum over blocks of records, in memory or on disk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..data.blocks import Sample, loaded, pieces, taken
from ..data.records import Records
from ..engine import Local, row_blocks
from ..errors import InvalidParameter, Note
from ..linkage.informed import Attack, FactorLikelihood, LaplaceLikelihood, NormalLikelihood
from ..numerics.design_by_blocks import centred_factor, column_sums, location
from ..numerics.factor import basis_and_factor
from ..numerics.location import Location, scores
from ..numerics.sorting import normal_scores, placed_by_rank
from ..rstream import RStream
from ..types import Array, Terms
from .method import PLAIN_RUN, PROBED_RECORDS, Run
from .parameter import param
from .summed_method import Released, SummedMethod

MIN_VARIANCE = 1e-6  # of a release, for what is left of the original: correlated2 of 100 per cent preserves nothing
MAX_AMOUNT = 1e6  # per cent; beyond it the release shows nothing of the original
ZEROS = "{count} {count:value that is 0 stays|values that are 0 stay} 0: noise was multiplied"
NOWHERE = Location(*np.zeros((3, 1)))  # of kinds that need no location
BlockMap = Callable[[Array], Array]
Draws = Sequence[Any]


def uncorrelated(Y: Array, a: float, e: Array, where: Location) -> Array:
    """Y (b, t) plus normal noise of standard deviation a times each attribute's. e : (b, t) normals.

    Source: Brand (2002), 2.1; sdcMicro's addNoise, "additive".
    """
    return Y + e * (a * where.sd)


def laplace(Y: Array, a: float, u: Array, where: Location) -> Array:
    """Y (b, t) plus Laplace noise of standard deviation a times each attribute's, a scale of a sd / sqrt 2.

    The scale comes from the data's spread, not from a sensitivity: it gives no differential privacy. u : (b, t)
    uniforms, put through the quantile function.
    """
    u = u - 0.5
    standard = -np.sign(u) * np.log1p(-2 * np.abs(u)) / np.sqrt(2)
    return Y + standard * (a * where.sd)


def multiplicative(Y: Array, a: float, e: Array, where: Location) -> Array:
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


def _standardised(first: int, where: Location, n: int, block: Array) -> Array:
    """The columns of a block from `first` on, centred, sd 1 or 0, over sqrt(n - 1)."""
    return scores(block[:, first : first + len(where.sd)], where) / np.sqrt(max(n - 1, 1))


def _factor(sample: Sample, first: int, where: Location) -> Array:
    """The triangular factor of these columns."""
    columns = sample.mapped(partial(_standardised, first, where, sample.n))
    return centred_factor(sample.engine, columns, np.zeros(len(where.sd)))


def correlated(a: float, sample: Sample, where: Location, draws: Draws) -> Released:
    """Y (n, t) plus normal noise of covariance a^2 S, S the sample covariance of Y.

    The noise has the rank of Y: what is an exact linear identity in Y stays one. draws : n x t normals.
    Source: Brand (2002), 2.2. (sdcMicro's "correlated" takes noise/100 for a^2.)
    """
    T = basis_and_factor(_factor(sample, sample.s, where))[1]
    return Released(partial(_correlated, a, sample.s, where, T), draws)


def _correlated(a: float, first: int, where: Location, T: Array, block: Array) -> Array:
    k, t = T.shape
    noise = block[:, first + t :][:, :k] @ T
    return block[:, first : first + t] + a * noise * where.sd


def linear(a: float, sample: Sample, where: Location, draws: Draws) -> Released:
    """Y (n, t) plus correlated noise of covariance a^2 S, transformed so that sample means and covariances are Y's.

    Kim multiplies the deviations of y + e from the mean by one number, near 1/sqrt(1 + a^2), that keeps S without
    bias. Here it is the symmetric matrix nearest to it that keeps S exactly. With Y = QT centred, Q orthonormal, y + e
    is Q + aE in that basis. Its polar factor (the nearest orthonormal matrix) replaces Q: that basis times V D^-1 V',
    with D and V of its triangular factor. With few records the release is nearly determined: with two, it is the
    original or its mirror image. draws : n x t normals. Source: Kim (1986); the polar factor: Higham (1986).
    """
    n, root = sample.n, float(np.sqrt(max(sample.n - 1, 1)))
    T = basis_and_factor(_factor(sample, sample.s, where))[1]
    moved = partial(_moved, a / root, sample.s, where, n, np.asarray(np.linalg.pinv(T), dtype=np.float64))
    blocks = sample.mapped(moved, draws)
    mean = column_sums(sample.engine, blocks, len(T))[0] / n
    _, size, right = np.linalg.svd(centred_factor(sample.engine, blocks, mean), full_matrices=False)
    polar = (right.T / np.where(size > 0, size, np.inf)) @ right
    return Released(partial(_linear, moved, sample.s, where, mean, polar @ T * root), draws)


def _moved(a: float, first: int, where: Location, n: int, back: Array, block: Array) -> Array:
    """Q + a E: the orthonormal basis Q of a block's standardised columns, and noise E in that basis. back : (t, k) from the
    columns to Q."""
    t, k = back.shape
    return _standardised(first, where, n, block) @ back + a * block[:, first + t :][:, :k]


def _linear(moved: BlockMap, first: int, where: Location, mean: Array, M: Array, block: Array) -> Array:
    Y = block[:, first : first + len(where.sd)]
    return np.where(where.sd > 0, (where.origin + where.offset) + ((moved(block) - mean) @ M) * where.sd, Y)


def nonlinear(a: float, sample: Sample, where: Location, draws: Draws) -> Released:
    """The values of each attribute of Y (n, t), placed by the ranks of its normal scores with correlated noise.

    The noise's covariance is a^2 that of the scores. Each margin is the original's exactly: the values released are
    the file's own, at other records. They are placed a column at a time. draws : n x t normals.
    Source: Sullivan (1989), with the empirical margins and without her later steps, which search for the best correlations.
    """
    n, s, t = sample.n, sample.s, sample.t
    columns, moved = (Records.empty(n, t, on_disk=not sample.in_memory, folder=sample.folder) for _ in range(2))
    for j in range(t):
        columns.A[:, j] = normal_scores(sample.rows.column(s + j))[:, 0]
    scored = Sample(sample.engine, pieces(columns, sample.engine), columns, 0, t, sample.folder)
    at = location(scored.engine, scored.blocks, n, 0, t)
    T = basis_and_factor(_factor(scored, 0, at))[1]
    for rows, draw in zip(row_blocks(n), draws, strict=True):
        moved.A[rows] = scores(columns.read(rows), at) + a * (loaded(draw)[:, : len(T)] @ T)
    for j in range(t):  # in place of the scores
        columns.A[:, j] = placed_by_rank(sample.rows.column(s + j), moved.column(j))[:, 0]
    return Released(partial(taken, columns=tuple(range(s + t, s + 2 * t))), pieces(columns, Local()))


KERNELS: dict[str, Callable[[Array, float, Array, Location], Array]] = {
    "uncorrelated": uncorrelated,
    "laplace": laplace,
    "multiplicative": multiplicative,
    "correlated2": correlated2,
}
JOINT: dict[str, Callable[[float, Sample, Location, Draws], Released]] = {
    "correlated": correlated,
    "linear": linear,
    "nonlinear": nonlinear,
}


def _separate(kernel: Any, a: float, dependent: slice, where: Location, block: Array) -> Array:
    return kernel(block[:, dependent], a, block[:, dependent.stop :], where)


def _zeros(which: slice, block: Array) -> Array:
    return (block[:, which] == 0).astype(np.float64)


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
        "uncorrelated", words=(*KERNELS, *JOINT), help="how the noise is generated, and what of the file it preserves"
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
    source = "Brand (2002); Kim (1986); Sullivan (1989)"
    undone_by_seed = True
    masks = "perturb"

    def passes(self, t: int) -> int:
        """See Method.passes."""
        return 9

    def _check(self) -> None:
        if self.kind == "correlated2" and self.amount > 100:
            raise InvalidParameter("Noise", "amount", "must be at most 100 for correlated2", self.amount)

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """See Method.attacks: the amount determines the covariance of the noise."""
        a = self.amount / 100
        if self.kind == "laplace":
            return (LaplaceLikelihood(a), NormalLikelihood(1.0, a * a, "each"))
        if self.kind == "multiplicative":
            return (FactorLikelihood(a),)
        if self.kind == "correlated2":
            return (NormalLikelihood(float(np.sqrt(max(1 - a * a, MIN_VARIANCE))), a * a, "each"),)
        if self.kind in ("uncorrelated", "correlated"):
            return (NormalLikelihood(1.0, a * a, "each" if self.kind == "uncorrelated" else "whole"),)
        d = 1 / float(np.sqrt(1 + a * a))  # of what is linear, or of scores, after both have their variance again
        return (NormalLikelihood(d, 1 - d * d, "whole", by_rank=self.kind == "nonlinear"),)

    def guesser(self, X: Array, Y: Array, terms: Terms = ()) -> Callable[[RStream], Array]:
        """See Method.guesser: draws are by columns, those of the first attribute first."""
        y, a = Y[:PROBED_RECORDS, :1], self.amount / 100
        if self.kind == "multiplicative":
            return lambda stream: multiplicative(y, a, stream.rnorm(len(y))[:, None], NOWHERE)
        if self.kind == "laplace":
            return lambda stream: laplace(0 * y, a, stream.runif(len(y))[:, None], Location(*np.ones((3, 1))))
        return lambda stream: stream.rnorm(len(y))[:, None]

    def fit(self, sample: Sample, stream: RStream, run: Run = PLAIN_RUN) -> Released:
        """See SummedMethod.fit."""
        a, s, t = self.amount / 100, sample.s, sample.t
        if self.kind == "multiplicative":
            where, blocks = NOWHERE, sample.mapped(partial(_zeros, slice(s, s + t)))
            if zeros := int(column_sums(sample.engine, blocks, t)[0].sum()):
                run.note(Note.of("left_as_is", ZEROS, count=zeros))
        else:
            where = location(sample.engine, sample.blocks, sample.n, s, s + t)
            for j in np.flatnonzero(where.sd == 0).tolist():
                run.note(Note.of("constant", "{attributes} is constant and stays as it is", [j]))
        columns = list[Any]()
        for j in range(t):
            run.tracker.step(j, t)
            columns.append(sample.draws(stream, 1, "uniform" if self.kind == "laplace" else "normal"))
        draws = list(zip(*columns, strict=True))
        if self.kind in JOINT:
            return JOINT[self.kind](a, sample, where, draws)
        return Released(partial(_separate, KERNELS[self.kind], a, slice(s, s + t), where), draws)
