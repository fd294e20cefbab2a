"""Parquet files, and folders of them, read some records at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidInput, MissingExtra
from ..files.paths import Path, parquet_files, path_text

RECORDS_AT_ONCE = 1 << 17
BUFFER = 1 << 22  # bytes of a compressed column read ahead


@dataclass(frozen=True)
class Source:
    """Parquet files of one schema, one after the other. paths : in order; schema : without metadata; n : records."""

    name: str
    paths: tuple[str, ...]
    schema: Any
    n: int

    def tables(self, columns: list[str] | None = None) -> Iterator[Any]:
        """The records in order, as arrow tables of at most 131072; columns : which, None for all."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        for path in self.paths:
            with Readable(path), pq.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False) as file:
                for batch in file.iter_batches(RECORDS_AT_ONCE, columns=columns):
                    yield pa.Table.from_batches([batch]).replace_schema_metadata(None)

    def first(self) -> Any:
        """The first record, as an arrow table."""
        for table in self.tables():
            return table.slice(0, 1)
        raise InvalidInput(self.name, "needs at least one record", "none")


def source(owner: str, path: Path) -> Source:
    """The files behind a path: one Parquet file, or those directly in a folder by name, hidden ones left out.

    Raises InvalidInput where there are none, they cannot be read, their columns differ, or they hold no record.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("reading Parquet", "files", "pyarrow") from error
    name = path_text(owner, path)
    paths = parquet_files(name)
    if not paths:
        raise InvalidInput(name, "a folder must hold .parquet files", "none")
    schema, n = None, 0
    for one in paths:
        with Readable(one), pq.ParquetFile(one) as file:
            found = file.schema_arrow.remove_metadata()
            n += file.metadata.num_rows
        if schema is not None and not found.equals(schema):
            raise InvalidInput(one, f"must have the columns and types of {paths[0]}", found.names)
        schema = found
    if n == 0:
        raise InvalidInput(name, "needs at least one record", "none")
    return Source(name, tuple(paths), schema, n)


class Readable:
    """Reading errors as one sentence."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import pyarrow as pa

        if isinstance(error, pa.ArrowException | OSError) and not isinstance(error, InvalidInput):
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise InvalidInput(self.path, "the file must be readable as Parquet", reason) from error
