"""The Report of evaluate()."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..data import SampleUniques
from ..data.encoding import Declared
from ..display import Result, View
from ..display.view import indented
from ..errors import Count, Note, lines, unknown_name
from ..measures import MEASURES
from ..measures.measure import Part, Parts
from ..notes import brief_notes
from .auditing.audit_result import Audit
from .risk.attributable import Attributable
from .utility.panel.utility import Utility
from .verdict.decision import UNEXAMINED, Verdict

if TYPE_CHECKING:
    import pandas as pd

PIL_SENTENCE = "PIL: relations to predictors are not part of it; a shuffled column has 0.00"
UNITS = "per cent where the range ends at 100"
FAMILIES_SHOWN = 4  # lines of the utility panel, the first of them the panel
COLUMNS = ("measure", "part", "value", "baseline", "excess", "inference", "attributable", "lower", "upper", "better")


@dataclass(frozen=True)
class GroupMean:
    """The mean of a measured column within one level of a categorical column."""

    domain: str
    """The categorical column."""
    level: str
    """Its level."""
    records: int
    """Number of records of the level that have the measured column."""
    column: str
    """The measured column."""
    original: float
    """The mean in the original."""
    released: float
    """The mean in the release."""
    difference: float
    """Released minus original, in standard errors of the original's mean; NaN for a constant."""


