"""Beyond the paper: every family on every file, as `protect` and `evaluate` give it to a user, over several seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import Roles
from ..errors import MissingExtra
from ..evaluation.audit import unseen_detection
from ..evaluation.evaluate import evaluate
from ..progress import Progress
from ..protection.protect import protect
from ..types import Array
from .family_files import CHECKED, LIMITS, SETTINGS, Broken, File, broken_in, present
from .setting import Case

TITLE = "Beyond the paper: what is lost, what is disclosed, and what of that is the release's own"
SEEDS = (1, 2, 3, 4, 5)
MEASURES = ("pil", "dbrl", "prl", "id", "dr", "score")
RISKS = ("dbrl", "prl", "id", "dr")  # with an inference baseline, what is above it being the leak
QUANTITIES = (*MEASURES, "detection", *(f"{key}_leak" for key in RISKS), "extremes")
NEAR = 1e-3  # sd: an extreme value this near can be read off the release


@dataclass(frozen=True)
class Row:
    """One method on one file: mean and standard deviation over the seeds of each of QUANTITIES.

    detection : of a release of half of the records against the other half, see evaluation.audit; dbrl_leak and
    so on : the risk above its inference baseline, Report.leak; extremes : see `extremes_reproduced`.
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
    return {seed: evaluate(frame, frame, columns, RISKS, independent=given, seed=seed).inference for seed in seeds}


def _row(file: File, setting: str, frame: Any, baselines: Mapping[int, Mapping[str, float]]) -> Row:
    made = [measure(file.case, setting, frame, seed, baseline) for seed, baseline in baselines.items()]
    values = {name: np.array([one[name] for one in made]) for name in QUANTITIES}
    spread = {name: float(v.std(ddof=1)) if len(v) > 1 else 0.0 for name, v in values.items()}
    return Row(file.key, setting, {name: float(v.mean()) for name, v in values.items()}, spread)


def measure(case: Case, setting: str, frame: Any, seed: int, baseline: Mapping[str, float]) -> dict[str, float]:
    """QUANTITIES of one release. baseline : the inference baseline of RISKS."""
    method, roles = SETTINGS[setting], Roles(case.independent, case.dependent)
    released = protect(frame, method, roles, seed).frame
    report = evaluate(frame, released, case.dependent, MEASURES)
    values = {key: report[key] for key in MEASURES}
    values |= {f"{key}_leak": report[key] - baseline[key] for key in RISKS}
    Y, Z = (
        np.column_stack([np.asarray(one[name], dtype=np.float64) for name in case.dependent])
        for one in (frame, released)
    )
    seen = {"extremes": float(extremes_reproduced(Y, Z)), "detection": unseen_detection(frame, method, roles, seed)}
    return values | seen


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
