"""A dropped file: into the visit's folder, and read as data."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from ..errors import PyfcrmError
from ..files import Table, read_table
from .visit import Visit


def taken_in(path: str, name: str, visit: Visit) -> tuple[Path, Table]:
    """Where the file lies now, and what is in it.

    path : where the upload lies; name : what the file was called. Raises PyfcrmError, one sentence that names the file and
    no folder of this machine; the file is gone then.
    """
    own = visit.path(name)
    shutil.move(path, own)
    try:
        return own, read_table(own)
    except PyfcrmError as error:
        own.unlink(missing_ok=True)
        raise type(error)(*_without(visit, error)) from None
    except MemoryError:
        own.unlink(missing_ok=True)
        raise


def _without(visit: Visit, error: PyfcrmError) -> tuple[Any, ...]:
    """What the error was made from, with the visit's folder left out of its words."""
    folder = f"{visit.folder}/"
    pieces = error.__reduce__()[1] if isinstance(error.__reduce__(), tuple) else error.args
    return tuple(piece.replace(folder, "") if isinstance(piece, str) else piece for piece in pieces)
