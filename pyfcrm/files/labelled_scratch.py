"""Where pyreadstat, which writes to a path only, may write: in memory where the system can, else a temporary file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_MORE = 1 << 16


@contextmanager
def scratch_path() -> Iterator[str]:
    """A path that may be written to and read from; nothing of it is left, however the process ends where it is memory."""
    if hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd"):
        handle = os.memfd_create("pyfcrm")
        try:
            yield f"/proc/self/fd/{handle}"
        finally:
            os.close(handle)
        return
    with tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
        yield os.path.join(folder, "release")


def whole(path: str) -> bytes:
    """What was written there. Raises OSError where the disk is full: the SAS writer does not tell."""
    with open(path, "r+b") as file:
        data = file.read()
        file.write(b"\0" * _MORE)
        file.flush()
        os.fsync(file.fileno())
    return data
