"""What leaves as it came, of Parquet files: one column in memory at a time."""

from __future__ import annotations

from typing import Any

from ..files.parquet import Source, source
from ..files.paths import Path
from .arrow_frame import ArrowFrame
from .frame import Frame
from .kept import Kept, kept_by_roles, kept_of, leaving_columns
from .open import require_columns
from .roles import Roles


class Columns:
    """A Parquet source as an arrow table whose columns are read when they are asked for."""

    def __init__(self, data: Source) -> None:
        self._data, self.schema = data, data.schema
        self.column_names, self.num_rows = list(data.schema.names), data.n

    def column(self, name: str) -> Any:
        """One whole column, chunked."""
        import pyarrow as pa

        return pa.concat_tables(list(self._data.tables([name]))).column(0)


def opened_source(owner: str, path: Path) -> Frame:
    """A Parquet file or folder, opened as a frame is. Raises InvalidInput."""
    return ArrowFrame(Columns(source(owner, path)))


def kept_in_files(original: Path, protected: Path, roles: Roles) -> Kept:
    """As kept_by_roles(), of two Parquet files or folders whose records pair by position. Raises InvalidInput."""
    return kept_by_roles("evaluate", opened_source("evaluate", original), opened_source("evaluate", protected), roles)


def kept_in_file(owner: str, path: Path, roles: Roles) -> Kept:
    """What will leave a Parquet file or folder as it came, by its role. Raises InvalidInput."""
    door = opened_source(owner, path)
    require_columns(owner, door, roles.unknown)
    return kept_of(door, leaving_columns(roles, door.names), roles.unknown)
