"""Progress, notes and cancellation of long work."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, get_ident
from time import monotonic

from .errors import Cancelled, Note

Progress = Callable[[int, int, str], None]
"""Called with (done, total, label). An exception it raises, such as errors.Cancelled, stops the work."""
Reporter = Callable[[Note], None]
"""Receives the notes of a method, which are also str."""
OnStep = Callable[[int, int], None]
"""Called with (done, total), such as ProgressTracker.step."""
TASK_UNITS = 1000  # of one of several tasks, each of which counts in units of its own
INTERVAL = 0.2  # seconds between two reports of the same position
compiling: list[str] = []
"""An entry for each kernel that numba compiles now, which takes seconds, once on a machine."""


def report_progress(progress: Progress | None, done: int, total: int, label: str) -> None:
    """progress(done, total, label), unless it is None."""
    if progress is not None:
        progress(done, total, label)


def within(progress: Progress | None, task: int, tasks: int, label: str = "") -> Progress | None:
    """The callback for task number `task`, from 0, of `tasks` on one scale, in thousandths of a task; None for None.

    label : comes before the task's own label, unless they are the same.
    """
    if progress is None:
        return None

    def nested(done: int, total: int, part: str) -> None:
        text = f"{label}: {part}" if label and part and part != label else label or part
        progress(task * TASK_UNITS + TASK_UNITS * min(done, total) // max(total, 1), tasks * TASK_UNITS, text)

    return nested


def discard(*_: object) -> None:
    """A Reporter, or an OnStep, that does nothing."""


class ProgressTracker:
    """Progress and cancellation of one task.

    label : what is done; total : its steps; progress : called at each step, and at
    most every 0.2 s between steps, in the thread that created the tracker; cancelled : set to stop the work.
    """

    def __init__(
        self,
        label: str,
        total: int = 1,
        progress: Progress | None = None,
        cancelled: Event | None = None,
    ) -> None:
        self.label, self.position, self.progress = label, (0, total), progress
        self.cancelled = cancelled or Event()
        self._thread, self._reported = get_ident(), monotonic()

    def step(self, done: int, total: int) -> None:
        """Set and report the position. Raises Cancelled if the work was cancelled."""
        self.position = done, total
        self._report()
        self.check()

    def part(self, task: int, tasks: int) -> ProgressTracker:
        """The tracker of task number `task`, from 0, of `tasks`: its steps are parts of this tracker's."""
        progress = within(lambda done, total, _: self.step(done, total), task, tasks)
        return ProgressTracker(self.label, progress=progress, cancelled=self.cancelled)

    def check(self) -> None:
        """Raise Cancelled if the work was cancelled. Cheap enough for each block of records."""
        if self.cancelled.is_set():
            raise Cancelled
        if self.progress is not None and monotonic() - self._reported > INTERVAL:
            self._report()

    def follow(self, done: int, total: int, label: str) -> None:
        """A Progress callback that sets this tracker's position and label."""
        self.label = label
        self.step(done, total)

    def _report(self) -> None:
        if get_ident() == self._thread:
            self._reported = monotonic()
            report_progress(self.progress, *self.position, self.label)
