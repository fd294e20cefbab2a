"""Work that says nothing on the way, attended: whoever watches is told that it goes on, and can stop it."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from typing import Generic, TypeVar

from .errors import Cancelled
from .interrupting import raise_in
from .progress import Progress

Result = TypeVar("Result")
BEAT = 0.2  # seconds between two words to whoever watches
PATIENCE = 1.0  # seconds that work is waited for when it was told to stop


@dataclass
class Course:
    """How far work is: `done` of `most`, which the work itself may move; what : what is done."""

    what: str
    done: int = 0
    most: int = 1

    def step(self, done: int, most: int) -> None:
        """So much is done now."""
        self.done, self.most = done, most


class Telling:
    """A method's `note` that takes its steps too (see methods.method.step)."""

    def __init__(self, note: Callable[[str], None], course: Course) -> None:
        self.note, self.step = note, course.step

    def __call__(self, text: str) -> None:
        self.note(text)


def attended(work: Callable[[], Result], progress: Progress | None, course: Course) -> Result:
    """work(), with progress(done, most, what) of its course called in this thread a few times a second meanwhile.

    Where the callback raises, or Ctrl-C is pressed, that is raised here at once, and the work ends at its next line of
    Python (a compiled kernel runs to its end first, for nothing). So it must have no effect but its result. Without a
    callback it simply runs.
    """
    if progress is None:
        return work()
    worker = _Worker(work)
    try:
        while not worker.finished.wait(BEAT):
            progress(course.done, course.most, course.what)
    except BaseException:
        worker.stop()
        raise
    return worker.result()


class _Worker(Generic[Result]):
    def __init__(self, work: Callable[[], Result]) -> None:
        self.finished = Event()
        self._made: list[Result] = []
        self._error: BaseException | None = None
        context = contextvars.copy_context()  # numpy keeps there what it does about overflow
        self._thread = Thread(target=context.run, args=(self._run, work), name="pyfcrm work", daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], Result]) -> None:
        try:
            self._made.append(work())
        except BaseException as error:  # handed over to the thread that asked
            self._error = error
        finally:
            self.finished.set()

    def result(self) -> Result:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._made[0]

    def stop(self) -> None:
        """Raise Cancelled in the thread, where it next runs Python, and wait a little for that."""
        ident = self._thread.ident
        if ident is not None and not self.finished.is_set():
            raise_in(ident, Cancelled)
        self._thread.join(PATIENCE)
