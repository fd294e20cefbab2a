"""Two cards of the results: everything tried, with the map, the limit on risk and the families; and what may be taken
away, with its buttons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from html import escape
from typing import Any

from shiny import Inputs, reactive, render, ui

from ....errors import PyfcrmError
from ...arriving import aside
from ...requests import Refused
from ...visit import Visit, failed
from ..bench import Bench, Trial
from ..inputs import one_of
from ..keys import BUTTON, NOTHING
from ..strip import message as message_on
from .acts import named
from .audit_tab import start_audit
from .later import Later
from .risk_map import legend, risk_map
from .tables import kept, tried_table, verdict_html
from .takeaway import THINGS, Thing, sayings, unaudited
from .tried import RISKS, Point, best_in_words, best_within, limit_from, points

WORDS = (
    "Each point is a trial; left is safer, down loses less. Choose one, on the map or in the table, by mouse or by Tab and "
    "Enter, to see its details below."
)
TAKE = "take"
OUTSIDE = "May leave the agency"
INSIDE = "For the inside only: with seed, random state or original values"
DESPITE = (
    "The verdict is no pass. The protected file is given out for a reason and a name only; both stand in the report for inside, "
    "and the names of the files bear the status."
)
LONGEST_REASON = 300


def tried_card() -> Any:
    """The places of the map, its limit and the table."""
    risk = ui.input_select("risk", "Risk on the map", {key: named for key, (named, _) in RISKS.items()})
    limit = ui.input_numeric("limit", "Limit on DR, % (empty: none)", None, min=0, max=100, step=1)  # type: ignore[arg-type]
    near = ui.input_checkbox("near", "Leave out what lies far beyond", False)
    controls = ui.div(risk, limit, ui.output_ui("named"), near, ui.output_ui("families"))
    return ui.tags.section(
        ui.h2("4  Results"),
        ui.p(WORDS, class_="said"),
        ui.div(ui.output_ui("picture"), controls, class_="map-and-limit"),
        ui.output_ui("table"),
        class_="card-of",
        aria_label="Results",
    )


def _request(input: Inputs) -> tuple[Any, Any]:
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

    limit, risk = _request(input)

    @reactive.calc
    def shown() -> list[Point]:
        return points(trials(), risk())

    @reactive.calc
    def best() -> Trial | None:
        return best_within(trials(), limit()[0], risk())

    def best_number() -> int | None:
        return getattr(best(), "number", None)

    def chosen() -> int | None:
        with reactive.isolate():
            trial = selected()
        return None if trial is None else trial.number

    @render.ui
    def picture() -> Any:
        one, axis = best(), RISKS[risk()][1]
        marks = limit()[0], best_number(), chosen(), one is not None and one.report.verdict.ok
        return ui.HTML(risk_map(shown(), *marks, axis=axis, near=bool(input.near())))

    @render.ui
    def table() -> Any:
        return ui.HTML(tried_table(trials(), shown(), best_number(), chosen()))

    @render.ui
    def families() -> Any:
        return ui.HTML(legend(shown()))

    @render.ui
    def named() -> Any:
        within, wrong = limit()
        if wrong:
            return ui.p(wrong, class_="trouble", role="alert")
        words = ui.p(best_in_words(trials(), within, risk()), class_="said", role="status")
        return ui.TagList(words, ui.HTML(verdict_html(one.report.verdict)) if (one := best()) else None)


def take_card() -> Any:
    """The verdict, the buttons, those for outside apart from those for inside, and what to know of them."""
    groups = []
    for inside, words in ((False, ui.output_ui("outside")), (True, ui.tags.h3(INSIDE))):
        buttons = [ui.download_button(t.key, t.label, title=t.title) for t in THINGS if t.inside is inside]
        groups.append(ui.div(words, ui.div(*buttons, class_="buttons")))
    return ui.tags.section(
        ui.h2("5  Take away"),
        ui.output_ui("of_which"),
        ui.output_ui("leaving"),
        ui.div(*groups, class_="take"),
        ui.output_ui("message"),
        class_="card-of",
        aria_label="Take away",
    )


def take_serve(input: Inputs, bench: Bench, selected: Any, visit: Visit) -> None:
    """A handler for every button; what cannot be made is said on the page, and the download fails."""
    trouble: reactive.Value[str] = reactive.Value("")
    for thing in THINGS:
        _handler(thing, input, bench.trials, selected, visit, trouble)
    looking = Later(lambda trial, progress: "".join(f"<li>{escape(line)}</li>" for line in sayings(trial)))
    _outside(input, bench, selected)

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
        return None if trial is None else ui.HTML(verdict_html(trial.report.verdict) + kept(trial))

    @render.ui
    def message() -> Any:
        trial = selected()
        lines = None if trial is None else looking.html(trial)
        return ui.TagList(
            ui.p(trouble(), class_="trouble", role="alert") if trouble() else message_on(bench, TAKE),
            ui.HTML(f'<ul class="said">{lines}</ul>') if lines else None,
        )


def _outside(input: Inputs, bench: Bench, selected: Any) -> None:
    """What stands above the downloads for outside: without a pass, the audit's button and the fields of a decision."""

    @render.ui
    def outside() -> Any:
        trial = selected()
        if trial is None or trial.report.verdict.ok:
            return ui.tags.h3(OUTSIDE)
        audit = ui.input_action_button("run_audit", "Run the audit") if unaudited(trial) else None
        return ui.TagList(
            ui.tags.h3(trial.report.verdict.status.capitalize()),
            ui.p(DESPITE, class_="said"),
            ui.input_text("despite", "Reason", "", width="100%"),
            ui.input_text("by", "Name", ""),
            audit,
        )

    @reactive.effect
    @reactive.event(input.run_audit)
    def _audit() -> None:
        trial = selected()
        if trial is not None:
            start_audit(bench, TAKE, trial)


def _handler(
    thing: Thing, input: Inputs, trials: Any, selected: Any, visit: Visit, trouble: reactive.Value[str]
) -> None:
    def name() -> str:
        trial = selected()
        return "" if trial is None else thing.name(trial)

    async def content() -> AsyncIterator[bytes]:
        trial, tried = selected(), trials()
        if trial is None:
            raise Refused(404, NOTHING)
        try:
            data = await aside(thing.content, decided(trial, input), tried, visit)
        except (PyfcrmError, MemoryError) as error:
            sentence = failed(error)
            await _show(trouble, sentence)
            raise Refused(409, sentence) from None  # before anything was sent, so that the browser saves nothing
        await _show(trouble, "")
        yield data

    content.__name__ = thing.key  # which is its id on the page
    BUTTON(filename=name)(content)


def decided(trial: Trial, input: Inputs) -> Trial:
    """The trial with reason and name, where its verdict is no pass and both were typed."""
    if trial.report.verdict.ok or not (input.despite.is_set() and input.by.is_set()):
        return trial
    return replace(trial, despite=(named(input.despite(), LONGEST_REASON), named(input.by())))


async def _show(trouble: reactive.Value[str], sentence: str) -> None:
    """Set outside of a reactive flush, so that one has to follow."""
    async with reactive.lock():
        trouble.set(sentence)
        await reactive.flush()
