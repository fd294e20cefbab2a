"""A method with the reports of its releases, and the candidates of one file: sweep()'s result."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from ..arguments import choice, real_number
from ..display import Result, View
from ..evaluation.auditing.audit_result import Audit
from ..evaluation.report import Report
from ..evaluation.verdict.decision import Status, Test, Verdict, test_of, worst
from ..files.paths import Path
from ..measures import DEFAULT, MEASURES
from ..methods import Procedure
from ..plans.limits import LIMITS, UTILITY, Limits, read_limits
from ..plots.svg import MapPoint, risk_utility_svg
from ..rstream import RStream
from ..rstream.stream import seed_field

ATTRIBUTABLE = "attributable"
PANEL_ABOVE = "utility"  # per cent of the estimates of the utility panel that differ by more than 3 standard errors
PANEL_RMS = "utility_rms"  # root mean square of their deviations in standard errors
PIL = "pil"
LOSS_AXES = (PANEL_RMS, PIL)  # losses of a map, the default first
LOSSES = {"pil": "PIL", "tables": "tables"}  # measures of loss, of numbers and of categories, with their names
OPTIMAL = {
    PANEL_RMS: "*: Pareto-optimal in utility_rms (standard errors) and risk. utility: per cent of estimates that differ by more than 3 "
    "standard errors. Others per cent.",
    PIL: "*: Pareto-optimal in loss and risk. Per cent.",
}
NO_NUMBERS = "PIL, linkage and interval disclosure are of numbers: no confidential column holds numbers."
UNPAIRED = "-: not measured, as records of {methods} do not pair with original records."
MAX_POINTS = 150  # points of a map
MAX_NUMBERS = 20  # points of a map that have numbers


@dataclass(frozen=True, repr=False)
class Candidate:
    """One method and the reports of its releases: candidate["pil"] is the mean over them.

    Parameters
    ----------
    method : Method
        The method with its parameters.
    reports : tuple of Report
        Of its releases, one from each seed.
    notes : tuple of str
        What the method reported.
    audit : Audit, optional
        Of the method, if one was run.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> frontier = pf.sweep(frame, roles, [pf.IPSO("C")])
    >>> str(frontier.candidates[0].method)
    'IPSO(kind=C)'
    """

    method: Procedure
    reports: tuple[Report, ...]
    notes: tuple[str, ...]
    audit: Audit | None = None

    @property
    def report(self) -> Report:
        """The report of its first release."""
        return self.reports[0]

    @property
    def verdict(self) -> Verdict:
        """The worst outcome of each test over the releases."""
        return worst([report.verdict for report in self.reports])

    @property
    def values(self) -> dict[str, float]:
        """The figures by key.

        "utility", the per cent of the panel's estimates that differ by more than 3 standard errors; "utility_rms", the root mean
        square of their deviations; the measures, per cent; "attributable", the attributable disclosure risk in percentage points.
        """
        keys = (PANEL_ABOVE, PANEL_RMS, *DEFAULT, *self.report.keys(), ATTRIBUTABLE)
        return {key: self[key] for key in keys}

    @property
    def losses(self) -> dict[str, float]:
        """PIL, where the file has confidential numbers, and `tables`, where it has confidential categories."""
        return {key: self[key] for key in LOSSES if key in self.report.results}

    @property
    def column_loss(self) -> float:
        """Information loss of the confidential columns themselves: the sum of `losses`; NaN where none was measured."""
        return sum(self.losses.values()) if self.losses else math.nan

    @property
    def loss(self) -> float:
        """What users lose: the root mean square deviation of the utility panel, else `column_loss` where there is no panel."""
        rms = self[PANEL_RMS]
        return self.column_loss if math.isnan(rms) else rms

    def __getitem__(self, key: str) -> float:
        return fmean(_value(report, key) for report in self.reports)

    def row(self) -> dict[str, Any]:
        """The method, its parameters and the figures.

        Returns
        -------
        dict
            By column of a table of candidates.
        """
        return {"method": type(self.method).__name__, "parameters": self.method.settings(), **self.values}

    def spread(self, key: str) -> float:
        """The standard deviation (n - 1) of a value over the releases.

        Parameters
        ----------
        key : str
            As of `values`.

        Returns
        -------
        float
            NaN of a single release.
        """
        values = [_value(report, key) for report in self.reports]
        if len(values) < 2 or any(math.isnan(value) for value in values):
            return math.nan
        return stdev(values)

    def __repr__(self) -> str:
        return f"<Candidate {self.method}: loss {self.loss:.2f}, attributable risk {self[ATTRIBUTABLE]:.2f}>"


def tests_of(candidate: Candidate, *statuses: Status) -> list[Test]:
    """The tests of a candidate's verdict with these outcomes."""
    return [test for test in candidate.verdict.tests if test.status in statuses]


