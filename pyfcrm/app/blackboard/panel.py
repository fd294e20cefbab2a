"""The blackboard's panel: what it looks like, and what its buttons do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from ..arriving import Arrived, Arriving, aside
from ..visit import Visit
from .board import MOST_CLUSTERS, Settings, frame, readings
from .state import State, following, points_of

FASTEST = 20
WORDS = (
    "Click to place a point, drag to place twenty around a place. Run shows fuzzy c-regression at work: squares are the "
    "points, circles what would be released, and a point's strength of colour is how surely it belongs to its line."
)


@module.ui
def panel() -> Any:
    """Canvas and controls."""
    head = ui.head_content(
        ui.tags.link(rel="stylesheet", href="studio/blackboard.css"),
        ui.tags.script(src="studio/blackboard.js", defer=True),
    )
    canvas = ui.tags.canvas(
        id=module.resolve_id("board"),
        class_="board",
        role="img",
        aria_label="no points yet",
        **{"data-input": module.resolve_id("pressed")},
    )
    left = ui.div(ui.p(WORDS, class_="said"), _toolbar(), canvas, ui.output_ui("trouble"), _by_hand())
    return ui.div(head, left, ui.div(_controls(), ui.output_ui("numbers")), class_="blackboard")


def _toolbar() -> Any:
    return ui.div(
        ui.input_action_button("run", "Run", class_="btn-primary"),
        ui.input_action_button("pause", "Pause"),
        ui.input_action_button("step", "Step"),
        ui.input_action_button("stop", "Stop"),
        ui.input_action_button("undo", "Undo"),
        ui.input_action_button("clear", "Clear"),
        class_="buttons",
    )


def _controls() -> Any:
    axes = {"0": "horizontal", "1": "vertical"}
    return ui.div(
        ui.div(
            ui.input_numeric("c", "Clusters c", 5, min=1, max=MOST_CLUSTERS),
            ui.input_numeric("m", "Fuzzifier m", 1.5, min=1.05, max=5, step=0.1),
            ui.input_select("independent", "Independent is the", axes),
            ui.input_numeric("seed", "Seed of the start", 1, min=0),
            class_="pair",
        ),
        ui.input_slider("speed", "Iterations a second", min=1, max=FASTEST, value=6),
    )


def _by_hand() -> Any:
    """The ways to points that need no mouse."""
    return ui.tags.details(
        ui.tags.summary("Points from the keyboard, an example, or a file"),
        ui.div(
            ui.input_numeric("x", "Horizontal", 50),
            ui.input_numeric("y", "Vertical", 50),
            ui.input_numeric("radius", "Radius of a cluster", 10, min=0),
            class_="by-hand",
        ),
        ui.div(
            ui.input_action_button("point", "Add the point"),
            ui.input_action_button("cluster", "Add a cluster of 20"),
            ui.input_action_button("example", "Five lines, the thesis's example"),
            class_="buttons",
        ),
        ui.input_file(
            "file", "A file of two numeric columns", accept=[".csv", ".txt", ".tsv", ".parquet", ".sav", ".dta"]
        ),
        open=True,
    )


@module.server
def server(input: Inputs, output: Outputs, session: Session, visit: Visit, arriving: Arriving) -> None:
    """One visit's blackboard."""
    state = State()

    def settings() -> Settings | None:
        return state.settings(input.c(), input.m(), input.independent(), input.seed())

    _points(input, state)
    _file(session, state, visit, arriving.at(session.ns("file")))
    _running(input, session, state, settings)

    @reactive.effect
    async def _show() -> None:
        history = state.history()
        how = state.used if history else settings() or state.used
        picture = frame(state.points(), how, history[-1] if history else None)
        picture["iteration"] = history[-1].iteration if history else 0
        await session.send_custom_message("blackboard", {"id": session.ns("board"), "picture": picture})

    @render.ui
    def trouble() -> Any:
        return ui.p(state.trouble(), class_="trouble", role="alert") if state.trouble() else None

    @render.ui
    def numbers() -> Any:
        history = state.history()
        rows = [
            ui.tags.tr(ui.tags.th(name, scope="row"), ui.tags.td(now), ui.tags.td(ui.HTML(line)))
            for name, now, line in readings(history)
        ]
        return ui.div(
            ui.p(state.standing(), class_="said", role="status"), ui.tags.table(*rows, class_="readings"),
            ui.p("DR and SCORE are of the dependent coordinate alone, by the package's own measures.", class_="said"),
        )  # fmt: skip


def _points(input: Inputs, state: State) -> None:
    """The ways in which points come and go."""

    @reactive.effect
    @reactive.event(input.pressed)
    def _pressed() -> None:
        press = input.pressed()
        if isinstance(press, dict):
            state.add(press.get("x"), press.get("y"), press.get("radius"))

    @reactive.effect
    @reactive.event(input.point)
    def _point() -> None:
        state.add(input.x(), input.y(), 0.0)

    @reactive.effect
    @reactive.event(input.cluster)
    def _cluster() -> None:
        state.add(input.x(), input.y(), input.radius())

    @reactive.effect
    @reactive.event(input.example)
    def _example() -> None:
        state.example()

    @reactive.effect
    @reactive.event(input.undo)
    def _undo() -> None:
        state.undo()

    @reactive.effect
    @reactive.event(input.clear)
    def _clear() -> None:
        state.clear()


def _file(session: Session, state: State, visit: Visit, arrived: Arrived) -> None:
    """Points from a file, which is read beside the event loop."""

    @reactive.extended_task
    async def reading(upload: Any) -> Any:
        return await arrived.places.run(upload.size, points_of, upload, visit)

    session.on_ended(reading.cancel)

    @reactive.effect
    def _dropped() -> None:
        upload = arrived()
        if upload is not None:
            reading.invoke(upload)

    @reactive.effect
    def _read() -> None:
        if reading.status() == "success":
            with reactive.isolate():
                points = reading.result()
                if isinstance(points, str):
                    state.trouble.set(points)
                else:
                    state.put(points)


def _running(input: Inputs, session: Session, state: State, settings: Any) -> None:
    """The iterations, one after another while it runs; each is made beside the event loop."""

    @reactive.extended_task
    async def stepping(*values: Any) -> Any:
        return await aside(following, *values)

    session.on_ended(stepping.cancel)

    def advance() -> None:
        values = None if stepping.status() == "running" else state.next(settings())
        if values is not None:
            stepping.invoke(*values)

    @reactive.effect
    def _stepped() -> None:
        if stepping.status() == "success":
            with reactive.isolate():
                state.take(*stepping.result())

    _buttons(input, state, advance)

    @reactive.effect
    def _loop() -> None:
        if state.running():
            speed = input.speed()
            reactive.invalidate_later(1 / (min(max(speed, 1), FASTEST) if isinstance(speed, int | float) else 1))
            with reactive.isolate():
                advance()


def _buttons(input: Inputs, state: State, advance: Callable[[], None]) -> None:
    """What starts, ends and holds a run. advance : begins the next iteration."""

    @reactive.effect
    @reactive.event(input.run)
    def _run() -> None:
        state.run()

    @reactive.effect
    @reactive.event(input.pause)
    def _pause() -> None:
        state.running.set(False)

    @reactive.effect
    @reactive.event(input.stop)
    def _stop() -> None:
        state.stop()

    @reactive.effect
    @reactive.event(input.step)
    def _step() -> None:
        state.running.set(False)
        state.go_on(1)
        advance()

    @reactive.effect
    @reactive.event(input.c, input.m, input.independent, input.seed, ignore_init=True)
    def _changed() -> None:
        state.stop()
