"""The card of the session: saved as a file, opened again, and offered again where the page was loaded anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from shiny import Inputs, Session, reactive, render, ui

from ...errors import InvalidInput, PyfcrmError
from ...progress import Progress
from ..arriving import Arrived, aside
from ..requests import Refused
from ..visit import Upload, Visit
from .bench import Bench, Source, Trial
from .columns import Column, examined
from .keys import BUTTON
from .session import NAME, Kept, digest, read_session, rerun_trials, session_text, source_of
from .strip import message

CARD = "session"
WORDS = (
    "A session is what was tried: roles, methods, settings, names, and the seeds that make every trial again, as a file of plans "
    "(TOML). It is for the inside only. The file itself is not in it unless you say so."
)
AGAIN = "Drop {} again, and its trials are made again: the session is without the file, and knows it by its SHA-256."


def card() -> Any:
    """Save, open, and what became of it. The button of the last session is shown by the page, where there is one."""
    last = ui.tags.button(
        "Go on where this tab was", type="button", class_="btn btn-primary", hidden=True, **{"data-last": "session"}
    )
    return ui.TagList(
        ui.div(last, class_="buttons"),
        ui.tags.details(
            ui.tags.summary(ui.h2("Session: save what was tried, or open it again")),
            ui.p(WORDS, class_="said"),
            ui.input_file("session", "Open a saved session", accept=[".toml"], width="100%"),
            ui.input_checkbox("with_data", "Save with the file itself in it (up to 20 MB)", False),
            ui.div(ui.download_button("save", "Save the session", title="For the inside only"), class_="buttons"),
            class_="card-of session",
        ),
        ui.output_ui("session_said"),
    )


def serve(input: Inputs, session: Session, bench: Bench, visit: Visit, arrived: Arrived) -> None:
    """Open what arrives; keep the page told of the session as it stands."""
    waiting: reactive.Value[Kept | None] = reactive.Value(None)
    _opening(bench, visit, arrived, waiting)
    _keeping(session, bench)
    _saving(input, bench)

    @reactive.effect
    def _dropped_again() -> None:
        source, kept = bench.source(), waiting()
        if source is not None and kept is not None:
            with reactive.isolate():
                _go_on(bench, source, kept, waiting)

    @render.ui
    def session_said() -> Any:
        kept = waiting()
        if kept is not None:
            return ui.p(AGAIN.format(kept.file or "the file"), class_="trouble", role="status")
        return message(bench, CARD)


def _opening(bench: Bench, visit: Visit, arrived: Arrived, waiting: Any) -> None:
    def done(opened: tuple[Kept, Source | None, tuple[Column, ...], list[Trial]]) -> None:
        kept, source, columns, trials = opened
        if source is None:
            waiting.set(kept)
            return
        bench.put(source, columns)
        _put(bench, trials)

    @reactive.effect
    def _() -> None:
        upload = arrived()
        if upload is None:
            return
        with reactive.isolate():
            waiting.set(None)
            bench.start(CARD, lambda progress: opened(upload, visit, progress), done)


def opened(
    upload: Upload, visit: Visit, progress: Progress
) -> tuple[Kept, Source | None, tuple[Column, ...], list[Trial]]:
    """A session that was dropped, with its file and trials where the file can be had. Raises PyfcrmError."""
    kept = read_session(upload, visit)
    source = source_of(kept, visit)
    if source is None:
        return kept, None, (), []
    return kept, source, tuple(examined(source.table.frame)), rerun_trials(kept, source, progress)


def _go_on(bench: Bench, source: Source, kept: Kept, waiting: Any) -> None:
    """A file was dropped while a session waits for one."""

    def work(progress: Progress) -> list[Trial]:
        if digest(source) != kept.digest:
            raise InvalidInput(NAME, f"needs {kept.file} as it was: this file has another SHA-256")
        return rerun_trials(kept, source, progress)

    waiting.set(None)
    bench.start(CARD, work, lambda trials: _put(bench, trials))


def _put(bench: Bench, trials: list[Trial]) -> None:
    for trial in trials:
        bench.add(trial)
    if trials:
        bench.reused.set(trials[-1])


def _keeping(session: Session, bench: Bench) -> None:
    """The page holds the session, without data, as long as its tab is open: it survives a reload."""

    @reactive.effect
    async def _() -> None:
        source, trials = bench.source(), bench.trials()
        if source is not None and trials:
            text = await aside(session_text, source, trials)
            await session.send_custom_message("studio-keep", {"text": text})


def _saving(input: Inputs, bench: Bench) -> None:
    @BUTTON(filename=NAME)
    async def save() -> AsyncIterator[bytes]:
        source, trials = bench.source(), bench.trials()
        if source is None or not trials:
            raise Refused(404, "There is nothing to save yet.")
        try:
            result = await aside(session_text, source, trials, bool(input.with_data()))
        except PyfcrmError as error:
            raise Refused(409, str(error)) from None
        yield result.encode("utf-8")
