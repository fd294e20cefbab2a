"""Beyond the paper: every family on every file, as `protect` and `evaluate` give it to a user, over several seeds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from family_files import AUDITED, FILES, KEPT, SETTINGS, File, frames
from goals import MISSED, verdicts
from own_study import Outcome, OwnStudy, Sheet, main

from pyfcrm import Roles, audit, evaluate, find_structure, protect
from pyfcrm.progress import Progress, report_progress
from pyfcrm.types import Array

TITLE = "Beyond the paper: what is lost, what is disclosed, and what of that is the release's own"
HEAD = {
    "pil": "PIL", "dbrl": "DBRL", "linkage_informed": "informed", "informed_leak": "its leak", "certain": "certain",
    "id": "ID", "id_leak": "ID leak", "dr": "DR", "dr_informed": "DR informed", "score": "SCORE", "above_floor": "above floor",
    "own_score": "own SCORE",
    "extremes": "extremes", "detection": "unseen", "membership": "member", "membership_control": "control", "alarms": "alarms",
}  # fmt: skip
NO_CENSUS = "Without the Census file only the simulated files are run: --census or PYFCRM_CENSUS gives its path."
REMARKS = (
    "Independent columns are kept as amounts, as in the thesis: they leave as they came, nearly every record is unique on them, "
    "and no measure here counts that. These are studies and no releases.",
    "leak is the risk above its inference baseline: the same risk of a draw from a model of the dependent columns given the "
    "independent ones that has not seen the record. Below 0, X alone tells as much and more.",
    "extremes: attributes' largest and smallest values that one record alone has, and that can be read off the release, to "
    "0.001 standard deviations.",
    "informed is the linkage of an intruder who knows the method, its leak what lies above the linkage by a model of the kept "
    "columns alone. above floor is SCORE less that of a perfect draw given the independent columns, each record having the values of "
    "another near in these; below 0 a draw is too wide. own SCORE has DR above its inference baseline, at least 0, in DR's place.",
    "unseen, member, control and alarms are of one audit, with a split for each seed and at most three, of the methods that goals are "
    "about: how well a classifier tells the release of half of the records from the other half (50 is perfect), how well "
    "members are told from others by the best of several attacks, the same with permuted labels, and what chance does not "
    "explain.",
    "Releases are what protect() gives: integer columns are rounded. The goals of S1 and S2 are of the Census file; the simulated "
    "files have their own.",
    "not reached is a miss that is known, with the reason; missed is one that is not, and ends with exit status 1.",
)
SEEDS = (1, 2, 3, 4, 5)
SPLITS = 3  # of an audit, at most one a seed
INFORMED = ("linkage_informed", "certain", "dr_informed")
MEASURES = ("pil", "dbrl", "prl", "id", "dr", "score", *INFORMED)
RISKS = ("dbrl", "prl", "id", "dr")  # with an inference baseline, what is above it being the leak
QUANTITIES = (*MEASURES, *(f"{key}_leak" for key in RISKS), "informed_leak", "above_floor", "own_score", "extremes")
ATTACKED = ("detection", "membership", "membership_control", "tpr", "alarms")  # of an audit
FLOOR = "floor of SCORE"
NEAR = 1e-3  # sd: an extreme value this near can be read off the release


@dataclass(frozen=True)
class Row:
    """One method on one file: mean and standard deviation over the seeds of each of QUANTITIES.

    dbrl_leak and so on : the risk above its inference baseline, Report.leak; informed_leak : linkage by who knows the
    method, above what the kept columns tell who has a model; above_floor : SCORE less its floor, Report.floors; own_score : SCORE
    with DR above its inference baseline, at least 0, in DR's place; extremes : see `extremes_reproduced`.
    A method of AUDITED has ATTACKED too, of one audit: values and their controls, without a spread, and the number of alarms.
    """

    file: str
    setting: str
    mean: Mapping[str, float]
    spread: Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """The whole study: its rows, the inference baseline by file and risk, and the seeds."""

    rows: tuple[Row, ...]
    inference: Mapping[str, Mapping[str, float]]
    seeds: tuple[int, ...]

    def row(self, file: str, setting: str) -> Row:
        """The row of one method on one file."""
        return next(row for row in self.rows if (row.file, row.setting) == (file, setting))


def run(frames: Mapping[str, Any], seeds: Iterable[int] | None = None, progress: Progress | None = None) -> Measured:
    """Every setting with every seed on every file whose data set is in `frames`."""
    seeds = tuple(SEEDS if seeds is None else seeds)
    rows, inference = list[Row](), dict[str, dict[str, float]]()
    tasks = [(file, setting) for file in FILES if file.data in frames for setting in SETTINGS]
    for k, (file, setting) in enumerate(tasks):
        report_progress(progress, k, len(tasks), f"{file.key}: {setting}")
        if file.key not in inference:
            inference[file.key] = _inference(file, frames[file.data])
        rows.append(_row(file, setting, frames[file.data], inference[file.key], seeds))
    report_progress(progress, len(tasks), len(tasks), "done")
    return Measured(tuple(rows), inference, seeds)


def _inference(file: File, frame: Any) -> dict[str, float]:
    """The inference baseline of each risk, and the floor of SCORE: of the original alone, so one for all releases."""
    columns, given = file.case.dependent, file.case.independent
    report = evaluate(frame, frame, columns, RISKS, independent=given)
    return {key: report.inference[key] for key in RISKS} | {FLOOR: report.floors["dr"] / 2}


def _row(file: File, setting: str, frame: Any, baseline: Mapping[str, float], seeds: tuple[int, ...]) -> Row:
    made = [measure(file.case, setting, frame, seed, baseline) for seed in seeds]
    values = {name: np.array([one[name] for one in made]) for name in QUANTITIES}
    mean = {name: float(v.mean()) for name, v in values.items()}
    spread = {name: float(v.std(ddof=1)) if len(v) > 1 else 0.0 for name, v in values.items()}
    if setting in AUDITED:
        mean |= attacked(file.case, setting, frame, seeds)
    return Row(file.key, setting, mean, spread)


def attacked(roles: Roles, setting: str, frame: Any, seeds: tuple[int, ...]) -> dict[str, float]:
    """ATTACKED of one audit, from the first seed, with a split a seed and at most SPLITS."""
    kept = find_structure(frame, roles).exact if setting in KEPT else ()
    texts = [text for one in kept for text in one.texts] or None
    found = audit(frame, SETTINGS[setting], roles, seeds[0], repeats=min(SPLITS, len(seeds)), constraints=texts)
    return {name: found[name] for name in ATTACKED[:-1]} | {"alarms": float(len(found.alarms))}


def measure(roles: Roles, setting: str, frame: Any, seed: int, baseline: Mapping[str, float]) -> dict[str, float]:
    """QUANTITIES of one release. baseline : the inference baseline of RISKS."""
    method = SETTINGS[setting]
    structure = "find" if setting in KEPT else None
    released = protect(frame, method, roles, seed, structure=structure, allow_unprotected=True).frame
    report = evaluate(frame, released, measures=MEASURES, roles=roles, method=method, guesses=0)
    values = {key: report[key] for key in MEASURES}
    values |= {f"{key}_leak": report[key] - baseline[key] for key in RISKS}
    told = report.results["linkage_informed"]
    values["informed_leak"] = told.total - (told.baseline or 0.0)
    values["above_floor"] = values["score"] - baseline[FLOOR]
    values["own_score"] = 0.5 * values["pil"] + 0.5 * max(values["dr_leak"], 0.0)
    Y, Z = (
        np.column_stack([np.asarray(one[name], dtype=np.float64) for name in roles.dependent])
        for one in (frame, released)
    )
    return values | {"extremes": float(extremes_reproduced(Y, Z))}


def extremes_reproduced(Y: Array, Z: Array) -> int:
    """How many of an original's extreme values can be read off a release's, Y and Z (n, t).

    An extreme value is an attribute's largest or smallest, where one record alone has it; it is reproduced where the
    release's own lies within 0.001 sd of it.
    """
    found = 0
    for y, z in zip(Y.T, Z.T, strict=True):
        for end in (np.min, np.max):
            value = end(y)
            found += int((y == value).sum() == 1 and abs(end(z) - value) <= NEAR * y.std())
    return found


def reproduce(data: Any, seeds: tuple[int, ...] | None, progress: Progress | None = None) -> Outcome:
    """Every setting on every file, and the goals. It holds if no goal is missed without a known reason."""
    measured = run(data, seeds, progress)
    judged = verdicts(measured)
    rows, goals = [as_row(row) for row in measured.rows], [asdict(verdict) for verdict in judged]
    sheets, baselines = [], []
    for key, baseline in measured.inference.items():
        cells = [(row.setting, *map(row.mean.get, HEAD)) for row in measured.rows if row.file == key]
        below = ", ".join(f"{name.upper() if name in RISKS else name} {value:.2f}" for name, value in baseline.items())
        title = f"{key}: means over seeds {', '.join(map(str, measured.seeds))}"
        sheets.append(Sheet(title, ("method", *HEAD.values()), cells))
        baselines.append(f"{key}, inference baseline: {below}.")
    sheets.append(Sheet("Goals", list(goals[0])[:-1], [list(goal.values())[:-1] for goal in goals]))
    return Outcome(
        seeds=measured.seeds,
        rows=rows,
        sheets=sheets,
        notes=[*baselines, *(f"{one.goal} ({one.file}): {one.why}." for one in judged if one.why), NO_CENSUS, *REMARKS],
        tables={"families.csv": rows, "families-goals.csv": goals},
        more={"inference": measured.inference, "goals": goals},
        holds=all(verdict.verdict != MISSED for verdict in judged),
    )


def as_row(row: Row) -> dict[str, Any]:
    """One method on one file, flat: mean and spread of each quantity, then what its audit found, None where there is none."""
    flat: dict[str, Any] = {"file": row.file, "setting": row.setting}
    for name in QUANTITIES:
        flat |= {name: row.mean[name], f"{name}_spread": row.spread[name]}
    return flat | {name: row.mean.get(name) for name in ATTACKED}


def load(census: str | None) -> dict[str, Any]:
    """The data sets by name, with the Census file if there is one."""
    return frames(census or os.environ.get("PYFCRM_CENSUS") or None)


STUDY = OwnStudy("families", TITLE, ("families.csv", "families-goals.csv"), load, reproduce)
if __name__ == "__main__":
    main(STUDY)
