"""What the workers of one run of pytest do one after the other, or once for all: a folder of the run, and locks in it."""

import os
from contextlib import contextmanager
from pathlib import Path

RUN = "PYFCRM_TESTS_RUN"


def of_the_run(name):
    """A path in the folder that all workers share and that goes when they have ended (tests/conftest.py)."""
    return Path(os.environ[RUN]) / name


_held = set()


@contextmanager
def in_turn_with_others(name):
    """Held by one worker at a time; the worker that holds it may enter again."""
    try:
        import fcntl
    except ImportError:  # not Unix: nobody waits
        yield
        return
    if name in _held:
        yield
        return
    with of_the_run(f"{name}.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _held.add(name)
        try:
            yield
        finally:
            _held.discard(name)
