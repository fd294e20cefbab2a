"""Hybrid files: original values combined with synthetic ones, linearly, by regression or within small groups."""

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from ..arguments import at_most_records
from ..data.blocks import Sample, taken
from ..data.roles import Roles
from ..errors import Note
from ..linkage.informed import NormalLikelihood
from ..numerics.design import design
from ..types import Array
from .facts import Facts, Preserved
from .grouping.mdav import mdav_groups
from .ipso import EGADP, IPSO
from .method import Method
from .parameter import param
from .regression import exact_noise, regression
from .work import NumberWork, Released, Run, SumWork


@dataclass(frozen=True)
class Hybrid(Method):
    """Between the original and a synthetic file. X is used.

    Parameters
    ----------
    kind : {"linear", "regression", "microaggregation"}
        "linear", alpha Y + (1 - alpha) S with S an EGADP file. It keeps means and the coefficients B of the regression
        on (1, X) exactly. The covariance of the residuals shrinks by alpha^2 + (1 - alpha)^2. "regression", Muralidhar
        and Sarathy's with the matrix alpha I: xB + alpha R + e. R are the residuals, e noise uncorrelated with X and Y
        of covariance (1 - alpha^2) R'R/n. It keeps means, covariances and B exactly. "microaggregation", MDAV groups on
        (X, Y) with IPSO-C inside each: keeps the means, covariances and B of each group, so those of the file, exactly.
    alpha : float
        Share of the original, from 0 (EGADP) to 1 (the original); for the first two kinds.
    k : int
        Smallest group, for the third; it is raised to s + t + 1, by rank, which IPSO-C needs.

    Raises
    ------
    InvalidInput
        By `protect`, as EGADP, where alpha < 1.
    InvalidParameter
        By `protect`, for k above n.

    Notes
    -----
    Draws: an n x t block of normals by columns; for microaggregation, such a block for each group, in order.

    Seed: linear and regression: undoes it, as EGADP, unless alpha is 1 and there is nothing left to undo.
    microaggregation: gives no record: the groups are not released, and within one it is IPSO-C.

    References
    ----------
    Muralidhar and Sarathy (2008); Domingo-Ferrer and Gonzalez-Nicolas (2010).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.Hybrid("regression", alpha=0.3), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    kind: str = param(
        "linear",
        words=("linear", "regression", "microaggregation"),
        help="how original and synthetic values are combined",
    )
    alpha: float = param(
        0.5, low=0, high=1, dial=(0.0, 1.0), only=("kind", ("linear", "regression")), help="share of the original"
    )
    k: int = param(3, low=1, only=("kind", ("microaggregation",)), help="the least size of a group", unit="records")

    about = "original values combined with synthetic ones, by a weight or within small groups"
    term = "hybrid masking"
    source = "Muralidhar and Sarathy (2008); Domingo-Ferrer and Gonzalez-Nicolas (2010)"
    group = "perturb"

    def work(self, roles: Roles, records: int | None) -> NumberWork | SumWork:
        """See Method.work: groups need all records at once."""
        if self.kind == "microaggregation":
            return NumberWork(self._in_groups)
        return SumWork(self.fit, design_from_sums=True)

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts: EGADP's, but for the share of the original."""
        # A share of the record's own residual, and noise, of one covariance.
        attack = NormalLikelihood(kept=self.alpha, noise=self._synthetic * self._synthetic)
        shared = Facts.of(EGADP().facts(roles), masks="perturb", averages=True)
        if self.kind == "microaggregation":
            return Facts.of(shared, keeps="", undone_by_seed=False, attacks=(NormalLikelihood(),))
        # The noise and the own residuals of "regression" have the original's covariance together.
        preserved: Preserved = "fits" if self.kind == "linear" else "moments"
        original = self.alpha == 1
        return Facts.of(
            shared, keeps=preserved, reissues_values=original, undone_by_seed=not original, attacks=(attack,)
        )

    @property
    def _synthetic(self) -> float:
        """The share of the noise."""
        return 1 - self.alpha if self.kind == "linear" else sqrt((1 - self.alpha) * (1 + self.alpha))

    def fit(self, sample: Sample, run: Run) -> Released:
        """See SumWork.fit."""
        normals = sample.draws(run.stream, sample.t, "normal")
        if self.alpha == 1:
            return Released(partial(taken, columns=sample.dependent))
        fit = regression(sample, run.note, normals)
        return fit.released(exact_noise("Hybrid", fit, run.note), self._synthetic, own=self.alpha)

    def _in_groups(self, X: Array, Y: Array, run: Run) -> Array:
        """IPSO-C within MDAV groups of at least k and s + t + 1 records, on all attributes scaled by variance; (n, t)."""
        n = len(Y)
        at_most_records("Hybrid", "k", self.k, n)
        needed = design(X).rank + design(Y).rank - 1  # s + t + 1 by rank, as each design counts an intercept
        size = min(max(self.k, needed), n)
        if size > self.k:
            words = "groups have at least {count} records, which these attributes need, not k = {k}"
            run.note(Note.of("group_sizes", words, count=size, k=self.k))
        grouped = run.tracker.part(0, 2)
        labels = mdav_groups(np.column_stack([X, Y]), size, note=run.note, on_step=grouped.step)
        groups = int(labels.max()) + 1
        released = np.empty_like(Y)
        collinear = 0
        tracker = run.tracker.part(1, 2)
        for group in range(groups):
            tracker.step(group, groups)
            rows = labels == group
            notes = list[str]()
            released[rows] = IPSO("C").protect(X[rows], Y[rows], run.stream, notes.append)
            collinear += bool(notes)  # the only note on a group's release
        if collinear:
            words = (
                "in {count} of {total} groups attributes are collinear, or constant: factors of lower rank were used"
            )
            run.note(Note.of("collinear", words, count=collinear, total=groups))
        return released
