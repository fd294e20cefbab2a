"""The card of the method: its parameters as inputs of a form, and the run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from shiny import Inputs, reactive, render, req, ui

from ...errors import InvalidInput, PyfcrmError
from ...methods import METHODS, Method
from ...progress import Progress
from . import answers
from .bench import Bench
from .fields import can_be_wrapped, fields_of, grouped_methods, method_from, plain_methods
from .inputs import (
    chosen_columns,
    columns_input,
    field_id,
    field_input,
    filled,
    helped,
    one_of,
    read_fields,
    standing,
    text,
)
from .keys import keys_of
from .roles import chosen_roles, role_id, role_in
from .strip import message
from .trying import FURTHER, MISSING, Order, run

CARD = "method"
LACKING = "studio", "a run needs a file and a method"
LATER = "Which method protects the dependent columns, with its settings, each of them explained; and Run."
SEED = "Empty takes fresh entropy, for what goes out; a number gives the same release each time, to whoever guesses it too."
ABSENT = (
    "Whether records with missing values are refused, protected like the others (the same cells stay missing), or left out of "
    "the release."
)
STRATA = "Records of each combination of these columns' values are protected by themselves; none: all together."
ELSEWHERE = (
    "A command that was named when the studio was started, with all its settings; every column of its release is new."
)
LIMITS = "What every record of the release must keep, with a semicolon between two of them: A == B + C; D >= 0."


def card() -> Any:
    """The form and the run, once there is a file."""
    return ui.output_ui("method_form")


def serve(input: Inputs, bench: Bench) -> None:
    """The form and the run."""
    again, waiting = reactive.Value(0), dict[str, Any]()
    _form(bench)
    _parameters(input, bench, again, waiting)
    _reused(bench, again, waiting)
    _controls(input, bench)


def _form(bench: Bench) -> None:
    @render.ui
    def method_form() -> Any:
        title = ui.h2("3  A method")
        if bench.source() is None:
            return ui.tags.section(title, ui.p(LATER, class_="said"), class_="card-of later", aria_label="A method")
        choice = ui.input_select("method", "Method", grouped_methods(bench.others), selected="ipso")
        return ui.tags.section(
            title,
            ui.div(choice, ui.output_ui("about"), class_="pair"),
            ui.output_ui("parameters"),
            ui.output_ui("calibration"),
            _common([column.name for column in bench.columns()]),
            ui.input_checkbox_group("further", "Measures besides the six of the score", list(FURTHER), inline=True),
            ui.div(ui.input_action_button("run", "Run", class_="btn-primary"), class_="buttons"),
            ui.output_ui("method_said"),
            class_="card-of",
            aria_label="A method",
        )

    @render.ui
    def method_said() -> Any:
        return message(bench, CARD)


def _common(columns: list[str]) -> Any:
    """What is asked whatever the method."""
    return ui.div(
        helped(ui.input_text("seed", "Seed (empty: fresh entropy)", ""), "seed", SEED),
        helped(ui.input_select("missing", "Records with missing values", MISSING), "missing", ABSENT),
        helped(columns_input("strata", "Strata", columns), "strata", STRATA),
        *answers.fields(columns),
        helped(
            ui.input_text("constraints", "Constraints, such as A == B + C", "", width="100%"), "constraints", LIMITS
        ),
        class_="fields",
    )


def _parameters(input: Inputs, bench: Bench, again: Any, waiting: dict[str, Any]) -> None:
    """The fields of the method. again : changes where the form is filled anew, with what is `waiting`, by input."""

    def shown(name: str) -> Any:
        again()
        columns = [column.name for column in bench.columns()]
        fields = []
        for one in fields_of(METHODS[name]):
            value = waiting.pop(field_id(name, one), None)
            if value is None:
                value = standing(input, name, one, keys_of(input, bench))
            fields.append(field_input(name, one, value, columns))
        return ui.div(*fields, class_="fields")

    @render.ui
    def about() -> Any:
        name = req(one_of(input.method(), [*METHODS, *bench.others]))
        if name in bench.others:
            return ui.p(ELSEWHERE, class_="said about")
        method = METHODS[name]
        return ui.p(f"{method.about[:1].upper()}{method.about[1:]}. {method.source}.", class_="said about")

    @render.ui
    def parameters() -> Any:
        name = req(one_of(input.method(), [*METHODS, *bench.others]))
        return None if name in bench.others else shown(name)

    @render.ui
    def calibration() -> Any:
        if not can_be_wrapped(req(one_of(input.method(), [*METHODS, *bench.others]))):
            return None
        words = "Bring the release to the original's moments and margins (Calibrated)"
        fields = ui.panel_conditional("input.calibrate", shown("calibrated"))
        with reactive.isolate():
            ticked = waiting.pop("calibrate", "calibrate" in input and bool(input.calibrate()))
        return ui.div(ui.input_checkbox("calibrate", words, ticked), fields)


def _reused(bench: Bench, again: Any, waiting: dict[str, Any]) -> None:
    """A trial's settings, put into the form once more."""

    @reactive.effect
    @reactive.event(bench.reused)
    def _() -> None:
        trial = bench.reused()
        if trial is None or trial.source is not bench.source():
            return
        name, values = filled(trial.method)
        waiting.clear()
        waiting.update(values)
        again.set(again() + 1)
        ui.update_select("method", selected=name)
        ui.update_select("missing", selected=trial.missing)
        ui.update_select("strata", selected=list(trial.strata))
        ui.update_text("constraints", value=trial.constraints or "")
        answers.refill(trial)
        for k, column in enumerate(bench.columns()):
            ui.update_select(role_id(bench.generation, k), selected=role_in(trial.released.roles, column.name))
        bench.reused.set(None)


