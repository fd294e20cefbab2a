"""Beyond the paper: how far it must go, and how far it went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .families import Measured, Row
from .family_files import (
    IPSO_C,
    IPSO_ORIGINAL,
    IPSO_SMOOTH,
    LINEAR,
    LINEAR_ORIGINAL,
    LINEAR_SMOOTH,
    RBF,
    RBF_ORIGINAL,
    RBF_SMOOTH,
)

HOLDS, MISSED, NOT_REACHED = "holds", "missed", "not reached"
DRAWS, SMOOTH = (LINEAR, RBF), (IPSO_SMOOTH, LINEAR_SMOOTH, RBF_SMOOTH)
ORIGINAL = (IPSO_ORIGINAL, LINEAR_ORIGINAL, RBF_ORIGINAL)
FAMILY = (*DRAWS, LINEAR_SMOOTH, RBF_SMOOTH, LINEAR_ORIGINAL, RBF_ORIGINAL)

# Goals were set on the Census file; the simulated files, of three independent columns too, are held to those of S1.
_HEAPS = (
    "TURNOVER = PURCHASES + PAYROLL + SURPLUS in every record, which no exchange within columns can bring back, EXPORTS and "
    "INVESTMENT are zero together otherwise than in the original, and the tails are heavy"
)
_IDENTITY = "NET = DEPOSITS - DEBT in every record, which no exchange within columns can bring back exactly"

_EQUAL = (
    "WSALVAL equals ERNVAL in 85 per cent of the Census file's records, which no exchange within columns brings back, and which "
    "trees see at once"
)

_CHANCE = (
    "one end in five releases came within 0.001 standard deviations by coincidence, as often as with EGADP, which carries "
    "no value at all"
)


@dataclass(frozen=True)
class Goal:
    """What a quantity's mean over the seeds must not exceed.

    settings : the methods asked; best : the least of them counts (else the largest: all must hold); limits : by file,
    None standing for the mean of `against`, another setting; unreached : by file, why it is not, where that is known.
    """

    words: str
    quantity: str
    settings: tuple[str, ...]
    limits: Mapping[str, float | None]
    best: bool = False
    against: str = IPSO_C
    unreached: Mapping[str, str] = field(default_factory=dict)


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


def _on(s1: float | None, s2: float | None) -> dict[str, float | None]:
    return {"S1": s1, "S2": s2, "enterprises": s1, "accounts": s1}


GOALS = (
    Goal(
        "SCORE, IPSO-C calibrated to original margins", "score", (IPSO_ORIGINAL,), _on(5.0, 6.0),
        unreached={"enterprises": f"ID alone is near 20, which is no leak, and {_HEAPS}"},
    ),
    Goal(
        "PIL, every method calibrated to original margins", "pil", ORIGINAL, _on(1.5, 1.5),
        unreached={"enterprises": _HEAPS, "accounts": _IDENTITY},
    ),
    Goal(
        "PIL, IPSO-C calibrated to smooth margins", "pil", (IPSO_SMOOTH,), _on(3.5, 3.5),
        unreached={"enterprises": _HEAPS, "accounts": _IDENTITY},
    ),
    Goal(
        "SCORE, IPSO-C calibrated to smooth margins", "score", (IPSO_SMOOTH,), _on(5.6, 6.8),
        unreached={"enterprises": f"ID alone is near 20, which is no leak, and {_HEAPS}"},
    ),
    Goal(
        "extreme values reproduced, every method calibrated to smooth margins", "extremes", SMOOTH, _on(0.0, 0.0),
        unreached={"S1": _CHANCE},
    ),
    Goal(
        "detection AUC, FCRM draw calibrated to original margins, linear and rbf", "detection",
        (LINEAR_ORIGINAL, RBF_ORIGINAL), _on(62.0, 72.0), unreached={"enterprises": _HEAPS},
    ),
    Goal(
        "detection AUC, FCRM draw calibrated to smooth margins", "detection", (LINEAR_SMOOTH, RBF_SMOOTH),
        _on(62.0, 72.0), best=True, unreached={"S1": _EQUAL, "S2": _EQUAL, "enterprises": _HEAPS},
    ),
    Goal("DBRL of FCRM draw above the inference baseline, linear and rbf", "dbrl_leak", DRAWS, _on(1.5, 1.5)),
    Goal("SCORE, best of the FCRM family, below IPSO-C", "score", FAMILY, _on(None, None), best=True),
)  # fmt: skip


def verdicts(measured: Measured) -> list[Verdict]:
    """Every goal on every file that was measured, and the constraints."""
    files = list(dict.fromkeys(row.file for row in measured.rows))
    made = [_judged(goal, file, measured) for goal in GOALS for file in files]
    return [*made, *_of_constraints(measured)]


def missed(made: Iterable[Verdict]) -> list[Verdict]:
    """Those that should hold and do not."""
    return [one for one in made if one.verdict == MISSED]


def _judged(goal: Goal, file: str, measured: Measured) -> Verdict:
    rows = [measured.row(file, setting) for setting in goal.settings]

    def size(row: Row) -> float:
        return row.mean[goal.quantity]

    row = min(rows, key=size) if goal.best else max(rows, key=size)
    limit = goal.limits[file]
    limit = measured.row(file, goal.against).mean[goal.quantity] if limit is None else limit
    value, spread = size(row), row.spread[goal.quantity]
    if value <= limit:
        return Verdict(goal.words, file, limit, row.setting, value, spread, HOLDS)
    why = goal.unreached.get(file, "")
    return Verdict(goal.words, file, limit, row.setting, value, spread, NOT_REACHED if why else MISSED, why)


def _of_constraints(measured: Measured) -> list[Verdict]:
    """One verdict a set of constraints: the records that break one, over all methods and seeds."""
    made = []
    for key in dict.fromkeys(one.key for one in measured.broken):
        of_key = [one for one in measured.broken if one.key == key]
        total = sum(one.declared for one in of_key)
        worst = max(of_key, key=lambda one: one.declared)
        without = sum(one.without for one in of_key)
        releases = len(of_key) * len(measured.seeds)
        setting = worst.setting if total else f"{releases} releases; {without} records where not declared"
        verdict = HOLDS if total == 0 else MISSED
        made.append(Verdict("records that break a declared constraint", key, 0.0, setting, float(total), 0.0, verdict))
    return made
