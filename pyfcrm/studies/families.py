"""Beyond the paper: every family on every file, as `protect` and `evaluate` give it to a user, over several seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..constraints.structure import find_structure
from ..data import Roles
from ..errors import MissingExtra
from ..evaluation.audit import audit
from ..evaluation.evaluate import evaluate
from ..progress import Progress
from ..protection.protect import protect
from ..types import Array
from .family_files import AUDITED, CHECKED, KEPT, LIMITS, SETTINGS, Broken, File, broken_in, present
from .setting import Case

TITLE = "Beyond the paper: what is lost, what is disclosed, and what of that is the release's own"
SEEDS = (1, 2, 3, 4, 5)
SPLITS = 3  # of an audit, at most one a seed
INFORMED = ("linkage_informed", "certain", "dr_informed")
MEASURES = ("pil", "dbrl", "prl", "id", "dr", "score", *INFORMED)
RISKS = ("dbrl", "prl", "id", "dr")  # with an inference baseline, what is above it being the leak
QUANTITIES = (*MEASURES, *(f"{key}_leak" for key in RISKS), "informed_leak", "own_score", "extremes")
ATTACKED = ("detection", "membership", "membership_control", "tpr", "alarms")  # of an audit
NEAR = 1e-3  # sd: an extreme value this near can be read off the release


@dataclass(frozen=True)
class Row:
    """One method on one file: mean and standard deviation over the seeds of each of QUANTITIES.

    dbrl_leak and so on : the risk above its inference baseline, Report.leak; informed_leak : linkage by who knows the
    method, above what the kept columns tell who has a model; own_score : SCORE with DR above its inference baseline,
    at least 0, in DR's place; extremes : see `extremes_reproduced`. A method of AUDITED has ATTACKED too, of one
    audit: values and their controls, without a spread, and the number of alarms.
    """

    file: str
    setting: str
    mean: Mapping[str, float]
    spread: Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """The whole study: its rows, the constraints counted, the inference baseline by file and risk (mean over the
    seeds), the seeds, and what was left out and why."""

    rows: tuple[Row, ...]
    broken: tuple[Broken, ...]
    inference: Mapping[str, Mapping[str, float]]
    seeds: tuple[int, ...]
    left_out: tuple[str, ...]

    def row(self, file: str, setting: str) -> Row:
        """The row of one method on one file."""
        return next(row for row in self.rows if (row.file, row.setting) == (file, setting))


def run(frames: Mapping[str, Any], seeds: Iterable[int] | None = None, progress: Progress | None = None) -> Measured:
    """Every setting with every seed on every file whose data set is in `frames` (see studies.family_files.frames)."""
    seeds = tuple(SEEDS if seeds is None else seeds)
    files, limits = present(frames), [one for one in LIMITS if one.data in frames]
    total = len(files) * len(SETTINGS) + len(limits) * len(CHECKED)
    done = 0

    def tell(what: str) -> None:
        nonlocal done
        if progress is not None:
            progress(done, total, what)
        done += 1

    rows, left_out, inference = [], [], {}
    for file in files:
        baselines = _inference(file, frames[file.data], seeds)
        inference[file.key] = {key: float(np.mean([one[key] for one in baselines.values()])) for key in RISKS}
        for setting in SETTINGS:
            tell(f"{file.key}: {setting}")
            try:
                rows.append(_row(file, setting, frames[file.data], baselines))
            except MissingExtra as error:
                left_out.append(f"{file.key}: {setting} is left out: {error}")
    broken = []
    for one in limits:
        for setting in CHECKED:
            tell(f"constraints of {one.key}: {setting}")
            broken.append(broken_in(one, setting, frames[one.data], seeds))
    if progress is not None:
        progress(total, total, "done")
    return Measured(tuple(rows), tuple(broken), inference, seeds, tuple(left_out))


def _inference(file: File, frame: Any, seeds: Iterable[int]) -> dict[int, Mapping[str, float]]:
    """The inference baseline of each risk by seed. It is of the original alone, so one for all releases."""
    columns, given = file.case.dependent, file.case.independent
    return {seed: evaluate(frame, frame, columns, RISKS, independent=given).inference for seed in seeds}


def _row(file: File, setting: str, frame: Any, baselines: Mapping[int, Mapping[str, float]]) -> Row:
    made = [measure(file.case, setting, frame, seed, baseline) for seed, baseline in baselines.items()]
    values = {name: np.array([one[name] for one in made]) for name in QUANTITIES}
    mean = {name: float(v.mean()) for name, v in values.items()}
    spread = {name: float(v.std(ddof=1)) if len(v) > 1 else 0.0 for name, v in values.items()}
    if setting in AUDITED:
        mean |= attacked(file.case, setting, frame, tuple(baselines))
    return Row(file.key, setting, mean, spread)


def attacked(case: Case, setting: str, frame: Any, seeds: tuple[int, ...]) -> dict[str, float]:
    """ATTACKED of one audit, from the first seed, with a split a seed and at most SPLITS."""
    roles = Roles(case.independent, case.dependent)
    kept = find_structure(frame, roles).exact if setting in KEPT else ()
    texts = [text for one in kept for text in one.texts] or None
    found = audit(frame, SETTINGS[setting], roles, seeds[0], repeats=min(SPLITS, len(seeds)), constraints=texts)
    return {name: found[name] for name in ATTACKED[:-1]} | {"alarms": float(len(found.alarms))}


def measure(case: Case, setting: str, frame: Any, seed: int, baseline: Mapping[str, float]) -> dict[str, float]:
    """QUANTITIES of one release. baseline : the inference baseline of RISKS."""
    method, roles = SETTINGS[setting], Roles(case.independent, case.dependent)
    released = protect(frame, method, roles, seed, structure="find" if setting in KEPT else None).frame
    report = evaluate(frame, released, measures=MEASURES, roles=roles, method=method, guesses=0)
    values = {key: report[key] for key in MEASURES}
    values |= {f"{key}_leak": report[key] - baseline[key] for key in RISKS}
    told = report.results["linkage_informed"]
    values["informed_leak"] = told.total - (told.baseline or 0.0)
    values["own_score"] = 0.5 * values["pil"] + 0.5 * max(values["dr_leak"], 0.0)
    Y, Z = (
        np.column_stack([np.asarray(one[name], dtype=np.float64) for name in case.dependent])
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
