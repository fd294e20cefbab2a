"""Enhanced general additive data perturbation, EGADP (Muralidhar and Sarathy 2005): GADP with exact moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..rstream import RStream
from .method import Method, Note, unheard
from .regression import exact_noise, regression

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EGADP(Method):
    """The predictions xB of the regression on (1, X) plus noise that has the residuals' covariance in the sample.

    The noise is regressed on x and y first: it is uncorrelated with both, so that means, all covariances with X and
    within Y, and the coefficients B are the original's exactly, and the release tells of Y only what X does.
    It is the thesis's variant of IPSO-C without the block of normals that its code draws for B. X is used.
    Draws: one n x t block of normals by columns. Errors: InvalidInput with fewer than 1 + s + 2t records, by rank.
    Seed: undoes it. What the noise regressed on x has left outside of the release's residuals lies along the original
    ones: with one dependent attribute these are found but for the sign, with t but for a turn that t known records fix.
    Source: Muralidhar and Sarathy (2005).
    """

    about: ClassVar[str] = (
        "regression on the independent attributes plus noise that keeps means and covariances exactly"
    )
    source: ClassVar[str] = "Muralidhar and Sarathy (2005)"
    undone_by_seed: ClassVar[bool] = True

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = unheard) -> Array:
        """See Method.protect."""
        fit = regression(X, Y, note)
        return fit.released(exact_noise("EGADP", X, fit, stream.rnorm_matrix(*Y.shape), note))
