"""What a reader may take from a file, as limits that are checked before and while it is read."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from ..errors import InvalidInput

MB = 10**6


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The most that a reader takes from a file."""

    rule: str = "{}"
    """The sentence of a refusal, with {} for the limit."""
    columns: int = sys.maxsize
    """Number of columns."""
    cells: int = sys.maxsize
    """Number of records times columns."""
    values: int = sys.maxsize
    """Bytes of the values, not compressed."""
    memory: int | None = None
    """Bytes of the process that reads; None for what this machine can spare."""

    def require_cells(self, path: str, records: int, columns: int) -> None:
        """Raises InvalidInput for a file of too many columns or cells. records : those that are known by now."""
        if columns > self.columns or records * columns > self.cells:
            most = f"{self.columns:,} columns and {self.cells:,} cells"
            raise InvalidInput(path, self.rule.format(most), f"{records:,} records of {columns:,} columns")

    def require_values(self, path: str, size: int) -> None:
        """Raises InvalidInput for a file of too many bytes. size : of the values that are known by now."""
        if size > self.values:
            raise InvalidInput(path, self.rule.format(f"{self.values // MB:,} MB in memory"), f"{size // MB:,} MB")


UNLIMITED = Budget()
