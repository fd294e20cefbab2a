"""The tab of the audit: what releases of a random part of the file tell of the records they were made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shiny import Inputs, reactive, render, ui

from ....evaluation.audit import audit
from ....evaluation.audit_result import Audit
from ....evaluation.evaluate import evaluate
from ....evaluation.report import Report
from ....progress import Progress, within
from ....report.sections import audited as audit_section
from ..bench import Bench, Trial
from ..strip import message

CARD = "audit"
REPEATS = {"1": "1 split", "3": "3 splits", "10": "10 splits"}
WORDS = (
    "Protects a random half of the records, several times, and attacks each release with the other half, which the method "
    "never saw: whether a release is told from people who are not in it, whose record was in it, and whose values it gives "
    "away. Each attack stands beside its control. Eight further releases, of other halves, train one of the attacks. At most "
    "5,000 records are audited, drawn at random."
)


def panel() -> Any:
    """How many splits, the button, and what was found."""
    return ui.div(
        ui.p(WORDS, class_="said"),
        ui.input_select("repeats", "How many times", REPEATS, selected="3", width="14rem"),
        ui.div(ui.input_action_button("audit", "Audit this method", class_="btn-primary"), class_="buttons"),
        ui.output_ui("audit_said"),
        ui.output_ui("audited"),
    )


def serve(input: Inputs, bench: Bench, selected: Any) -> None:
    """Audit the method of the trial that is shown; what was found stays with it."""

    @reactive.effect
    @reactive.event(input.audit)
    def _start() -> None:
        trial, repeats = selected(), input.repeats()
        if trial is not None and repeats in REPEATS:
            start_audit(bench, CARD, trial, int(repeats))

    @render.ui
    def audit_said() -> Any:
        return message(bench, CARD)

    @render.ui
    def audited() -> Any:
        trial = selected()
        return None if trial is None else ui.HTML(shown(trial))


def start_audit(bench: Bench, card: str, trial: Trial, repeats: int = 3) -> None:
    """Audit a trial's method beside the page; audit and completed verdict stay with the trial."""

    def work(progress: Progress) -> tuple[Audit, Report]:
        audit = audit_of(trial, repeats, within(progress, 0, 2, "audit"))
        return audit, with_audit(trial, audit, within(progress, 1, 2, "verdict"))

    bench.start(card, work, lambda results: bench.change(trial.number, audit=results[0], report=results[1]))


def with_audit(trial: Trial, audit: Audit, progress: Progress | None = None) -> Report:
    """The trial's report with the verdict that its audit completes. Raises PyfcrmError."""
    frame = trial.source.table.frame
    again = evaluate(frame, trial.released, progress=progress, audit=audit)
    return replace(trial.report, verdict=again.verdict)


def audit_of(trial: Trial, repeats: int, progress: Progress | None = None) -> Audit:
    """Of a trial's method, on its file, from seed 1, so that it can be repeated. Raises PyfcrmError."""
    return audit(
        trial.source.table.frame,
        trial.method,
        trial.released.roles,
        1,
        repeats=repeats,
        progress=progress,
        **trial.options,
    )


def shown(trial: Trial) -> str:
    """The alarms and every attack; nothing before there was an audit."""
    return "" if trial.audit is None else audit_section(trial.audit).body
