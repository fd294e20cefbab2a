"""The card of everything tried: the map, the limit on DR, the families and the table."""

from __future__ import annotations

from typing import Any

from shiny import Inputs, reactive, render, ui

from ....errors import PyfcrmError
from ....verdict import Verdict
from .risk_map import legend, risk_map
from .tables import tried_table
from .tried import best_within, judged, limit_from, points, verdict

FIRST_LIMIT = 20
WORDS = "Each point is a trial. Choose one, on the map or in the table, by mouse or by Tab and Enter, to see its details below."


def card() -> Any:
    """The places of the map, its limit and the table."""
    limit = ui.input_numeric("limit", "Limit on DR, % (empty: none)", FIRST_LIMIT, min=0, max=100, step=1)
    beside = ui.div(limit, ui.output_ui("named"), ui.output_ui("families"))
    return ui.tags.section(
        ui.h2("4  Results"),
        ui.p(WORDS, class_="said"),
        ui.div(ui.output_ui("picture"), beside, class_="map-and-limit"),
        ui.output_ui("table"),
        class_="card-of",
        aria_label="Results",
    )


def serve(input: Inputs, trials: Any, selected: Any) -> None:
    """Draw what was tried, and name the best within the limit."""

    @reactive.calc
    def limit() -> tuple[float | None, str]:
        try:
            return limit_from(input.limit()), ""
        except PyfcrmError as error:
            return None, str(error)

    @reactive.calc
    def best() -> tuple[int | None, Verdict]:
        """The best trial's number, and whether it is green."""
        within = limit()[0]
        found = None if within is None else best_within(trials(), within)
        return (None, Verdict(False, ())) if found is None else (found.number, judged(found, within))

    def chosen() -> int | None:
        """Not looked at again when it changes: the page moves that mark itself, and the focus stays."""
        with reactive.isolate():
            trial = selected()
        return None if trial is None else trial.number

    @render.ui
    def picture() -> Any:
        return ui.HTML(risk_map(points(trials()), limit()[0], best()[0], chosen(), best()[1].green))

    @render.ui
    def table() -> Any:
        return ui.HTML(tried_table(trials(), points(trials()), best()[0], chosen()))

    @render.ui
    def families() -> Any:
        return ui.HTML(legend(points(trials())))

    @render.ui
    def named() -> Any:
        within, wrong = limit()
        if wrong:
            return ui.p(wrong, class_="trouble", role="alert")
        found = best()[1]
        more = [ui.tags.span(line, class_="against") for line in found.against]
        return ui.p(
            verdict(trials(), within), *more, class_="verdict green" if found.green else "verdict", role="status"
        )
