"""One setting of a grid: a method on its splits of the columns, and how it is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.pairs import Pair
from ..engine import Local
from ..evaluation.report import judge
from ..measures.dbrl import dbrl_subsets
from ..measures.interval import PER_CENTS, interval_shares
from ..methods import FCRM, Method
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


def measure(setting: Setting, columns: dict[str, Array], seeds: tuple[int, ...]) -> Measured:
    """The setting on its splits of the columns (name to values) with every seed, without rounding."""
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
    narrow = interval_shares(Pair.of(Y, Z), Local(), widths=PER_CENTS / 200).total
    linked = dbrl_subsets(Y, Z).total
    values["dr_half"] = 0.5 * (0.5 * (linked + values["prl"]) / 2 + 0.5 * narrow)
    return values | {"fo": fo, "em": em}
