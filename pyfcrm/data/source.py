"""Opening a caller's data: a frame, or the path of a file of any format, which is read whole, or by columns and blocks."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import Note
from ..files.formats import open_table, require_file
from ..files.manifest import stamp
from ..files.parquet import source
from ..files.paths import PARQUET, extension, path_text
from .blocks import COPIES, memory
from .frame import Frame, open_frame

BY_BLOCKS = "{count:,} records are too many for the memory of this machine: the file is read by blocks"


def open_data(
    owner: str, data: Any, whole: bool | None = None, separator: str | None = None, decimal: str | None = None
) -> Frame:
    """A frame, or a file by its path, opened: the only function that distinguishes the two.

    Parameters
    ----------
    owner : str
        The caller's name, for messages: "evaluate, original".
    data : DataFrame, Table, str, path or Frame
        A frame of pandas, polars or arrow; the path of a CSV, Excel, Parquet, SPSS, Stata or SAS file, or of a folder of
        Parquet files; a Frame is returned unchanged.
    whole : bool, optional
        Whether a Parquet file is read whole, or a column or a block at a time. None decides by its size and the memory
        of this machine, and a note reports a file that is too large. Files of other formats are read whole.
    separator, decimal : str, optional
        Of a CSV file, detected by default.

    Returns
    -------
    Frame
        `table` is the files.Table of a CSV, SPSS, Stata or SAS file; `source` is the Parquet files whose columns are read
        when they are needed, and whose records `read_blocks` reads by blocks; both are None where they do not apply.
        `path` is the file's, None for a frame; `stamp` changes when the file does. `notes` : guesses and decisions.

    Raises
    ------
    InvalidInput
        For what is neither a frame nor a file that can be read.
    """
    if isinstance(data, Frame):
        return data
    if not is_path(data):
        return open_frame(owner, data)
    path = path_text(owner, data)
    before = stamp(path)
    if extension(path) in PARQUET or os.path.isdir(path):
        frame = _parquet(owner, path, whole)
    else:
        table = open_table(path, separator, decimal)
        frame = open_frame(owner, table.frame)
        frame.table, frame.notes = table, table.notes
    frame.path, frame.stamp = path, before
    return frame


def is_path(data: Any) -> bool:
    """Whether a caller's argument is the path of a file."""
    return isinstance(data, str | os.PathLike)


def read_blocks(owner: str, frame: Frame, columns: Sequence[str] | None = None) -> Iterator[Frame]:
    """The records in order, as opened frames: all at once, or in blocks from a file that is read by blocks.

    columns : which are read of such a file, None for all.
    """
    if frame.source is None:
        yield frame
        return
    for table in frame.source.tables(None if columns is None else list(dict.fromkeys(frame.stored(columns)))):
        yield frame.block(open_frame(owner, table))


def _parquet(owner: str, path: str, whole: bool | None) -> Frame:
    if not os.path.isdir(path):
        require_file(path)
    data = source(owner, path)
    # Measures and methods need the records in memory several times over.
    if whole or (whole is None and COPIES * data.size <= memory() // 2):
        return open_frame(owner, data.table())
    frame = open_frame(owner, data.schema.empty_table(), data)
    if whole is None:
        frame.notes = (Note.of("by_blocks", BY_BLOCKS, count=data.n),)
    return frame
