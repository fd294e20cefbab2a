"""The card of the method: its parameters as inputs of a form, the run (protected and judged), and its progress."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from shiny import Inputs, reactive, render, req, ui

from ...data import Roles
from ...errors import InvalidInput, InvalidParameter, PyfcrmError
from ...evaluation.evaluate import evaluate
from ...measures import DEFAULT
from ...methods import METHODS, Method
from ...methods.text import WHOLE
from ...progress import Progress, within
from ...protection.protect import protect
from .fields import Field, can_be_wrapped, fields_of, method_from, plain_methods
from .jobs import Bench, Source, Trial
from .roles import chosen_roles

FURTHER = ("detection", "id_rank", "prl_tolerance", "dbrl_mahalanobis", "um", "cm3", "correlation_difference", "drisk")
MISSING = {"refuse": "refuse", "complete": "leave as they are"}


def field_id(method: str, field: Field) -> str:
    """The input's name."""
    return f"set_{method}_{field.name}"


def field_input(method: str, field: Field) -> Any:
    """The input of one parameter, which says what it is for where the pointer rests on it."""
    made = _input(method, field)
    made.attrs["title"] = field.help
    return made


def _input(method: str, field: Field) -> Any:
    name, label = field_id(method, field), field.name.replace("_", " ")
    if field.kind == "flag":
        return ui.input_select(name, label, {"true": "yes", "false": "no"}, selected=_default_text(field))
    if field.kind == "choice":
        return ui.input_select(name, label, list(field.allowed), selected=field.default)
    hint = "needed" if field.required and field.default is None else "" if field.required else "none"
    return ui.input_text(name, label, _default_text(field), placeholder=hint)


def read_fields(input: Inputs, method: str, kind: type[Method]) -> dict[str, str]:
    """What stands in the fields, as text, by parameter; what is as by default is left out."""
    given = {}
    for field in fields_of(kind):
        name = field_id(method, field)
        if name in input:
            text = str(input[name]()).strip()
            if text and (field.required or text != _default_text(field)):
                given[field.name] = text
    return given


def _default_text(field: Field) -> str:
    """The default as it stands in the form; nothing for none."""
    if field.default is None:
        return ""
    if field.kind == "flag":
        return str(field.default).lower()
    return f"{field.default:g}" if isinstance(field.default, float) else str(field.default)


def text(given: object) -> str:
    """What a field of text holds; nothing for anything that no such field holds."""
    return given if isinstance(given, str) else ""


def one_of(given: object, known: Collection[str]) -> str:
    """What was chosen; nothing for anything that cannot be chosen."""
    return given if isinstance(given, str) and given in known else ""


@dataclass(frozen=True)
class Order:
    """What the page asks for; seed as it was typed."""

    source: Source
    method: Method
    roles: Roles
    seed: str
    missing: str
    constraints: str | None
    further: tuple[str, ...]


def run(order: Order, number: int, began: float, progress: Progress) -> Trial:
    """Protect and judge. Raises PyfcrmError; Cancelled where the progress says so."""
    frame = order.source.table.frame
    released = protect(
        frame,
        order.method,
        order.roles,
        seed_of(order.seed),
        constraints=order.constraints,
        missing=order.missing,
        progress=within(progress, 0, 2, "protecting"),
    )
    report = evaluate(
        frame,
        released.frame,
        order.roles.dependent,
        (*DEFAULT, *order.further),
        missing=order.missing,
        progress=within(progress, 1, 2, "judging"),
        roles=order.roles,
    )
    seconds = time.monotonic() - began
    return Trial(number, order.source, order.method, released, report, order.missing, order.constraints, seconds)


def seed_of(text: str) -> int | None:
    """The seed that was typed; None for an empty field: the system's entropy."""
    if not text.strip():
        return None
    if not WHOLE.fullmatch(text.strip()):
        raise InvalidParameter("studio", "seed", "must be a whole number, or empty for fresh entropy", text)
    return int(text)


def card() -> Any:
    """The form and the run, once there is a file."""
    return ui.output_ui("method_form")


def serve(input: Inputs, bench: Bench) -> None:
    """The form, the run and its progress."""
    _form(input, bench)
    _parameters(input)
    _controls(input, bench)
    _watching(bench)


