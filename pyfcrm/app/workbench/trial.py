"""What the workbench keeps of a visit: the file, and every method tried on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...evaluating import Report
from ...files import Table
from ...methods import Method
from ...protecting import Protected


@dataclass(frozen=True, eq=False)
class Source:
    """A file as it was dropped, or an embedded one.

    name : the file's own, without folders; path : where it lies in the visit's folder, None for an embedded one; table :
    what was read; embedded : the function of pyfcrm.datasets that made it, None for a file.
    """

    name: str
    path: Path | None
    table: Table
    embedded: str | None = None


@dataclass(frozen=True, eq=False)
class Trial:
    """One method tried: number from 1; released, report : what came of it; missing, constraints : as they were asked
    for; seconds : how long it took."""

    number: int
    source: Source
    method: Method
    released: Protected
    report: Report
    missing: str = "refuse"
    constraints: str | None = None
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The method with its settings, for people."""
        return str(self.method)
