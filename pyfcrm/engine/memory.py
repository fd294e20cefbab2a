"""Memory that this process may use: that of the machine, or less where its control group or a limit says so."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

GROUPS, FOLDER = "/proc/self/cgroup", "/sys/fs/cgroup"  # the control groups of this process, and their settings
UNKNOWN = 8 * 10**9


@cache  # asked for each column of a file
def memory() -> int:
    """Bytes that this process and its children may have: those of the machine, or the limit of a control group."""
    return min([machine_memory(), *group_limits()])


def machine_memory() -> int:
    """Bytes of memory that this machine has, or 8 GB where the system does not say it to Python, as on Windows."""
    if sys.platform == "win32":
        return UNKNOWN
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def reader_memory() -> int:
    """Bytes of address space for a process that reads a file: half of the memory, or the hard limit that it inherits."""
    half = memory() // 2
    if sys.platform == "win32":
        return half
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    return half if hard == resource.RLIM_INFINITY else min(half, hard)


def group_limits(groups: str | Path = GROUPS, folder: str | Path = FOLDER) -> Iterator[int]:
    """The limits in bytes of the control groups that this process is in, and of the groups around these.

    groups : the file that lists them, a line each, such as 0::/user.slice; folder : has a folder for each.
    """
    try:
        lines = Path(groups).read_text(encoding="utf-8").splitlines()
    except OSError:  # no Linux
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        # Version 1 has a folder for each controller, version 2 one for all.
        root = Path(folder) / "memory" if controllers else Path(folder)
        name = "memory.limit_in_bytes" if controllers else "memory.max"
        inner = root / group.lstrip("/")
        for each in (inner, *inner.parents):
            if not each.is_relative_to(root):
                break
            try:
                yield int((each / name).read_text(encoding="utf-8"))
            except (OSError, ValueError):  # not there, or "max"
                continue