def _form(input: Inputs, bench: Bench) -> None:
    @render.ui
    def method_form() -> Any:
        if bench.source() is None:
            return None
        names = {name: METHODS[name].__name__ for name in plain_methods()}
        buttons = (
            ui.input_action_button("run", "Run", class_="btn-primary"),
            ui.input_action_button("cancel", "Cancel"),
        )
        return ui.tags.section(
            ui.h2("3  A method"),
            ui.div(ui.input_select("method", "Method", names, selected="ipso"), ui.output_ui("about"), class_="pair"),
            ui.output_ui("parameters"),
            ui.output_ui("calibration"),
            _common(),
            ui.input_checkbox_group("further", "Measures besides the six of the score", list(FURTHER), inline=True),
            ui.div(*buttons, class_="buttons"),
            ui.output_ui("progress"),
            class_="card-of",
            aria_label="A method",
        )


def _common() -> Any:
    """What is asked whatever the method."""
    return ui.div(
        ui.input_text("seed", "Seed (empty: fresh entropy, for what goes out)", ""),
        ui.input_select("missing", "Records with missing values", MISSING),
        ui.input_text("constraints", "Constraints, such as A == B + C; D >= 0", "", width="100%"),
        class_="fields",
    )


def _parameters(input: Inputs) -> None:
    @render.ui
    def about() -> Any:
        method = METHODS[req(one_of(input.method(), METHODS))]
        return ui.p(f"{method.about[:1].upper()}{method.about[1:]}. {method.source}.", class_="said about")

    @render.ui
    def parameters() -> Any:
        name = req(one_of(input.method(), METHODS))
        return ui.div(*(field_input(name, field) for field in fields_of(METHODS[name])), class_="fields")

    @render.ui
    def calibration() -> Any:
        if not can_be_wrapped(req(one_of(input.method(), METHODS))):
            return None
        return ui.div(
            ui.input_checkbox(
                "calibrate", "Bring the release to the original's moments and margins (Calibrated)", False
            ),
            ui.panel_conditional(
                "input.calibrate",
                ui.div(
                    *(field_input("calibrated", field) for field in fields_of(METHODS["calibrated"])), class_="fields"
                ),
            ),
        )


def _ordered(input: Inputs, bench: Bench) -> Order:
    """What the page asks for. Raises PyfcrmError, one sentence."""
    source, name = bench.source(), one_of(input.method(), plain_methods())
    if source is None or not name:
        raise InvalidInput("studio", "a run needs a file and a method")
    calibrate = can_be_wrapped(name) and "calibrate" in input and input.calibrate()
    around = read_fields(input, "calibrated", METHODS["calibrated"]) if calibrate else None
    method = method_from(name, read_fields(input, name, METHODS[name]), around)
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
    @reactive.effect
    @reactive.event(input.run)
    def _start() -> None:
        bench.run_trouble.set("")
        try:
            order = _ordered(input, bench)
        except PyfcrmError as error:
            bench.run_trouble.set(str(error))
            return
        number, began = bench.next_number(), time.monotonic()

        def work(progress: Progress) -> Any:
            return run(order, number, began, progress)

        refused = bench.desk.start(work)
        bench.run_trouble.set(refused or "")
        bench.running.set(bench.desk.job is not None)

    @reactive.effect
    @reactive.event(input.cancel)
    def _cancel() -> None:
        if bench.running():
            bench.let_go()
            bench.run_trouble.set("Cancelled: nothing was kept of that run.")


def _watching(bench: Bench) -> None:
    @reactive.effect
    def _watch() -> None:
        if not bench.running():
            return
        job = bench.desk.job
        if job is not None and job.running:
            reactive.invalidate_later(0.2)
            return
        bench.running.set(False)
        if job is not None and job.trouble:
            bench.run_trouble.set(job.trouble)
        elif job is not None and job.result is not None:
            with reactive.isolate():
                bench.trials.set((*bench.trials(), job.result))

    @render.ui
    def progress() -> Any:
        job = bench.desk.job if bench.running() else None
        if job is None:
            trouble = bench.run_trouble()
            return ui.p(trouble, class_="trouble", role="alert") if trouble else None
        reactive.invalidate_later(0.3)
        now = job.standing()
        left = f", about {now.left:.0f} s left" if now.left is not None else ""
        said = f"{100 * now.fraction:.0f} %: {now.words}{left}"
        bar = ui.tags.progress(value=f"{now.fraction:.3f}", max="1", aria_label=said)
        return ui.div(bar, ui.span(said, class_="said"), class_="progress-of", role="status")
