"""The results: everything tried so far."""

from __future__ import annotations

from typing import Any

from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from ...visit import Visit
from ..trial import Trial


@module.ui
def panel() -> Any:
    """Nothing yet."""
    return ui.output_ui("rows")


@module.server
def server(
    input: Inputs, output: Outputs, session: Session, trials: reactive.Value[tuple[Trial, ...]], visit: Visit
) -> None:
    """A line for each trial."""

    @render.ui
    def rows() -> Any:
        return ui.tags.ul(
            *(ui.tags.li(f"{t.name}: PIL {t.report['pil']:.2f}, DR {t.report['dr']:.2f}") for t in trials())
        )
