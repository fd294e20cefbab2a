"""The workbench's panel: a file, its columns, a method, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shiny import Inputs, Outputs, Session, module, ui

from ...methods import Method
from ...methods.text import NONE
from ..arriving import Arriving
from ..visit import Visit
from . import file, keys, method, opening, results, roles, search, strip, structure
from .bench import Bench


@module.ui
def panel(upload_mb: int) -> Any:
    """The cards, from the file to the results."""
    head = ui.head_content(
        ui.tags.link(rel="stylesheet", href="studio/workbench.css"),
        ui.tags.script(src="studio/workbench.js", defer=True),
    )
    return ui.div(
        head,
        file.card(upload_mb),
        opening.card(),
        roles.card(),
        keys.card(),
        structure.card(),
        method.card(),
        search.card(),
        ui.div(results.panel("results"), id=strip.RESULTS),
        strip.card(),
        class_="workbench",
        **{"data-one": module.resolve_id("one_of_these")},
    )


@module.server
def server(
    input: Inputs,
    output: Outputs,
    session: Session,
    visit: Visit,
    arriving: Arriving,
    others: Mapping[str, Method] = NONE,
) -> None:
    """One visit's workbench. others : see Bench."""
    bench = Bench(others)
    file.serve(input, session, bench, visit, arriving.at(session.ns("file")))
    opening.serve(input, session, bench, visit, arriving.at(session.ns("session")))
    roles.serve(input, bench)
    keys.serve(input, bench)
    structure.serve(input, bench)
    method.serve(input, bench)
    search.serve(input, bench)
    strip.serve(input, session, bench)
    results.server("results", bench, visit)
    session.on_ended(bench.end)
