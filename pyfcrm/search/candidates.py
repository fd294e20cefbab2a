"""What sweep() and recommend() give: every method with how its release was judged, which of them nothing beats, the
pick, and why."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import choice, real_number
from ..data import Kept
from ..display import Shown, View
from ..errors import Count, InvalidParameter, one_line
from ..evaluation.audit_result import Audit
from ..evaluation.report import Report
from ..measures import DEFAULT, INFORMED
from ..methods import Method
from ..rstream import RStream
from ..rstream.stream import kept_start
from .shown import RISKS, in_short, map_rows, map_view, on_map

if TYPE_CHECKING:
    import pandas as pd

LEFT_OUT = "{} left out: records do not pair, so there is no {}; audit() says what such releases tell"
AUDITED = ("detection", "membership")  # of an audit, where there is one


@dataclass(frozen=True, repr=False)
class Candidate:
    """One method on the map: the method, how its release was judged, and what it had to do.

    Parameters
    ----------
    method : Method
        The method with its parameters.
    report : Report
        How its release was judged.
    notes : tuple of str
        What the method had to do.
    release : str, optional
        The Parquet file that was kept, where a file was swept into a folder.
    audit : Audit, optional
        What an audit of the method found, where one was asked for.
    """

    method: Method
    report: Report
    notes: tuple[str, ...]
    release: str | None = None
    audit: Audit | None = None

    @property
    def values(self) -> dict[str, float]:
        """The measures by key, per cent."""
        audited = {} if self.audit is None else {key: self.audit[key] for key in AUDITED}
        return {key: self.report[key] for key in self.report.keys()} | audited  # noqa: SIM118 - a Report is no mapping

    def __getitem__(self, key: str) -> float:
        return self.audit[key] if self.audit is not None and key in AUDITED else self.report[key]

    def __repr__(self) -> str:
        return in_short(self)


@dataclass(frozen=True, repr=False)
class Frontier(Shown):
    """Candidates judged alike.

    Parameters
    ----------
    candidates : tuple of Candidate
        Every method with how it was judged, in the order given.
    seed : int or RStream
        An integer or a stream at its starting state, a new copy at each reading, which repeats any of them:
        protect(frame, candidate.method, roles, seed=frontier.seed).
    kept : Kept, optional
        What leaves as it came whatever the candidate, and how many records are unique on it.
    """

    candidates: tuple[Candidate, ...]
    seed: int | RStream = kept_start()  # noqa: RUF009 - a field
    kept: Kept | None = field(default=None, repr=False)

    def to_frame(self) -> pd.DataFrame:
        """The candidates as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row a candidate: method, parameters, pil, dbrl, prl, id, dr, score, linkage_informed, certain and
            dr_informed, the last three of an intruder who knows the method (per cent).
        """
        import pandas as pd

        named = [
            {"method": type(c.method).__name__, "parameters": c.method.settings(), **c.values} for c in self.candidates
        ]
        return pd.DataFrame(named)

    def best(self, max_dr: float, risk: str = "dr") -> Candidate:
        """The candidate of least information loss among those whose disclosure risk is within a limit.

        Parameters
        ----------
        max_dr : float
            The limit on the risk, per cent.
        risk : {"dr", "dr_informed"}
            What it is a limit on, as in `recommend`.

        Returns
        -------
        Candidate
            The one of least PIL.

        Raises
        ------
        InvalidParameter
            Where no candidate is within the limit, naming the least risk there is.

        Warns
        -----
        UserWarning
            Naming the candidates whose records do not pair with the original's: they have no such risk, and are left out.
        """
        max_dr = real_number("best", "max_dr", max_dr, low=0, high=100)
        choice("best", "risk", risk, RISKS)
        at_risk = [c for c in self.candidates if not math.isnan(c[risk])]
        if len(at_risk) < len(self.candidates):
            warnings.warn(LEFT_OUT.format(self._unpaired(), RISKS[risk]), UserWarning, stacklevel=2)
        within = [c for c in at_risk if c[risk] <= max_dr]
        if not at_risk:
            rule = f"is a limit on {RISKS[risk]}, which none of these candidates has: their records do not pair"
            raise InvalidParameter("best", "max_dr", rule, max_dr)
        if not within:
            least = min(at_risk, key=lambda c: c[risk])
            rule = f"must be at least {least[risk]:.4g}, the least {RISKS[risk]} of these candidates ({least.method})"
            raise InvalidParameter("best", "max_dr", rule, max_dr)
        return min(within, key=lambda c: (c["pil"], c[risk]))

    def _unpaired(self) -> str:
        return ", ".join(str(c.method) for c in self.candidates if math.isnan(c["dr"]))

    def nondominated(self, risk: str = "dr") -> list[bool]:
        """Which candidates no other one beats.

        Parameters
        ----------
        risk : {"dr", "dr_informed"}
            Which disclosure risk is looked at, as in `recommend`.

        Returns
        -------
        list of bool
            For each candidate: whether no other one is at least as good in PIL and risk and better in one of them.
        """
        choice("nondominated", "risk", risk, RISKS)
        return nondominated(self.candidates, risk)

    def plot(self, title: str | None = None, risk: str = "dr") -> Any:
        """The map: information loss against disclosure risk.

        Parameters
        ----------
        title : str, optional
            What stands above it.
        risk : {"dr", "dr_informed"}
            Which disclosure risk its axis shows, as in `recommend`.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.

        Raises
        ------
        MissingExtra
            Without matplotlib.
        """
        from ..plots import risk_utility_map

        shown = on_map(self.candidates, risk)
        return risk_utility_map(map_rows(shown, risk), nondominated(shown, risk), title, risk)

    def _view(self) -> View:
        said = () if self.kept is None else self.kept.sentences()
        if unpaired := self._unpaired():
            said = (LEFT_OUT.format(unpaired, RISKS["dr"]), *said)
        many = Count(len(self.candidates))
        title = f"Frontier: {many} {many:candidate|candidates}"
        return map_view(title, self.candidates, self.nondominated(), said)


@dataclass(frozen=True, repr=False)
class Judged:
    """One method with the report of its release from each seed, and what it had to do.

    judged["pil"] is the mean over the seeds, `spread` the standard deviation (NaN of a single one), `worst` the
    largest value. audit : what an audit of it found, None of those that were not audited.
    """

    method: Method
    reports: tuple[Report, ...]
    notes: tuple[str, ...] = ()
    audit: Audit | None = None

    def __getitem__(self, key: str) -> float:
        return float(np.mean([report[key] for report in self.reports]))

    def __repr__(self) -> str:
        return in_short(self)

    @property
    def values(self) -> dict[str, float]:
        """The mean of each measure, per cent."""
        return {key: self[key] for key in (*DEFAULT, *INFORMED)}

    def spread(self, key: str) -> float:
        """The standard deviation (n - 1) over the seeds."""
        values = [report[key] for report in self.reports]
        return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")

    def worst(self, key: str) -> float:
        """The largest value over the seeds."""
        return max(report[key] for report in self.reports)


@dataclass(frozen=True)
class Limit:
    """The most risk allowed, per cent. risk : which one, of RISKS."""

    most: float
    risk: str = "dr"

    def keeps(self, one: Judged) -> bool:
        """Whether a method keeps to it with every seed that it was judged on."""
        return one.worst(self.risk) <= self.most

    def order(self, one: Judged) -> tuple[float, float]:
        """By which of those within it one is better: the loss, then the risk."""
        return one["pil"], one[self.risk]

    @property
    def words(self) -> str:
        """The risk, as a sentence calls it."""
        return RISKS[self.risk]


@dataclass(frozen=True, repr=False)
class Recommendation(Shown):
    """The outcome of a search.

    Parameters
    ----------
    pick : Judged, optional
        The method of least mean PIL among those whose risk is at most `max_dr` with every seed, None where none is.
        `pick.audit` is what an audit of it found.
    least : Judged
        The method of least mean risk.
    reasons : tuple of str
        Why, in sentences.
    judged : tuple of Judged
        All methods, in the order they were tried.
    max_dr : float
        The limit on the risk, per cent.
    complete : bool
        Whether the time was enough for the whole search.
    seconds : float
        How long it took.
    set_aside : mapping of str to str
        Methods that could not be used, with the reason.
    seeds : tuple of int or RStream
        They repeat the releases judged, which are not for release: protect(frame, pick.method, roles, seed=seeds[0]).
        Where no seed was given they are streams at their starting states, each reading of which is a new copy.
    kept : Kept, optional
        What leaves as it came whatever the method, and how many records are unique on it.
    risk : str
        What `max_dr` is a limit on: "dr" or "dr_informed".
    """

    pick: Judged | None
    least: Judged
    reasons: tuple[str, ...]
    judged: tuple[Judged, ...]
    max_dr: float
    complete: bool
    seconds: float
    set_aside: Mapping[str, str] = field(default_factory=dict)
    seeds: tuple[int | RStream, ...] = kept_start(())
    kept: Kept | None = field(default=None, repr=False)
    risk: str = "dr"

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasons", tuple(map(one_line, self.reasons)))

    @property
    def frontier(self) -> tuple[Judged, ...]:
        """The methods that no other beats in both mean PIL and mean risk, the least risk first."""
        kept = [one for one, mark in zip(self.judged, nondominated(self.judged, self.risk), strict=True) if mark]
        return tuple(sorted(kept, key=lambda one: one[self.risk]))

    def rows(self) -> list[dict[str, Any]]:
        """One row a method.

        Returns
        -------
        list of dict
            Means, spreads, how many seeds, whether within the limit, on the frontier, picked; of an audit detection,
            membership and the number of alarms, NaN where there was none.
        """
        marks, limit = nondominated(self.judged, self.risk), Limit(self.max_dr, self.risk)
        rows = []
        for one, mark in zip(self.judged, marks, strict=True):
            row: dict[str, Any] = {"method": type(one.method).__name__, "parameters": one.method.settings()}
            row |= one.values | {"pil_sd": one.spread("pil"), "dr_sd": one.spread("dr"), "dr_worst": one.worst("dr")}
            row |= {"dr_informed_worst": one.worst("dr_informed"), **_audited(one.audit)}
            row |= {"seeds": len(one.reports), "within": limit.keeps(one), "frontier": mark}
            rows.append(row | {"pick": one is self.pick})
        return rows

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row a method, as `rows` has them.
        """
        import pandas as pd

        return pd.DataFrame(self.rows())

    def plot(self, title: str | None = None) -> Any:
        """The map of everything judged, with the limit.

        Parameters
        ----------
        title : str, optional
            What stands above it.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.

        Raises
        ------
        MissingExtra
            Without matplotlib.
        """
        from ..plots import risk_utility_map

        shown = on_map(self.judged, self.risk)
        marks = nondominated(shown, self.risk)
        return risk_utility_map(map_rows(shown, self.risk), marks, title, self.risk, limit=self.max_dr)

    def _view(self) -> View:
        none = f"No method keeps {RISKS[self.risk]} within {self.max_dr:g} %"
        title = none if self.pick is None else f"Recommended: {self.pick.method}"
        marks = nondominated(self.judged, self.risk)
        return map_view(title, self.judged, marks, self.reasons, risk=self.risk, limit=self.max_dr)


def _audited(audit: Audit | None) -> dict[str, float]:
    if audit is None:
        return dict.fromkeys((*AUDITED, "alarms"), float("nan"))
    return {key: audit[key] for key in AUDITED} | {"alarms": float(len(audit.alarms))}


def nondominated(judged: Sequence[Judged] | Sequence[Candidate], risk: str = "dr") -> list[bool]:
    """For each: whether no other is at least as good in (mean) PIL and risk and better in one of them."""
    points = [(one["pil"], one[risk]) for one in judged]
    return [not math.isnan(p[1]) and not any(q[0] <= p[0] and q[1] <= p[1] and q != p for q in points) for p in points]
