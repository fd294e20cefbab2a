"""The formats of files. A new one is a new module and its entry in FORMATS."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
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
from .size import Size, csv_size, parquet_size
from .table import Origin, Table, check_names, positions

if TYPE_CHECKING:
    import pandas as pd

Reader = Callable[[str, str | None, str | None], Table]


@dataclass(frozen=True)
class Format:
    """A family of files that are read and written alike.

    read : the table in a path, with the separator and decimal mark of text; measure : the size of a path by its own account.
    extensions : of files that are written too; contents : the bytes of a file, from a path, a frame, the table it came from,
    the unmodified cells by column, and whether text is disarmed. read_only : by extension, that of a release, and the reason.
    """

    read: Reader
    measure: Callable[[str], Size] = lambda _: Size()
    extensions: tuple[str, ...] = ()
    contents: Callable[[str, pd.DataFrame, Table | None, Mapping[str, Mask], bool], bytes] | None = None
    read_only: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def _table(path: str, frame: pd.DataFrame, notes: Iterable[Note] = (), **origin: Any) -> Table:
    check_names(path, [str(name) for name in frame.columns])
    if not len(frame):
        raise InvalidInput(path, "the file has columns but no records")
    return Table(frame, Origin(path, **origin), tuple(notes))


def _read_parquet(path: str, *_: object) -> Table:
    arrow = read_arrow(path)
    return _table(path, to_frame(arrow, path), arrow=arrow)


def _read_labelled(path: str, *_: object) -> Table:
    frame, labels, notes = read_labelled(path)
    return _table(path, frame, notes, labels=labels)


def _parquet(path: str, frame: pd.DataFrame, like: Table | None, unmodified: Mapping[str, Mask], _: bool) -> bytes:
    source = None if like is None or like.origin is None else like.origin.arrow
    whole = [name for name, where in unmodified.items() if where.all()]
    return parquet_bytes(frame, source, positions(frame, like) if like is not None and unmodified else None, whole)


FORMATS = {
    "csv": Format(read_csv, csv_size, ("csv", "txt", "tsv"), csv_bytes),
    "parquet": Format(_read_parquet, parquet_size, PARQUET, _parquet),
    "labelled": Format(
        _read_labelled,
        extensions=("sav", "zsav", "por", "dta", "xpt"),
        contents=lambda path, frame, like, unmodified, _: labelled_bytes(
            path, frame, None if like is None else like.labels, unmodified
        ),
        read_only={"sas7bdat": ("xpt", "only SAS writes these; take .xpt, which it reads")},
    ),
    "workbook": Format(
        lambda path, *_: _table(path, *read_xlsx(path)),
        read_only={"xlsx": ("csv", "workbooks are only read; take .csv")},
    ),
}
"""By the name of the family."""
WRITTEN = {kind: name for name, family in FORMATS.items() for kind in family.extensions}
"""By extension, what is read and written."""
READ_ONLY = {kind: name for name, family in FORMATS.items() for kind in family.read_only}
RELEASED_AS = {kind: other for family in FORMATS.values() for kind, (other, _) in family.read_only.items()}
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
        raise InvalidInput(path, rule, _extension_shown(kind, _OTHERS.get(kind)))
    return known[kind]


def check_output(
    path: Path, inputs: Path | Iterable[Path | None] = (), extensions: Collection[str] | None = WRITTEN
) -> str:
    """As paths.check_output, of a file whose extension must be one of `extensions`, in lower case without a dot; None: any."""
    kind = extension(text := path_text("output", path))
    if extensions is not None and kind not in extensions:
        rule = "an output's extension must be one of " + ", ".join("." + name for name in extensions)
        why = FORMATS[READ_ONLY[kind]].read_only[kind][1] if kind in READ_ONLY else None
        raise InvalidInput(text, rule, _extension_shown(kind, why))
    return check_path(path, inputs)


def _extension_shown(kind: str, hint: str | None) -> str:
    return (f".{kind}" if kind else "no extension") + (f" ({hint})" if hint else "")


def size_of(path: str) -> Size:
    """The size of a file that `read_table` may read, zeros where it has no account of it.

    Raises InvalidInput for an extension that is not known.
    """
    return FORMATS[format_of(path)].measure(path)
