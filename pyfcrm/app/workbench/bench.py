"""What one workbench holds: the file, everything tried on it, and the work that is going on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shiny import reactive

from ...errors import InvalidInput
from ...evaluation.audit_result import Audit
from ...evaluation.report import Report
from ...files import Table
from ...methods import Method
from ...methods.text import NONE
from ...progress import Progress
from ...protection.protect import Protected
from ..scripts.replay import ReleaseOptions
from ..visit import let_go
from .columns import Column
from .jobs import Desk

FEWEST_TRIALS, MOST_TRIALS, MOST_CELLS = 4, 200, 60_000_000
CANCELLED = "Cancelled: nothing was kept of that run."


@dataclass(frozen=True, eq=False)
class Source:
    """A file as it was dropped, or an embedded one.

    name : the file's own, without folders; path : where it lies in the visit's folder, None for an embedded one; table :
    what was read; embedded : the function of pyfcrm.datasets that made it, None for a file.
    """

    name: str
    path: Path | None
    table: Table
    embedded: str | None = None


@dataclass(frozen=True, eq=False)
class Trial(ReleaseOptions):
    """One method tried: number from 1; released, report : what came of it; seconds : how long it took; title : what it was
    called; audit : what one of its method found; despite : reason and name of a release without a pass."""

    number: int
    source: Source
    method: Method
    released: Protected
    report: Report
    seconds: float = 0.0
    title: str = ""
    audit: Audit | None = None
    despite: tuple[str, str] = ("", "")

    @property
    def name(self) -> str:
        """The method with its settings, for people."""
        return str(self.method)


class Bench:
    """source, columns : of the file on the bench; trials : everything tried so far; file_trouble : one sentence or nothing;
    at_once : whether the form is to be run as soon as it is there; reused : whose settings are to stand in the form; message :
    which card has something to say, and what; `generation` numbers the files, so that the fields of one are not those of the
    next; others : methods by name that were given when the studio was started."""

    def __init__(self, others: Mapping[str, Method] = NONE) -> None:
        self.others = others
        self.source: reactive.Value[Source | None] = reactive.Value(None)
        self.columns: reactive.Value[tuple[Column, ...]] = reactive.Value(())
        self.trials: reactive.Value[tuple[Trial, ...]] = reactive.Value(())
        self.file_trouble: reactive.Value[str] = reactive.Value("")
        self.message: reactive.Value[tuple[str, str]] = reactive.Value(("", ""))
        self.running: reactive.Value[bool] = reactive.Value(False)
        self.reused: reactive.Value[Trial | None] = reactive.Value(None)
        self.at_once: reactive.Value[bool] = reactive.Value(False)
        self.desk = Desk()
        self.generation = 0
        self._card = ""
        self._then: Callable[[Any], object] = self.add
        self._last = 0

    def put(self, source: Source, columns: tuple[Column, ...]) -> None:
        """Another file on the bench, with what was seen of it; what was tried on the last one is gone with it."""
        self._stop()
        before = self.source()
        if before is not None and before.path is not None:
            let_go(before.path)
        self.generation += 1
        self.file_trouble.set("")
        self.message.set(("", ""))
        self.at_once.set(False)
        self.trials.set(())
        self.columns.set(columns)
        self.source.set(source)

    def start(self, card: str, work: Callable[[Progress], Any], then: Callable[[Any], object]) -> None:
        """work(progress) beside the page, and then(what came of it); its trouble is told on the card of this name."""
        refused = self.desk.start(work)
        self.message.set((card, refused or ""))
        if refused is None:
            self._card, self._then = card, then
            self.running.set(True)

    def look(self) -> bool:
        """Whether work goes on; what has ended is handed over, or its trouble told."""
        job = self.desk.job
        if job is not None and job.running:
            return True
        self.running.set(False)
        if job is not None and job.trouble:
            self.message.set((self._card, job.trouble))
        elif job is not None and job.result is not None:
            self._then(job.result)
        return False

    def cancel(self) -> None:
        """Let go of what runs, and say so where it was started."""
        if self.running():
            self._stop()
            self.message.set((self._card, CANCELLED))

    def add(self, trial: Trial) -> None:
        """What was tried last, numbered on; a number never comes again."""
        self._last += 1
        self.trials.set((*self.trials(), replace(trial, number=self._last)))

    def require_room(self, more: int) -> None:
        """Raises InvalidInput where so many trials more would hold too many cells in memory."""
        source = self.source()
        cells = 1 if source is None else max(source.table.frame.size, 1)
        most = max(FEWEST_TRIALS, min(MOST_TRIALS, MOST_CELLS // cells))
        if len(self.trials()) + more > most:
            raise InvalidInput("studio", f"holds {most} trials of this file at most: delete some first", f"{more} more")

    def change(self, number: int, **changed: Any) -> None:
        """The trial of this number, with some of it changed."""
        self.trials.set(tuple(replace(t, **changed) if t.number == number else t for t in self.trials()))

    def drop(self, number: int) -> None:
        """The trial of this number goes."""
        self.trials.set(tuple(t for t in self.trials() if t.number != number))

    def end(self) -> None:
        """The visit is over: nothing of it is kept in memory."""
        self.desk.cancel()
        self.trials.set(())
        self.columns.set(())
        self.source.set(None)

    def _stop(self) -> None:
        self.desk.cancel()
        self.running.set(False)
