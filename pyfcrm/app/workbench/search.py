"""The card of the search: the method of least information loss whose releases pass the verdict, or many methods at once."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from shiny import Inputs, reactive, render, ui

from ...errors import InvalidInput, PyfcrmError
from ...methods.text import make_candidates
from ...progress import Progress, within
from ...report.html import items, number, paragraphs
from ...search.candidates import ATTRIBUTABLE, Candidate
from ...search.recommend import recommend
from ...search.recommendation import Recommendation
from .bench import Bench, Source, Trial
from .inputs import helped, text
from .method import ordered
from .strip import message
from .trying import Order, run, seed_of

CARD = "search"
FIRST = "ipso:kind=A|B|C, egadp, fcrm:c=2|4|8, rankswapping:p=5|15|40, noise:amount=10|50, microaggregation:k=3|10"
WORDS = (
    "Recommend tries the families that suit the file, looks nearer around the best, and measures these on fresh seeds, audit "
    "included; a method is recommended only if the verdict on all of these releases is a pass. It then becomes a trial. Sweep "
    "tries each method of a list as a trial of its own. Both take roles, seed, missing values, constraints, strata and answers "
    "to be kept from above; a sweep keys and further measures too."
)
LIST = "Methods, with commas between; a setting as fcrm:c=8, several as c=2|4|8, or all from 2 to 8 as c=2..8."
HEAD = ("method", "PIL", "attributable risk", "DR", "verdict", "not passed", "make it a trial")


@dataclass(frozen=True, eq=False)
class Found:
    """What a search gave: source, order : of what; advice : None for a sweep; trials : what became one; aside : sentences on
    methods that could not be used."""

    source: Source
    order: Order
    advice: Recommendation | None
    trials: tuple[Trial, ...]
    aside: tuple[str, ...] = ()


def card() -> Any:
    """The search, once there is a file."""
    return ui.output_ui("search_card")


def serve(input: Inputs, bench: Bench) -> None:
    """The form of the search, its two buttons, and what was found."""
    found: reactive.Value[Found | None] = reactive.Value(None)

    @render.ui
    def search_card() -> Any:
        return None if bench.source() is None else _card()

    @render.ui
    def search_said() -> Any:
        return message(bench, CARD)

    @render.ui
    def search_found() -> Any:
        got = found()
        return None if got is None or got.source is not bench.source() else ui.HTML(found_page(got))

    _buttons(input, bench, found)
    _tries(input, bench, found)


def _card() -> Any:
    several = helped(ui.input_text("several", "Methods of a sweep", FIRST, width="100%"), "several", LIST)
    buttons = (ui.input_action_button("recommend", "Recommend"), ui.input_action_button("sweep", "Sweep"))
    return ui.tags.details(
        ui.tags.summary(ui.h2("Let it search: a recommendation, or many methods at once")),
        ui.p(WORDS, class_="said"),
        several,
        ui.div(*buttons, class_="buttons"),
        ui.output_ui("search_said"),
        ui.output_ui("search_found"),
        class_="card-of search",
    )


def _buttons(input: Inputs, bench: Bench, found: Any) -> None:
    def done(got: Found) -> None:
        found.set(got)
        for trial in got.trials:
            bench.add(trial)

    def start(make: Any) -> None:
        try:
            work = make()
        except PyfcrmError as error:
            bench.message.set((CARD, str(error)))
            return
        bench.start(CARD, work, done)

    @reactive.effect
    @reactive.event(input.recommend)
    def _recommend() -> None:
        def make() -> Any:
            order = ordered(input, bench, chosen=make_candidates("ipso")[0])
            bench.require_room(1)
            return lambda progress: advised(order, progress)

        start(make)

    @reactive.effect
    @reactive.event(input.sweep)
    def _sweep() -> None:
        def make() -> Any:
            methods = make_candidates(text(input.several()), bench.others)
            bench.require_room(len(methods))
            orders = [ordered(input, bench, chosen=method) for method in methods]
            return lambda progress: swept(orders, progress)

        start(make)


def _tries(input: Inputs, bench: Bench, found: Any) -> None:
    """A method of the recommendation's table, made a trial."""

    @reactive.effect
    @reactive.event(input.one_of_these)
    def _try() -> None:
        got, k = found(), input.one_of_these()
        if got is None or got.advice is None or got.source is not bench.source():
            return
        if not isinstance(k, int) or not 0 <= k < len(got.advice.candidates):
            return
        order, began = replace(got.order, method=got.advice.candidates[k].method), time.monotonic()
        bench.start(CARD, lambda progress: run(order, 0, began, progress), bench.add)


def advised(order: Order, progress: Progress) -> Found:
    """A search, and its best method as a trial. Raises PyfcrmError; Cancelled where the progress says so."""
    advice = recommend(
        order.source.table.frame,
        order.roles,
        seed=seed_of(order.seed),
        progress=within(progress, 0, 2, "searching"),
        **order.options,
    )
    if advice.best is None:
        return Found(order.source, order, advice, ())
    best = replace(order, method=advice.best.method, title="Recommended")
    trial = run(best, 0, time.monotonic(), within(progress, 1, 2, "the recommended method") or progress)
    return Found(order.source, order, advice, (trial,))


def swept(orders: list[Order], progress: Progress) -> Found:
    """Each order as a trial, those that the file does not suit set aside. Raises InvalidInput where it suits none."""
    result, aside = list[Trial](), list[str]()
    for k, order in enumerate(orders):
        part = within(progress, k, len(orders), str(order.method)) or progress
        try:
            result.append(run(order, 0, time.monotonic(), part))
        except PyfcrmError as error:
            aside.append(f"{order.method} was set aside. {error}")
    if not result:
        raise InvalidInput("sweep", "none of the methods could be used", aside[0])
    return Found(orders[0].source, orders[0], None, tuple(result), tuple(aside))


def found_page(found: Found) -> str:
    """The reasons, and every method judged, with a button each; of a sweep what was set aside."""
    if found.advice is None:
        many = len(found.trials)
        return str(paragraphs([f"{many} method{'s' * (many != 1)} tried: see the map.", *found.aside]))
    rows = "".join(_row(k, one) for k, one in enumerate(found.advice.candidates))
    head = "".join(f'<th scope="col">{name}</th>' for name in HEAD)
    listed = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    return str(paragraphs([found.advice.headline])) + str(items(found.advice.reasons)) + listed


def _row(k: int, one: Candidate) -> str:
    cells = "".join(f'<td class="number">{number(one[key])}</td>' for key in ("pil", ATTRIBUTABLE, "dr"))
    verdict = one.verdict
    failed = ", ".join(test.key for test in verdict.tests if test.status == "hold")
    button = f'<button type="button" class="btn btn-default" data-try="{k}">Try<span class="visually-hidden"> {k + 1}</span></button>'
    name = escape(str(one.method))
    return f"<tr><td>{name}</td>{cells}<td>{verdict.status}</td><td>{failed}</td><td>{button}</td></tr>"
