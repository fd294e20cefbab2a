"""Long work in the background: one cancellable thread with progress."""

import threading
import time
from collections.abc import Callable
from typing import Any

from ..errors import PyfcrmError
from ..progress import ProgressTracker

SOON = 5.0  # seconds after which the time left is known well enough
PLACES = threading.BoundedSemaphore(4)  # jobs of all studies that run at the same time


class Job:
    """work(progress=...) in a thread of its own; `apply` receives the result, in the event loop, from `Study.settle`.

    title : what is done, in words; result, error : one of them once the thread has ended.
    """

    def __init__(self, title: str, work: Callable[..., Any], apply: Callable[[Any], object]) -> None:
        self.title = title
        self.apply = apply
        self.result: Any = None
        self.error: Exception | None = None
        self._tracker = ProgressTracker("waiting for other tasks")
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[..., Any]) -> None:
        try:
            while not PLACES.acquire(timeout=0.2):  # then it looks whether it was cancelled
                self._tracker.check()
            try:
                self._started = time.monotonic()
                self._tracker.follow(0, 1, "starting")
                self.result = work(progress=self._tracker.follow)
            finally:
                PLACES.release()
        except Exception as error:  # also a fault of ours: the page stays
            self.error = error

    def cancel(self) -> None:
        """Stop at the next step of progress, with the error Cancelled."""
        self._tracker.cancelled.set()

    def wait(self, seconds: float) -> None:
        """Until its thread has ended, or so long."""
        self._thread.join(seconds)

    @property
    def alive(self) -> bool:
        """Whether its thread has not ended."""
        return self._thread.is_alive()

    @property
    def percent(self) -> int:
        """How much is done."""
        done, total = self._tracker.position
        return min(100 * done // max(total, 1), 100)

    @property
    def step(self) -> str:
        """What is done now: the first parts of its label, as others change too fast to be read."""
        return ": ".join(self._tracker.label.split(": ")[:2])

    @property
    def left(self) -> str:
        """The time left by the pace so far, in words; "" while it is not known."""
        done, total = self._tracker.position
        passed = time.monotonic() - self._started
        if passed < SOON or not 0 < done < total:
            return ""
        return time_left(passed * (total - done) / done)


def time_left(seconds: float) -> str:
    """A number of seconds as a reader wants to know it."""
    if seconds < 50:
        return f"about {max(10 * round(seconds / 10), 10)} seconds left"
    minutes = round(seconds / 60)
    return "about a minute left" if minutes <= 1 else f"about {minutes} minutes left"


def failure(error: Exception) -> str:
    """An error as a sentence that contains nothing of the data."""
    if isinstance(error, PyfcrmError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory for this task."
    if isinstance(error, OSError):
        return f"The file could not be stored: {error.strerror}."
    return f"An internal error occurred ({type(error).__name__})."