def ordered(input: Inputs, bench: Bench, chosen: Method | None = None) -> Order:
    """What the page asks for; chosen : a method in place of the form's. Raises PyfcrmError, one sentence."""
    source, columns = bench.source(), [column.name for column in bench.columns()]
    if source is None:
        raise InvalidInput(*LACKING)
    method = _method(input, columns, bench.others) if chosen is None else chosen
    further = input.further() if isinstance(input.further(), tuple) else ()
    return Order(
        source,
        method,
        _roles(input, bench),
        text(input.seed()),
        tuple(key for key in FURTHER if key in further),
        keys_of(input, bench),
        missing=one_of(input.missing(), MISSING) or "refuse",
        constraints=text(input.constraints()).strip() or None,
        strata=chosen_columns(input.strata(), columns) if "strata" in input else (),
        **answers.chosen(input, bench),
    )


def _method(input: Inputs, columns: list[str], others: Mapping[str, Method]) -> Method:
    """The method as it stands in the form."""
    name = one_of(input.method(), [*plain_methods(), *others])
    if name in others:
        return others[name]
    if not name:
        raise InvalidInput(*LACKING)
    calibrate = can_be_wrapped(name) and "calibrate" in input and input.calibrate()
    around = read_fields(input, "calibrated", METHODS["calibrated"]) if calibrate else None
    return method_from(name, read_fields(input, name, METHODS[name], columns), around)


def _roles(input: Inputs, bench: Bench) -> Any:
    try:
        return chosen_roles(input, bench)
    except (KeyError, TypeError):  # no page of ours says such a thing
        raise InvalidInput("studio", "each column must have one of the roles on the page") from None


def _controls(input: Inputs, bench: Bench) -> None:
    def start() -> None:
        try:
            order = ordered(input, bench)
            bench.require_room(1)
        except PyfcrmError as error:
            bench.message.set((CARD, str(error)))
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
            with suppress(KeyError, TypeError):  # what no page of ours says is refused by start()
                chosen_roles(input, bench)
            input.method(), input.seed()  # waits until the page has them
            bench.at_once.set(False)
            with reactive.isolate():
                start()
