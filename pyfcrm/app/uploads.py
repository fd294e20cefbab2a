"""A dropped file: what arrived in the visit, read as data."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from ..errors import PyfcrmError
from ..files import Table, read_table
from .limits import cells
from .visit import Upload, Visit


def taken_in(upload: Upload, visit: Visit) -> tuple[Path, Table]:
    """Where the file lies now, in a folder of its own within the visit's, and what is in it.

    Raises PyfcrmError, one sentence that names the file and no folder of this machine; the file is gone then.
    """
    own: Path | None = None
    try:
        own = visit.place(upload.name)
        upload.path.rename(own)
        cells(own, visit.most_cells)
        return own, read_table(own)
    except BaseException as error:
        upload.path.unlink(missing_ok=True)
        if own is not None:
            let_go(own)
            if isinstance(error, PyfcrmError):
                raise type(error)(*_without(own.parent, error)) from None
        raise


def let_go(path: Path) -> None:
    """Remove a file that was taken in, with its folder."""
    shutil.rmtree(path.parent, ignore_errors=True)


def _without(folder: Path, error: PyfcrmError) -> tuple[Any, ...]:
    """What the error was made from, with the folder left out of its words."""
    pieces = error.__reduce__()[1] if isinstance(error.__reduce__(), tuple) else error.args
    return tuple(piece.replace(f"{folder}/", "") if isinstance(piece, str) else piece for piece in pieces)
