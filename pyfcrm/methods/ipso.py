"""Regression synthesis: IPSO-A, B and C (Burridge 2003; thesis A.1), GADP and EGADP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ..arguments import real_number
from ..data.blocks import Sample
from ..data.roles import Roles
from ..errors import InvalidInput, InvalidParameter
from ..linkage.informed import NormalLikelihood
from ..numerics.factor import solved
from ..rstream import RStream
from ..types import Array
from .basis import BASES, BASIS_HELP, flexible_basis
from .facts import Facts, Preserved
from .method import Method
from .noisy_sums import Guarantee, private_release
from .parameter import param
from .regression import exact_noise, note_rank_deficiency, regression
from .work import NumberWork, Released, Run, SumWork

RANGES = 'a mapping from each dependent column to its range, such as {"wage": (0, 5000)}'
STATED = "not taken from the data, which would disclose values"


def _ranges(owner: str, name: str, value: Any) -> Mapping[str, tuple[float, float]]:
    """The mapping with pairs of floats."""
    if not isinstance(value, Mapping) or not value:
        raise InvalidParameter(owner, name, f"must be {RANGES}, {STATED}", value)
    checked = {}
    for column, ends in value.items():
        try:
            low, high = (real_number(owner, name, end) for end in ends)
        except (TypeError, ValueError):
            low, high = inf, inf
        if not 0 < high - low < inf:
            raise InvalidParameter(owner, name, f"must be {RANGES}, finite, the smaller end first", {column: ends})
        checked[column] = (low, high)
    return checked


@dataclass(frozen=True)
class IPSO(Method):
    """Regression of the dependent attributes on (1, X), released without noise, with noise, or with noise that preserves moments exactly.

    Parameters
    ----------
    kind : {"C", "A", "B"}
        "A" releases the predictions xB. "B" adds residuals of noise on x, which keeps the coefficients B. "C" gives
        those residuals the covariance of the original ones: B, means and covariances are kept exactly.
    variant : {"burridge", "thesis"}
        "thesis" repeats its R code, draw for draw. Its noise is regressed on x and y, and B's noise has standard
        deviation 1 in the data's own units.
    epsilon, delta : float, optional
        With both, B and C are differentially private for Y given public X. The regression and the residuals' covariance
        come from noisy sums, which the release then preserves.
    clip : mapping, optional
        With epsilon the range of each dependent column, {"wage": (0, 5000)}; a value outside counts as the nearer end. It must come
        from knowledge other than the data.
    max_leverage : float, optional
        With epsilon, from 0 to 1: a record with a leverage h above it has the weight sqrt(max_leverage / h) in the regression.
        The noise becomes smaller. Coefficients change where the relation is not linear.
    basis : {"linear", "flexible"}, optional
        "flexible" (ours) regresses on columns of the predictors' values and splines too: one for each value but one of a
        numeric predictor with at most 20, a natural cubic spline with knots at the quartiles of another. At most a
        sixteenth as many sums as records are preserved: columns that explain least are left out. With epsilon they depend on X alone.
        None is "linear", and under Calibrated its basis.

    Notes
    -----
    Works when X or Y is exactly collinear.

    With epsilon: let two files differ in the confidential values of one record. Any set of releases has probabilities p
    and q under them with p <= exp(epsilon) q + delta. Public are X, the number of records, which records are complete,
    names and ranges. The columns released unchanged, and the choice of ranges, method and release, are not protected.
    Tests and searches on the original are outside the guarantee. One discrete Gaussian is added to all sums (1, X)'Y
    and Y'Y, as one vector on a grid. Its sensitivity is 2 sqrt(h t), h the largest leverage, for columns scaled to [-1,
    1]. The noise and all normals come from the operating system's generator and are stored nowhere: the release cannot
    be repeated. `protect` refuses everything else that reads Y.

    Draws: burridge, B and C: one n x t block of normals by columns; with epsilon none of a stream. thesis, always: two such
    blocks, B's before C's.

    Seed: burridge, B and C: gives the residuals' covariance, no record: another original with the same B and
    covariance has the same release. thesis, B and C: undoes it, as EGADP. A has no noise.

    References
    ----------
    Burridge (2003); thesis 3 and A.1. Epsilon: Balle and Wang (2018); Canonne, Kamath and Steinke (2020).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.IPSO("C"), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    kind: str = param(
        "C", words=("A", "B", "C"), help="the regression alone, with noise, or with noise made to fit exactly"
    )
    variant: str = param(
        "burridge", words=("burridge", "thesis"), help="the published form, or what the thesis's code does"
    )
    epsilon: float | None = param(
        None,
        above=0,
        high=20,
        help="differential privacy for the dependent columns given public predictors; needs delta and clip",
    )
    delta: float | None = param(
        None, low=1e-12, below=1, help="with epsilon: the probability with which its bound may fail, far below 1/n"
    )
    clip: Any = param(
        None,
        requirement=RANGES,
        check=_ranges,
        help="with epsilon: the range of each dependent column, never taken from the data",
    )
    max_leverage: float | None = param(
        None, above=0, high=1, help="with epsilon: records of more leverage count with less weight, for less noise"
    )
    basis: str | None = param(None, words=BASES, help=BASIS_HELP)

    about = "regression on the independent attributes, with noise that keeps means and covariances (C)"
    term = "IPSO"
    source = "Burridge (2003)"
    group = "start"

    def _check(self) -> None:
        if self.epsilon is None:
            for name in ("delta", "clip", "max_leverage"):
                if getattr(self, name) is not None:
                    raise InvalidParameter("IPSO", name, "must be left out without `epsilon`", getattr(self, name))
            return
        if self.kind == "A" or self.variant == "thesis":
            raise InvalidParameter(
                "IPSO", "epsilon", 'must be left out for kind "A" and the thesis\'s variant', str(self)
            )
        if self.delta is None:
            raise InvalidParameter("IPSO", "delta", "must be given with `epsilon`: far below 1/n, such as 1e-6", None)
        if self.clip is None:
            raise InvalidParameter("IPSO", "clip", f"must be given with `epsilon`, {RANGES}, {STATED}", None)
        Guarantee.of(self.epsilon, self.delta)  # raises InvalidParameter for a delta that no noise can have

    def work(self, roles: Roles, records: int | None) -> NumberWork | SumWork:
        """See Method.work: with epsilon the noisy sums are those of records in memory."""
        if self._guarantee is not None:
            return NumberWork(self._private)
        return SumWork(self.fit, design_from_sums=True, basis=self.basis or "linear")

    def on_average(self) -> Method:
        """See Method.on_average: the same regression, with noise that is not made to fit; kind "A" gets noise, too."""
        return self if self.epsilon is not None else GADP(basis=self.basis)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        # The release discloses the regression, and noise of the residuals' covariance discloses that too.
        covariance_known = self.kind == "C" or (self.kind == "B" and self.variant == "burridge")
        attack = NormalLikelihood() if covariance_known else NormalLikelihood(of="unknown")
        return Facts(
            masks="values",
            pairs="always",
            keeps=self._preserved,
            averages=False,
            reissues_values=False,
            undone_by_seed=self.variant == "thesis" and self.kind != "A",
            weak_generator=False,
            deniable=False,
            privacy=self._guarantee,
            swaps=False,
            attacks=(attack,),
            seed_probe="normals",
        )

    @property
    def _guarantee(self) -> Guarantee | None:
        """The differential privacy, with epsilon and delta."""
        if self.epsilon is None or self.delta is None:
            return None
        return Guarantee.of(self.epsilon, self.delta)

    @property
    def _preserved(self) -> Preserved:
        """The sums of the original that the release preserves: none with epsilon, which preserves noisy ones."""
        if self.epsilon is not None:
            return ""
        if self.kind == "C":
            return "moments"
        return "fits"

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """See Method.guesser: the noise is a combination of the normals, of which the thesis's C has another block first."""
        probe = super().guesser(X, Y, run)
        block = 2 * Y.size  # uniforms: R spends two per normal draw
        unused = block if (self.kind, self.variant) == ("C", "thesis") else 0

        def guess(stream: RStream) -> Array:
            stream.skip(unused)
            return probe(stream)

        return guess

    def _private(self, X: Array, Y: Array, run: Run) -> Array:
        """The release from noisy sums (n, t), see NumberWork.release."""
        guarantee = self._guarantee
        assert guarantee is not None
        names = run.names or tuple(self.clip)
        if len(names) != Y.shape[1]:
            raise InvalidParameter("IPSO", "clip", f"must have a range for each of {Y.shape[1]} columns", self.clip)
        for name in names:
            if name not in self.clip:
                raise InvalidParameter("IPSO", "clip", f"must have the range of `{name}`, {STATED}", list(self.clip))
        ranges = np.array([self.clip[name] for name in names])
        if self.basis == "flexible":
            basis = flexible_basis(Sample.of(X, Y, run.engine), run.terms, private=True, note=run.note)
            X = basis.design(X)
        return private_release(
            self.kind, X, Y, ranges, guarantee=guarantee, max_leverage=self.max_leverage, note=run.note
        )

    def fit(self, sample: Sample, run: Run) -> Released:
        """See SumWork.fit."""
        if self.variant == "thesis" and self.kind != "A" and sample.n < 2:
            raise InvalidInput("IPSO", "the thesis's variant needs at least two records", sample.n)
        fit = regression(sample, run.note, self._normals(sample, run.stream))
        if self.kind == "A":
            return fit.released()
        if self.variant == "thesis" and self.kind == "C":
            return fit.released(exact_noise("IPSO", fit, run.note, "the thesis's variant "))
        if self.variant == "thesis":
            return fit.released((fit.on_both()[0], np.diag(1 / (fit.sd() * fit.basis.scale))))
        T, (slopes, left) = fit.factor, fit.on_x()
        note_rank_deficiency(T, sample.t, run.note)
        # B: noise of covariance S = R'R/n = T'T/n. C: that of cross-products T'T in the sample.
        return fit.released((slopes, T / np.sqrt(fit.n) if self.kind == "B" else solved(left, T)))

    def _normals(self, sample: Sample, stream: RStream) -> list[Any] | None:
        if self.variant == "thesis":
            of_b, of_c = (sample.draws(stream, sample.t, "normal") for _ in range(2))
            return {"A": None, "B": of_b, "C": of_c}[self.kind]
        return None if self.kind == "A" else sample.draws(stream, sample.t, "normal")


