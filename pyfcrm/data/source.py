"""Opening what a user hands in: a frame, or the path of a file of any format; read whole, or by columns and blocks where
it is too large for memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, cast

from ..errors import Note
from ..files import read_table
from ..files.manifest import stamp
from ..files.parquet import Source, source
from ..files.paths import PARQUET, extension, path_text
from ..files.read import require_file
from .blocks import COPIES, memory
from .frame import Frame, open_frame

BY_BLOCKS = "{count:,} records are too many for the memory of this machine: the file is read by blocks"


def open_data(
    owner: str, frame_or_path: Any, whole: bool | None = None, separator: str | None = None, decimal: str | None = None
) -> Frame:
    """A frame, or a file by its path, opened: the one place that asks which of the two it is.

    Parameters
    ----------
    owner : str
        Who asks, for messages: "evaluate, original".
    frame_or_path : DataFrame, Table, str, path or Frame
        A frame of pandas, polars or arrow; the path of a CSV, Excel, Parquet, SPSS, Stata or SAS file, or of a folder of Parquet
        files; what is open already comes back as it is.
    whole : bool, optional
        Whether a Parquet file is read whole, or a column or a block at a time; None decides by its size and the memory
        of this machine, and says so in `notes` where it is too large. Files of other formats are read whole.
    separator, decimal : str, optional
        Of a CSV file, found if not given.

    Returns
    -------
    Frame
        Its `table` is the files.Table that a CSV, SPSS, Stata or SAS file was read as; its `source` is the Parquet files
        whose columns are read when they are asked for, and whose records `read_blocks` gives some at a time; both are None where
        they do not apply. `path` is the file's, None for a frame; `stamp` tells whether it was written to since.
        `notes` is what the reader had to guess, and what was decided.

    Raises
    ------
    InvalidInput
        For what is neither a frame nor a file that can be read.
    MissingExtra
        Where the format needs a package that is not installed.
    """
    if is_open(frame_or_path):
        return cast(Frame, frame_or_path)
    if not is_path(frame_or_path):
        return open_frame(owner, frame_or_path)
    path = path_text(owner, frame_or_path)
    before = stamp(path)
    if extension(path) in PARQUET or os.path.isdir(path):
        door = _parquet(owner, path, whole)
    else:
        table = read_table(path, separator, decimal)
        door = open_frame(owner, table.frame)
        door.table, door.notes = table, table.notes
    door.path, door.stamp = path, before
    return door


def is_path(frame_or_path: Any) -> bool:
    """Whether what a user hands in is the path of a file."""
    return isinstance(frame_or_path, str | os.PathLike)


def is_open(frame_or_path: Any) -> bool:
    """Whether it was opened already: by its class, for a frame may have columns of any name."""
    return isinstance(frame_or_path, Frame)


def read_blocks(owner: str, door: Frame, columns: Sequence[str] | None = None) -> Iterator[Frame]:
    """The records in order, as opened frames: all of them at once, or some at a time from a file that is read so.

    columns : which are read of such a file, None for all.
    """
    if door.source is None:
        yield door
        return
    for table in door.source.tables(None if columns is None else list(dict.fromkeys(columns))):
        yield open_frame(owner, table)


def _parquet(owner: str, path: str, whole: bool | None) -> Frame:
    if not os.path.isdir(path):
        require_file(path, "parquet")
    data = source(owner, path)
    if whole or (whole is None and fits(data)):
        return open_frame(owner, data.table())
    door = open_frame(owner, data.schema.empty_table(), data)
    if whole is None:
        door.notes = (Note.of("by_blocks", BY_BLOCKS, count=data.n),)
    return door


def fits(data: Source) -> bool:
    """Whether all records fit in half of the memory several times over, as measures and methods need them."""
    return COPIES * data.bytes() <= memory() // 2
