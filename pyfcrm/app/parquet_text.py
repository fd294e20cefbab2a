"""How long the text of a Parquet file is once it is unpacked: one long value that is repeated takes next to no place in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROWS = 65_536
AS_STORED = {"PLAIN", "RLE", "BIT_PACKED"}  # encodings in which a value of text is as long as itself


def unpacked_text(path: Path, most: int) -> int:
    """Bytes of all values of text, or more than `most` as soon as there are more.

    A bound from the footer, where that is within `most`; else counted, in pieces that stay packed.
    """
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        bounds, names, pieces = _bounds(file.metadata, file.schema)
    if bounds <= most or not names:
        return bounds
    with parquet.ParquetFile(path, read_dictionary=names) as file:
        if any("." in name for name in names):  # lists and structures, which no method here protects
            return bounds
        return _counted(file, names, most, max(1, most // pieces) if pieces else ROWS)


def _bounds(about: Any, schema: Any) -> tuple[int, list[str], int]:
    """The most bytes there can be; the columns that may be packed; the largest of their pieces packed by prefixes."""
    total, names, pieces = 0, [], 0
    for j in range(about.num_columns):
        column = schema.column(j)
        for k in range(about.num_row_groups):
            chunk = about.row_group(k).column(j)
            if column.physical_type == "FIXED_LEN_BYTE_ARRAY":
                total += chunk.num_values * column.length
            elif column.physical_type == "BYTE_ARRAY":
                packed = not set(chunk.encodings) <= AS_STORED
                total += chunk.total_uncompressed_size * (chunk.num_values if packed else 1)
                if packed and chunk.path_in_schema not in names:
                    names.append(chunk.path_in_schema)
                if "DELTA_BYTE_ARRAY" in chunk.encodings:
                    pieces = max(pieces, chunk.total_uncompressed_size)
    return total, names, pieces


def _counted(file: Any, names: list[str], most: int, rows: int) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    total = 0
    for batch in file.iter_batches(batch_size=min(rows, ROWS), columns=names):
        for column in batch.columns:
            if pa.types.is_dictionary(column.type):
                lengths = pc.binary_length(column.dictionary).take(column.indices)
            else:
                lengths = pc.binary_length(column)
            total += pc.sum(pc.cast(lengths, "int64")).as_py() or 0
        if total > most:
            break
    return total
