"""How much memory there is, and how much of it work on files may take."""

from __future__ import annotations

import os

COPIES = 8  # of both files that a measure of all records at once may need
WORKING = 1 << 31  # bytes that linkage takes before it goes by blocks, on whatever machine


def memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def most_records(p: int) -> int:
    """Records of p numbers that fit in half of the memory several times over."""
    return memory() // 2 // (COPIES * 8 * p)


def small(n: int, p: int) -> bool:
    """Whether n records of p numbers are linked faster at once than by blocks, within `WORKING` bytes."""
    return n <= min(most_records(p), WORKING // (COPIES * 8 * p))
