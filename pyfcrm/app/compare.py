"""What the pane Compare shows: map, table, the inspector of a trial, and two trials side by side; plain data for templates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..data import open_frame
from ..errors import Count, Note
from ..evaluation.encoded_files import opened_files
from ..evaluation.report import Report
from ..evaluation.utility.regression import FAMILIES
from ..evaluation.verdict.decision import Verdict
from ..plans.limits import LIMITS
from ..plans.plan import Plan
from ..plots import AXES, LOSSES, as_png, distributions
from ..plots.svg import MapPoint, risk_utility_svg
from ..report.context import finite_values, measure_rows, test_rows, with_mean_changes, words
from ..search.candidates import ATTRIBUTABLE, loss_on
from .contents import OF_LEVELS, Level, compared_levels
from .forms import method_title
from .state import Study, Trial

FAMILY_NAMES = dict(zip(FAMILIES, ("least squares", "logistic regression"), strict=True))
VIEWS = {
    "tests": "Tests",
    "utility": "Utility",
    "analysis": "My analysis",
    "columns": "Columns",
    "records": "Records",
    "notes": "Notes",
    "pair": "Two trials",
}


def verdict_line(verdict: Verdict, most: int = 9) -> str:
    """The failed tests of a verdict with their figures, or those that were not examined; at most so many."""
    rows = test_rows(verdict)
    if verdict.ok:
        return f"{len(rows)} {Count(len(rows)):test|tests} passed"
    named = [f"{row['title'].lower()} {row['found']}".strip() for row in rows if row["status"] == verdict.status]
    more = [f"{len(named) - most} more"] if len(named) > most else []
    return "; ".join(named[:most] + more) or "nothing was tested"


def utility_line(report: Report) -> str:
    """What users lose, in a few words; "" where it is not known."""
    if report.utility is None:
        return ""
    summary = report.utility.summary
    return f"{summary.above:.0f} % of estimates above 3 se"


def warnings_of(trial: Trial) -> list[str]:
    """The notes of a trial that warn, on its release and on its evaluation."""
    notes = dict.fromkeys([*trial.released.notes, *trial.report.notes])
    return [note for note in notes if Note.taken(note).severity == "warning"]


def map_svg(study: Study, axis: str, loss: str, chosen: str, base: str) -> str:
    """The risk-utility map of all trials, and the candidates of the last search as hollow points.

    axis, loss : its risk and its loss; chosen : such as "trial=3".
    """
    shown = [(trial.point, trial.title, str(trial.number), f"trial={trial.number}") for trial in study.work.trials]
    shown += [
        (each, f"candidate {method_title(each.method)}", "", f"candidate={k}")
        for k, each in enumerate(study.candidates)
    ]
    points = [
        MapPoint(
            risk=point[axis],
            loss=loss_on(point, loss),
            name=f"{name}: {LOSSES[loss]} {loss_on(point, loss):.1f}, risk {point[axis]:.1f}, {point.verdict.status}",
            number=number,
            family=type(point.method.wrapped or point.method).__name__,
            href=f"{base}/compare?{link}",
            hollow=not number,
            selected=link == chosen,
        )
        for point, name, number, link in shown
    ]
    limits = study.trial.plan.limits if study.trial is not None else {}
    limit = limits.get("risk", LIMITS["risk"].values)[0] if axis == ATTRIBUTABLE else limits.get("dr", (None,))[0]
    return risk_utility_svg(points, AXES[axis], LOSSES[loss], limit=limit)


def variable_rows(trial: Trial) -> list[dict[str, Any]]:
    """Each confidential variable before and after."""
    return with_mean_changes(trial.changes.variables if trial.changes else ())


@dataclass(frozen=True, kw_only=True)
class ColumnPair:
    """A confidential column before and after: bars of its levels, or the place of its picture."""

    name: str
    """The column."""
    label: str
    """Its label in the file."""
    levels: tuple[Level, ...] = ()
    """Of categories and codes."""
    others: int = 0
    """How many levels have no bar."""
    place: int | None = None
    """Of numbers: the place of the picture in the trial's addresses."""
    row: Mapping[str, Any] | None = None
    """The change of the variable, where it was computed."""


def column_pairs(trial: Trial) -> list[ColumnPair]:
    """The confidential columns of a trial that can be compared: categories and codes as bars, numbers as pictures."""
    contents = trial.form.contents or trial.source.contents
    original, released = (open_frame("studio", frame) for frame in (trial.source.frame, trial.released.frame))
    changes = {row["variable"]: row for row in variable_rows(trial)}
    measured = trial.report.columns
    pairs = list[ColumnPair]()
    for name in dict.fromkeys([*measured, *trial.plan.roles.dependent]):
        if name not in original.names or name not in released.names:
            continue
        variable = contents.variables[name]
        found: dict[str, Any] = {"name": name, "label": variable.label, "row": changes.get(name)}
        if variable.kind in OF_LEVELS:
            found["levels"], found["others"] = compared_levels(original, released, variable)
        elif name in measured:
            found["place"] = measured.index(name)
        else:
            continue
        pairs.append(ColumnPair(**found))
    return pairs


def difference_rows(*trials: Trial) -> list[tuple[str, ...]]:
    """The settings in which trials differ."""
    plans = [trial.plan for trial in trials]
    tables = [
        {"method": plan.method, **vars(plan.roles), **vars(plan.keep), **_declared(plan), **plan.limits}
        for plan in plans
    ]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = [(name, *(words(table.get(name) or "-") for table in tables)) for name in names]
    return [row for row in rows if len(set(row[1:])) > 1]


def _declared(plan: Plan) -> dict[str, str]:
    """What is declared of columns, by column."""
    if not isinstance(plan.variables, Mapping):
        return {"variables": str(plan.variables)}
    return {f"variables.{name}": str(variable) for name, variable in plan.variables.items()}


def pair_rows(first: Trial, second: Trial) -> list[dict[str, Any]]:
    """The measures that two trials have."""
    values = {row["measure"]: row["value"] for row in measure_rows(second.report)}
    rows = []
    for row in measure_rows(first.report):
        if row["measure"] in values:
            rows.append({**row, "second": values[row["measure"]]})
    return rows


def distribution_png(trial: Trial, name: str) -> bytes:
    """A confidential variable before and after."""
    files = opened_files("compare", trial.source.frame, trial.released, trial.report.declared)
    original, released = (finite_values(frame, [name]) for frame in files)
    return as_png(distributions(original, released, [name]))
