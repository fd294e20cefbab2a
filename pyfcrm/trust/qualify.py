"""qualify(): whether this installation is the one that was built, and still gives the answers; without R, network or tests."""

import json
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..engine import Local
from ..files.manifest import versions
from ..measures import MEASURES
from ..methods import METHODS
from ..progress import Progress, report_progress
from ..rstream import RStream
from . import golden, strd
from .installed import CHECKOUT, installed

STREAMS = Path(__file__).parent / "values" / "streams.json"
SIGNED_BY = ("Examined by", "Approved by")
NOT_ALIKE = "another shape, text or gap, or no stored value"
HOLDS, FAILS, NOT_DONE = "holds", "DOES NOT HOLD", "not done"
DRAWN, LAST = 1000, 3  # of each kind by seed in streams.json, and the last of them that are stored there


class _Outcome:
    """Something that holds, fails, or was not done (None)."""

    holds: bool | None

    @property
    def verdict(self) -> str:
        """The outcome in a word or two."""
        return NOT_DONE if self.holds is None else HOLDS if self.holds else FAILS


@dataclass(frozen=True)
class Row(_Outcome):
    """One comparison in words: what was compared, what was found, what is required."""

    what: str
    found: str
    required: str
    holds: bool | None


@dataclass(frozen=True)
class Requirement(_Outcome):
    """One requirement of a qualification.

    Parameters
    ----------
    name : str
        What is required, as a sentence.
    rows : tuple of Row
        Every comparison; of files those that differ.
    text : str
        On what it rests: counts, source, tolerance.
    holds : bool or None
        None where it was not done, which is no pass.
    """

    name: str
    rows: tuple[Row, ...]
    text: str
    holds: bool | None


