"""How large a file is by its own account of itself, without reading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import InvalidInput
from .labelled import READERS
from .paths import extension

ROWS = 65_536
AS_STORED = {"PLAIN", "RLE", "BIT_PACKED"}  # encodings in which a value of text is as long as itself
PIECE = 8 * 1024**2
SEPARATORS = (b",", b";", b"\t", b"|")


def unpacked_text(path: str, most: int) -> int:
    """Bytes of all values of text, or more than `most` as soon as there are more.

    A bound from the footer, where that is within `most`; else counted, in pieces that stay packed.
    """
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        bounds, packed, prefixed = _bounds(file.metadata, file.schema)
    if bounds <= most or any("." in name for name in packed):  # of lists and structures, which nothing here protects
        return bounds
    rows = min(ROWS, max(1, most // max(prefixed.values(), default=1)))
    try:
        with parquet.ParquetFile(path, read_dictionary=[name for name in packed if name not in prefixed]) as file:
            return _counted(file, packed, most, rows)
    except (OSError, ValueError):  # as pyarrow's own exceptions are too
        return bounds


def _bounds(about: Any, schema: Any) -> tuple[int, list[str], dict[str, int]]:
    """The most bytes there can be; the columns of text that may be packed; those of them packed by prefixes, which cannot be
    read packed, with the longest that one of their values can be."""
    total, packed, longest, prefixed = 0, list[str](), dict[str, int](), set[str]()
    for j in range(about.num_columns):
        column = schema.column(j)
        for k in range(about.num_row_groups):
            chunk = about.row_group(k).column(j)
            name, size = chunk.path_in_schema, chunk.total_uncompressed_size
            if column.physical_type == "FIXED_LEN_BYTE_ARRAY":
                total += chunk.num_values * column.length
            elif column.physical_type == "BYTE_ARRAY":
                as_stored = set(chunk.encodings) <= AS_STORED
                total += size if as_stored else size * chunk.num_values
                longest[name] = max(size, longest.get(name, 0))
                packed += [] if as_stored or name in packed else [name]
                prefixed |= {name} if "DELTA_BYTE_ARRAY" in chunk.encodings else set()
    return total, packed, {name: longest[name] for name in packed if name in prefixed}


def _counted(file: Any, names: list[str], most: int, rows: int) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    total = 0
    for batch in file.iter_batches(batch_size=rows, columns=names):
        for column in batch.columns:
            if pa.types.is_dictionary(column.type):
                lengths = pc.binary_length(column.dictionary).take(column.indices)
            else:
                lengths = pc.binary_length(column)
            total += pc.sum(pc.cast(lengths, "int64")).as_py() or 0
        if total > most:
            break
    return total


@dataclass(frozen=True)
class Size:
    """rows, columns; bytes : in memory, as numbers of 8 bytes and text by its length; 0 where the file does not say."""

    rows: int = 0
    columns: int = 0
    bytes: int = 0

    @property
    def cells(self) -> int:
        """Rows times columns."""
        return self.rows * self.columns


def csv_size(path: str, *_: int) -> Size:
    """By the separators of the first line with anything in it, and the line breaks."""
    rows, head, columns = 0, b"", 1
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            rows += max(piece.count(b"\n"), piece.count(b"\r"))
            if not head:
                head = next((line for line in piece.splitlines() if line.strip()), b"")
                columns = 1 + max(head.count(mark) for mark in SEPARATORS)
    return Size(rows, columns)


def labelled_size(path: str, *_: int) -> Size:
    """By the header; a column is as wide as it is stored, 8 bytes at least."""
    try:
        import pyreadstat
    except ImportError:
        return Size()
    try:
        _, about = getattr(pyreadstat, READERS[extension(path)])(path, metadataonly=True)
    except Exception:  # the package's own kinds, as in read_labelled, which says it
        return Size()
    rows, columns = max(about.number_rows or 0, 0), about.number_columns or 0
    if not rows and columns and extension(path) == "zsav":
        raise InvalidInput(path, "a .zsav file must say in its header how many records it has")
    widths = [max(8, width or 0) for width in (about.variable_storage_width or {}).values()]
    return Size(rows, columns, rows * sum(widths))


def parquet_size(path: str, most_cells: int, most_bytes: int) -> Size:
    """By the footer: values in each column, whatever they are packed into."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return Size()
    try:
        with parquet.ParquetFile(path) as file:
            about = file.metadata
            groups = [about.row_group(k) for k in range(about.num_row_groups)]
            columns = about.num_columns
            most = max((sum(group.column(j).num_values for group in groups) for j in range(columns)), default=0)
            rows = max(about.num_rows, most)
            size = Size(rows, columns, rows * columns * 8 + sum(group.total_byte_size for group in groups))
        if size.cells > most_cells or size.bytes > most_bytes:
            return size
        return Size(rows, columns, size.bytes + unpacked_text(path, most_bytes))
    except (pyarrow.ArrowException, OSError, ValueError):
        return Size()
