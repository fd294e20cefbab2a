"""The formats of files: the extensions of each, and what reads, measures and writes it. A new one is a new file and its entry here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from ..types import Mask
from .csv_read import read_csv
from .csv_write import csv_bytes
from .excel import read_xlsx
from .labelled import labelled_bytes, read_labelled
from .parquet import parquet_bytes, read_arrow, to_frame
from .paths import PARQUET, Path, extension, path_text
from .paths import check_output as check_path
from .size import Size, csv_size, labelled_size, parquet_size
from .table import ArrowOrigin, LabelledOrigin, SheetOrigin, Table, check_names, positions

if TYPE_CHECKING:
    import pandas as pd

Reader = Callable[[str, str | None, str | None], Table]
Kept = Mapping[str, Mask]


@dataclass(frozen=True)
class Format:
    """A family of files that are read and written alike.

    read : of a path, and the separator and decimal mark of text, the table; measure : of a path,
    its size by its own account; extensions : of those that are written too; contents : of a path, a frame, the table it
    came from, where by column the cells leave as they came, and whether text is disarmed, the file's bytes; read_only : by
    extension, the one of its release, since such files are not written, and why.
    """

    read: Reader
    measure: Callable[[str], Size]
    extensions: tuple[str, ...] = ()
    contents: Callable[[str, pd.DataFrame, Table | None, Kept, bool], bytes] | None = None
    read_only: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def _read_parquet(path: str, *_: object) -> Table:
    arrow = read_arrow(path)
    _check_contents(path, arrow.column_names, arrow.num_rows)
    return Table(to_frame(arrow, path), ArrowOrigin(path, arrow))


def _read_workbook(path: str, *_: object) -> Table:
    frame, notes = read_xlsx(path)
    _check_contents(path, frame.columns, len(frame))
    return Table(frame, SheetOrigin(path), tuple(notes))


def _read_labelled(path: str, *_: object) -> Table:
    frame, labels, notes = read_labelled(path)
    _check_contents(path, frame.columns, len(frame))
    return Table(frame, LabelledOrigin(path, labels), tuple(notes))


def _check_contents(path: str, names: Iterable[object], records: int) -> None:
    check_names(path, [str(name) for name in names])
    if not records:
        raise InvalidInput(path, "the file has columns but no records")


def _parquet(path: str, frame: pd.DataFrame, like: Table | None, kept: Kept, disarm: bool) -> bytes:
    source = like.origin.arrow if like is not None and isinstance(like.origin, ArrowOrigin) else None
    whole = [name for name, where in kept.items() if where.all()]
    return parquet_bytes(frame, source, positions(frame, like) if like is not None and kept else None, whole)


def _labelled(path: str, frame: pd.DataFrame, like: Table | None, kept: Kept, disarm: bool) -> bytes:
    return labelled_bytes(path, frame, None if like is None else like.labels, kept)


FORMATS = {
    "csv": Format(read_csv, csv_size, ("csv", "txt", "tsv"), csv_bytes),
    "parquet": Format(_read_parquet, parquet_size, PARQUET, _parquet),
    "labelled": Format(
        _read_labelled,
        labelled_size,
        ("sav", "zsav", "por", "dta", "xpt"),
        _labelled,
        {"sas7bdat": ("xpt", "only SAS writes these; take .xpt, which it reads")},
    ),
    "workbook": Format(
        _read_workbook,
        lambda _: Size(),
        read_only={"xlsx": ("csv", "workbooks are only read; take .csv")},
    ),
}
"""By what a message or a test calls them."""
WRITTEN = {kind: name for name, one in FORMATS.items() for kind in one.extensions}
"""By extension, what is read and written."""
READ_ONLY = {kind: name for name, one in FORMATS.items() for kind in one.read_only}
RELEASED_AS = {kind: other for one in FORMATS.values() for kind, (other, _) in one.read_only.items()}
"""By extension of what is only read, that of a release."""
_OTHERS = {
    **dict.fromkeys(("xls", "xlsm", "xlsb", "ods"), "save the sheet as .xlsx or CSV"),
    **dict.fromkeys(("gz", "zip"), "decompress it first"),
}


def format_of(path: str) -> str:
    """Which of FORMATS a file to be read is of, by its extension."""
    kind, known = extension(path), WRITTEN | READ_ONLY
    if kind not in known:
        rule = "the extension must be one of " + ", ".join("." + name for name in known)
        raise InvalidInput(path, rule, _given(kind, _OTHERS.get(kind)))
    return known[kind]


def check_output(
    path: Path, inputs: Path | Iterable[Path | None] = (), extensions: Collection[str] | None = WRITTEN
) -> str:
    """As paths.check_output, of a file whose extension must be one of `extensions`, in lower case without a dot; None: any."""
    kind = extension(text := path_text("output", path))
    if extensions is not None and kind not in extensions:
        rule = "an output's extension must be one of " + ", ".join("." + name for name in extensions)
        why = FORMATS[READ_ONLY[kind]].read_only[kind][1] if kind in READ_ONLY else None
        raise InvalidInput(text, rule, _given(kind, why))
    return check_path(path, inputs)


def _given(kind: str, hint: str | None) -> str:
    return (f".{kind}" if kind else "no extension") + (f" ({hint})" if hint else "")


def size_of(path: str) -> Size:
    """The size of a file that `read_table` may read, zeros where it has no account of it.

    Raises InvalidInput for an extension that is not known.
    """
    return FORMATS[format_of(path)].measure(path)
