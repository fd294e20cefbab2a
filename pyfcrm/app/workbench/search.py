"""The card of the search: the method of least loss within a limit on risk, or many methods at once on the map."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from shiny import Inputs, reactive, render, ui

from ...arguments import real_number
from ...errors import InvalidInput, PyfcrmError
from ...methods.text import make_candidates
from ...progress import Progress, within
from ...report.html import items, number, paragraphs
from ...search.candidates import RISKS, Judged, Recommendation
from ...search.recommend import recommend
from .bench import Bench, Source, Trial
from .inputs import helped, one_of, text
from .method import ordered
from .strip import said
from .trying import Order, run, seed_of

CARD, LONGEST = "search", 3600.0
FIRST = "ipso:kind=A|B|C, egadp, fcrm:c=2|4|8, rankswapping:p=5|15|40, noise:amount=10|50, microaggregation:k=3|10"
WORDS = (
    "Recommend tries the families that suit the file, looks nearer around the best, judges these from several seeds, and audits "
    "the pick; it says why, and the pick becomes a trial. Sweep tries each method of a list as a trial of its own. Both take "
    "roles, seed, missing values, constraints and answers to be kept from above; a sweep strata, keys and further measures too."
)
LIMIT = "The most risk allowed, per cent."
WHICH = (
    "DR as the literature has it, or with the linkage of somebody who knows the method: for a method that is published."
)
SECONDS = "When to stop looking, about."
LIST = "Methods, with commas between; a setting as fcrm:c=8, several as c=2|4|8, or all from 2 to 8 as c=2..8."
HEAD = ("method", "PIL", "DR", "largest DR", RISKS["dr_informed"], "within the limit", "make it a trial")


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
        return said(bench, CARD)

    @render.ui
    def search_found() -> Any:
        got = found()
        return None if got is None or got.source is not bench.source() else ui.HTML(found_page(got))

    _buttons(input, bench, found)
    _tries(input, bench, found)


def _card() -> Any:
    fields = ui.div(
        helped(ui.input_numeric("most", "Limit on risk, %", 15, min=0, max=100), "most", LIMIT),
        helped(ui.input_select("of_risk", "Risk", RISKS), "of_risk", WHICH),
        helped(ui.input_numeric("patience", "Seconds", 60, min=1), "patience", SECONDS),
        class_="fields",
    )
    several = helped(ui.input_text("several", "Methods of a sweep", FIRST, width="100%"), "several", LIST)
    buttons = (ui.input_action_button("recommend", "Recommend"), ui.input_action_button("sweep", "Sweep"))
    return ui.tags.details(
        ui.tags.summary(ui.h2("Let it search: a recommendation, or many methods at once")),
        ui.p(WORDS, class_="said"),
        fields,
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
            bench.told.set((CARD, str(error)))
            return
        bench.start(CARD, work, done)

    @reactive.effect
    @reactive.event(input.recommend)
    def _recommend() -> None:
        def make() -> Any:
            order, risk = (
                ordered(input, bench, chosen=make_candidates("ipso")[0]),
                one_of(input.of_risk(), RISKS) or "dr",
            )
            bench.require_room(1)
            most = real_number("recommend", "limit on risk", input.most(), low=0, high=100)
            seconds = real_number("recommend", "seconds", input.patience(), above=0, high=LONGEST)
            return lambda progress: advised(order, most, risk, seconds, progress)

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
        if not isinstance(k, int) or not 0 <= k < len(got.advice.judged):
            return
        order, began = replace(got.order, method=got.advice.judged[k].method), time.monotonic()
        bench.start(CARD, lambda progress: run(order, 0, began, progress), bench.add)


def advised(order: Order, most: float, risk: str, seconds: float, progress: Progress) -> Found:
    """A search, and its pick as a trial. Raises PyfcrmError; Cancelled where the progress says so."""
    advice = recommend(
        order.source.table.frame,
        order.roles,
        most,
        seed=seed_of(order.seed),
        seconds=seconds,
        progress=within(progress, 0, 2, "searching"),
        risk=risk,
        **replace(order, strata=()).options,
    )
    if advice.pick is None:
        return Found(order.source, order, advice, ())
    picked = replace(order, method=advice.pick.method, title="Recommended")
    trial = run(picked, 0, time.monotonic(), within(progress, 1, 2, "the recommended method") or progress)
    return Found(order.source, order, advice, (trial,))


def swept(orders: list[Order], progress: Progress) -> Found:
    """Each order as a trial, those that the file does not suit set aside. Raises InvalidInput where it suits none."""
    made, aside = list[Trial](), list[str]()
    for k, order in enumerate(orders):
        told = within(progress, k, len(orders), str(order.method)) or progress
        try:
            made.append(run(order, 0, time.monotonic(), told))
        except PyfcrmError as error:
            aside.append(f"{order.method} was set aside. {error}")
    if not made:
        raise InvalidInput("sweep", "none of the methods could be used", aside[0])
    return Found(orders[0].source, orders[0], None, tuple(made), tuple(aside))


def found_page(found: Found) -> str:
    """The reasons, and every method judged, with a button each; of a sweep what was set aside."""
    if found.advice is None:
        many = len(found.trials)
        return str(paragraphs([f"{many} method{'s' * (many != 1)} tried: see the map.", *found.aside]))
    rows = "".join(_row(k, one, found.advice) for k, one in enumerate(found.advice.judged))
    head = "".join(f'<th scope="col">{name}</th>' for name in HEAD)
    listed = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    title = "No method is recommended" if found.advice.pick is None else f"Recommended: {found.advice.pick.method}"
    return str(paragraphs([title])) + str(items(found.advice.reasons)) + listed


def _row(k: int, one: Judged, advice: Recommendation) -> str:
    values = (one["pil"], one["dr"], one.worst("dr"), one["dr_informed"])
    cells = "".join(f'<td class="number">{number(value)}</td>' for value in values)
    kept = "yes" if one.worst(advice.risk) <= advice.max_dr else "no"
    name = escape(str(one.method))
    button = f'<button type="button" class="btn btn-default" data-try="{k}">Try<span class="visually-hidden"> {k + 1}</span></button>'
    return f"<tr><td>{name}</td>{cells}<td>{kept}</td><td>{button}</td></tr>"
