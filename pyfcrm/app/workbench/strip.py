"""The strip at the foot of the window: how far the work is that goes on, and its cancel; and what a card has to say."""

from __future__ import annotations

from typing import Any

from shiny import Inputs, Session, reactive, render, ui

from .bench import Bench

RESULTS = "results"  # the section's id on the page


def card() -> Any:
    """The strip, seen while something goes on. The button stays, so that it is pressed at once."""
    return ui.div(
        ui.output_ui("progress"), ui.input_action_button("cancel", "Cancel", title="Stop what goes on"), class_="strip"
    )


def serve(input: Inputs, session: Session, bench: Bench) -> None:
    """Look after the work that goes on, and show the results when there are more of them."""
    _watching(bench)
    _showing(session, bench)

    @reactive.effect
    @reactive.event(input.cancel)
    def _cancel() -> None:
        bench.cancel()

    @render.ui
    def progress() -> Any:
        job = bench.desk.job if bench.running() else None
        if job is None:
            return None
        reactive.invalidate_later(0.3)
        now = job.standing()
        left = f", about {now.left:.0f} s left" if now.left is not None else ""
        words = f"{100 * now.fraction:.0f} %: {now.words}{left}"
        bar = ui.tags.progress(value=f"{now.fraction:.3f}", max="1", aria_label=words)
        return ui.div(bar, ui.span(words, class_="said"), class_="progress-of", role="status")


def _watching(bench: Bench) -> None:
    @reactive.effect
    def _watch() -> None:
        if bench.running():
            with reactive.isolate():
                goes_on = bench.look()
            if goes_on:
                reactive.invalidate_later(0.2)


def _showing(session: Session, bench: Bench) -> None:
    """A trial more, and the page goes to the results."""
    before = {"trials": 0}

    @reactive.effect
    async def _show() -> None:
        many = len(bench.trials())
        more, before["trials"] = many > before["trials"], many
        if more:
            await session.send_custom_message("studio-show", {"id": RESULTS})


def message(bench: Bench, card: str) -> Any:
    """What is told on a card of this name: trouble, or nothing. Reactive."""
    whose, words = bench.message()
    return ui.p(words, class_="trouble", role="alert") if words and whose == card else None
