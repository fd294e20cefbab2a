"""Taking a file in: what was dropped, or an embedded one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ... import datasets
from ...errors import PyfcrmError
from ...files import Table
from ...files.paths import FORMATS, READ_ONLY
from ..uploads import let_go, taken_in
from ..visit import Upload, Visit
from .columns import Column, examined
from .trial import Source

ACCEPTED = tuple(f".{name}" for name in (*FORMATS, *READ_ONLY))
EMBEDDED: dict[str, tuple[str, Callable[[], Any]]] = {
    "survey": ("A household survey: 2,000 records, few of them unique", datasets.survey),
    "census_like": ("Like the Census file: 1,080 records, 13 columns", datasets.census_like),
    "enterprises": ("Enterprises: heavy tails", datasets.enterprises),
    "accounts": ("Accounts: clusters, signs of both kinds", datasets.accounts),
    "example": ("Five lines: 250 records, 2 columns", datasets.example),
}


def dropped(upload: Upload, visit: Visit) -> Source:
    """A dropped file, as uploads.taken_in has it."""
    own, table = taken_in(upload, visit)
    return Source(own.name, own, table)


def embedded(which: str) -> Source:
    """One of the embedded files, simulated now."""
    frame = EMBEDDED[which][1]()
    return Source(f"{which}.csv", None, Table(frame), which)


@dataclass(frozen=True, eq=False)
class Looked:
    """A file that was taken in and looked at: what may be put on the bench, or else trouble, one sentence."""

    source: Source | None = None
    columns: tuple[Column, ...] = ()
    trouble: str = ""


def looked_at(make: Callable[..., Source], *given: Any) -> Looked:
    """make(*given), which gives a file, with every column of it examined. Long work: to be done beside the event loop."""
    source = None
    try:
        source = make(*given)
        return Looked(source, tuple(examined(source.table.frame)))
    except PyfcrmError as error:
        trouble = str(error)
    except MemoryError:
        trouble = "There is not enough memory to read this file."
    except Exception as error:  # a fault of ours: the page stays
        trouble = f"This file could not be read ({type(error).__name__})."
    if source is not None and source.path is not None:
        let_go(source.path)
    return Looked(trouble=trouble)
