"""Two cards of the results: everything tried, with the map, the limit on risk and the families; and what may be taken
away, with its buttons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from html import escape
from typing import Any

from shiny import Inputs, reactive, render, ui

from ....errors import PyfcrmError
from ....evaluation.verdict import Verdict
from ...arriving import aside
from ...requests import Refused
from ...visit import Visit, failed
from ..inputs import one_of
from ..keys import BUTTON, NOTHING
from .later import Later
from .risk_map import legend, risk_map
from .tables import kept, tried_table
from .takeaway import THINGS, Thing, sayings
from .tried import RISKS, Point, best_within, judged, limit_from, points, verdict

FIRST_LIMIT = 20
WORDS = (
    "Each point is a trial; left is safer, down loses less. Choose one, on the map or in the table, by mouse or by Tab and "
    "Enter, to see its details below."
)
GROUPS = {False: "May leave the agency", True: "For the inside only: with seed, random state or original values"}


def tried_card() -> Any:
    """The places of the map, its limit and the table."""
    risk = ui.input_select("risk", "Risk on the map", {key: named for key, (named, _) in RISKS.items()})
    limit = ui.input_numeric("limit", "Limit on DR, % (empty: none)", FIRST_LIMIT, min=0, max=100, step=1)
    near = ui.input_checkbox("near", "Leave out what lies far beyond", False)
    beside = ui.div(risk, limit, ui.output_ui("named"), near, ui.output_ui("families"))
    return ui.tags.section(
        ui.h2("4  Results"),
        ui.p(WORDS, class_="said"),
        ui.div(ui.output_ui("picture"), beside, class_="map-and-limit"),
        ui.output_ui("table"),
        class_="card-of",
        aria_label="Results",
    )


def _asked(input: Inputs) -> tuple[Any, Any]:
    """The limit, with what is wrong with it, and the risk that it is on; both reactive."""

    @reactive.calc
    def limit() -> tuple[float | None, str]:
        try:
            return limit_from(input.limit()), ""
        except PyfcrmError as error:
            return None, str(error)

    @reactive.calc
    def risk() -> str:
        return one_of(input.risk(), RISKS) or "dr"

    @reactive.effect
    def _label() -> None:
        ui.update_numeric("limit", label=f"Limit on {RISKS[risk()][0]}, % (empty: none)")

    return limit, risk


def tried_serve(input: Inputs, trials: Any, selected: Any) -> None:
    """Draw what was tried, and name the best within the limit."""

    limit, risk = _asked(input)

    @reactive.calc
    def shown() -> list[Point]:
        return points(trials(), risk())

    @reactive.calc
    def best() -> tuple[int | None, Verdict]:
        """The best trial's number, and whether it is green."""
        within = limit()[0]
        found = None if within is None else best_within(trials(), within, risk())
        return (None, Verdict(False, ())) if found is None else (found.number, judged(found, within))

    def chosen() -> int | None:
        """Not looked at again when it changes: the page moves that mark itself, and the focus stays."""
        with reactive.isolate():
            trial = selected()
        return None if trial is None else trial.number

    @render.ui
    def picture() -> Any:
        marks, axis = (limit()[0], best()[0], chosen(), best()[1].green), RISKS[risk()][1]
        return ui.HTML(risk_map(shown(), *marks, axis=axis, near=bool(input.near())))

    @render.ui
    def table() -> Any:
        return ui.HTML(tried_table(trials(), shown(), best()[0], chosen()))

    @render.ui
    def families() -> Any:
        return ui.HTML(legend(shown()))

    @render.ui
    def named() -> Any:
        within, wrong = limit()
        found = verdict(trials(), within, risk())
        return ui.p(wrong, class_="trouble", role="alert") if wrong else _named(found, best()[1])


def _named(said: str, found: Verdict) -> Any:
    """The best within the limit, and what speaks against it."""
    more = [ui.tags.span(line, class_="against") for line in found.against]
    return ui.p(said, *more, class_="verdict green" if found.green else "verdict", role="status")


def take_card() -> Any:
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


def take_serve(trials: Any, selected: Any, visit: Visit) -> None:
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
            raise Refused(404, NOTHING)
        try:
            data = await aside(thing.made, trial, tried, visit)
        except (PyfcrmError, MemoryError) as error:
            sentence = failed(error)
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
