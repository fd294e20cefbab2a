"""Taking a file in: what was dropped, or an embedded one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

from ... import datasets
from ...errors import PyfcrmError
from ...files import Table, read_table
from ...files.paths import FORMATS, READ_ONLY
from ..visit import Visit
from .trial import Source

ACCEPTED = tuple(f".{name}" for name in (*FORMATS, *READ_ONLY))
EMBEDDED: dict[str, tuple[str, Callable[[], Any]]] = {
    "census_like": ("Like the Census file: 1,080 records, 13 columns", datasets.census_like),
    "enterprises": ("Enterprises: heavy tails", datasets.enterprises),
    "accounts": ("Accounts: clusters, signs of both kinds", datasets.accounts),
    "example": ("Five lines: 250 records, 2 columns", datasets.example),
}


def taken_in(path: str, name: str, visit: Visit) -> Source:
    """A dropped file, moved into the visit's folder and read as data.

    path : where the upload lies; name : what the file was called. Raises PyfcrmError, one sentence that names the file and
    no folder of this machine; the file is gone then.
    """
    own = visit.path(name)
    shutil.move(path, own)
    try:
        table = read_table(own)
    except PyfcrmError as error:
        own.unlink(missing_ok=True)
        raise type(error)(*_without(visit, error)) from None
    except MemoryError:
        own.unlink(missing_ok=True)
        raise
    return Source(own.name, own, table)


def embedded(which: str) -> Source:
    """One of the embedded files, simulated now."""
    frame = EMBEDDED[which][1]()
    return Source(f"{which}.csv", None, Table(frame, None, "csv", ",", ".", "utf-8", f"{which}.csv"), which)


def _without(visit: Visit, error: PyfcrmError) -> tuple[Any, ...]:
    """What the error was made from, with the visit's folder left out of its words."""
    folder = f"{visit.folder}/"
    pieces = error.__reduce__()[1] if isinstance(error.__reduce__(), tuple) else error.args
    return tuple(piece.replace(folder, "") if isinstance(piece, str) else piece for piece in pieces)
