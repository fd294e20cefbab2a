"""What a cross-check is filed with: the data, the R files, the versions, and what was decided and what was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..scripts import FOLDER, SESSION
from .case import Data, Problem, Row


@dataclass(frozen=True)
class RFile:
    """An R file that was run: its name and the SHA-256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Record:
    """All that the rows rest on, and the rows."""

    rows: Sequence[Row]
    versions: Mapping[str, str]
    data: Data
    described: str
    seed: int
    r_files: Sequence[RFile]

    def count(self, verdict: str) -> int:
        """How many rows are "ok", "FAIL" or "skipped"."""
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def undecided(self) -> list[str]:
        """The families none of whose rows was decided on these data."""
        families = dict.fromkeys(row.family for row in self.rows)
        return [name for name in families if all(r.verdict == "skipped" for r in self.rows if r.family == name)]

    @property
    def summary(self) -> str:
        """The verdicts, counted; a skip is none of the others."""
        counts = f"{self.count('ok')} agree, {self.count('skipped')} skipped, {self.count('FAIL')} disagree."
        return counts + (f" Not checked on these data: {', '.join(self.undecided)}." if self.undecided else "")

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "rows": [asdict(row) for row in self.rows],
            "versions": dict(self.versions),
            "data": asdict(self.data),
            "seed": self.seed,
            "r_files": [asdict(file) for file in self.r_files],
            "agree": self.count("ok"),
            "skipped": self.count("skipped"),
            "disagree": self.count("FAIL"),
            "undecided": self.undecided,
        }


def recorded(rows: Sequence[Row], versions: Mapping[str, str], ground: Problem, sdcmicro: bool) -> Record:
    """The record of rows judged on `ground`; sdcmicro : whether its rows are among them."""
    assert ground.data is not None
    paths = [ground.ipso_path or FOLDER / "ipso.R", *sorted((FOLDER / "reference").glob("*.R"))]
    paths += [FOLDER / name for name in (*SESSION, *(["sdcmicro.R"] if sdcmicro else []))]
    files = [RFile(Path(path).name, sha256(Path(path).read_bytes()).hexdigest()) for path in paths]
    return Record(rows, versions, ground.data, ground.described, ground.seed, files)
