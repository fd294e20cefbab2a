"""The card of the file: drop one, or choose an embedded one."""

from __future__ import annotations

import asyncio
from typing import Any

from shiny import Inputs, reactive, render, ui

from ...errors import PyfcrmError
from ..visit import Visit
from .bench import Bench
from .intake import ACCEPTED, EMBEDDED, dropped, embedded
from .trial import Source

WORDS = "CSV, Parquet, SPSS, Stata or SAS, up to {} MB. It is read as data only, stays on this machine, and goes when this page is closed."


def card(upload_mb: int) -> Any:
    """Drop zone, embedded files, and what was read."""
    choices = {"": "…", **{name: title for name, (title, _) in EMBEDDED.items()}}
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


def serve(input: Inputs, bench: Bench, visit: Visit) -> None:
    """Files come in one at a time; a bad one leaves what was there."""

    @reactive.effect
    @reactive.event(input.file)
    async def _dropped() -> None:
        for one in input.file() or ():
            await _put(bench, dropped, one["datapath"], one["name"], visit)

    @reactive.effect
    @reactive.event(input.embedded)
    async def _embedded() -> None:
        if input.embedded():
            await _put(bench, embedded, input.embedded())

    @render.ui
    def file_said() -> Any:
        said: list[Any] = []
        if bench.file_trouble():
            said.append(ui.p(bench.file_trouble(), class_="trouble", role="alert"))
        source = bench.source()
        if source is not None:
            said.append(ui.p(_described(source), role="status"))
            said += [ui.p(f"Note: {note}", class_="said") for note in source.table.notes]
        return ui.TagList(*said)


async def _put(bench: Bench, make: Any, *given: Any) -> None:
    try:
        source = await asyncio.to_thread(make, *given)
        bench.put(source)
    except PyfcrmError as error:
        bench.file_trouble.set(str(error))
    except MemoryError:
        bench.file_trouble.set("There is not enough memory to read this file.")
    except Exception as error:  # a fault of ours: the page stays
        bench.file_trouble.set(f"This file could not be read ({type(error).__name__}).")


def _described(source: Source) -> str:
    rows, columns = source.table.frame.shape
    return f"{source.name}: {rows:,} records, {columns} column{'s' * (columns != 1)}"
