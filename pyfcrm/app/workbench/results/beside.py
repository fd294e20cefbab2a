"""Two trials side by side: every measure of either, and how they differ."""

from __future__ import annotations

import math
from typing import Any

from shiny import Inputs, reactive, render, ui

from ....evaluation.report import Report
from ....report.html import number, table
from ..bench import Bench, Trial
from .tried import label, value

NONE = "There is no other trial yet: try a second method, and compare the two here."


def panel() -> Any:
    """Which other trial, and the table."""
    return ui.div(ui.input_select("other", "Beside", {"": NONE}), ui.output_ui("compared"))


def serve(input: Inputs, bench: Bench, selected: Any) -> None:
    """The trial that is shown beside another one."""

    @reactive.effect
    def _others() -> None:
        trial = selected()
        found = {} if trial is None else {str(t.number): named(t) for t in bench.trials() if t.number != trial.number}
        with reactive.isolate():
            before = input.other() if input.other.is_set() else ""
        ui.update_select("other", choices=found or {"": NONE}, selected=before if before in found else None)

    @render.ui
    def compared() -> Any:
        trial, other = selected(), input.other()
        found = next((t for t in bench.trials() if str(t.number) == other), None)
        return None if trial is None or found is None or found is trial else ui.HTML(compared_table(trial, found))


def named(trial: Trial) -> str:
    """The trial with its number."""
    return f"{trial.number}: {label(trial)}"


def compared_table(one: Trial, other: Trial) -> str:
    """How each was made, and each total of either, with the difference, and which of the two is better by it."""
    head = ("what", named(one), named(other), "difference", "better")
    rows = [
        ("verdict", one.report.verdict.status, other.report.verdict.status, "", ""),
        ("seconds", number(one.seconds, 1), number(other.seconds, 1), "", ""),
        ("dependent columns", *(", ".join(t.released.roles.dependent) for t in (one, other)), "", ""),
        ("independent columns", *(", ".join(t.released.roles.independent) or "none" for t in (one, other)), "", ""),
        ("constraints", *(t.constraints or "none" for t in (one, other)), "", ""),
        ("unique on what leaves as it came, %", *(_kept(t.report) for t in (one, other)), "", ""),
    ]
    keys = dict.fromkeys([*one.report.keys(), *other.report.keys()])
    return str(table(head, [*rows, *(_measure(one, other, key) for key in keys)], words=1))


def _measure(one: Trial, other: Trial, key: str) -> tuple[str, ...]:
    a, b = value(one, key), value(other, key)
    facts = next(t.report for t in (one, other) if key in t.report.results).facts(key)
    gap = a - b
    better = ""
    if math.isfinite(gap) and gap and facts.better in ("lower", "higher"):
        better = str((one if (gap < 0) == (facts.better == "lower") else other).number)
    return facts.title, *(_number(v) for v in (a, b, gap)), better


def _number(v: float) -> str:
    return number(v) if math.isfinite(v) else "–"


def _kept(report: Report) -> str:
    return "–" if report.kept is None else number(report.kept.share)
