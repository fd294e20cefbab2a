"""Taking a file in: what was dropped, or an embedded one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import datasets
from ...files import Table
from ...files.paths import FORMATS, READ_ONLY
from ..uploads import taken_in
from ..visit import Visit
from .trial import Source

ACCEPTED = tuple(f".{name}" for name in (*FORMATS, *READ_ONLY))
EMBEDDED: dict[str, tuple[str, Callable[[], Any]]] = {
    "census_like": ("Like the Census file: 1,080 records, 13 columns", datasets.census_like),
    "enterprises": ("Enterprises: heavy tails", datasets.enterprises),
    "accounts": ("Accounts: clusters, signs of both kinds", datasets.accounts),
    "example": ("Five lines: 250 records, 2 columns", datasets.example),
}


def dropped(path: str, name: str, visit: Visit) -> Source:
    """A dropped file, as uploads.taken_in has it."""
    own, table = taken_in(path, name, visit)
    return Source(own.name, own, table)


def embedded(which: str) -> Source:
    """One of the embedded files, simulated now."""
    frame = EMBEDDED[which][1]()
    return Source(f"{which}.csv", None, Table(frame), which)
