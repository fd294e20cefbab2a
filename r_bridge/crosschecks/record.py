"""The record of a cross-check: rows, data, R files and versions, the counts of verdicts, and the exit status."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..scripts import FOLDER, SESSION
from .case import Data, Problem, Row
from .coverage import python_only
from .verdicts import FAIL, NOT_RUN, OK, SKIPPED, UNDECIDED

SDCMICRO = "--sdcmicro"
# The exit statuses; 2 is invalid input.
AGREES = 0
DISAGREES = 1
NOT_DECIDED = 3


@dataclass(frozen=True)
class RFile:
    """An R file that was run."""

    name: str
    """Its name."""
    sha256: str
    """The SHA-256 of its bytes."""


@dataclass(frozen=True)
class Compared:
    """One set of data that rows were computed on."""

    data: Data
    """Its identity."""
    described: str
    """The data in words."""


@dataclass(frozen=True)
class Record:
    """The rows, and the versions, data and R files they were computed with."""

    rows: Sequence[Row]
    """All rows; each has the name of its data."""
    versions: Mapping[str, str]
    """The versions of packages and languages, by name."""
    compared: Sequence[Compared]
    """The data: a user's file, or all built-in data."""
    seed: int
    """The seed of both sides."""
    r_files: Sequence[RFile]
    """The R files that were run."""
    nothing_compared: Sequence[str]
    """The options without a decided row; "anything" if there is none at all."""
    python_only: Mapping[str, str]
    """The reason of each method, measure and option that no row compares."""

    def count(self, *verdicts: str) -> int:
        """The number of rows with one of these verdicts."""
        return sum(row.verdict in verdicts for row in self.rows)

    @property
    def disagree(self) -> int:
        """The number of rows that differ, or whose comparison did not run."""
        return self.count(FAIL, NOT_RUN)

    def status(self, *, allow_undecided: bool = False) -> int:
        """The exit status: 0 only if every requested row was compared and agrees.

        A row that these data do not decide, or on which the comparison is not defined, was not compared: 3, and 0 with
        `allow_undecided`. 1 if a row disagrees, or if nothing was compared of what was requested.
        """
        if self.disagree or self.nothing_compared:
            return DISAGREES
        if self.count(UNDECIDED, SKIPPED) and not allow_undecided:
            return NOT_DECIDED
        return AGREES

    @property
    def undecided_by_family(self) -> dict[str, int]:
        """The number of undecided and skipped rows of each family that has some."""
        return dict(Counter(row.family for row in self.rows if row.verdict in (UNDECIDED, SKIPPED)))

    @property
    def summary(self) -> str:
        """The counts of the verdicts in words."""
        text = (
            f"{len(self.rows)} rows requested: {self.count(OK)} agree, {self.count(UNDECIDED)} undecided, "
            f"{self.count(SKIPPED)} skipped, {self.disagree} disagree."
        )
        if self.count(NOT_RUN):
            text += f" FAIL: {self.count(NOT_RUN)} of these did not run."
        if self.nothing_compared:
            text += f" FAIL: nothing was compared of {', '.join(self.nothing_compared)}."
        families = [f"{family} ({count})" for family, count in self.undecided_by_family.items()]
        if families:
            text += f" Not decided on these data: {', '.join(families)}."
        return text

    def document(self) -> dict[str, Any]:
        """The document of `pyfcrm crosscheck --json`. `data` are the first data, `further_data` the other built-in ones."""
        data = [asdict(each.data) for each in self.compared]
        return {
            "rows": [asdict(row) for row in self.rows],
            "versions": dict(self.versions),
            "data": data[0],
            "further_data": data[1:],
            "seed": self.seed,
            "r_files": [asdict(file) for file in self.r_files],
            "agree": self.count(OK),
            "undecided": self.count(UNDECIDED),
            "skipped": self.count(SKIPPED),
            "disagree": self.disagree,
            "not_run": self.count(NOT_RUN),
            "undecided_by_family": self.undecided_by_family,
            "nothing_compared": list(self.nothing_compared),
            "python_only": dict(self.python_only),
        }


def recorded(groups: Mapping[str, Sequence[Row]], versions: Mapping[str, str], problems: Sequence[Problem]) -> Record:
    """The record of the rows judged on `problems`, by the option that requested them, "" if they are always computed."""
    compared = []
    for problem in problems:
        assert problem.data is not None
        compared.append(Compared(problem.data, problem.described))
    rows = [row for group in groups.values() for row in group]
    requested = {"anything": rows} | {name: group for name, group in groups.items() if name}
    return Record(
        rows=rows,
        versions=versions,
        compared=compared,
        seed=problems[0].seed,
        r_files=_r_files(problems[0].ipso_path, sdcmicro=SDCMICRO in groups),
        nothing_compared=[name for name, group in requested.items() if not _decided(group)],
        python_only=python_only(sdcmicro=SDCMICRO in groups),
    )


def _decided(rows: Sequence[Row]) -> bool:
    """True if one of the rows agrees or differs."""
    return any(row.verdict in (OK, FAIL) for row in rows)


def _r_files(ipso_path: Path | None, *, sdcmicro: bool) -> list[RFile]:
    """The R files of a cross-check; ipso_path : an agency's file in place of ipso.R."""
    paths = [ipso_path or FOLDER / "ipso.R", *sorted((FOLDER / "reference").glob("*.R"))]
    paths += [FOLDER / name for name in SESSION]
    if sdcmicro:
        paths.append(FOLDER / "sdcmicro.R")
    return [RFile(Path(path).name, sha256(Path(path).read_bytes()).hexdigest()) for path in paths]
