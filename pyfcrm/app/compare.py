"""What the pane Compare shows: map, table, the inspector of a trial, and two trials side by side; plain data for templates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..evaluation.verdict import ORDER, Verdict
from ..methods import Method
from ..plans.limits import LIMITS
from ..plots import AXES, as_png, distributions
from ..plots.svg import MapPoint, risk_utility_svg
from ..report.context import TESTS, finite_values, measure_rows, with_mean_changes, words
from ..search.candidates import ATTRIBUTABLE, Candidate
from .forms import method_title
from .state import Study, Trial

VIEWS = {
    "tests": "Tests",
    "utility": "Utility",
    "columns": "Columns",
    "records": "Records",
    "notes": "Notes",
    "pair": "Two trials",
}
MAP_SIZE = (560, 350)


def test_rows(verdict: Verdict) -> list[dict[str, Any]]:
    """The tests that apply, the worst first, with their titles."""
    rows = [row for row in verdict.rows() if row["status"] != "not applicable"]
    rows.sort(key=lambda row: ORDER.index(row["status"]))
    for row in rows:
        row["title"] = TESTS.get(row["key"], row["key"])
        if row["key"] == "audit" and row["status"] == "not examined" and "audit=True" in row["reason"]:
            row["reason"] = "a trial is audited in the background"
    return rows


def verdict_line(verdict: Verdict, most: int = 9) -> str:
    """The failed tests of a verdict with their figures, or those that were not examined; at most so many."""
    rows = test_rows(verdict)
    held = [row for row in rows if row["status"] == "hold"] or [row for row in rows if row["status"] == "not examined"]
    units = {test.key: zip(test.found, test.unit, strict=True) for test in verdict.tests}
    named = [
        " ".join(
            [
                row["title"].lower(),
                ", ".join(
                    f"{value:,.4g} {unit}" if unit != "p" else f"p {value:.2g}" for value, unit in units[row["key"]]
                ),
            ]
        ).strip()
        for row in held
    ]
    more = [f"{len(named) - most} more"] if len(named) > most else []
    return "; ".join(named[:most] + more) if named else f"{len(rows)} tests passed" if rows else "nothing was tested"


def loss(candidate: Candidate) -> float:
    """Information loss of a trial or a candidate; NaN where it was not measured."""
    return candidate.loss if candidate.losses else math.nan


def map_svg(study: Study, axis: str, base: str) -> str:
    """The risk-utility map of all trials, and the candidates of the last search as hollow points."""
    shown = [(trial.point, trial.title, str(trial.number), f"trial={trial.number}") for trial in study.work.trials]
    shown += [
        (each, f"candidate {method_title(each.method)}", "", f"candidate={k}")
        for k, each in enumerate(study.work.candidates)
    ]
    points = [
        MapPoint(
            point[axis],
            loss(point),
            f"{name}: loss {loss(point):.1f} %, risk {point[axis]:.1f}, {point.verdict.status}",
            number,
            family(point.method),
            f"{base}/compare?{link}",
            hollow=not number,
            selected=number == str(study.work.selected),
        )
        for point, name, number, link in shown
    ]
    limits = study.trial.plan.limits if study.trial is not None else {}
    limit = limits.get("risk", LIMITS["risk"].values)[0] if axis == ATTRIBUTABLE else limits.get("dr", (None,))[0]
    return risk_utility_svg(points, "Risk-utility map", AXES[axis], limit=limit, size=MAP_SIZE)


def family(method: Method) -> str:
    """What decides the symbol of a point: the class of the method, of a wrapped one its own."""
    return type(method.wrapped or method).__name__


def variable_rows(trial: Trial) -> list[dict[str, Any]]:
    """Each confidential variable before and after, with its place."""
    variables = trial.changes.variables if trial.changes else ()
    rows = with_mean_changes(variables, len(trial.source.frame))
    return [{**row, "place": place} for place, row in enumerate(rows)]


def difference_rows(*trials: Trial) -> list[tuple[str, ...]]:
    """The settings in which trials differ."""
    plans = [trial.plan for trial in trials]
    tables = [{"method": plan.method, **vars(plan.roles), **dict(plan.keep), **plan.limits} for plan in plans]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = [(name, *(words(table.get(name) or "-") for table in tables)) for name in names]
    return [row for row in rows if len(set(row[1:])) > 1]


def pair_rows(first: Trial, second: Trial) -> list[dict[str, Any]]:
    """The measures of two trials."""
    values = {row["measure"]: row["value"] for row in measure_rows(second.report)}
    rows = measure_rows(first.report)
    return [{**row, "second": values[row["measure"]]} for row in rows if row["measure"] in values]


def distribution_png(trial: Trial, place: int, other: Trial | None = None) -> bytes:
    """One confidential variable before and after, also of a second trial."""
    name = trial.report.columns[place]
    shown = [each for each in (trial, other) if each is not None and name in each.released.frame]
    before = finite_values(trial.source.frame, [name])
    after = [finite_values(each.released.frame, [name]) for each in shown]
    n = min(map(len, after))
    labels = [f"{name}, trial {each.number}" if other else name for each in shown]
    return as_png(distributions(np.hstack([before] * len(after)), np.hstack([Z[:n] for Z in after]), labels))
