"""The studio's page: the blackboard, the workbench, and what they share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shiny import App, Inputs, Outputs, Session, ui

from . import blackboard, workbench
from .visit import Visit

STATIC = Path(__file__).parent / "static"


def make_app(upload_mb: int) -> App:
    """The Shiny application; every visit gets a Visit of its own."""

    def server(input: Inputs, output: Outputs, session: Session) -> None:
        visit = Visit()
        session.on_ended(visit.end)
        blackboard.server("blackboard", visit)
        workbench.server("workbench", visit)

    return App(_page(upload_mb), server, static_assets={"/studio": STATIC})


def _page(upload_mb: int) -> Any:
    head = ui.head_content(
        ui.tags.link(rel="stylesheet", href="studio/studio.css"), ui.tags.link(rel="icon", href="data:,")
    )
    return ui.page_fluid(
        head,
        ui.tags.header(
            ui.tags.h1("pyfcrm studio"),
            ui.tags.p("Nothing that is dropped here leaves this machine.", class_="said"),
            ui.input_dark_mode(id="mode"),
            class_="studio-head",
        ),
        ui.navset_underline(
            ui.nav_panel("Workbench: a file", workbench.panel("workbench", upload_mb), value="workbench"),
            ui.nav_panel("Blackboard: two attributes", blackboard.panel("blackboard"), value="blackboard"),
            id="room",
        ),
        title="pyfcrm studio",
        lang="en",
    )
