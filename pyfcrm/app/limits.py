"""How large a file the studio opens: judged from the file's own account of itself, before it is read."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidInput
from ..files.paths import extension, format_of
from .parquet_text import unpacked_text

# A cell is 8 bytes as a number and some 100 as text in Python, and is held two or three times over while a file is read and
# protected: 20 million cells are a few GB at the most, which the machines of an office have.
MOST_CELLS = 20_000_000
BYTES = 50  # of memory for each of these cells, before Python has made text of any: 1 GB
MOST_COLUMNS = 2000  # the page has a row for each
PIECE = 8 * 1024**2


def cells(path: Path, most_cells: int = MOST_CELLS) -> int:
    """How many cells a file has, as far as can be said without reading it; 0 where nothing can.

    Raises InvalidInput, one sentence with the limit, for a file above the limits. A file that cannot be understood passes:
    whoever reads it will say why.
    """
    most_bytes = most_cells * BYTES
    kind = format_of(str(path))
    if kind == "parquet":
        rows, columns, size = _parquet(path, most_cells, most_bytes)
    else:
        rows, columns, size = _csv(path) if kind == "csv" else _labelled(path)
    if columns > MOST_COLUMNS:
        rule = f"the studio shows at most {MOST_COLUMNS:,} columns; `pyfcrm protect` takes wider files"
        raise InvalidInput(path.name, rule, f"{columns:,}")
    if rows * columns > most_cells:
        rule = (
            f"the studio opens at most {most_cells:,} cells, records times columns; `pyfcrm protect` takes larger files"
        )
        raise InvalidInput(path.name, rule, f"{rows:,} records of {columns:,} columns")
    if size > most_bytes:
        rule = f"the studio opens files of at most {most_bytes // 10**6:,} MB in memory; `pyfcrm protect` takes larger ones"
        raise InvalidInput(path.name, rule, f"{size // 10**6:,} MB or more")
    return rows * columns


def _csv(path: Path) -> tuple[int, int, int]:
    """By the separators of the first line with anything in it, and the line breaks."""
    rows, head, columns = 0, b"", 1
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            rows += max(piece.count(b"\n"), piece.count(b"\r"))
            if not head.strip():
                head = next((line for line in piece.splitlines() if line.strip()), b"")
                columns = 1 + max(head.count(mark) for mark in (b",", b";", b"\t", b"|"))
    return rows, columns, 0


def _labelled(path: Path) -> tuple[int, int, int]:
    """By the header; widths are those of the columns as stored, 8 at least."""
    import pyreadstat

    from ..files.labelled import READERS

    try:
        _, about = getattr(pyreadstat, READERS[extension(str(path))])(str(path), metadataonly=True)
    except Exception:  # as for read_labelled, which says it
        return 0, 0, 0
    rows, columns = max(about.number_rows or 0, 0), about.number_columns or 0
    if not rows and columns and extension(str(path)) == "zsav":  # packed, and without a word on how far
        raise InvalidInput(path.name, "a .zsav file must say in its header how many records it has")
    widths = [max(8, width or 0) for width in (about.variable_storage_width or {}).values()]
    return rows, columns, rows * sum(widths)


def _parquet(path: Path, most_cells: int, most_bytes: int) -> tuple[int, int, int]:
    """By the footer: values in each column, whatever they are packed into; bytes as in parquet_text for those of text."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return 0, 0, 0
    try:
        with parquet.ParquetFile(path) as file:
            about = file.metadata
            groups = [about.row_group(k) for k in range(about.num_row_groups)]
            columns = about.num_columns
            most = max((sum(group.column(j).num_values for group in groups) for j in range(columns)), default=0)
            rows = max(about.num_rows, most)
            size = rows * columns * 8 + sum(group.total_byte_size for group in groups)
        if columns > MOST_COLUMNS or rows * columns > most_cells or size > most_bytes:
            return rows, columns, size
        return rows, columns, size + unpacked_text(path, most_bytes)
    except (pyarrow.ArrowException, OSError, ValueError):  # as for read_table, which says it
        return 0, 0, 0