@dataclass(frozen=True, repr=False)
class Report(Result):
    """The measures of one release, per cent where the range ends at 100: report["pil"]; to_frame() has every part.

    Parameters
    ----------
    results : mapping of str to Parts
        By the measure's key.
    columns : tuple of str
        The attributes that were measured.
    records : int
        Number of records.
    all_notes : tuple of str
        Remarks of the readers and the measures, in full; `notes` has them in brief.
    verdict : Verdict
        Whether the release is acceptable, test by test.
    attributable : Attributable, optional
        Risks and their inference baselines, on at most 5,000 records; None without roles or independent columns.
    kept : SampleUniques, optional
        The columns released unchanged, and their sample uniques; None where the roles are not known or
        records do not pair.
    groups : tuple of GroupMean
        Means of the measured columns within the levels of the categorical columns of `domains`.
    guessed_seed : int, optional
        The seed of the release, if trying integers found it. For the owner only.
    audit : Audit, optional
        The audit that `evaluate` ran or was given.
    declared : mapping or "numbers", optional
        What was declared of the variables.
    utility : Utility, optional
        Estimates that users make, of the original and of the release; None where the roles are not known.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> report = pf.evaluate(frame, released.frame, columns=roles.dependent)
    >>> report["score"] == (report["pil"] + report["dr"]) / 2
    True
    """

    results: Mapping[str, Parts]
    columns: tuple[str, ...]
    records: int
    all_notes: tuple[str, ...] = ()
    verdict: Verdict = UNEXAMINED
    attributable: Attributable | None = None
    kept: SampleUniques | None = None
    groups: tuple[GroupMean, ...] = ()
    guessed_seed: int | None = field(default=None, repr=False)
    audit: Audit | None = field(default=None, repr=False)
    declared: Declared = field(default=None, repr=False)
    utility: Utility | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "all_notes", tuple(lines(self.all_notes)))

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes in brief: at most ten of at most 25 words, warnings first; notes of one kind and wording are one."""
        return tuple(brief_notes(self.all_notes))

    def __getitem__(self, key: str) -> float:
        if not isinstance(key, str) or key not in self.results:
            raise unknown_name("Report", "measure", key, self.results)
        return self.results[key].total

    @property
    def inference(self) -> Mapping[str, float]:
        """The inference baseline of each risk measure, per cent; empty where there is none."""
        return {} if self.attributable is None else self.attributable.inference

    @property
    def floors(self) -> Mapping[str, float]:
        """DR and SCORE of a perfect draw given the predictors: the values of another record near in these, at PIL 0; may be empty."""
        if self.attributable is None:
            return {}
        return {key: self.attributable.floor / k for key, k in (("dr", 1), ("score", 2)) if key in self.results}

    def utility_lines(self) -> list[str]:
        """The utility panel as text.

        Returns
        -------
        list of str
            The line below the verdict, then one for each family of which users lose more than by an honest draw; none where the
            roles are not known.
        """
        return [] if self.utility is None else self.utility.lines()

    def utility_document(self) -> dict[str, Any] | None:
        """The summary of the utility panel as one document of plain data, for JSON.

        Returns
        -------
        dict or None
            None where the roles are not known.
        """
        return None if self.utility is None else self.utility.document()

    def lines(self) -> list[str]:
        """The verdict and the utility panel as text.

        Returns
        -------
        list of str
            The headline of the verdict, the utility panel, then the tests.
        """
        verdict = self.verdict.lines()
        return [verdict[0], *self.utility_lines(), *verdict[1:]]

    def keys(self) -> list[str]:
        """The measures that were computed.

        Returns
        -------
        list of str
            Their keys.
        """
        return list(self.results)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each measure's total and each of its parts.

        Returns
        -------
        list of dict
            Measure, part, value, baseline and so on by name; None where there is no baseline.
        """
        rows = []
        for key, result in self.results.items():
            facts = MEASURES[key]
            for part in (Part("total", result.total, result.baseline), *result.parts):
                name = part.name if part.attribute is None else self.columns[part.attribute]
                excess = None if part.baseline is None else part.value - part.baseline
                lower, upper = part.range or (facts.lower, facts.upper)
                risk = (None, None) if self.attributable is None else self.attributable.row(key, name)
                row = (key, name, part.value, part.baseline, excess, *risk, lower, upper, part.better or facts.better)
                rows.append(dict(zip(COLUMNS, row, strict=True)))
        return rows

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row for each measure's total and each of its parts; NaN where there is no baseline.
        """
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(COLUMNS))
        return frame.astype(dict.fromkeys(("baseline", "excess", "inference", "attributable"), "float64"))

    def plot(self, title: str | None = None) -> Any:
        """The measures: a bar each, as long as the value is far along the measure's range, with a mark for chance.

        Parameters
        ----------
        title : str, optional
            The figure's title.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which shows itself in a notebook.
        """
        from ..plots import measures

        return measures([row for row in self.rows() if row["part"] == "total"], title)

    def _view(self) -> View:
        totals = [row for row in self.rows() if row["part"] == "total"]
        inference = ("inference", "attributable") if self.inference else ()
        names = ["measure", "value", "baseline", "excess", *inference, "better"]
        unmodified = () if self.kept is None else self.kept.sentences()
        verdict = self.verdict.lines()
        tests = [line for line in verdict[1:] if not line.startswith("  pass")]
        # A console shows the panel's first lines and the passed tests whole, and each other test on one line.
        utility = self.utility_lines()
        shown = [part for line in utility[:FAMILIES_SHOWN] for part in indented(line)]
        if len(utility) > FAMILIES_SHOWN:
            shown.append(f"  and {len(utility) - FAMILIES_SHOWN} more families: see report.utility")
        lead = [verdict[0], *shown, *tests]
        passed = ", ".join(test.key for test in self.verdict.tests if test.status == "pass")
        columns = Count(len(self.columns))
        return View(
            f"Report: {self.records:,} records, {columns} {columns:column|columns}; {UNITS}",
            names,
            [[row[name] for name in names] for row in totals],
            (*floor_sentence(self), *pil_sentence(self), *unmodified, *self.notes),
            lead=[*lead, *(indented(f"  pass: {passed}") if passed else [])],
        )


def pil_sentence(report: Report) -> list[str]:
    """A sentence on what PIL does not see; none without PIL."""
    return [PIL_SENTENCE] if "pil" in report.results else []


def floor_sentence(report: Report) -> list[str]:
    """A sentence on the measures of a perfect draw given the predictors; none without predictors, DR and SCORE."""
    values = " and ".join(f"{key.upper()} {value:.2f}" for key, value in report.floors.items())
    return [f"floor: a perfect draw given the predictors would have {values}"] if values else []
