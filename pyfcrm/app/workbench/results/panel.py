"""The results' panel: the map, the details of one trial, and what may be taken away."""

from __future__ import annotations

from typing import Any

from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from ...visit import Visit
from ..bench import Bench, Trial
from . import cards, trial

NOTHING = "Nothing has been tried yet. Each run appears here: on a map of risk and loss, with its details."


@module.ui
def panel() -> Any:
    """The place that the server fills."""
    head = ui.head_content(
        ui.tags.link(rel="stylesheet", href="studio/results.css"), ui.tags.script(src="studio/results.js", defer=True)
    )
    return ui.div(head, ui.output_ui("shown"), class_="results", **{"data-input": module.resolve_id("chosen")})


@module.server
def server(input: Inputs, output: Outputs, session: Session, bench: Bench, visit: Visit) -> None:
    """One visit's results: of what was tried on the file at hand, the latest last; numbers never come again."""
    trials = bench.trials

    @reactive.calc
    def selected() -> Trial | None:
        choice = input.chosen() if input.chosen.is_set() else None
        return looked_at(trials(), choice)

    _frame(trials)
    cards.tried_serve(input, trials, selected)
    trial.serve(input, session, bench, selected)
    cards.take_serve(input, bench, selected, visit)


def looked_at(trials: tuple[Trial, ...], choice: object) -> Trial | None:
    """The trial whose details are shown: the one that was chosen, until something else is tried; then the latest.

    choice : {"trial": the number chosen, "of": the latest number at that time}, as the page sends it.
    """
    if not trials:
        return None
    if isinstance(choice, dict) and choice.get("of") == max(t.number for t in trials):
        return next((t for t in trials if t.number == choice.get("trial")), trials[-1])
    return trials[-1]


def _frame(trials: Any) -> None:
    """The cards, put up once and not again with each trial, so that what was set in them stays."""
    there: reactive.Value[bool] = reactive.Value(False)

    @reactive.effect
    def _() -> None:
        there.set(bool(trials()))

    @render.ui
    def shown() -> Any:
        if there():
            return ui.TagList(cards.tried_card(), trial.card(), cards.take_card())
        words = ui.p(NOTHING, class_="said")
        return ui.tags.section(ui.h2("4  Results"), words, class_="card-of", aria_label="Results")
