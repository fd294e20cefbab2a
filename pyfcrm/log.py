"""Steps and times of the functions that take long, in the logger `pyfcrm` of Python's own logging.

INFO has a line for each call with its seconds, DEBUG one for each step too. No line contains a value of a file.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from .progress import Progress, report_progress

LOGGER = logging.getLogger("pyfcrm")


@contextmanager
def recorded(function: str, progress: Progress | None) -> Iterator[Progress | None]:
    """The callback that a function reports its progress to: the caller's, with each new step in the log where that is wanted.

    The time of the function is logged when it ends.
    """
    begun = perf_counter()
    steps = _Steps(function, progress, begun) if LOGGER.isEnabledFor(logging.DEBUG) else progress
    try:
        yield steps
    except Exception as error:
        LOGGER.info("%s: ended by %s after %.2f s", function, type(error).__name__, perf_counter() - begun)
        raise
    LOGGER.info("%s: %.2f s", function, perf_counter() - begun)


class _Steps:
    """A progress callback that logs each step when it begins, with the seconds since the function began."""

    def __init__(self, function: str, progress: Progress | None, begun: float) -> None:
        self.function, self.progress, self.begun = function, progress, begun
        self.label = ""

    def __call__(self, done: int, total: int, label: str) -> None:
        if label != self.label:
            self.label = label
            LOGGER.debug("%s: %s, from %.2f s", self.function, label, perf_counter() - self.begun)
        report_progress(self.progress, done, total, label)
