"""The formats of files, by extension. A new one is a new module and its entries here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, Note
from ..types import Mask
from .csv_read import read_csv
from .csv_write import csv_bytes
from .excel import read_xlsx
from .labelled import labelled_bytes, read_labelled
from .parquet import parquet_bytes, read_arrow, to_frame
from .paths import PARQUET, Path, extension, path_text
from .paths import check_output as check_path
from .table import Table, check_names, positions

if TYPE_CHECKING:
    import pandas as pd

CSV, LABELLED = ("csv", "txt", "tsv"), ("sav", "zsav", "dta", "xpt")


def _table(path: str, frame: pd.DataFrame, notes: Iterable[Note] = (), **origin: Any) -> Table:
    check_names(path, [str(name) for name in frame.columns])
    if not len(frame):
        raise InvalidInput(path, "the file has columns but no records")
    return Table(frame, path, tuple(notes), **origin)


def _read_parquet(path: str, *_: object) -> Table:
    arrow = read_arrow(path)
    return _table(path, to_frame(arrow, path), arrow=arrow)


def _read_labelled(path: str, *_: object) -> Table:
    frame, labels, notes = read_labelled(path)
    return _table(path, frame, notes, labels=labels)


def _read_workbook(path: str, *_: object) -> Table:
    return _table(path, *read_xlsx(path))


def _parquet(path: str, frame: pd.DataFrame, like: Table | None, unmodified: Mapping[str, Mask], disarm: bool) -> bytes:
    source = None if like is None else like.arrow
    whole = [name for name, where in unmodified.items() if where.all()]
    return parquet_bytes(frame, source, positions(frame, like) if like is not None and unmodified else None, whole)


def _labelled(
    path: str, frame: pd.DataFrame, like: Table | None, unmodified: Mapping[str, Mask], disarm: bool
) -> bytes:
    return labelled_bytes(path, frame, None if like is None else like.labels, unmodified)


READERS: Mapping[str, Callable[[str, str | None, str | None], Table]] = {
    **dict.fromkeys(CSV, read_csv),
    **dict.fromkeys(PARQUET, _read_parquet),
    **dict.fromkeys((*LABELLED, "sas7bdat"), _read_labelled),
    "xlsx": _read_workbook,
}
"""By extension, what reads a path, with the separator and decimal mark of text."""
WRITERS: Mapping[str, Callable[..., bytes]] = {
    **dict.fromkeys(CSV, csv_bytes),
    **dict.fromkeys(PARQUET, _parquet),
    **dict.fromkeys(LABELLED, _labelled),
}
"""By extension, the bytes of a file, from a path, a frame, the table it came from or None, the unmodified cells by column, and
whether text is disarmed."""
RELEASED_AS = {"sas7bdat": "xpt", "xlsx": "csv"}
"""By extension of what is only read, that of a release."""
_NOT_WRITTEN = {
    "sas7bdat": "only SAS writes these; take .xpt, which it reads",
    "xlsx": "workbooks are only read; take .csv",
}
_NOT_READ = {
    **dict.fromkeys(("xls", "xlsm", "xlsb", "ods"), "save the sheet as .xlsx or CSV"),
    **dict.fromkeys(("gz", "zip"), "decompress it first"),
}


def require_extension(path: str, rule: str, known: Collection[str], hints: Mapping[str, str]) -> str:
    """The extension of a path. Raises InvalidInput where it is not known, with a hint if there is one."""
    kind = extension(path)
    if kind not in known:
        hint = f" ({hints[kind]})" if kind in hints else ""
        found = (f".{kind}" if kind else "no extension") + hint
        raise InvalidInput(path, f"{rule} extension must be one of " + ", ".join("." + name for name in known), found)
    return kind


def format_of(path: str) -> str:
    """The extension of a file to be read. Raises InvalidInput where it is not known."""
    return require_extension(path, "the", READERS, _NOT_READ)


def check_output(
    path: Path, inputs: Path | Iterable[Path | None] = (), extensions: Collection[str] | None = WRITERS
) -> str:
    """As paths.check_output, of a file whose extension must be one of `extensions`, in lower case without a dot; None: any."""
    text = path_text("output", path)
    if extensions is not None:
        require_extension(text, "an output's", extensions, _NOT_WRITTEN)
    return check_path(path, inputs)
