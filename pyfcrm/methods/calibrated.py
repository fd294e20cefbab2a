"""Calibration: a method's release with target margins and the original's moments, by swaps within columns."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import chdtrc

from ..constraints.accepted import Totals
from ..data.blocks import Sample
from ..data.codes import combinations
from ..data.roles import Roles
from ..engine.engines import side_by_side
from ..errors import InvalidParameter, Note
from ..linkage.informed import Attack
from ..numerics.kept_sums import KeptSums, plain_sums
from ..numerics.location import standardise
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array, Integers, Mask
from .basis import BASES, Basis, flexible_basis, has_few_sums, largest_covariances, linear_basis
from .extremes import Extremes, original_extremes, smooth_extremes, top_coded
from .facts import NOT_EXAMINED, Facts, Preserved, Unexamined
from .gaps import with_gap_indicators, without_few_cells
from .ipso import IPSO
from .margins import FEWEST, SmoothMargin, point_masses
from .method import NO_ROLES, Method
from .parameter import param
from .permutation import note_outside_range
from .regression import with_moments
from .semicontinuous import (
    Known,
    PointMasses,
    classes_of,
    groups_of_codes,
    has_shared_codes,
    is_scale,
    masses_of,
    sampled_members,
    states,
)
from .separation import MOST, separating_levels
from .sequential import Sequential
from .support import nearest_between
from .unit_shifts import UnitShifts, without_unit_effects
from .work import NumberWork, Run

DEFAULT_METHOD = Sequential()  # the least lost on most files of a study of utility, and no alarm of an audit
WRAPS = "a method that replaces numbers one for one, without epsilon, such as IPSO(kind='C')"

DRAWN_CODES = 0.9  # of the drawn numbers, that are codes where a method draws codes; other methods draw hardly any
LEAST_P = 0.001  # of the chi-square of drawn counts of codes, from which on they are chance

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
ON_AVERAGE = (
    "{count} of {total} covariances, those of the smallest correlations, hold on average only: preserved sums are at most a tenth "
    "of the records"
)
DRAWN_FIRST = "which records have a point mass of {attributes} is drawn first, given the predictors"
TOP_CODED = (
    "single records dominate {attributes}: mean, standard deviation and covariances are those of top-coded values, not the "
    "original's"
)
FEW_OBSERVED = "{count} of {total} columns of predictors hold on average only: fewer than 10 observed values would follow from their sums"
POINT_MASSES = "{count} of {total} values are point masses of {attributes}, which stay with their counts"


def _numeric_method(owner: str, name: str, method: Any) -> Method:
    if isinstance(method, Method) and method.replaces_one_for_one() and method.facts(NO_ROLES).privacy is None:
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
        The method whose release gives the ranks, such as IPSO("C"). By default trees, whose group quantiles are nearest the
        original's.
    moments : bool
        Whether swaps restore the covariances; without, the margins are only placed by rank.
    margins : {"smooth", "original"} or None
        "smooth": values smoothed by rank, with drawn tails and the original's mean, standard deviation and decimals (see
        `smooth_margin`).
        "original": the original values, which disclose membership in the file. None keeps the release's margins, and a
        linear map gives it the original's regression on X and residual covariance exactly.
    point_mass : int, optional
        The number of equal values from which smooth margins keep a value and its count; None is the larger of 10 and 2
        per cent of the records. In a column of rounded numbers a point mass has more than twice the mean count of its
        neighbours on the column's grid, such as halves.
    basis : {"flexible", "linear"}
        The columns whose sums with the dependent ones are restored, and the basis of a method that has none given. "flexible"
        has columns of the values and splines of numeric predictors too, see IPSO: means in the classes of these, and curves,
        stay near the original's. Who has a point mass of a column, such as no wage, is then drawn first, given the predictors: in
        each class nearly as many as in the original. Codes, of 3 to 20 values, have no such point masses.
        Where the roles have sampling units, it has their effects too: standard errors of the design stay near the original's.

    Notes
    -----
    Smooth margins do not follow a single record. Where one dominates the squared deviations of a column, or decides its
    largest values, the released mean, standard deviation and covariances are those of the top-coded column, in which
    the values of a tail are their mean. A note says so.

    With smooth or original margins the preserved sums are at most a tenth of the records of the file or stratum, a sixteenth where
    sums with levels, values and splines are among them: more would reveal who is in the file. With t columns and s predictors
    these are t (1 + s) sums and t (t + 1) / 2 of squares and products. Where there are more, some hold on average only: first
    those with columns of values and splines and with levels that explain least, then with numbers, and last the smallest
    correlations. Notes count them. Sums that `weights` or `preserve` ask for all remain.

    Trees, the default, draw one column after another: columns of at most 20 values before those of more, and of each kind those
    first on which the other columns depend most. A note names the order; `method=Sequential(order=[...])` gives another.

    A note gives the largest remaining gap between a correlation of the release and the original's. At most 200 swaps a value
    are tried, fewer on files of more than 40,000 values, and at least 12 where they are needed.

    Swaps that move ranks little come first: a squared distance from the rank in the release costs much at first, then less and
    less, and nothing after three tenths of the attempts. So quantiles of groups stay near those of the release. Inequalities leave
    too few swaps for this: there, gaps are closed from the start.

    Codes, of 3 to 20 values, are swapped where a sum is off by about a standard error. Otherwise they stay where the release has them,
    as linear sums do not tell who has which code. Where the method draws codes, as trees do, smooth margins are as it drew them, if
    their counts differ from the original ones by chance only. Trees give them the original's mean and standard deviation, nearly.

    Where columns nearly determine each other, up to 400 a value are tried, and gaps of near columns weigh more. There,
    and where inequalities leave gaps, on files of up to about 50,000 values, swaps may increase gaps for a while. They
    end when all are below a tenth of a correlation's standard error.

    With weights or levels to preserve (see `protect`), swaps also restore weighted and domain sums, with X and among
    the columns. At most 600 attempts for each value. At first a swap may increase gaps a little, so that distant values
    are placed before near ones compensate them. Sums that single records dominate weigh less.

    With constraints or an accepted structure, a column that is the sum of others is derived from their release. Its
    margin is a target too. The squared distances from the target at each rank, in standard errors of a quantile, are
    added to the squared gaps. Up to 600 swaps a value are tried, the last of them for the covariances alone. The parts
    keep their margins exactly, the derived column nearly; a note gives the distance.

    Records that violate inequalities swap values until they satisfy them. From then on no swap may violate one. Other
    methods of enforcement change the remaining records, and a note counts them.

    Draws: the method's own. With margins sample.int(n), the order in which equal values are ranked; with smooth ones a
    uniform for each value of a tail. Under constraints two uniforms for each attempt to satisfy them. Then, with moments,
    three for each attempt. The draws that decide whether a column is top-coded come from a stream of their own.

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
        DEFAULT_METHOD,
        requirement=WRAPS,
        check=_numeric_method,
        example=IPSO("C"),
        help="what makes the release whose ranks are taken",
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

    basis: str = param(
        "flexible",
        words=BASES,
        help=(
            "the sums with numeric predictors that are restored: of these alone, or with columns of their values and splines, and of "
            "effects of sampling units"
        ),
    )

    about = "another method's release, with the original's margins, or smooth ones, and its moments"
    source = "own"
    group = "around"

    def _check(self) -> None:
        if self.margins is None and not self.moments:
            raise InvalidParameter("Calibrated", "margins", "must be given where moments are not kept", None)

    @property
    def citation(self) -> str:
        """See Procedure.citation: that of the method whose release is moved."""
        return f"{self.method.citation}, calibrated"

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

    def extremes(self, y: Array) -> Extremes | None:
        """See Method.extremes."""
        if self.margins is None:
            return None
        if self.margins == "original":
            return partial(original_extremes, y)
        masses = point_masses(y, self.point_mass)[0]
        return partial(smooth_extremes, y, masses, top_coded(y, masses))

    def guesser(self, X: Array, Y: Array, run: Run) -> Callable[[RStream], Array]:
        """See Method.guesser: the release that is moved."""
        return self._moved(X, Y.shape[1], run).guesser(
            X, Y, replace(run, chooses_order=True, keeps_moments_of_codes=self._keeps_drawn_codes)
        )

    @property
    def _keeps_drawn_codes(self) -> bool:
        """Whether the margin of codes is as the method draws them, where it draws codes."""
        return self.moments and self.margins == "smooth"

    @property
    def _inner(self) -> Method:
        """The method whose release is moved, on the basis of the predictors."""
        return self.method.on_basis(self.basis)

    @property
    def takes_unit_effects(self) -> bool:
        """See Procedure.takes_unit_effects."""
        return self.basis == "flexible"

    def _moved(self, X: Array, t: int, run: Run) -> Method:
        """The method whose release is moved. Where its exact sums would be too many, it preserves them on average."""
        return self._inner.on_average() if self._leaves_out(X, t, run) else self._inner

    def _leaves_out(self, X: Array, t: int, run: Run) -> bool:
        """Whether swaps restore only some sums of t columns with X (n, s), as all would be too many, see has_few_sums.

        Sums of weights and levels are those that the user asks for, and a linear map keeps all moments by definition.
        """
        return self.moments and self.margins is not None and run.sums is None and not has_few_sums(X, t, run.terms)

    def release(self, X: Array, Y: Array, run: Run) -> Array:
        """See NumberWork.release."""
        inner = self._moved(X, Y.shape[1], run).numbers()
        coded = self._top_coded(Y, run.note)
        if self.margins is not None:
            given, given_run = with_gap_indicators(X, run)
            # The inequalities, totals and zeros of the run are for the swaps.
            first_half = replace(
                given_run,
                tracker=run.tracker.part(0, 2),
                bounds=None,
                totals=None,
                zeros=None,
                margins=None,
                fills=None,
                free_fills=None,
                unit_effects=(),
                chooses_order=True,
                keeps_moments_of_codes=self._keeps_drawn_codes,
            )
            if run.unit_effects:
                shifts = UnitShifts.of(X, Y.shape[1], run)
                drawn = inner.release(without_unit_effects(given, run), shifts.taken_off(coded), first_half)
                Z = shifts.added(drawn, coded)
            else:
                Z = inner.release(given, coded, first_half)
            return self._by_swaps(X, Y, coded, Z, run, indicators=given[:, X.shape[1] :])
        Z = inner.release(X, Y, replace(run, bounds=None, totals=None, chooses_order=True))
        sums = self._sums(X, self._basis(X, Y, run), run)
        Z, rank, needed = with_moments(X if sums is None else sums.columns, Y, Z)
        if rank < needed:
            run.note(Note.of("collinear", LOW_RANK, count=rank, total=needed, brief=LOW_RANK_IN_BRIEF))
        return Z

    def _by_swaps(self, X: Array, Y: Array, coded: Array, Z: Array, run: Run, *, indicators: Array) -> Array:
        """The target margins by the ranks of Z (n, t), with swaps that restore moments, those of `coded` (n, t).

        indicators : (n, k) of gaps, which tell something of the observed values.
        """
        from .swaps.driver import calibrate_by_swaps

        order = run.stream.sample_int(len(Y)) - 1
        basis = self._basis(X, coded, run)
        sums = self._sums(X, basis, run)
        unused = run.free_fills if self.moments and run.sums is None else None
        if unused is not None:
            # Cells that are not released have the mean, and add nothing to a sum: sums are those of the observed cells.
            sums = plain_sums(_without_few_cells(X if basis is None else basis.design(X), X, unused, run))
            means = np.array([y[~cells].mean() for y, cells in zip(coded.T, unused.T, strict=True)])
        covariances = None
        restores = self.moments
        if self._leaves_out(X, Y.shape[1], run):
            covariances = self._covariances(coded, run.note)
            restores = covariances is None or bool(covariances.any())
        levels = np.zeros(Y.shape, dtype=np.int64)
        if self.moments:
            levels[separating_levels(X, coded, order[:MOST], run.terms)] = 1
        if run.zeros is not None:
            by_rule = run.zeros.any(axis=0)
            levels[:, by_rule] = run.zeros[:, by_rule]
        separating = (levels > 0).any(axis=0)
        values = Y
        coded_values = coded
        if run.margins is not None:
            values = run.margins
            # The other columns are those of Y, for which this is known.
            differing = (values != Y).any(axis=0)
            coded_values = coded.copy()
            coded_values[:, differing] = self._top_coded(values[:, differing], discard)
        released_levels = levels
        observed = np.ones(values.shape, dtype=bool) if run.fills is None else ~run.fills
        codes = np.array([is_scale(y[cells]) for y, cells in zip(values.T, observed.T, strict=True)])
        if basis is not None and self.basis == "flexible":
            least = self.point_mass if self.margins == "smooth" else None
            masses = masses_of(values, least, scales=codes)
            given = run.with_pooled(X)[0]
            design = np.hstack([basis.design(X), given[:, X.shape[1] :], indicators])
            levels, released_levels = _with_point_masses(masses, levels, design=design, X=given, Y=values, Z=Z, run=run)
        if run.fills is not None:
            # Fills are no sample of the column: they swap among themselves, so that observed cells keep its margin.
            levels, released_levels = _with_fills(levels, released_levels, run.fills)
        targets = self._margins(values, coded_values, levels, run)
        drawn = np.zeros(Y.shape[1], dtype=bool)  # columns whose margin is as the method drew it
        if self.margins == "smooth":
            own_margin = (values == Y).all(axis=0)
            drawn = _keep_drawn_codes(targets, levels, Z, values, codes & own_margin & ~separating)
        of_moments = coded
        if unused is not None:
            of_moments = np.where(unused, means, coded)
            sorted_by_level = np.argsort(levels, axis=0, kind="stable")
            targets = np.where(np.take_along_axis(unused, sorted_by_level, axis=0), means, targets)
        totals = run.totals
        if totals is not None:
            derived = totals.values
            coded_derived = self._top_coded(derived, discard)
            margins = self._margins(derived, coded_derived, np.zeros(derived.shape, dtype=np.int64), run)
            totals = Totals(totals.fixed[order], totals.released, margins)
        sums = None if sums is None else sums.taken(order)
        swap_run = replace(run, tracker=run.tracker.part(1, 2), sums=sums, totals=totals)
        records = X[order], of_moments[order], targets, Z[order]
        released = np.empty_like(Z)
        released[order] = calibrate_by_swaps(
            *records, swap_run, levels=released_levels[order], moments=restores, covariances=covariances, codes=codes
        )
        separated = separating & (levels == released_levels).all(axis=0)
        if separated.any():
            run.note(Note.of("by_strata", SEPARATED, np.flatnonzero(separated).tolist()))
        if run.bounds is not None:
            count = int(run.bounds.broken(X, released).any(axis=1).sum())
            run.note(Note.of("constraints", OUT_OF_BOUNDS if count else IN_BOUNDS, count=count, total=len(Y)))
        self._note_values(values, targets, drawn, run.note)
        return released if unused is None else np.where(unused, Y, released)

    def _covariances(self, Y: Array, note: Reporter) -> Mask | None:
        """The covariances (t, t) of Y (n, t) that swaps restore, see largest_covariances, with a note on the others."""
        chosen = largest_covariances(Y)
        if chosen is not None:
            t = len(chosen)
            total = t * (t - 1) // 2
            count = total - int(chosen.sum()) // 2
            note(Note.of("answers", ON_AVERAGE, count=count, total=total, severity="warning"))
        return chosen

    def _basis(self, X: Array, Y: Array, run: Run) -> Basis | None:
        """The basis of X (n, s) whose sums swaps restore; None for all of X, and where no moments are kept."""
        if not self.moments:
            return None
        if self.basis == "linear":
            if not self._leaves_out(X, Y.shape[1], run):
                return None
            return linear_basis(Sample.of(X, Y, run.engine), run.terms, note=run.note)
        # The method's own note on the basis is enough, unless it has more columns.
        has_own_note = self._inner != self.method and not self._leaves_out(X, Y.shape[1], run)
        note = discard if has_own_note else run.note
        # A linear map keeps all moments by definition.
        limits_x = self.margins is not None
        linear = [j for j, _ in run.unit_effects]
        sample = Sample.of(X, Y, run.engine)
        return flexible_basis(sample, run.terms, linear=linear, sums=run.sums, limits_x=limits_x, note=note)

    def _sums(self, X: Array, basis: Basis | None, run: Run) -> KeptSums | None:
        """The sums that are restored; None for those with X (n, s) alone."""
        if basis is None:
            return run.sums
        if run.sums is None:
            return plain_sums(basis.design(X))
        return run.sums.with_columns(basis.added(X))

    def _top_coded(self, Y: Array, note: Reporter) -> Array:
        """Y (n, t) with top-coded columns where single records dominate, and a note on these; Y itself unless margins are smooth."""
        if self.margins != "smooth":
            return Y
        coded = Y.copy()
        changed = list[int]()
        for j, y in enumerate(Y.T):
            column = top_coded(y, point_masses(y, self.point_mass)[0])
            if column is not None:
                coded[:, j] = column
                changed.append(j)
        if changed:
            note(Note.of("recoded", TOP_CODED, changed, count=len(changed)))
        return coded

    def _margins(self, Y: Array, coded: Array, levels: Integers, run: Run) -> Array:
        """The target margins (n, t) of columns, each sorted within its levels (n, t), one level after another.

        coded : (n, t) the columns whose moments the margins get. Draws: those of the margins, column after column.
        """
        fits = side_by_side(lambda j: self._fits(Y[:, j], coded[:, j], levels[:, j]), Y.shape[1], len(Y), run.engine)
        margins = np.empty_like(Y)
        for j, parts in enumerate(fits):
            drawn = [part.drawn(run.stream) if isinstance(part, SmoothMargin) else part for part in parts]
            margins[:, j] = np.concatenate(drawn)
        return margins

    def _fits(self, y: Array, coded: Array, level: Integers) -> list[SmoothMargin] | list[Array]:
        """The margins, or distributions to draw them from, of a column (n,) within each level."""
        parts = [level == k for k in np.unique(level)]
        if self.margins != "smooth":
            return [np.sort(y[part]) for part in parts]
        masses = point_masses(y, self.point_mass)[0]
        is_coded = bool((coded != y).any())
        return [SmoothMargin.of(y[part], masses, coded[part] if is_coded else None) for part in parts]

    def _note_values(self, Y: Array, targets: Array, drawn: Mask, note: Reporter) -> None:
        """Notes on original values in the margins, and on values outside the original's range.

        targets : (n, t), sorted by column; drawn : the columns (t,) whose values have the counts that the method drew.
        """
        if self.margins == "original":
            note(Note.of("risk", VERBATIM, total=Y.size))
            return
        kept = [
            0 if is_drawn else int(point_masses(y, self.point_mass)[1].sum())
            for y, is_drawn in zip(Y.T, drawn, strict=True)
        ]
        if any(kept):
            which = [j for j, count in enumerate(kept) if count]
            note(Note.of("observed_values", POINT_MASSES, which, count=sum(kept), total=Y.size))
        note_outside_range(targets, Y, note)


def _without_few_cells(D: Array, X: Array, unused: Mask, run: Run) -> Array:
    """The columns of a design D (n, r) of X (n, s) whose sums over cells that are not `unused` (n, t) are no sums of few cells."""
    classes = classes_of(X, run.terms)
    kept = set(range(D.shape[1]))
    for j in np.flatnonzero(unused.any(axis=0)):
        kept &= {*without_few_cells(D, classes, ~unused[:, j])}
    if len(kept) < D.shape[1]:
        run.note(Note.of("missing", FEW_OBSERVED, count=D.shape[1] - len(kept), total=D.shape[1]))
    return D[:, sorted(kept)]


def _keep_drawn_codes(targets: Array, levels: Integers, Z: Array, Y: Array, codes: Mask) -> Mask:
    """Put the codes that a release Z (n, t) has drawn for lowest levels in place of the targets, where most are codes of Y (n, t).

    To give each code its original count, ranks would make records of one code those of the next: students retired. Where the drawn counts
    of groups of ten differ by more than chance, ranks do so. targets : (n, t), sorted by level; they are changed.
    codes : which columns (t,) hold codes. Returns the columns (t,) that are changed.
    """
    changed = np.zeros(len(codes), dtype=bool)
    for j in np.flatnonzero(codes):
        drawn = np.sort(Z[levels[:, j] == 0, j])
        y = Y[levels[:, j] == 0, j]
        own, group = groups_of_codes(y)
        if not has_shared_codes(y) or np.isin(drawn, own).mean() < DRAWN_CODES:
            continue
        nearest = nearest_between(np.clip(drawn, own[0], own[-1]), own)
        counts = np.bincount(group[np.searchsorted(own, y)])
        of_drawn = np.bincount(group[np.searchsorted(own, nearest)], minlength=len(counts))
        if len(counts) > 1 and chdtrc(len(counts) - 1, ((of_drawn - counts) ** 2 / counts).sum()) >= LEAST_P:
            targets[: len(drawn), j] = drawn
            changed[j] = True
    return changed


def _with_fills(levels: Integers, released: Integers, fills: Mask) -> tuple[Integers, Integers]:
    """Levels (n, t) of originals and of released records, within which values are swapped, with others for fills (n, t)."""
    further = fills * (1 + np.maximum(levels.max(axis=0), released.max(axis=0)))
    return levels + further, released + further


def _with_point_masses(
    masses: PointMasses, levels: Integers, *, design: Array, X: Array, Y: Array, Z: Array, run: Run
) -> tuple[Integers, Integers]:
    """The levels (n, t) within which values are swapped, of the original records and of the released ones.

    Where a column has point masses of at least a twentieth of the records, its levels are these and the amounts. Which
    released records have one is drawn given `design` (n, r), the basis of predictors, pooled levels and indicators of gaps, most
    of them among those that have it in Z (n, t). X : (n, s) the predictors, with pooled levels as columns of their own.
    In other columns, and those that inequalities bound by others, both are `levels`.
    """
    forced = np.zeros(masses.members.shape, dtype=bool)
    if run.zeros is not None:
        forced = run.zeros[:, masses.columns] & (masses.values == 0)
    proposed = Z[:, masses.columns] == masses.values
    groups = np.zeros(len(X), dtype=np.int64)
    if run.sums is not None:
        # Of each combination of levels of `preserve`: swaps cannot restore sums where a level has other point masses.
        groups = combinations((run.sums.metrics > 0).astype(np.int64))
    apart = None
    if run.fills is not None:
        apart = run.fills[:, masses.columns]
    known = Known(classes=classes_of(X, run.terms), proposed=proposed, forced=forced, groups=groups, apart=apart)
    members = sampled_members(standardise(design, ddof=0), masses, run.stream, known)
    original_states = states(masses, masses.members)
    released_states = states(masses, members)
    original = levels.copy()
    released = levels.copy()
    drawn = list[int]()
    for j in sorted({*masses.columns.tolist()}):
        ruled = run.zeros is not None and bool(run.zeros[:, j].any())
        if ruled and 0 not in masses.values[masses.of(j)]:
            continue  # the zeros of a rule are rarer than a point mass
        if run.bounds is not None and run.bounds.related[j]:
            continue  # records may have no room for an amount, or for the point mass: swaps move both
        amounts = Y[original_states[:, j] == 0, j]
        if len(amounts) == 0 or np.ptp(amounts) == 0:
            continue  # nothing to swap within a state: swaps of all values restore sums
        original[:, j] = original_states[:, j]
        released[:, j] = released_states[:, j]
        drawn.append(j)
    if drawn:
        run.note(Note.of("chosen", DRAWN_FIRST, drawn))
    return original, released
