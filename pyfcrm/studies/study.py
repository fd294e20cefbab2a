"""A study: a declared grid of settings with the printed results beside them, and how it is run; or one whose printed
table is no risk-utility grid: named quantities, printed and measured, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evaluation.report import judge
from ..measures.dbrl import dbrl_subsets
from ..measures.interval import interval_disclosure
from ..methods import FCRM, Method
from ..progress import Progress
from ..rstream import RStream
from ..types import Array
from .printed import Printed


@dataclass(frozen=True)
class Case:
    """One split of the columns."""

    independent: tuple[str, ...]
    dependent: tuple[str, ...]


@dataclass(frozen=True)
class Setting:
    """One row of a study: a method, the splits its results are averaged over, and what the thesis printed.

    x : the place on the figure's axis (c, or the number of independent attributes), None for methods without one.
    """

    label: str
    method: Method
    cases: tuple[Case, ...]
    printed: Printed | None = None
    x: int | None = None


@dataclass(frozen=True)
class Study:
    """A grid, declared: which data, which settings, which seeds, and what a reader must know.

    data : "census" or "example"; target : the largest root mean square difference between measured and printed PIL
    (FCRM rows) at which the table counts as reproduced, None where it is not a target; remarks : said under the table.
    """

    key: str
    title: str
    data: str
    settings: tuple[Setting, ...]
    seeds: tuple[int, ...]
    remarks: tuple[str, ...]
    horizontal: str = "number of clusters c"
    target: float | None = None


@dataclass(frozen=True)
class Measured:
    """What one setting gave, means over seeds and cases, per cent.

    dr_half : half of the stated DR with intervals of total width p % and DBRL averaged over the first 1 .. 7
    attributes, which is close to what was printed;
    pil_spread : standard deviation of PIL over the seeds; fo : mean of the largest last max|U'-U| over the attributes;
    em : mean over attributes of E_m / (n variance), how much of an attribute the clusters leave unexplained.
    """

    setting: Setting
    pil: float
    dbrl: float
    prl: float
    id: float
    dr: float
    score: float
    dr_half: float
    pil_spread: float
    fo: float | None
    em: float | None


def run(
    study: Study, frame: Any, seeds: Iterable[int] | None = None, progress: Progress | None = None
) -> list[Measured]:
    """Every setting of the study with every seed on the columns of `frame` (a mapping from name to values).

    The methods work on the values as they are, without rounding, as the thesis's did. seeds : instead of the study's own.
    """
    seeds = tuple(study.seeds if seeds is None else seeds)
    columns = {name: np.asarray(frame[name], dtype=np.float64) for name in frame}
    measured = []
    for k, setting in enumerate(study.settings):
        if progress is not None:
            progress(k, len(study.settings), setting.label)
        measured.append(_measure(setting, columns, seeds))
    if progress is not None:
        progress(len(study.settings), len(study.settings), "done")
    return measured


def rmse(measured: Iterable[Measured]) -> float | None:
    """Root mean square difference of measured and printed PIL over the FCRM rows that have a printed value."""
    rows = [m for m in measured if isinstance(m.setting.method, FCRM) and m.setting.printed is not None]
    differences = [m.pil - m.setting.printed.pil for m in rows if m.setting.printed is not None]
    return float(np.sqrt(np.mean(np.square(differences)))) if differences else None


def _measure(setting: Setting, columns: dict[str, Array], seeds: tuple[int, ...]) -> Measured:
    by_seed = [[_one(setting.method, case, columns, seed) for case in setting.cases] for seed in seeds]
    flat = [values for runs in by_seed for values in runs]
    mean = {key: float(np.mean([v[key] for v in flat])) for key in flat[0] if flat[0][key] is not None}
    pil = [np.mean([v["pil"] for v in runs]) for runs in by_seed]
    spread = float(np.std(pil, ddof=1)) if len(seeds) > 1 else 0.0
    return Measured(setting, pil_spread=spread, fo=mean.pop("fo", None), em=mean.pop("em", None), **mean)


def _one(method: Method, case: Case, columns: dict[str, Array], seed: int) -> dict[str, Any]:
    X = np.column_stack([columns[name] for name in case.independent])
    Y = np.column_stack([columns[name] for name in case.dependent])
    fo = em = None
    if isinstance(method, FCRM):
        fits = method.fits(X, Y, RStream(seed))
        Z = np.hstack([fit.fitted for fit in fits])
        fo = max(float(fit.delta[-1]) for fit in fits)
        spread = np.sum((Y - Y.mean(axis=0)) ** 2, axis=0)
        em = float(np.mean([fit.objective[-1] / s for fit, s in zip(fits, spread, strict=True)]))
    else:
        Z = method.protect(X, Y, RStream(seed))
    report = judge(X=Y, Z=Z, columns=case.dependent)
    values: dict[str, Any] = {key: report[key] for key in ("pil", "dbrl", "prl", "id", "dr", "score")}
    narrow = interval_disclosure(Y, Z, total_width=True).total
    linked = dbrl_subsets(Y, Z).total
    values["dr_half"] = 0.5 * (0.5 * (linked + values["prl"]) / 2 + 0.5 * narrow)
    return values | {"fo": fo, "em": em}


@dataclass(frozen=True)
class Row:
    """One row of the table: measured and spread (standard deviation over seeds) by quantity, and what was printed.

    A quantity that is not in `printed` was not printed, or is no target.
    """

    setting: str
    printed: dict[str, float]
    measured: dict[str, float]
    spread: dict[str, float]


@dataclass(frozen=True)
class SideBySide:
    """A study of rows.

    needs_census : whether `measure` is given the Census file (a mapping from name to values); quantities : what is
    measured, each with the words for its column; targets : quantities whose mean must lie within `tolerance` of the
    printed value for the study to count as reproduced; never_below : pairs of quantities, the first of which is at
    least the second in every row; settings : the rows' labels, in order; printed : by setting and
    quantity; measure : (setting, frame, seed) to the quantities; remarks : what a reader must know.
    """

    key: str
    title: str
    needs_census: bool
    quantities: dict[str, str]
    settings: tuple[str, ...]
    printed: dict[str, dict[str, float]]
    measure: Callable[[str, Any, int], dict[str, float]]
    seeds: tuple[int, ...]
    remarks: tuple[str, ...]
    targets: tuple[str, ...] = ()
    tolerance: float = 0.0
    never_below: tuple[tuple[str, str], ...] = ()

    def run(self, frame: Any = None, seeds: Iterable[int] | None = None, progress: Progress | None = None) -> list[Row]:
        """Every setting with every seed; means and standard deviations over the seeds (None: the study's own)."""
        seeds = tuple(self.seeds if seeds is None else seeds)
        rows = []
        for k, setting in enumerate(self.settings):
            if progress is not None:
                progress(k, len(self.settings), setting)
            made = [self.measure(setting, frame, seed) for seed in seeds]
            values = {name: np.array([one[name] for one in made]) for name in self.quantities}
            spread = {name: float(v.std(ddof=1)) if len(v) > 1 else 0.0 for name, v in values.items()}
            mean = {name: float(v.mean()) for name, v in values.items()}
            rows.append(Row(setting, self.printed[setting], mean, spread))
        if progress is not None:
            progress(len(self.settings), len(self.settings), "done")
        return rows

    def farthest(self, rows: Iterable[Row]) -> float:
        """The largest difference of a target's mean from its printed value."""
        return max(abs(row.measured[name] - row.printed[name]) for row in rows for name in self.targets)

    def holds(self, rows: Iterable[Row]) -> bool:
        """Whether the table counts as reproduced."""
        rows = list(rows)
        ordered = all(row.measured[a] >= row.measured[b] for row in rows for a, b in self.never_below)
        return ordered and self.farthest(rows) <= self.tolerance
