"""The card of one trial: its measures, before and after, the records at risk, how it was made."""

from __future__ import annotations

from typing import Any

from shiny import Inputs, Session, reactive, render, ui

from ..inputs import one_of
from .later import Later, before_and_after, risk
from .tables import made, measures

WAITING = '<p class="said" role="status">This takes a moment …</p>'


def card() -> Any:
    """The places of the details, one under each tab."""
    return ui.tags.section(
        ui.output_ui("heading"),
        ui.navset_underline(
            ui.nav_panel("Measures", ui.div(ui.output_ui("measured"), class_="measured"), value="measures"),
            ui.nav_panel("Before and after", ui.output_ui("drawn"), value="drawn"),
            ui.nav_panel("Records at risk", ui.output_ui("at_risk"), value="risk"),
            ui.nav_panel("How it was made", ui.output_ui("how"), value="how"),
            id="view",
        ),
        class_="card-of",
        aria_label="One trial",
    )


def serve(input: Inputs, session: Session, selected: Any) -> None:
    """Show the trial that was chosen."""
    _slow(input, session, selected)

    @render.ui
    def heading() -> Any:
        trial = selected()
        return None if trial is None else ui.div(ui.h2(f"Trial {trial.number}: {trial.name}"), role="status")

    @render.ui
    def measured() -> Any:
        trial = selected()
        return None if trial is None else ui.HTML(measures(trial))

    @render.ui
    def how() -> Any:
        trial = selected()
        return None if trial is None else ui.HTML(made(trial))


def _slow(input: Inputs, session: Session, selected: Any) -> None:
    """What takes long is made only where it is looked at, and not any more once the visit is over."""
    slow = {"drawn": Later(before_and_after), "risk": Later(risk)}

    @reactive.effect
    def _() -> None:
        trial, view = selected(), one_of(input.view(), slow) if input.view.is_set() else ""
        if trial is not None and view:
            slow[view].look(trial)

    def shown(key: str) -> Any:
        trial = selected()
        return None if trial is None else ui.HTML(slow[key].html(trial) or WAITING)

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
