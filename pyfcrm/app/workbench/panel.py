"""The workbench's panel."""

from __future__ import annotations

from typing import Any

from shiny import Inputs, Outputs, Session, module, ui

from ..visit import Visit


@module.ui
def panel(*about: int) -> Any:
    """What the workbench looks like."""
    return ui.div()


@module.server
def server(input: Inputs, output: Outputs, session: Session, visit: Visit) -> None:
    """What the workbench does, for one visit."""