@dataclass(frozen=True)
class GADP(Method):
    """The predictions xB of the regression on (1, X) plus normal noise of the residuals' covariance S = R'R/n.

    Means, covariances and the coefficients B hold on average over draws, not in the file at hand (EGADP and IPSO-C
    keep them exactly). X is used; without it the release is a normal sample with the file's mean and covariance.

    Parameters
    ----------
    basis : {"linear", "flexible"}, optional
        See IPSO: the columns of numeric predictors that are regressed on.

    Notes
    -----
    Draws: one n x t block of normals by columns.

    Seed: gives B and S exactly, no record: another original with these has the same release.

    References
    ----------
    Muralidhar, Parsa and Sarathy (1999).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.GADP(), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    basis: str | None = param(None, words=BASES, help=BASIS_HELP)

    about = "regression on the independent attributes plus normal noise: moments kept on average"
    term = "general additive data perturbation"
    source = "Muralidhar, Parsa and Sarathy (1999)"
    group = "synthetic"

    def work(self, roles: Roles, records: int | None) -> SumWork:
        """See Method.work."""
        return SumWork(self.fit, design_from_sums=True, basis=self.basis or "linear")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="values",
            pairs="always",
            keeps="average",
            averages=False,
            reissues_values=False,
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            # The release discloses the regression and the residuals' covariance.
            attacks=(NormalLikelihood(),),
            seed_probe="release",
        )

    def fit(self, sample: Sample, run: Run) -> Released:
        """See SumWork.fit."""
        fit = regression(sample, run.note)
        T = fit.factor
        note_rank_deficiency(T, sample.t, run.note)
        normals = sample.draws(run.stream, sample.t, "normal")
        return fit.released((np.zeros((0, len(T))), T / np.sqrt(sample.n)), draws=normals)


@dataclass(frozen=True)
class EGADP(Method):
    """The predictions xB of the regression on (1, X) plus noise that has the residuals' covariance in the sample.

    The noise is regressed on x and y first, and so uncorrelated with both. Means, all covariances with X and within Y,
    and the coefficients B are exactly the original's. The release discloses of Y only what X does. X is used.

    Parameters
    ----------
    basis : {"linear", "flexible"}, optional
        See IPSO: the columns of numeric predictors that are regressed on.

    Raises
    ------
    InvalidInput
        By `protect`, with fewer than 1 + s + 2t records, by rank.

    Notes
    -----
    It is the thesis's variant of IPSO-C without the block of normals that its code draws for B.

    Draws: one n x t block of normals by columns.

    Seed: undoes it. The part of the noise (regressed on x) outside the release's residuals lies along the original
    ones. With one dependent attribute these are found up to the sign, with t up to a rotation that t known records fix.

    References
    ----------
    Muralidhar and Sarathy (2005).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.EGADP(), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    basis: str | None = param(None, words=BASES, help=BASIS_HELP)

    about = "regression on the independent attributes plus noise that keeps means and covariances exactly"
    term = "exact general additive data perturbation"
    source = "Muralidhar and Sarathy (2005)"
    group = "synthetic"

    def work(self, roles: Roles, records: int | None) -> SumWork:
        """See Method.work."""
        return SumWork(self.fit, design_from_sums=True, basis=self.basis or "linear")

    def on_average(self) -> Method:
        """See Method.on_average: the same regression, with noise that is not made to fit."""
        return GADP(basis=self.basis)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="values",
            pairs="always",
            keeps="moments",
            averages=False,
            reissues_values=False,
            undone_by_seed=True,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            # The release discloses the regression and the residuals' covariance.
            attacks=(NormalLikelihood(),),
            seed_probe="normals",
        )

    def fit(self, sample: Sample, run: Run) -> Released:
        """See SumWork.fit."""
        fit = regression(sample, run.note, sample.draws(run.stream, sample.t, "normal"))
        return fit.released(exact_noise("EGADP", fit, run.note))
