"""The card of one trial: what may be done with it, and its details, one under each tab."""

from __future__ import annotations

from typing import Any

from shiny import Inputs, Session, reactive, render, ui

from ..bench import Bench
from ..inputs import one_of
from . import acts, audit_tab, beside, one_column
from .later import Later, before_and_after, risk
from .tables import measures, provenance, verdict_html

WAITING = "To stop it, look at another tab."


def card() -> Any:
    """The places of the details, one under each tab."""
    return ui.tags.section(
        ui.output_ui("heading"),
        acts.buttons(),
        ui.navset_underline(
            ui.nav_panel("Measures", ui.div(ui.output_ui("measured"), class_="measured"), value="measures"),
            ui.nav_panel("Before and after", ui.output_ui("drawn"), value="drawn"),
            ui.nav_panel("One column", one_column.panel(), value="column"),
            ui.nav_panel("Records at risk", ui.output_ui("at_risk"), value="risk"),
            ui.nav_panel("Audit", audit_tab.panel(), value="audit"),
            ui.nav_panel("Side by side", beside.panel(), value="beside"),
            ui.nav_panel("How it was made", ui.output_ui("how"), value="how"),
            id="view",
        ),
        class_="card-of",
        aria_label="One trial",
    )


def serve(input: Inputs, session: Session, bench: Bench, selected: Any) -> None:
    """Show the trial that was chosen."""
    _slow(input, session, selected)
    acts.serve(input, bench, selected)
    one_column.serve(input, selected)
    audit_tab.serve(input, bench, selected)
    beside.serve(input, bench, selected)

    @render.ui
    def heading() -> Any:
        trial = selected()
        if trial is None:
            return None
        called = f"{trial.title}: {trial.name}" if trial.title else trial.name
        title = ui.div(ui.h2(f"Trial {trial.number}: {called}"), role="status")
        return ui.TagList(title, ui.HTML(verdict_html(trial.report.verdict)))

    @render.ui
    def measured() -> Any:
        trial = selected()
        return None if trial is None else ui.HTML(measures(trial))

    @render.ui
    def how() -> Any:
        trial = selected()
        return None if trial is None else ui.HTML(provenance(trial))


def _slow(input: Inputs, session: Session, selected: Any) -> None:
    """What takes long is made only where it is looked at, and not any more once another tab is, or the visit is over."""
    slow = {"drawn": Later(before_and_after), "risk": Later(risk)}

    @reactive.effect
    def _() -> None:
        trial, view = selected(), one_of(input.view(), slow) if input.view.is_set() else ""
        for key, one in slow.items():
            if key != view:
                one.stop()
        if trial is not None and view:
            slow[view].look(trial)

    def shown(key: str) -> Any:
        trial = selected()
        if trial is None:
            return None
        html = slow[key].html(trial)
        if html is not None:
            return ui.HTML(html)
        reactive.invalidate_later(0.3)
        fraction, words = slow[key].standing()
        bar = ui.tags.progress(value=f"{fraction:.3f}", max="1", aria_label=words)
        sentences = ui.span(f"{100 * fraction:.0f} %: {words}. {WAITING}", class_="said")
        return ui.div(bar, sentences, class_="progress-of", role="status")

    @render.ui
    def drawn() -> Any:
        return shown("drawn")

    @render.ui
    def at_risk() -> Any:
        return shown("risk")

    def _end() -> None:
        for one in slow.values():
            one.stop()

    session.on_ended(_end)
