"""What the pane Compare shows: map, table, the inspector of a trial, and two trials side by side; plain data for templates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data import checked, open_frame
from ..evaluation.verdict import ORDER, Verdict
from ..methods import Method
from ..plans.limits import LIMITS
from ..plots import AXES, as_png, distributions
from ..plots.svg import MapPoint, risk_utility_svg
from ..report.context import TESTS, measure_rows, with_mean_changes
from ..search.candidates import ATTRIBUTABLE, Candidate, nondominated
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
TABLE = ("pil", ATTRIBUTABLE, "dr")
MAP_SIZE = (560, 350)
MAX_RECORDS = 10
SHARE = 0.5  # of a link, from which on a record is listed
SECTIONS = {"unprotected": "columns", "risk": "records", "linkage": "records", "range": "columns", "audit": "notes"}


def test_rows(verdict: Verdict) -> list[dict[str, Any]]:
    """The tests that apply, the worst first, with their titles."""
    rows = [row for row in verdict.rows() if row["status"] != "not applicable"]
    rows.sort(key=lambda row: ORDER.index(row["status"]))
    for row in rows:
        row |= {"title": TESTS.get(row["key"], row["key"]), "view": SECTIONS.get(row["key"], "tests")}
        if row["key"] == "audit" and row["status"] == "not examined" and "audit=True" in row["reason"]:
            row["reason"] = "each trial is audited in the background"
    return rows


def verdict_line(verdict: Verdict, most: int = 9) -> str:
    """The failed tests of a verdict with their figures, or those that were not examined; at most so many."""
    rows = test_rows(verdict)
    held = [row for row in rows if row["status"] == "hold"] or [row for row in rows if row["status"] == "not examined"]
    units = {test.key: zip(test.found, test.unit, strict=True) for test in verdict.tests}
    named = [
        " ".join([row["title"].lower(), ", ".join(f"{value:,.4g} {unit}" for value, unit in units[row["key"]])]).strip()
        for row in held
    ]
    more = [f"{len(named) - most} more"] if len(named) > most else []
    return "; ".join(named[:most] + more) if named else f"{len(rows)} tests passed" if rows else "nothing was tested"


def rows_of(study: Study) -> list[dict[str, Any]]:
    """The trials as rows of the table."""
    return [{"trial": trial, **_figures(trial.point)} for trial in study.work.trials]


def candidate_rows(study: Study) -> list[dict[str, Any]]:
    """The candidates of the last search as rows, with what became of them."""
    advice = study.work.advice
    choices: dict[int, str] = {}
    if advice is not None:
        choices = {id(c): "nearest" for c in advice.nearest} | {
            id(advice.second): "least risk",
            id(advice.best): "least loss",
        }
    return [
        {"title": method_title(c.method), "verdict": c.verdict, "choice": choices.get(id(c), ""), **_figures(c)}
        for c in study.work.candidates
    ]


def _figures(candidate: Candidate) -> dict[str, float]:
    return {
        key: candidate[key] if key == ATTRIBUTABLE or key in candidate.report.results else math.nan for key in TABLE
    }


def map_svg(study: Study, axis: str, base: str) -> str:
    """The risk-utility map of all trials, and the candidates of the last search as hollow points."""
    points: list[MapPoint] = []
    trials, candidates = study.work.trials, study.work.candidates
    for k, candidate in enumerate(candidates):
        figures = _figures(candidate)
        name = f"candidate {method_title(candidate.method)}: PIL {figures['pil']:.1f} %, {candidate.verdict.status}"
        href = f"{base}/compare?candidate={k}"
        points.append(MapPoint(figures[axis], figures["pil"], name, "", family(candidate.method), href, hollow=True))
    solid = []
    for trial in trials:
        figures = _figures(trial.point)
        name = f"{trial.title}: PIL {figures['pil']:.1f} %, risk {figures[axis]:.1f}, {trial.verdict.status}"
        href, selected = f"{base}/compare?trial={trial.number}", trial.number == study.work.selected
        number = str(trial.number)
        solid.append(
            MapPoint(figures[axis], figures["pil"], name, number, family(trial.method), href, selected=selected)
        )
    best = nondominated([trial.point for trial in trials if trial.report.results], axis) if trials else []
    measured = [point for point, trial in zip(solid, trials, strict=True) if trial.report.results]
    front = sorted((p for p, mark in zip(measured, best, strict=True) if mark), key=lambda p: (p.risk, p.loss))
    limits = study.trial.plan.limits if study.trial is not None else {}
    limit = limits.get("risk", LIMITS["risk"].values)[0] if axis == ATTRIBUTABLE else limits.get("dr", (None,))[0]
    return risk_utility_svg([*points, *solid], "Risk-utility map", AXES[axis], limit=limit, front=front, size=MAP_SIZE)


def family(method: Method) -> str:
    """What decides the symbol of a point: the class of the method, of a wrapped one its own."""
    return type(method.wrapped or method).__name__


def variable_rows(trial: Trial) -> list[dict[str, Any]]:
    """Each confidential variable before and after, with its place."""
    variables = trial.changes.variables if trial.changes else ()
    rows = with_mean_changes(variables, len(trial.source.frame))
    return [{**row, "place": place} for place, row in enumerate(rows)]


def record_rows(trial: Trial) -> list[dict[str, Any]]:
    """The records that linkage finds with a chance of at least one half, at most ten."""
    if trial.at_risk is None:
        return []
    rows: Any = trial.at_risk.to_frame().head(MAX_RECORDS).to_dict("records")
    return list(rows)


def difference_rows(first: Trial, second: Trial) -> list[tuple[str, str, str]]:
    """The settings in which two trials differ."""
    tables = [{**_flat(trial.plan.tables() | {"method": str(trial.method)})} for trial in (first, second)]
    names = dict.fromkeys([*tables[0], *tables[1]])
    rows = [(name, tables[0].get(name, "-"), tables[1].get(name, "-")) for name in names]
    return [row for row in rows if row[1] != row[2] and not row[0].startswith(("output", "random"))]


def _flat(table: Any, path: str = "") -> dict[str, str]:
    if isinstance(table, dict):
        flat: dict[str, str] = {}
        for key, value in table.items():
            flat |= _flat(value, f"{path}.{key}" if path else str(key))
        return flat
    return {path: ", ".join(map(str, table)) if isinstance(table, list) else str(table)}


def pair_rows(first: Trial, second: Trial) -> list[dict[str, Any]]:
    """The measures of two trials."""
    values = {row["measure"]: row["value"] for row in measure_rows(second.report)}
    rows = measure_rows(first.report)
    return [{**row, "second": values[row["measure"]]} for row in rows if row["measure"] in values]


def distribution_png(trial: Trial, place: int, other: Trial | None = None) -> bytes:
    """One confidential variable before and after, also of a second trial."""
    name = trial.report.columns[place]
    X, Z = (_values(frame, name) for frame in (trial.source.frame, trial.released.frame))
    if other is None or name not in other.released.frame:
        return as_png(distributions(X, Z, [name]))
    labels = [f"{name}, trial {trial.number}", f"{name}, trial {other.number}"]
    W = _values(other.released.frame, name)
    n = min(len(Z), len(W))
    return as_png(distributions(np.column_stack([X, X]), np.column_stack([Z[:n], W[:n]]), labels))


def _values(frame: Any, name: str) -> np.ndarray:
    values = checked("studio", open_frame("studio", frame), [name])
    return values[np.isfinite(values).all(axis=1)]


def bars_svg(bars: Sequence[int]) -> list[tuple[float, float]]:
    """Places and heights, 0 to 20, of the bars of a column's histogram."""
    most = max(bars, default=1) or 1
    return [(4.0 * k, 20.0 * count / most) for k, count in enumerate(bars)]
