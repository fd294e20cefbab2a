"""General additive data perturbation: GADP (Muralidhar, Parsa and Sarathy 1999), and EGADP with exact moments
(Muralidhar and Sarathy 2005)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..data.blocks import Sample
from ..linkage.informed import Attack, NormalLikelihood
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .draws import first_normals
from .method import Released, SummedMethod
from .regression import AddedNoise, exact_noise, regression, say_rank


@dataclass(frozen=True)
class GADP(SummedMethod):
    """The predictions xB of the regression on (1, X) plus normal noise of the residuals' covariance S = R'R/n.

    Means, covariances and the coefficients B hold on average over draws, not in the file at hand (EGADP and IPSO-C
    keep them exactly). X is used; without it the release is a normal sample with the file's mean and covariance.

    Notes
    -----
    Draws: one n x t block of normals by columns.

    Seed: gives B and S exactly, no record: another original with these has the same release.

    References
    ----------
    Muralidhar, Parsa and Sarathy (1999).
    """

    about = "regression on the independent attributes plus normal noise: moments kept on average"
    source = "Muralidhar, Parsa and Sarathy (1999)"
    undone_by_seed = False
    keeps = "average"

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """See Method.attacks: the release tells the regression and the residuals' covariance."""
        return (NormalLikelihood(),)

    def fit(self, sample: Sample, stream: RStream, note: Reporter = discard) -> Released:
        """See SummedMethod.fit."""
        fit = regression(sample, note)
        T = fit.factor
        say_rank(T, sample.t, note)
        normals = sample.draws(stream, sample.t, "normal")
        return fit.released(AddedNoise(normals, np.zeros((0, len(T))), T / np.sqrt(sample.n)))


@dataclass(frozen=True)
class EGADP(SummedMethod):
    """The predictions xB of the regression on (1, X) plus noise that has the residuals' covariance in the sample.

    The noise is regressed on x and y first: it is uncorrelated with both, so that means, all covariances with X and
    within Y, and the coefficients B are the original's exactly, and the release tells of Y only what X does. X is
    used.

    Raises
    ------
    InvalidInput
        By `protect`, with fewer than 1 + s + 2t records, by rank.

    Notes
    -----
    It is the thesis's variant of IPSO-C without the block of normals that its code draws for B.

    Draws: one n x t block of normals by columns.

    Seed: undoes it. What the noise regressed on x has left outside of the release's residuals lies along the original
    ones: with one dependent attribute these are found but for the sign, with t but for a turn that t known records
    fix.

    References
    ----------
    Muralidhar and Sarathy (2005).
    """

    about = "regression on the independent attributes plus noise that keeps means and covariances exactly"
    source = "Muralidhar and Sarathy (2005)"
    undone_by_seed = True
    keeps = "moments"

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """See Method.attacks: the release tells the regression and the residuals' covariance."""
        return (NormalLikelihood(),)

    def guesser(self, X: Array, Y: Array) -> Callable[[RStream], Array]:
        """See Method.guesser: all of the noise is made of the normals."""
        n, t = Y.shape
        return lambda stream: first_normals(n, t, self.guessed_by, stream)

    def fit(self, sample: Sample, stream: RStream, note: Reporter = discard) -> Released:
        """See SummedMethod.fit."""
        fit = regression(sample, note, sample.draws(stream, sample.t, "normal"))
        return fit.released(exact_noise("EGADP", fit, note))
