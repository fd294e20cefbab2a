"""Calibration: a method's release with target margins and the original's moments, by swaps within columns."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..constraints.accepted import Totals
from ..data.roles import Roles
from ..engine.engines import side_by_side
from ..errors import InvalidParameter, Note
from ..linkage.informed import Attack
from ..progress import Reporter
from ..rstream import RStream
from ..types import Array, Mask
from .facts import NOT_EXAMINED, Facts, Preserved, Unexamined
from .ipso import IPSO
from .margins import FEWEST, point_masses, smooth_margin
from .method import NO_ROLES, Method
from .parameter import param
from .permutation import note_outside_range
from .regression import with_moments
from .separation import MOST, separating_levels
from .work import NumberWork, Run

WRAPS = "a method that replaces numbers one for one, without epsilon, such as IPSO(kind='C')"

LOW_RANK = "residuals of rank {count} cannot have the original's covariance, of rank {total}: only part is kept"
LOW_RANK_IN_BRIEF = "residuals of low rank cannot have the original's covariance: only part is kept"
IN_BOUNDS = "by swaps alone all {total} records satisfy the inequalities"
OUT_OF_BOUNDS = "{count} of {total} records do not satisfy the inequalities by swaps, and are moved"
VERBATIM = (
    "all {total} values are released verbatim: an intruder who knows a record's values can find whether it is in the file; "
    'margins="smooth" avoids this'
)
SEPARATED = (
    "a level of an unmodified column nearly determines {attributes}: its records swap these values among themselves"
)
POINT_MASSES = "{count} of {total} values are point masses of {attributes}, which stay with their counts"


def _numeric_method(owner: str, name: str, method: Any) -> Method:
    if isinstance(method, Method) and method.replaces_numbers() and method.facts(NO_ROLES).privacy is None:
        return method
    raise InvalidParameter(owner, name, f"must be {WRAPS}", method)


@dataclass(frozen=True)
class Calibrated(Method):
    """The release of `method` with target margins, exactly, and with the original's moments.

    The target margins are placed by the ranks of the release. Then pairs of records swap their values of one column, if
    this brings the covariances, with X and among the columns, nearer to the original's. Every released column is a
    permutation of its margin: whole numbers stay whole, and point masses keep their counts.

    Parameters
    ----------
    method : Method
        The method whose release gives the ranks, such as IPSO("C").
    moments : bool
        Whether swaps restore the covariances; without, the margins are only placed by rank.
    margins : {"smooth", "original"} or None
        "smooth": values smoothed by rank, with the original's mean, standard deviation and decimals (see `smooth_margin`).
        "original": the original values, which disclose membership in the file. None keeps the release's margins, and a
        linear map gives it the original's regression on X and residual covariance exactly.
    point_mass : int, optional
        The number of equal values from which smooth margins keep a value and its count; None is the larger of 10 and 2
        per cent of the records. In a column of rounded numbers a point mass has more than twice the mean count of its
        neighbours.

    Notes
    -----
    A note gives the largest remaining gap between a correlation of the release and the original's. At most 200 swaps a value
    are tried, fewer on files of more than 40,000 values, and at least 12 where they are needed.

    Where columns nearly determine each other, up to 400 a value are tried, and gaps of near columns weigh more. On
    files of up to about 50,000 values, swaps may increase gaps for a while. They end when all are below a tenth of a
    correlation's standard error.

    With weights or levels to preserve (see `protect`), swaps also restore weighted and domain sums, with X and among
    the columns. At most 600 attempts for each value. At first a swap may increase gaps a little, so that distant values
    are placed before near ones compensate them. Sums that single records dominate weigh less.

    With constraints or an accepted structure, a column that is the sum of others is derived from their release. Its
    margin is a target too. The squared distances from the target at each rank, in standard errors of a quantile, are
    added to the squared gaps. Up to 600 swaps a value are tried, the last of them for the covariances alone. The parts
    keep their margins exactly, the derived column nearly; a note gives the distance.

    Records that violate inequalities swap values until they satisfy them. From then on no swap may violate one. Other
    methods of enforcement change the remaining records, and a note counts them.

    Draws: the method's own. With margins sample.int(n), the order in which equal values are ranked. Under constraints
    two uniforms for each attempt to satisfy them. Then, with moments, three for each attempt.

    Seed: discloses originals nearly where it does so for the method's own release. Swaps by moments make this less exact.

    References
    ----------
    Own; a release as a permutation of its margins is Domingo-Ferrer and Muralidhar's (2016) view.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles).frame["AGE"].equals(frame["AGE"])
    True
    """

    method: Method = param(
        requirement=WRAPS, check=_numeric_method, example=IPSO("C"), help="what makes the release whose ranks are taken"
    )
    moments: bool = param(True, help="bring the covariances, with X and among the columns, to the original's by swaps")
    margins: str | None = param(
        "smooth",
        words=("smooth", "original"),
        help="smoothed ranks, the observed values, or None for no margins and exact moments",
    )
    point_mass: int | None = param(
        None,
        low=FEWEST,
        only=("margins", ("smooth",)),
        help="from how many records on a value keeps its count; None is the larger of 10 and 2 % of the records",
        unit="records",
    )

    about = "another method's release, with the original's margins, or smooth ones, and its moments"
    source = "own"
    group = "around"

    def _check(self) -> None:
        if self.margins is None and not self.moments:
            raise InvalidParameter("Calibrated", "margins", "must be given where moments are not kept", None)

    @property
    def wrapped(self) -> Method:
        """See Procedure.wrapped."""
        return self.method

    def work(self, roles: Roles, records: int | None) -> NumberWork:
        """See Method.work."""
        return NumberWork(self.release, bounds=None if self.margins is None else "sign")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts: those of the method, whose release is moved."""
        inner = self.method.facts(roles)
        return Facts.of(
            inner,
            # Records of a method that does not pair them do: values are swapped to follow the columns of their records.
            pairs="always",
            keeps=self._preserved,
            reissues_values=self.margins == "original",
            # All cells are moved.
            deniable=False,
            swaps=self.margins is not None,
            attacks=self._attacks(inner),
        )

    @property
    def _preserved(self) -> Preserved:
        """The sums that the release preserves."""
        if not self.moments:
            return ""
        if self.margins is None:
            return "moments"
        return "swaps"

    def _attacks(self, inner: Facts) -> tuple[Attack, ...] | Unexamined:
        """The method's attacks that remain possible, in scores too where the margins change."""
        if inner.attacks is NOT_EXAMINED:
            return NOT_EXAMINED
        return tuple(after for attack in inner.attacks for after in attack.calibrated(self.margins is not None))

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """See Method.guesser: the release that is moved."""
        return self.method.guesser(X, Y, run)

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """See NumberWork.release."""
        inner = self.method.numbers()
        if self.margins is not None:
            # The inequalities, totals and zeros of the run are for the swaps.
            first_half = replace(
                run, tracker=run.tracker.part(0, 2), bounds=None, totals=None, zeros=None, margins=None
            )
            return self._by_swaps(X, Y, inner.release(X, Y, first_half), run)
        Z = inner.release(X, Y, replace(run, bounds=None, totals=None))
        Z, rank, needed = with_moments(X if run.sums is None else run.sums.columns, Y, Z)
        if rank < needed:
            run.note(Note.of("collinear", LOW_RANK, count=rank, total=needed, brief=LOW_RANK_IN_BRIEF))
        return Z

    def _by_swaps(self, X: Array, Y: Array, Z: Array, run: Run) -> Array:
        """The target margins by the ranks of Z (n, t), with swaps that restore moments."""
        from .swaps.driver import calibrate_by_swaps

        order = run.stream.sample_int(len(Y)) - 1
        levels = np.zeros(Y.shape, dtype=bool)
        if self.moments:
            levels = separating_levels(X, Y, order[:MOST], run.terms)
        if run.zeros is not None:
            by_rule = run.zeros.any(axis=0)
            levels[:, by_rule] = run.zeros[:, by_rule]
        values = Y if run.margins is None else run.margins
        targets = np.column_stack(
            side_by_side(lambda j: self._margin(values[:, j], levels[:, j]), Y.shape[1], len(Y), run.engine)
        )
        sums, totals = run.sums, run.totals
        if totals is not None:
            margins = np.column_stack(
                [self._margin(column, np.zeros(len(Y), dtype=bool)) for column in totals.values.T]
            )
            totals = Totals(totals.fixed[order], totals.released, margins)
        sums = None if sums is None else sums.taken(order)
        swap_run = replace(run, tracker=run.tracker.part(1, 2), sums=sums, totals=totals)
        records = X[order], Y[order], targets, Z[order]
        released = np.empty_like(Z)
        released[order] = calibrate_by_swaps(*records, swap_run, levels=levels[order], moments=self.moments)
        if levels.any():
            run.note(Note.of("by_strata", SEPARATED, np.flatnonzero(levels.any(axis=0)).tolist()))
        if run.bounds is not None:
            count = int(run.bounds.broken(X, released).any(axis=1).sum())
            run.note(Note.of("constraints", OUT_OF_BOUNDS if count else IN_BOUNDS, count=count, total=len(Y)))
        self._note_values(values, targets, run.note)
        return released

    def _margin(self, y: Array, level: Mask) -> Array:
        """The target margin (n,) of a column, sorted; with a level that separates it, that of the other records first."""
        parts = y[~level], y[level]
        if self.margins != "smooth":
            return np.concatenate([np.sort(part) for part in parts])
        masses = point_masses(y, self.point_mass)[0]
        return np.concatenate([smooth_margin(part, masses) for part in parts])

    def _note_values(self, Y: Array, targets: Array, note: Reporter) -> None:
        """Notes on original values in the margins, and on values outside the original's range. targets : (n, t), sorted by column."""
        if self.margins == "original":
            note(Note.of("risk", VERBATIM, total=Y.size))
            return
        kept = [int(point_masses(y, self.point_mass)[1].sum()) for y in Y.T]
        if any(kept):
            which = [j for j, count in enumerate(kept) if count]
            note(Note.of("observed_values", POINT_MASSES, which, count=sum(kept), total=Y.size))
        note_outside_range(targets, Y, note)
