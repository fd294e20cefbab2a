"""The records of a file as a method sees them: in blocks, with the engine that goes through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..engine import Engine
from .rows import Rows


@dataclass(frozen=True)
class File:
    """Records in blocks (b, s + t): the s independent columns, then the t dependent ones.

    rows : the same, here; folder : where there is room for 16 t bytes a record, None for the temporary folder.
    """

    engine: Engine
    blocks: Sequence[Any]
    rows: Rows
    s: int
    t: int
    folder: str | None = None

    @property
    def n(self) -> int:
        """Records."""
        return self.rows.n