def _value(report: Report, key: str) -> float:
    """A measure of a report, or its attributable disclosure risk; NaN where there is none."""
    if key == ATTRIBUTABLE:
        risks = [test.found[0] for test in report.verdict.tests if test.key == "risk" and test.found]
        return risks[0] if risks else math.nan
    if key in (PANEL_ABOVE, PANEL_RMS):
        if report.utility is None:
            return math.nan
        summary = report.utility.summary
        return summary.above if key == PANEL_ABOVE else summary.rms
    if key in DEFAULT and key not in report.results:
        return math.nan
    return report[key]


class Mapped(Result):
    """Candidates of one file, with their risk-utility map."""

    candidates: tuple[Candidate, ...]

    @property
    def _risk(self) -> str:
        """The risk of the map."""
        return ATTRIBUTABLE

    @property
    def _limit(self) -> float | None:
        """The limit on the risk, if there is one."""
        return None

    def _loss_axis(self, loss: str | None = None) -> str:
        """The loss of the map. loss : the one that was chosen; None for the utility panel, or PIL where no candidate has a panel."""
        if loss is not None:
            return loss
        has_panel = any(candidate.report.utility is not None for candidate in self.candidates)
        return PANEL_RMS if has_panel else PIL

    def plot(self, title: str | None = None, loss: str | None = None) -> Any:
        """The risk-utility map: what users lose against disclosure risk, with its limit if there is one.

        Parameters
        ----------
        title : str, optional
            The figure's title.
        loss : str, optional
            The loss of the map: "utility_rms", the root mean square deviation of the utility panel, is the default where roles are
            known; "pil" is the loss of the confidential columns themselves, of categories by `tables`.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.

        Raises
        ------
        InvalidParameter
            If `loss` is neither of these.
        """
        from ..plots import risk_utility_map

        axis = self._loss_axis(None if loss is None else choice("plot", "loss", loss, LOSS_AXES))
        return risk_utility_map(self._points(axis), title, self._risk, axis, limit=self._limit)

    def _drawing(self) -> str:
        from ..plots import AXES, LOSSES

        axis = self._loss_axis()
        points = self._points(axis)
        return risk_utility_svg(points, AXES[self._risk], LOSSES[axis], limit=self._limit, legend=True)

    def _points(self, axis: str) -> list[MapPoint]:
        """Points of the map: the nondominated first, which have numbers, as all have where they are few.

        axis : its loss. Candidates without the risk are left out.
        """
        risk = self._risk
        shown = [candidate for candidate in self.candidates if not math.isnan(candidate[risk])]
        optimal = zip(nondominated(shown, risk, axis), shown, strict=True)
        ranked = sorted(optimal, key=lambda pair: (not pair[0], pair[1][risk]))
        points = []
        for place, (is_optimal, candidate) in enumerate(ranked[:MAX_POINTS], 1):
            family = type(candidate.method).__name__
            has_number = place <= MAX_NUMBERS and (is_optimal or len(shown) <= MAX_NUMBERS)
            point = MapPoint(
                candidate[risk],
                loss_on(candidate, axis),
                f"{family} {candidate.method.settings()}".strip(),
                str(place) if has_number else "",
                family,
            )
            points.append(point)
        return points


