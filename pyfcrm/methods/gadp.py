"""General additive data perturbation, GADP (Muralidhar, Parsa and Sarathy 1999)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..rstream import RStream
from .method import Method, Note, unheard
from .normal_draws import normals_with_factor
from .regression import regression, say_rank
from .residual_factor import residual_factor

Array = NDArray[np.float64]


@dataclass(frozen=True)
class GADP(Method):
    """The predictions xB of the regression on (1, X) plus normal noise of the residuals' covariance S = R'R/n.

    Means, covariances and the coefficients B hold on average over draws, not in the file at hand (EGADP and IPSO-C
    keep them exactly). X is used; without it the release is a normal sample with the file's mean and covariance.
    Seed: gives B and S exactly, no record: another original with these has the same release.
    Draws: one n x t block of normals by columns. Source: Muralidhar, Parsa and Sarathy (1999).
    """

    about: ClassVar[str] = "regression on the independent attributes plus normal noise: moments kept on average"
    source: ClassVar[str] = "Muralidhar, Parsa and Sarathy (1999)"
    undone_by_seed: ClassVar[bool] = False

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = unheard) -> Array:
        """See Method.protect."""
        fit = regression(X, Y, note)
        T = residual_factor(fit.residuals)
        say_rank(T, Y.shape[1], note)
        return fit.released(normals_with_factor(len(Y), T / np.sqrt(len(Y)), stream))
