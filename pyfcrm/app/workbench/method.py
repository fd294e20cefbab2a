"""The card of the method: its parameters as inputs of a form, and the run."""

from __future__ import annotations

import time
from typing import Any

from shiny import Inputs, reactive, render, req, ui

from ...errors import InvalidInput, PyfcrmError
from ...methods import METHODS
from ...progress import Progress
from .bench import Bench
from .fields import can_be_wrapped, fields_of, grouped_methods, method_from, plain_methods
from .inputs import field_input, helped, one_of, read_fields, standing, text
from .roles import chosen_roles
from .strip import said
from .trying import FURTHER, MISSING, Order, run

CARD = "method"
LATER = "Which method protects the dependent columns, with its settings, each of them explained; and Run."
SEED = "Empty takes fresh entropy, for what goes out; a number gives the same release each time, to whoever guesses it too."
ABSENT = "Whether records with gaps are refused, or left out of the protection and released as they are."
LIMITS = "What every record of the release must keep, with a semicolon between two of them: A == B + C; D >= 0."


def card() -> Any:
    """The form and the run, once there is a file."""
    return ui.output_ui("method_form")


def serve(input: Inputs, bench: Bench) -> None:
    """The form and the run."""
    _form(bench)
    _parameters(input, bench)
    _controls(input, bench)


def _form(bench: Bench) -> None:
    @render.ui
    def method_form() -> Any:
        title = ui.h2("3  A method")
        if bench.source() is None:
            return ui.tags.section(title, ui.p(LATER, class_="said"), class_="card-of later", aria_label="A method")
        choice = ui.input_select("method", "Method", grouped_methods(), selected="ipso")
        return ui.tags.section(
            title,
            ui.div(choice, ui.output_ui("about"), class_="pair"),
            ui.output_ui("parameters"),
            ui.output_ui("calibration"),
            _common(),
            ui.input_checkbox_group("further", "Measures besides the six of the score", list(FURTHER), inline=True),
            ui.div(ui.input_action_button("run", "Run", class_="btn-primary"), class_="buttons"),
            ui.output_ui("method_said"),
            class_="card-of",
            aria_label="A method",
        )

    @render.ui
    def method_said() -> Any:
        return said(bench, CARD)


def _common() -> Any:
    """What is asked whatever the method."""
    return ui.div(
        helped(ui.input_text("seed", "Seed (empty: fresh entropy)", ""), "seed", SEED),
        helped(ui.input_select("missing", "Records with missing values", MISSING), "missing", ABSENT),
        helped(
            ui.input_text("constraints", "Constraints, such as A == B + C", "", width="100%"), "constraints", LIMITS
        ),
        class_="fields",
    )


def _parameters(input: Inputs, bench: Bench) -> None:
    def shown(name: str) -> Any:
        columns = [column.name for column in bench.columns()]
        fields = fields_of(METHODS[name])
        return ui.div(*(field_input(name, one, standing(input, name, one), columns) for one in fields), class_="fields")

    @render.ui
    def about() -> Any:
        method = METHODS[req(one_of(input.method(), METHODS))]
        return ui.p(f"{method.about[:1].upper()}{method.about[1:]}. {method.source}.", class_="said about")

    @render.ui
    def parameters() -> Any:
        return shown(req(one_of(input.method(), METHODS)))

    @render.ui
    def calibration() -> Any:
        if not can_be_wrapped(req(one_of(input.method(), METHODS))):
            return None
        words = "Bring the release to the original's moments and margins (Calibrated)"
        fields = ui.panel_conditional("input.calibrate", shown("calibrated"))
        with reactive.isolate():
            ticked = "calibrate" in input and bool(input.calibrate())
        return ui.div(ui.input_checkbox("calibrate", words, ticked), fields)


def ordered(input: Inputs, bench: Bench) -> Order:
    """What the page asks for. Raises PyfcrmError, one sentence."""
    source, name = bench.source(), one_of(input.method(), plain_methods())
    if source is None or not name:
        raise InvalidInput("studio", "a run needs a file and a method")
    calibrate = can_be_wrapped(name) and "calibrate" in input and input.calibrate()
    around = read_fields(input, "calibrated", METHODS["calibrated"]) if calibrate else None
    columns = [column.name for column in bench.columns()]
    method = method_from(name, read_fields(input, name, METHODS[name], columns), around)
    chosen = input.further() if isinstance(input.further(), tuple) else ()
    return Order(
        source,
        method,
        _roles(input, bench),
        text(input.seed()),
        one_of(input.missing(), MISSING) or "refuse",
        text(input.constraints()).strip() or None,
        tuple(key for key in FURTHER if key in chosen),
    )


def _roles(input: Inputs, bench: Bench) -> Any:
    try:
        return chosen_roles(input, bench)
    except (KeyError, TypeError):  # no page of ours says such a thing
        raise InvalidInput("studio", "each column must have one of the roles on the page") from None


def _controls(input: Inputs, bench: Bench) -> None:
    def start() -> None:
        try:
            order = ordered(input, bench)
        except PyfcrmError as error:
            bench.told.set((CARD, str(error)))
            return
        began = time.monotonic()

        def work(progress: Progress) -> Any:
            return run(order, 0, began, progress)

        bench.start(CARD, work, bench.add)

    @reactive.effect
    @reactive.event(input.run)
    def _start() -> None:
        start()

    @reactive.effect
    def _at_once() -> None:
        if bench.at_once():
            chosen_roles(input, bench), input.method(), input.seed()  # waits until the page has them
            bench.at_once.set(False)
            with reactive.isolate():
                start()
