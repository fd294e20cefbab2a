"""What one workbench holds: the file, every method tried on it, and one run at a time, in a thread, with progress and
a cancel that frees the page at once."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shiny import reactive

from ...errors import Cancelled, PyfcrmError
from ...evaluation.report import Report
from ...files import Table
from ...methods import Method
from ...progress import Course, Progress
from ...protection.protect import Protected
from ..visit import let_go
from .columns import Column

MOST_ENDING = 2


@dataclass(frozen=True)
class JobStatus:
    """Where a run is: fraction, 0 to 1; words; left, seconds to go or None where it cannot be said."""

    fraction: float
    words: str
    left: float | None


class Job:
    """work(progress) in a thread of its own.

    `cancel` asks it to stop at its next report of progress; the page need not wait for that. Afterwards `result` holds what
    came of it, or `trouble` one sentence; of a cancelled job neither.
    """

    def __init__(self, work: Callable[[Progress], Any]) -> None:
        self.result: Any = None
        self.trouble: str | None = None
        self._course = Course("starting")
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[Progress], Any]) -> None:
        try:
            made = work(self._course.follow)
            if not self._course.ended:
                self.result = made
        except Cancelled:
            pass
        except PyfcrmError as error:
            self.trouble = str(error)
        except MemoryError:
            self.trouble = "There is not enough memory for this method on this file."
        except Exception as error:  # a fault of ours: the page stays, and says so without the data
            self.trouble = f"Something went wrong that should not ({type(error).__name__}). Nothing was changed."

    def cancel(self) -> None:
        """Stop as soon as the method reports; its result is thrown away in any case."""
        self._course.end()

    @property
    def running(self) -> bool:
        """Whether the thread still works."""
        return self._thread.is_alive()

    def standing(self) -> JobStatus:
        """Progress, and the time that is left by what has passed."""
        (done, most), words = self._course.at, self._course.what
        fraction = min(done / max(most, 1), 1.0)
        passed = time.monotonic() - self._began
        left = passed * (1 - fraction) / fraction if fraction > 0.02 and passed > 1 else None
        return JobStatus(fraction, words, left)


class Desk:
    """The runs of one visit: one at a time, and no more than a few cancelled ones that are still ending."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self._ending: list[Job] = []

    def start(self, work: Callable[[Progress], Any]) -> str | None:
        """Begin; a sentence where that cannot be."""
        self._ending = [job for job in self._ending if job.running]
        if self.job is not None and self.job.running:
            return "A run is going on already: cancel it first."
        if len(self._ending) >= MOST_ENDING:
            return f"{len(self._ending)} cancelled runs have not come to an end yet; wait a moment."
        self.job = Job(work)
        return None

    def cancel(self) -> None:
        """Let go of the run: the page is free at once, the thread ends at its next report."""
        if self.job is not None:
            self.job.cancel()
            self._ending.append(self.job)
            self.job = None


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
class Trial:
    """One method tried: number from 1; released, report : what came of it; missing, constraints : as they were asked
    for; seconds : how long it took."""

    number: int
    source: Source
    method: Method
    released: Protected
    report: Report
    missing: str = "refuse"
    constraints: str | None = None
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The method with its settings, for people."""
        return str(self.method)


class Bench:
    """source, columns : of the file on the bench; trials : everything tried so far; file_trouble, run_trouble : one
    sentence each, or nothing; `generation` numbers the files, so that the fields of one are not those of the next."""

    def __init__(self) -> None:
        self.source: reactive.Value[Source | None] = reactive.Value(None)
        self.columns: reactive.Value[tuple[Column, ...]] = reactive.Value(())
        self.trials: reactive.Value[tuple[Trial, ...]] = reactive.Value(())
        self.file_trouble: reactive.Value[str] = reactive.Value("")
        self.run_trouble: reactive.Value[str] = reactive.Value("")
        self.running: reactive.Value[bool] = reactive.Value(False)
        self.desk = Desk()
        self.generation = 0
        self._numbers = itertools.count(1)

    def put(self, source: Source, columns: tuple[Column, ...]) -> None:
        """Another file on the bench, with what was seen of it; what was tried on the last one is gone with it."""
        self.let_go()
        before = self.source()
        if before is not None and before.path is not None:
            let_go(before.path)
        self.generation += 1
        self.file_trouble.set("")
        self.run_trouble.set("")
        self.trials.set(())
        self.columns.set(columns)
        self.source.set(source)

    def next_number(self) -> int:
        """Of the next trial, from 1."""
        return next(self._numbers)

    def let_go(self) -> None:
        """Cancel what runs."""
        self.desk.cancel()
        self.running.set(False)

    def end(self) -> None:
        """The visit is over: nothing of it is kept in memory."""
        self.desk.cancel()
        self.trials.set(())
        self.columns.set(())
        self.source.set(None)
