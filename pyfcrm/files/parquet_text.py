"""How long the text of a Parquet file is once it is unpacked: one long value that is repeated takes next to no place in it."""

from __future__ import annotations

from typing import Any

ROWS = 65_536
AS_STORED = {"PLAIN", "RLE", "BIT_PACKED"}  # encodings in which a value of text is as long as itself


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