@dataclass(frozen=True, repr=False)
class Frontier(Mapped):
    """Candidates measured in the same way.

    Parameters
    ----------
    candidates : tuple of Candidate
        In the order given.
    seed : int or RStream
        An integer, or a stream at its starting state, a new copy at each reading. It repeats any of the releases:
        protect(frame, candidate.method, roles, seed=frontier.seed).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> frontier = pf.sweep(frame, roles, [pf.IPSO("C"), pf.FCRM(8)])
    >>> len(frontier.to_frame())
    2
    """

    candidates: tuple[Candidate, ...]
    seed: int | RStream = seed_field()  # noqa: RUF009 - a field

    def rows(self) -> list[dict[str, Any]]:
        """One row for each candidate.

        Returns
        -------
        list of dict
            method, parameters, utility, utility_rms, pil, dbrl, prl, id, dr, score, linkage_informed, certain and dr_informed,
            the last three of an intruder who knows the method (per cent), and attributable, the attributable disclosure risk in
            percentage points. utility is the per cent of the panel's estimates that differ by more than 3 standard errors,
            utility_rms the root mean square of their deviations.
        """
        return [c.row() for c in self.candidates]

    def best(self, limits: Mapping[str, Any] | Path | None = None, max_dr: float | None = None) -> Candidate | None:
        """The candidate within the limits of which users lose least.

        Parameters
        ----------
        limits : mapping or path, optional
            As in `evaluate`; attributable disclosure risk ("risk") has the verdict's limit unless it is given another.
        max_dr : float, optional
            Short for limits={"dr": ...}.

        Returns
        -------
        Candidate or None
            The one with the least root mean square deviation of the utility panel; None where no candidate is within the limits.

        Raises
        ------
        InvalidInput
            If the file of limits cannot be read.
        InvalidParameter
            If a limit breaks its rule.
        """
        # All candidates are of one file and have its product.
        product = self.candidates[0].verdict.product if self.candidates else None
        table = {"risk": LIMITS["risk"].values, **limits_of("best", limits, max_dr, product)}
        acceptable = [
            candidate
            for candidate in self.candidates
            if all(_is_within(candidate, key, values) for key, values in table.items())
        ]
        return min(acceptable, key=lambda candidate: (candidate.loss, candidate[ATTRIBUTABLE]), default=None)

    def nondominated(self) -> list[bool]:
        """The Pareto-optimal candidates.

        Returns
        -------
        list of bool
            For each candidate: whether no other one is at least as good in the loss of the map and DR and better in one of them.
            Without confidential numbers attributable risk is in DR's place.
        """
        return nondominated(self.candidates, self._risk, self._loss_axis())

    @property
    def _risk(self) -> str:
        """The risk of the map."""
        return "dr" if any("dr" in candidate.report.results for candidate in self.candidates) else ATTRIBUTABLE

    def _view(self) -> View:
        measured = {key for candidate in self.candidates for key in candidate.report.results}
        keys = [key for key in (*DEFAULT, "tables") if key in measured]
        if self._loss_axis() == PANEL_RMS:
            keys = [PANEL_ABOVE, PANEL_RMS, *keys]
        if self._risk == ATTRIBUTABLE:
            keys.append(ATTRIBUTABLE)
        pairs = list(zip(self.candidates, self.nondominated(), strict=True))
        optimal = sorted((c for c, is_optimal in pairs if is_optimal), key=lambda c: c[self._risk])
        others = [c for c, is_optimal in pairs if not is_optimal]
        rows = []
        for mark, candidates in (("*", optimal), ("", others)):
            rows += [(str(c.method), *(c[key] for key in keys), mark) for c in candidates]
        return View(
            f"Frontier, candidates: {len(self.candidates)}",
            ("method", *(key.upper() if key in DEFAULT else key for key in keys), "best"),
            rows,
            (OPTIMAL[self._loss_axis()], *self._unmeasured(measured)),
        )

    def _unmeasured(self, measured: Set[str]) -> list[str]:
        """Why the measures of numbers are empty, in some candidates or in all. measured : the keys that any candidate has."""
        if not measured & {*DEFAULT}:
            return [NO_NUMBERS]
        linked = [key for key in DEFAULT if key in measured and MEASURES[key].paired]
        unpaired = [str(c.method) for c in self.candidates if linked and all(math.isnan(c[key]) for key in linked)]
        return [UNPAIRED.format(methods=", ".join(unpaired))] if unpaired else []


def loss_on(candidate: Candidate, axis: str) -> float:
    """The loss of a candidate on a map. axis : one of LOSS_AXES."""
    return candidate.column_loss if axis == PIL else candidate.loss


def nondominated(candidates: Sequence[Candidate], risk: str, axis: str) -> list[bool]:
    """Whether each candidate is Pareto-optimal in the loss of a map and the risk; one without the risk is not."""
    points = [(loss_on(candidate, axis), candidate[risk]) for candidate in candidates]

    def is_optimal(point: tuple[float, float]) -> bool:
        """Whether no other point is at least as good in both."""
        as_good = (other for other in points if other[0] <= point[0] and other[1] <= point[1])
        return not math.isnan(point[1]) and all(other == point for other in as_good)

    return [is_optimal(point) for point in points]


def limits_of(owner: str, limits: Any, max_dr: float | None, product: str | None = None) -> Limits:
    """The limits of a product, and those that a caller changes or adds. max_dr : that on DR, or None."""
    table = read_limits(owner, limits, product)
    if max_dr is None:
        return table
    return {**table, "dr": (real_number(owner, "max_dr", max_dr, low=0, high=100),)}


def _is_within(candidate: Candidate, key: str, limit: tuple[float, ...]) -> bool:
    """Whether a candidate is within a limit on a measure or on a test of the verdict."""
    if key == UTILITY:
        return candidate[PANEL_ABOVE] <= limit[0]
    if key in MEASURES:
        value = candidate[key] if key in candidate.report.results else math.nan
        return test_of(key, (value,), {key: limit}, "").status == "pass"
    for test in candidate.verdict.tests:
        if test.key == key:
            judged = test_of(key, test.found, {key: limit}, "") if test.found else test
            return judged.status in ("pass", "not applicable")
    return False
