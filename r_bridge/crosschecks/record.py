"""The record of a cross-check: rows, data, R files and versions, and the counts of verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..scripts import FOLDER, SESSION
from .case import Data, Problem, Row
from .coverage import python_only
from .verdicts import FAIL, NOT_RUN, OK, SKIPPED, nothing_compared

SDCMICRO = "--sdcmicro"


@dataclass(frozen=True)
class RFile:
    """An R file that was run: its name and the SHA-256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Record:
    """The rows, and the versions, data and R files they were computed with."""

    rows: Sequence[Row]
    versions: Mapping[str, str]
    data: Data
    described: str
    seed: int
    r_files: Sequence[RFile]
    nothing_compared: Sequence[str]
    python_only: Sequence[str]

    def count(self, verdict: str) -> int:
        """How many rows are "ok", "FAIL", "FAIL: did not run" or "skipped"."""
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def passed(self) -> bool:
        """Whether every requested row was compared and agrees."""
        return not (self.count(FAIL) or self.count(NOT_RUN) or self.nothing_compared)

    @property
    def counts(self) -> dict[str, int]:
        """The rows requested; those compared, which agree or differ; those skipped and those that did not run."""
        agree, differ = self.count(OK), self.count(FAIL)
        other = {"skipped": self.count(SKIPPED), "not_run": self.count(NOT_RUN)}
        return {"requested": len(self.rows), "compared": agree + differ, "agree": agree, "differ": differ} | other

    @property
    def undecided(self) -> list[str]:
        """The families none of whose rows was decided on these data."""
        families = dict.fromkeys(row.family for row in self.rows)
        return [name for name in families if all(r.verdict == SKIPPED for r in self.rows if r.family == name)]

    @property
    def summary(self) -> str:
        """The counts of the verdicts in words."""
        n = self.counts
        text = (
            f"{n['requested']} rows requested, {n['compared']} compared: {n['agree']} agree, {n['skipped']} skipped, "
            f"{n['differ'] + n['not_run']} disagree."
        )
        if n["not_run"]:
            text += f" FAIL: {n['not_run']} of these did not run."
        if self.nothing_compared:
            text += f" FAIL: nothing was compared of {', '.join(self.nothing_compared)}."
        return text + (f" Not checked on these data: {', '.join(self.undecided)}." if self.undecided else "")

    def document(self) -> dict[str, Any]:
        """The document of `pyfcrm crosscheck --json`."""
        return {
            "rows": [asdict(row) for row in self.rows],
            "versions": dict(self.versions),
            "data": asdict(self.data),
            "seed": self.seed,
            "r_files": [asdict(file) for file in self.r_files],
            **self.counts,
            "disagree": self.count(FAIL) + self.count(NOT_RUN),
            "undecided": self.undecided,
            "nothing_compared": list(self.nothing_compared),
            "python_only": list(self.python_only),
        }


def recorded(groups: Mapping[str, Sequence[Row]], versions: Mapping[str, str], problem: Problem) -> Record:
    """The record of the rows judged on `problem`, by the option that requested them, "" if they are always computed."""
    assert problem.data is not None
    rows, sdcmicro = [row for group in groups.values() for row in group], SDCMICRO in groups
    nothing = nothing_compared({"anything": rows} | {name: group for name, group in groups.items() if name})
    paths = [problem.ipso_path or FOLDER / "ipso.R", *sorted((FOLDER / "reference").glob("*.R"))]
    paths += [FOLDER / name for name in (*SESSION, *(["sdcmicro.R"] if sdcmicro else []))]
    files = [RFile(Path(path).name, sha256(Path(path).read_bytes()).hexdigest()) for path in paths]
    return Record(
        rows, versions, problem.data, problem.described, problem.seed, files, nothing, python_only(sdcmicro=sdcmicro)
    )
