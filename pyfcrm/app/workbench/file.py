"""The card of the file: drop one, or choose an embedded one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shiny import Inputs, Session, reactive, render, ui

from ... import datasets
from ...files import Table
from ...files.formats import READ_ONLY, WRITTEN
from ..arriving import Arrived
from ..visit import Upload, Visit, let_go, taken_in, unread
from .bench import Bench, Source
from .columns import Column, examined

ACCEPTED = tuple(f".{name}" for name in (*WRITTEN, *READ_ONLY))
EMBEDDED: dict[str, tuple[str, Callable[[], Any]]] = {
    "survey": ("A household survey: 2,000 records, few of them unique", datasets.survey),
    "census_like": ("Like the Census file: 1,080 records, 13 columns", datasets.census_like),
    "enterprises": ("Enterprises: heavy tails", datasets.enterprises),
    "accounts": ("Accounts: clusters, signs of both kinds", datasets.accounts),
    "example": ("Five lines: 250 records, 2 columns", datasets.example),
}
EXAMPLE = "enterprises"
INTRO = (
    "Protect a file of numbers about people or enterprises, and see what the release loses and what it tells of anybody: "
    "the method's own attacks, the literature's measures, and a map of risk and loss for everything that you try."
)
STEPS = (
    ("A file", "of yours, or one that is simulated here"),
    ("Its columns", "which are protected, which are kept, which are dropped"),
    ("A method", "with its settings"),
    ("Results", "of everything tried, on a map of risk and loss"),
    ("Take away", "the release, reports for outside and inside, scripts that repeat it"),
)
MORE = "The command `pyfcrm docs` opens the reference: each method, each measure, and how to read the numbers."
WORDS = (
    "CSV, Excel (.xlsx), Parquet, SPSS, Stata or SAS, up to {} MB. It is read as data only, stays on this machine, and goes when "
    "this page is closed."
)


def dropped(upload: Upload, visit: Visit) -> Source:
    """A dropped file, as visit.taken_in has it."""
    own, table = taken_in(upload, visit)
    return Source(own.name, own, table)


def embedded(which: str) -> Source:
    """One of the embedded files, simulated now."""
    frame = EMBEDDED[which][1]()
    return Source(f"{which}.csv", None, Table(frame), which)


@dataclass(frozen=True, eq=False)
class Looked:
    """A file that was taken in and looked at: what may be put on the bench, or else trouble, one sentence."""

    source: Source | None = None
    columns: tuple[Column, ...] = ()
    trouble: str = ""


def looked_at(make: Callable[..., Source], *values: Any) -> Looked:
    """The file that make(*values) reads, with every column examined. Long work, not for the event loop."""
    source = None
    try:
        source = make(*values)
        return Looked(source, tuple(examined(source.table.frame)))
    except Exception as error:  # a fault of ours among them: the page stays
        trouble = unread(error)
    if source is not None and source.path is not None:
        let_go(source.path)
    return Looked(trouble=trouble)


def card(upload_mb: int) -> Any:
    """Drop zone, embedded files, and what was read."""
    choices = {"": "choose one", **{name: title for name, (title, _) in EMBEDDED.items()}}
    return ui.TagList(ui.output_ui("intro"), _card(upload_mb, choices))


def _intro() -> Any:
    """What this is, how it goes, and an example at a click."""
    steps = [ui.tags.li(ui.tags.strong(name), f": {words}") for name, words in STEPS]
    return ui.tags.section(
        ui.p(INTRO),
        ui.tags.ol(*steps),
        ui.div(ui.input_action_button("example", "Show me an example", class_="btn-primary"), class_="buttons"),
        ui.p(MORE, class_="said"),
        class_="intro",
        aria_label="What this is",
    )


def _card(upload_mb: int, choices: dict[str, str]) -> Any:
    return ui.tags.section(
        ui.h2("1  A file"),
        ui.div(
            ui.input_file("file", "Drop a file here, or browse", accept=list(ACCEPTED), width="100%"),
            ui.input_select("embedded", "or take one that is simulated here", choices),
            class_="pair",
        ),
        ui.p(WORDS.format(upload_mb), class_="said"),
        ui.output_ui("file_said"),
        class_="card-of",
        aria_label="A file",
    )


def serve(input: Inputs, session: Session, bench: Bench, visit: Visit, arrived: Arrived) -> None:
    """Files come in one at a time; a bad one leaves what was there."""

    @reactive.extended_task  # not in a reaction, all of which wait for each other, those of other visits too
    async def reading(size: int, make: Any, *values: Any) -> Looked:
        return await arrived.places.run(size, looked_at, make, *values)

    request = {"example": False}
    _reader(bench, reading, request)
    session.on_ended(reading.cancel)

    @reactive.effect
    def _dropped() -> None:
        upload = arrived()
        if upload is not None:
            reading.invoke(upload.size, dropped, upload, visit)

    _choosing(input, reading, request)

    @render.ui
    def intro() -> Any:
        return _intro() if bench.source() is None else None

    @render.ui
    def file_said() -> Any:
        return _status(reading.status() == "running", bench.file_trouble(), bench.source())


def _status(running: bool, trouble: str, source: Source | None) -> Any:
    """How reading goes, and which file there is."""
    sentences: list[Any] = []
    if running:
        sentences.append(ui.div("Reading the file …", class_="said"))
    elif trouble:
        sentences.append(ui.p(trouble, class_="trouble", role="alert"))
    if source is not None:
        sentences.append(ui.p(_described(source), role="status"))
        sentences += [ui.p(f"Note: {note}", class_="said") for note in source.table.notes]
    return ui.TagList(*sentences)


def _choosing(input: Inputs, reading: Any, request: dict[str, bool]) -> None:
    """The embedded files, and the example among them."""

    @reactive.effect
    @reactive.event(input.embedded)
    def _embedded() -> None:
        which = input.embedded()
        if isinstance(which, str) and which in EMBEDDED:
            reading.invoke(0, embedded, which)

    @reactive.effect
    @reactive.event(input.example)
    def _example() -> None:
        request["example"] = True
        reading.invoke(0, embedded, EXAMPLE)


def _reader(bench: Bench, reading: Any, request: dict[str, bool]) -> None:
    """Put the file read on the bench, or show its error. request : whether the example is to be run at once."""

    @reactive.effect
    def _() -> None:
        if reading.status() != "success":
            return
        with reactive.isolate():
            looked = reading.result()
            if looked.source is None:
                bench.file_trouble.set(looked.trouble)
            else:
                bench.put(looked.source, looked.columns)
                bench.at_once.set(request["example"] and looked.source.embedded == EXAMPLE)
                request["example"] = False


def _described(source: Source) -> str:
    rows, columns = source.table.frame.shape
    return f"{source.name}: {rows:,} record{'s' * (rows != 1)}, {columns} column{'s' * (columns != 1)}"
