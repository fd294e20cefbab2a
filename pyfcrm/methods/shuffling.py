"""Data shuffling: the original values, in the order of new ones drawn given the independent attributes."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..data.roles import Roles
from ..errors import Note
from ..linkage.informed import NormalLikelihood
from ..numerics.location import standardise
from ..numerics.sorting import average_ranks, normal_scores, placed_by_rank
from ..rstream import RStream
from ..types import Array
from .extremes import Extremes, original_extremes
from .facts import Facts
from .method import Method
from .work import NumberWork, Run

SAFE_PIVOT = 1e-6  # of a correlation matrix: a smaller one is half lost to rounding
NEGATIVE_TOL = 1e-6  # what MASS::mvrnorm allows a covariance's eigenvalues below 0, of the largest
RANK_TOL = 1e-10  # of the largest eigenvalue of a correlation matrix


@dataclass(frozen=True)
class Shuffling(Method):
    """Each attribute's own values, placed by the ranks of a normal sample that follows X as Y does: sdcMicro's "ds".

    Margins are kept exactly, rank correlations roughly, and of Y's own order the release knows only what X does. X is
    used; without it the sample is drawn from Y's own correlations.

    Notes
    -----
    Normal scores of the ranks replace X and Y. Their correlations are 2 sin(pi r/6), r Spearman's. The sample is drawn
    from the normal distribution of Y's scores given X's.

    Draws: one n x t block of normals by columns, along eigenvectors whose last component that is not 0 is positive. Where R's
    LAPACK gives one the other sign, sdcMicro's file from the same seed is another shuffle.

    Seed: gives the rank correlations, no record: another original with these and the margins has the same release.

    References
    ----------
    Muralidhar and Sarathy (2006); sdcMicro's shuffle.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.Shuffling(), roles)
    >>> sorted(released.frame["DEBT"]) == sorted(frame["DEBT"])  # margins are kept
    True
    """

    about = "the original values in a new order, drawn given the independent attributes: margins are kept"
    term = "data shuffling"
    source = "Muralidhar and Sarathy (2006)"
    group = "synthetic"

    def extremes(self, y: Array) -> Extremes | None:
        """See Method.extremes: the original margin."""
        return partial(original_extremes, y)

    def work(self, roles: Roles, records: int | None) -> NumberWork:
        """See Method.work."""
        return NumberWork(self.release)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="values",
            pairs="always",
            keeps="",
            averages=False,
            reissues_values=True,
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            # The release discloses the regression of scores of Y on those of X.
            attacks=(NormalLikelihood(by_rank=True),),
            seed_probe="release",
        )

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """See NumberWork.release."""
        n, t = Y.shape
        R = standardise(average_ranks(np.column_stack([Y, X])))
        P = 2 * np.sin(np.pi / 6 * (R.T @ R) / max(n - 1, 1))
        # A generalised inverse, as attributes may be collinear in rank; constant ones correlate with nothing.
        B = np.linalg.pinv(P[t:, t:], rcond=RANK_TOL, hermitian=True) @ P[t:, :t]
        e, proper = eigen_normals(n, P[:t, :t] - P[:t, t:] @ B, run.stream)
        if not proper:
            wording = "the rank correlations are not those of a normal distribution: negative eigenvalues count as 0"
            run.note(Note.of("approximated", wording))
        return placed_by_rank(Y, normal_scores(X) @ B + e)


def eigen_normals(n: int, covariance: Array, stream: RStream) -> tuple[Array, bool]:
    """Draws (n, t) from N(0, covariance) as MASS's mvrnorm makes them, and whether the covariance is one.

    Eigenvalues below 0 count as 0; the second result is False where one lies far below. The sign of an
    eigenvector depends on LAPACK in R; here the last component that is not 0 is positive, so that machines agree.
    Draws: one n x t block of normals by columns.
    """
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    for j, vector in enumerate(vectors.T):
        if vector[np.flatnonzero(np.abs(vector) > SAFE_PIVOT)[-1]] < 0:
            vectors[:, j] = -vector
    proper = bool((values >= -NEGATIVE_TOL * np.abs(values).max(initial=0.0)).all())
    noise = stream.rnorm_matrix(n, len(values))
    return (noise * np.sqrt(np.maximum(values, 0.0))) @ vectors.T, proper
