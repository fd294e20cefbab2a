"""What may be done with a trial: call it something, use its settings again, take it off the page."""

from __future__ import annotations

from typing import Any

from shiny import Inputs, reactive, ui

from ..bench import Bench
from ..inputs import text

LONGEST = 60


def buttons() -> Any:
    """A name, and three buttons."""
    return ui.div(
        ui.input_text("title", "A name for this trial", "", placeholder="none", width="16rem"),
        ui.input_action_button("rename", "Rename"),
        ui.input_action_button("reuse", "Use its settings again"),
        ui.input_action_button("delete", "Delete this trial"),
        class_="buttons acts",
    )


def serve(input: Inputs, bench: Bench, selected: Any) -> None:
    """Do it to the trial that is shown."""

    @reactive.effect
    def _shown() -> None:
        trial = selected()
        ui.update_text("title", value="" if trial is None else trial.title)

    @reactive.effect
    @reactive.event(input.rename)
    def _rename() -> None:
        trial = selected()
        if trial is not None:
            bench.change(trial.number, title=named(input.title()))

    @reactive.effect
    @reactive.event(input.reuse)
    def _reuse() -> None:
        bench.reused.set(selected())

    @reactive.effect
    @reactive.event(input.delete)
    def _delete() -> None:
        trial = selected()
        if trial is not None:
            bench.drop(trial.number)


def named(values: object, longest: int = LONGEST) -> str:
    """A name as it was typed, on one line and not too long."""
    return " ".join(text(values).split())[:longest]
