"""Every family on every file, and how far the goals are reached: its tables and findings in words, from its numbers."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from ..progress import Progress
from .families import ATTACKED, QUANTITIES, TITLE, Measured, Row, run
from .family_files import File, frames, present
from .goals import HOLDS, Verdict, missed, verdicts
from .study import Outcome, Sheet, Study

HEAD = {
    "pil": "PIL", "dbrl": "DBRL", "linkage_informed": "informed", "informed_leak": "its leak", "certain": "certain",
    "id": "ID", "id_leak": "ID leak", "dr": "DR", "dr_informed": "DR informed", "score": "SCORE", "own_score": "own SCORE",
    "extremes": "extremes", "detection": "unseen", "membership": "member", "membership_control": "control", "alarms": "alarms",
}  # fmt: skip
NO_CENSUS = (
    "There is no Census file here, so only the simulated files were run: give it with --census, or set PYFCRM_CENSUS, or "
    "install R with the package sdcMicro."
)
REMARKS = (
    "Independent columns are kept as amounts, as in the thesis: they leave as they came, nearly every record is unique on them, "
    "and no measure here counts that. These are studies and no releases.",
    "leak is the risk above its inference baseline: the same risk of a draw from a model of the dependent columns given the "
    "independent ones that has not seen the record. Below 0, X alone tells as much and more.",
    "extremes: attributes' largest and smallest values that one record alone has, and that can be read off the release, to "
    "0.001 standard deviations.",
    "informed is the linkage of an intruder who knows the method, its leak what lies above the linkage by a model of the kept "
    "columns alone. own SCORE has DR above its inference baseline, at least 0, in DR's place.",
    "unseen, member, control and alarms are of one audit, with a split for each seed and at most three, of the methods that goals are "
    "about: how well a classifier tells the release of half of the records from the other half (50 is perfect), how well "
    "members are told from others by the best of several attacks, the same with permuted labels, and what chance does not "
    "explain.",
    "Releases are what protect() gives: integer columns are rounded. The goals of S1 and S2 are of the Census file; the simulated "
    "files have their own.",
    "not reached is a miss that is known, with the reason; missed is one that is not, and ends with exit status 1.",
)


@dataclass(frozen=True)
class FamilyStudy(Study):
    """It holds where no goal is missed but those of which it is known why."""

    @property
    def files(self) -> tuple[str, ...]:
        """The methods on the files, and the goals."""
        return f"{self.key}.csv", f"{self.key}-goals.csv"

    def opened(self, census: str | None) -> dict[str, Any]:
        """The data sets by name, with the Census file where there is one."""
        return frames(census or os.environ.get("PYFCRM_CENSUS") or None)

    def reproduced(self, data: Any, seeds: tuple[int, ...] | None, progress: Progress | None = None) -> Outcome:
        """Every setting on every file, and the goals."""
        measured = run(data, seeds, progress)
        made = verdicts(measured)
        rows, goals = [as_row(row) for row in measured.rows], [asdict(one) for one in made]
        said = [*([] if "census" in data else [NO_CENSUS]), _seeds_line(measured), *measured.left_out, *REMARKS]
        return Outcome(
            seeds=measured.seeds,
            rows=rows,
            sheets=[*(_sheet(file, measured) for file in present(data)), _goals(made)],
            notes=[*_reasons(made), *said],
            tables=dict(zip(self.files, (rows, goals), strict=True)),
            more={
                "inference": measured.inference,
                "constraints": [asdict(one) for one in measured.broken],
                "goals": goals,
            },
            holds=not missed(made),
            digits=4,
        )


def as_row(row: Row) -> dict[str, Any]:
    """One method on one file, flat: mean and spread of each quantity, then what its audit found, None where there is none."""
    flat: dict[str, Any] = {"file": row.file, "setting": row.setting}
    for name in QUANTITIES:
        flat |= {name: row.mean[name], f"{name}_spread": row.spread[name]}
    return flat | {name: row.mean.get(name) for name in ATTACKED}


def _sheet(file: File, measured: Measured) -> Sheet:
    cells = [(row.setting, *(_cell(row, name) for name in HEAD)) for row in measured.rows if row.file == file.key]
    base = ", ".join(f"{key.upper()} {value:.2f}" for key, value in measured.inference[file.key].items())
    title = f"{file.title}: mean (sd over seeds)"
    return Sheet(title, ("method", *HEAD.values()), cells, below=f"inference baseline: {base}")


def _goals(made: list[Verdict]) -> Sheet:
    cells = [
        (one.goal, one.file, one.setting, one.limit, f"{one.value:.2f} ({one.spread:.2f})", _verdict(one))
        for one in made
    ]
    return Sheet("How far it must go", ("at most", "file", "of", "goal", "measured", "verdict"), cells, left=3)


def _cell(row: Row, name: str) -> str:
    if name in row.spread:
        return f"{row.mean[name]:.2f} ({row.spread[name]:.2f})"
    return f"{row.mean[name]:.1f}" if name in row.mean else ""


def _verdict(one: Verdict) -> str:
    return one.verdict if one.verdict == HOLDS else one.verdict.upper()


def _reasons(made: list[Verdict]) -> list[str]:
    """Why a goal is not reached, the same sentence once."""
    where: dict[str, list[str]] = {}
    for one in made:
        if one.why:
            where.setdefault(one.why, []).append(f"{one.goal} ({one.file})")
    return [f"Not reached: {'; '.join(goals)}. Why: {why}." for why, goals in where.items()]


def _seeds_line(measured: Measured) -> str:
    return f"Means over seeds {', '.join(map(str, measured.seeds))}; in brackets their standard deviation."


STUDY = FamilyStudy(key="families", title=TITLE)
