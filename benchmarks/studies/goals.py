"""Beyond the paper: how far it must go, and how far it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from family_files import (
    FILES,
    IPSO_C,
    IPSO_KEPT,
    IPSO_SMOOTH,
    LINEAR,
    LINEAR_SMOOTH,
    MODEL,
    MODEL_KEPT,
    MODEL_SMOOTH,
    RBF,
    RBF_SMOOTH,
)

HOLDS, MISSED, NOT_REACHED = "holds", "missed", "not reached"
DRAWS, SMOOTH = (LINEAR, RBF), (IPSO_SMOOTH, LINEAR_SMOOTH, RBF_SMOOTH, MODEL_SMOOTH)
SUMS_HOLD = ("enterprises", "accounts")  # files with exact identities
FAMILY = (*DRAWS, MODEL, LINEAR_SMOOTH, RBF_SMOOTH, MODEL_SMOOTH)
NO_DONOR = (IPSO_C, IPSO_SMOOTH, MODEL, MODEL_SMOOTH)  # releases without any record's residual


@dataclass(frozen=True)
class Goal:
    """What a quantity's mean over the seeds must not exceed.

    settings : the methods asked; best : the least of them counts (else the largest: all must hold); limits : by file,
    None standing for the mean of `against`, another setting; unreached : by file, why it is not where that is known, and the
    value up to which that explains it.
    """

    words: str
    quantity: str
    settings: tuple[str, ...]
    limits: Mapping[str, float | None]
    best: bool = False
    against: str = IPSO_C
    unreached: Mapping[str, tuple[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """One goal on one file. setting : the method that the value is of; verdict : HOLDS, MISSED, or NOT_REACHED, which is
    a miss whose reason is known and stands in `why`."""

    goal: str
    file: str
    limit: float
    setting: str
    value: float
    spread: float
    verdict: str
    why: str = ""


_CHANCE = (
    "an end in a few releases comes within 0.001 standard deviations by coincidence, as often as with EGADP, which carries "
    "no value at all"
)


def _on(s1: float, s2: float, others: float | None = None) -> dict[str, float | None]:
    """Limits of S1, of S2, and of the simulated files, which have none where `others` is None."""
    found: dict[str, float | None] = {"S1": s1, "S2": s2}
    if others is not None:
        found |= {file.key: others for file in FILES if file.data != "census"}
    return found


_TIED = (
    "FICA is nearly a fixed share of WSALVAL, and INTVAL equals POTHVAL in 28 per cent of the Census file's records and exceeds it in "
    "hardly any, which no exchange within columns brings back; that WSALVAL equals ERNVAL in 85 per cent matters less: with their "
    "difference kept as a column trees tell as much"
)
_FLOOR = (
    "records near in nine predictors are few, so that regressions know more of a record than its neighbours' values do"
)
_DETECTED = "audits of half the file, whose detection has a standard error of one to two points at this size"
_SMOOTHED = "smoothed ranks move quantiles by themselves, the more the fewer records and the heavier the tails"
_ONE_AUDIT = (
    "one audit's largest of five attacks, whose control is above 51 and whose standard error on a file of this size is one to "
    "two points"
)
_ROWS = {
    "enterprises": "two kinds of firms and a Pareto tail: three firms have 72 per cent of TURNOVER's sum of squares, and exchanges that "
    "bring correlations home around them move who has which of the small values, INVESTMENT above all, which trees see whether "
    "TURNOVER = PURCHASES + PAYROLL + SURPLUS is kept or not",
    "accounts": "three hidden groups with slopes of their own, which one regression does not know, and which trees see whether NET = "
    "DEPOSITS - DEBT is kept or not; the model with clusters is told apart less",
    "balances": "TOTAL = FIXED + CURRENT and EQUITY = TOTAL - DEBT but for rounding, which no exchange within columns can bring "
    "back, half of the firms have a DEBT or DIVIDEND of 0, and 500 records are few",
    "sales": "REVENUE is ITEMS times a price that hardly varies, TOTAL is REVENUE + ONLINE in hundreds, and 500 records leave "
    "few exchanges",
}


def _rows(most: float) -> dict[str, tuple[str, float]]:
    """Why not on the simulated files, up to one value: what ties the columns within each record."""
    return {key: (why, most) for key, why in _ROWS.items()}


GOALS = (
    Goal(
        "PIL, IPSO-C calibrated to smooth margins, identities kept", "pil", (IPSO_KEPT,), dict.fromkeys(SUMS_HOLD, 1.0),
        unreached=dict.fromkeys(SUMS_HOLD, (_SMOOTHED, 3.5)),
    ),
    Goal(
        "detection, calibrated to smooth margins, identities kept, the better of two", "detection", (IPSO_KEPT, MODEL_KEPT),
        dict.fromkeys(SUMS_HOLD, 70.0), best=True, unreached={"enterprises": (_ROWS["enterprises"], 85.0)},
    ),
    Goal(
        "PIL, IPSO-C calibrated to smooth margins", "pil", (IPSO_SMOOTH,), _on(1.0, 1.0, 1.0),
        unreached={file.key: (_SMOOTHED, 3.5) for file in FILES},
    ),
    Goal(
        "SCORE above its floor, IPSO-C calibrated to smooth margins", "above_floor", (IPSO_SMOOTH,), _on(1.0, 1.0, 1.0),
        unreached={"S2": (_FLOOR, 3.0), "balances": (_SMOOTHED, 2.0)},
    ),
    Goal(
        "detection, IPSO-C calibrated to smooth margins", "detection", (IPSO_SMOOTH,), _on(64.0, 54.0, 70.0),
        unreached={"S1": (_TIED, 75.0), "S2": (_DETECTED, 56.0)} | _rows(92.0),
    ),
    Goal(
        "SCORE above its floor, FCRM model calibrated", "above_floor", (MODEL_SMOOTH,), _on(1.0, 1.0, 1.0),
        unreached={"S2": (_FLOOR, 5.0), "balances": (_SMOOTHED, 2.0)},
    ),
    Goal(
        "detection, FCRM model calibrated", "detection", (MODEL_SMOOTH,), _on(58.0, 53.0, 70.0),
        unreached={"S1": (_TIED, 68.0)} | _rows(88.0),
    ),
    Goal(
        "membership, FCRM model calibrated", "membership", (MODEL_SMOOTH,), _on(53.0, 53.0, 53.0),
        unreached={file.key: (_ONE_AUDIT, 57.0) for file in FILES},
    ),
    Goal("informed linkage above its baseline, what draws anew", "informed_leak", NO_DONOR, _on(2.0, 2.0, 2.0)),
    Goal(
        "extreme values reproduced, calibrated to smooth margins", "extremes", SMOOTH, _on(0.0, 0.0, 0.0),
        unreached={file.key: (_CHANCE, 1.0) for file in FILES},
    ),
    Goal(
        "DBRL of FCRM draw above its inference baseline", "dbrl_leak", DRAWS, _on(1.5, 1.5, 1.5),
        unreached={"S2": ("X tells so much that one record in eight is linked, and such a share has a standard error of a point", 2.5)},
    ),
    Goal("SCORE, best of the FCRM family, below IPSO-C", "score", FAMILY, dict.fromkeys(_on(0, 0, 0)), best=True),
)  # fmt: skip


def verdicts(measured: Any) -> list[Verdict]:
    """Every goal on every file that was measured."""
    keys = list(dict.fromkeys(row.file for row in measured.rows))
    return [_verdict(goal, file, measured) for goal in GOALS for file in keys if file in goal.limits]


def _verdict(goal: Goal, file: str, measured: Any) -> Verdict:
    rows = [measured.row(file, setting) for setting in goal.settings]
    row = (min if goal.best else max)(rows, key=lambda row: row.mean[goal.quantity])
    limit = goal.limits[file]
    limit = measured.row(file, goal.against).mean[goal.quantity] if limit is None else limit
    value, (why, most) = row.mean[goal.quantity], goal.unreached.get(file, ("", 0.0))
    verdict = HOLDS if value <= limit else NOT_REACHED if why and value <= most else MISSED
    spread = row.spread.get(goal.quantity, 0.0)
    return Verdict(goal.words, file, limit, row.setting, value, spread, verdict, why if verdict == NOT_REACHED else "")
