"""The studio's page: the blackboard, the workbench, and what they share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shiny import App, Inputs, Outputs, Session, ui

from ..methods import Method
from ..methods.text import NONE
from . import blackboard, workbench
from .arriving import Arriving, Places
from .unnamed import leave_unnamed
from .visit import MOST_CELLS, Visit, give_back

STATIC = Path(__file__).parent / "static"
FAULT = "Something went wrong that should not. Reload the page to begin anew."


def make_app(
    upload_mb: int, visits: dict[str, Visit], most_cells: int = MOST_CELLS, others: Mapping[str, Method] = NONE
) -> App:
    """The Shiny application; every visit gets a Visit of its own, which is among `visits`, by session, while it lasts.

    others : methods by name that are offered beside ours.
    """
    leave_unnamed()
    places = Places()

    def server(input: Inputs, output: Outputs, session: Session) -> None:
        visit = visits[session.id] = Visit(upload_mb, most_cells)

        def end() -> None:
            visits.pop(session.id, None)
            visit.end()

        session.on_ended(end)
        arriving = Arriving(session, visit, places)
        blackboard.server("blackboard", visit, arriving)
        workbench.server("workbench", visit, arriving, others)
        session.on_ended(give_back)

    app = App(_page(upload_mb), server, static_assets={"/studio": STATIC})
    app.sanitize_errors, app.sanitize_error_msg = True, FAULT
    return app


def _page(upload_mb: int) -> Any:
    head = ui.head_content(
        ui.tags.link(rel="stylesheet", href="studio/studio.css"), ui.tags.link(rel="icon", href="data:,")
    )
    return ui.page_fluid(
        head,
        ui.tags.a("Skip to the page's tools", href="#tools", class_="skip"),
        ui.tags.header(
            ui.tags.h1("pyfcrm studio"),
            ui.tags.p("Nothing that is dropped here leaves this machine.", class_="said"),
            ui.input_dark_mode(id="mode"),
            class_="studio-head",
        ),
        ui.tags.main(
            ui.navset_underline(
                ui.nav_panel("Workbench: a file", workbench.panel("workbench", upload_mb), value="workbench"),
                ui.nav_panel("Blackboard: two attributes", blackboard.panel("blackboard"), value="blackboard"),
                id="room",
            ),
            id="tools",
            tabindex="-1",
        ),
        title="pyfcrm studio",
        lang="en",
    )