@dataclass(frozen=True, repr=False)
class Qualification:
    """The result of qualify(); `ok` is its outcome, `page()` is to be signed and filed.

    Parameters
    ----------
    requirements : tuple of Requirement
        Files, random numbers, moments, least squares, methods, measures, further algorithms.
    surroundings : mapping of str to str
        Versions, platform, processor's linear algebra, threads, folder.
    time : str
        When it began, in UTC.
    seconds : float
        How long it took.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> pf.Qualification((), {}, "2026-01-01T00:00:00", 0.0).requirements
    ()
    """

    requirements: tuple[Requirement, ...]
    surroundings: dict[str, str]
    time: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether every requirement holds; what was not done does not."""
        return all(requirement.holds is True for requirement in self.requirements)

    def sentences(self) -> list[str]:
        """The outcome in words.

        Returns
        -------
        list of str
            A sentence a requirement, each comparison that does not hold, and whether the page can be signed.
        """
        lines = []
        for item in self.requirements:
            lines.append(f"{item.name}: {item.verdict} ({item.text})")
            lines += [f"  {row.what}: {row.found}, required: {row.required}" for row in item.rows if row.holds is False]
        return [*lines, self.conclusion()]

    def conclusion(self) -> str:
        """Whether the page can be signed.

        Returns
        -------
        str
            A sentence.
        """
        if self.ok:
            return f"Every requirement holds; examined in {self.seconds:.0f} s. The page can be signed."
        left = ", ".join(
            f"{item.name.lower()} ({item.verdict})" for item in self.requirements if item.holds is not True
        )
        return f"The page cannot be signed: {left}."

    def document(self) -> dict[str, Any]:
        """All of it in JSON's own types.

        Returns
        -------
        dict
            ok, requirements with their rows, surroundings, time, seconds.
        """
        rows = [{**asdict(item), "verdict": item.verdict} for item in self.requirements]
        return {"ok": self.ok, "conclusion": self.conclusion(), **asdict(self), "requirements": rows}

    def page(self) -> str:
        """All of it as one HTML page that stands alone, with a place to sign where every requirement holds.

        Returns
        -------
        str
            The page's text.
        """
        from ..report import render

        numbered = list(enumerate(self.requirements, 1))
        sections = [
            {
                "title": f"{k}. {item.name}",
                "text": f"{item.verdict}: {item.text}.",
                "rows": [(row.what, row.found, row.required, row.verdict) for row in item.rows],
            }
            for k, item in numbered
        ]
        return render(
            "qualify.html",
            title="pyfcrm, examined where it is installed",
            lead=f"pyfcrm {self.surroundings['pyfcrm']}, {self.time}",
            verdicts=[(f"{k}. {item.name}", str(len(item.rows)), item.verdict) for k, item in numbered],
            facts=[("time", self.time), ("seconds", f"{self.seconds:.0f}"), *self.surroundings.items()],
            sections=sections,
            conclusion=self.conclusion(),
            people=SIGNED_BY,
            ok=self.ok,
        )

    def __repr__(self) -> str:
        return "\n".join(self.sentences())


def qualify(*, progress: Progress | None = None) -> Qualification:
    """Examine this installation: its files, its random numbers, its arithmetic, and what every method and measure gives.

    Parameters
    ----------
    progress : callable, optional
        As in `protect`.

    Returns
    -------
    Qualification
        Its `ok` is True where every requirement holds. It needs no R, network or tests. From a checkout the files have
        no record: that requirement is not done, and the page cannot be signed.

    Raises
    ------
    Cancelled
        Where `progress` raises it.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> len(pf.qualify().requirements) > 0
    True
    """
    began, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    requirements = list[Requirement]()
    for done, (what, stage) in enumerate(STAGES.items()):
        report_progress(progress, done, len(STAGES), what)
        requirements += stage()
    report_progress(progress, len(STAGES), len(STAGES), "done")
    surroundings = versions() | {
        "platform": platform.platform(),
        "threads": str(Local().most),
        "folder": str(Path(__file__).resolve().parents[2]),
    }
    return Qualification(tuple(requirements), surroundings, began, time.monotonic() - clock)


def _files() -> Iterator[Requirement]:
    name, found = "The installed files are the wheel's", installed()
    rows = tuple(Row(file, text, "as in the wheel", False) for file, text in found.wrong.items())
    basis = f"{found.known} files against the record installed with them; SHA-256 of their record {found.digest}"
    known = found.known is not None
    yield Requirement(name, rows, basis if known else CHECKOUT, not rows if known else None)


def _streams() -> Iterator[Requirement]:
    stored = json.loads(STREAMS.read_text(encoding="utf-8"))
    source, rows = stored.pop("R"), []
    for seed, kinds in stored.items():
        stream = RStream(int(seed))
        draws = {
            "runif": stream.runif(DRAWN),
            "rnorm": stream.rnorm(DRAWN),
            "sample": stream.sample(DRAWN),
            "sample_int": stream.sample_int(10**9, DRAWN, replace=True),
        }
        found = {kind: values[-LAST:].tolist() for kind, values in draws.items()}
        found["state"] = stream.to_r_state()[[0, 1, 2, 625]].tolist()
        for kind, values in kinds.items():
            same = found[kind] == values
            rows.append(Row(f"set.seed({seed}), {kind}", "identical" if same else str(found[kind]), str(values), same))
    basis = f"the last {LAST} of {DRAWN} draws of each kind, compared with those of {source}"
    yield _required("The random numbers are R's", rows, basis)


def _arithmetic() -> Iterator[Requirement]:
    basis = (
        "NIST StRD, certified to 15 digits; required: as many correct digits as 64 bits leave of these data, less one"
    )
    for name, results in (
        ("Means and standard deviations are NIST's", strd.of_moments()),
        ("Least squares are NIST's", strd.of_regressions()),
    ):
        rows = [
            Row(what, f"{found:.1f} digits", f"{required:g}", found >= required) for what, found, required in results
        ]
        yield _required(name, rows, basis)


def _stored() -> Iterator[Requirement]:
    results = list(golden.compared())
    limit = f"{golden.TOLERANCE:g}"
    basis = f"values stored with the package, recomputed; largest difference {limit} of a column's largest value"
    for name, of in (
        ("Each method gives its stored release", METHODS),
        ("Each measure gives its stored values", MEASURES),
        ("Constraints, strata, key risk and audit give their stored values", {""}),
    ):
        rows = [
            Row(case.name, NOT_ALIKE if np.isinf(value) else f"{value:.1e}", limit, value <= golden.TOLERANCE)
            for case, value in results
            if case.of in of
        ]
        yield _required(name, rows, basis)


def _required(name: str, rows: Sequence[Row], basis: str) -> Requirement:
    """Without any row nothing holds."""
    return Requirement(name, tuple(rows), basis, all(row.holds for row in rows) if rows else None)


STAGES: Mapping[str, Callable[[], Iterator[Requirement]]] = {
    "files": _files,
    "random numbers": _streams,
    "arithmetic": _arithmetic,
    "methods and measures": _stored,
}
