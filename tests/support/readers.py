"""Readers of files that behave badly, for a process of their own; and reading without one."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path
from typing import Any, NoReturn

from pyfcrm.errors import InvalidInput, first_line


def here(path: str, rule: str, reader: Any, most: int | None, progress: Any) -> Any:
    """What `in_child` returns and raises for a reader that neither crashes nor takes too much memory."""
    try:
        return reader(path)
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(path, rule, first_line(error)) from None


def slow(path: str, **_: object) -> None:
    """Writes the number of its process beside the file, and reads for a minute."""
    Path(f"{path}.pid").write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(60)


def written_pid(path: str | Path) -> int:
    """The number that `slow` wrote, once it is there."""
    place, end = Path(f"{path}.pid"), time.monotonic() + 60
    while time.monotonic() < end and not (place.exists() and place.stat().st_size):
        time.sleep(0.05)
    return int(place.read_text(encoding="utf-8"))


def is_there(number: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def killed(path: str) -> None:
    """Ends as under a system without free memory."""
    signal.raise_signal(signal.SIGKILL)


def crashing(path: str) -> None:
    """Ends as a library does that reads beyond its memory."""
    signal.raise_signal(signal.SIGSEGV)


def without_disk(path: str) -> NoReturn:
    """Finds that the disk is full."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
