"""One piece of work at a time, in a thread, with progress and a cancel that frees the page at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import Cancelled
from ...progress import Progress, ProgressTracker
from ..visit import failed

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
        self._tracker = ProgressTracker("starting")
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[Progress], Any]) -> None:
        try:
            output = work(self._tracker.follow)
            if not self._tracker.cancelled.is_set():
                self.result = output
        except Cancelled:
            pass
        except Exception as error:  # a fault of ours among them: the page stays, and says so without the data
            self.trouble = failed(error, to="for this method on this file")

    def cancel(self) -> None:
        """Stop as soon as the method reports; its result is thrown away in any case."""
        self._tracker.cancelled.set()

    @property
    def running(self) -> bool:
        """Whether the thread still works."""
        return self._thread.is_alive()

    def standing(self) -> JobStatus:
        """Progress, and the time that is left by what has passed."""
        (done, most), words = self._tracker.position, self._tracker.label
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
