"""The size of a file by its own account, before it is read."""

from __future__ import annotations

from typing import NamedTuple

from .csv_text import SEPARATORS

_PIECE = 8 * 1024**2


class Size(NamedTuple):
    """Records, columns, and bytes in memory; 0 where the file has no account of them."""

    rows: int = 0
    columns: int = 0
    bytes: int = 0


def csv_size(path: str) -> Size:
    """By the line breaks, and the separators of the first line that is not blank."""
    rows, columns = 0, 0
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            rows += piece.count(b"\n")
            line = next((line for line in piece.splitlines() if line.strip()), b"")
            columns = columns or 1 + max(line.count(mark.encode()) for mark in SEPARATORS)
    return Size(rows, columns)


def parquet_size(path: str) -> Size:
    """By the footer: values in each column, and their bytes without compression."""
    from pyarrow import parquet

    try:
        about = parquet.read_metadata(path)
    except (OSError, ValueError):
        return Size()
    groups = [about.row_group(k) for k in range(about.num_row_groups)]
    values = [sum(group.column(j).num_values for group in groups) for j in range(about.num_columns)]
    return Size(max(values, default=0), about.num_columns, sum(group.total_byte_size for group in groups))
