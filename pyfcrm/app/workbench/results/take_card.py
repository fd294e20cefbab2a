"""The card of what may be taken away: its buttons, and the bytes behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from html import escape
from typing import Any

from shiny import reactive, render, ui

from ....errors import PyfcrmError
from ...aside import aside
from ...refusing import Refused
from ...visit import Visit
from .later import Later
from .tables import kept
from .takeaway import THINGS, Thing, sayings

# Called `download` in older Shiny, which the newer one still takes but warns of.
BUTTON: Any = getattr(render, "download_button", None) or render.download
GROUPS = {False: "May leave the agency", True: "For the inside only: with seed, random state or original values"}


def card() -> Any:
    """The buttons, those for outside apart from those for inside, and what to know of them."""
    groups = []
    for inside, words in GROUPS.items():
        buttons = [ui.download_button(t.key, t.label, title=t.title) for t in THINGS if t.inside is inside]
        groups.append(ui.div(ui.tags.h3(words), ui.div(*buttons, class_="buttons")))
    return ui.tags.section(
        ui.h2("5  Take away"),
        ui.output_ui("of_which"),
        ui.output_ui("leaving"),
        ui.div(*groups, class_="take"),
        ui.output_ui("said"),
        class_="card-of",
        aria_label="Take away",
    )


def serve(trials: Any, selected: Any, visit: Visit) -> None:
    """A handler for every button; what cannot be made is said on the page, and the download fails."""
    trouble: reactive.Value[str] = reactive.Value("")
    for thing in THINGS:
        _handler(thing, trials, selected, visit, trouble)
    looking = Later(lambda trial, progress: "".join(f"<li>{escape(line)}</li>" for line in sayings(trial)))

    @reactive.effect
    def _() -> None:
        trial = selected()
        trouble.set("")
        if trial is not None:
            looking.look(trial)

    @render.ui
    def of_which() -> Any:
        trial = selected()
        return None if trial is None else ui.p(f"Of trial {trial.number}, {trial.name}.", class_="said")

    @render.ui
    def leaving() -> Any:
        trial = selected()
        return None if trial is None else ui.HTML(kept(trial))

    @render.ui
    def said() -> Any:
        trial = selected()
        lines = None if trial is None else looking.html(trial)
        return ui.TagList(
            ui.p(trouble(), class_="trouble", role="alert") if trouble() else None,
            ui.HTML(f'<ul class="said">{lines}</ul>') if lines else None,
        )


def _handler(thing: Thing, trials: Any, selected: Any, visit: Visit, trouble: reactive.Value[str]) -> None:
    def name() -> str:
        trial = selected()
        return "" if trial is None else thing.name(trial)

    async def made() -> AsyncIterator[bytes]:
        trial, tried = selected(), trials()
        if trial is None:
            raise Refused(404, "There is nothing to take away yet.")
        try:
            data = await aside(thing.made, trial, tried, visit)
        except (PyfcrmError, MemoryError) as error:
            sentence = str(error) or "There is not enough memory for this."
            await _say(trouble, sentence)
            raise Refused(409, sentence) from None  # before anything was sent, so that the browser saves nothing
        await _say(trouble, "")
        yield data

    made.__name__ = thing.key  # which is its id on the page
    BUTTON(filename=name)(made)


async def _say(trouble: reactive.Value[str], sentence: str) -> None:
    """Set outside of a reactive flush, so that one has to follow."""
    async with reactive.lock():
        trouble.set(sentence)
        await reactive.flush()
