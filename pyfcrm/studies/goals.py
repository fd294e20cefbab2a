"""Beyond the paper: how far it must go, and how far it went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .families import Measured, Row
from .family_files import (
    AUDITED,
    FILES,
    IPSO_C,
    IPSO_KEPT,
    IPSO_ORIGINAL,
    IPSO_SMOOTH,
    LINEAR,
    LINEAR_ORIGINAL,
    LINEAR_SMOOTH,
    MODEL,
    MODEL_KEPT,
    MODEL_ORIGINAL,
    MODEL_SMOOTH,
    RBF,
    RBF_ORIGINAL,
    RBF_SMOOTH,
)

HOLDS, MISSED, NOT_REACHED = "holds", "missed", "not reached"
DRAWS, SMOOTH = (LINEAR, RBF), (IPSO_SMOOTH, LINEAR_SMOOTH, RBF_SMOOTH, MODEL_SMOOTH)
ORIGINAL = (IPSO_ORIGINAL, LINEAR_ORIGINAL, RBF_ORIGINAL, MODEL_ORIGINAL)
MODELS = (MODEL_SMOOTH, MODEL_ORIGINAL)
SUMS_HOLD = ("enterprises", "accounts")  # files with exact identities
FAMILY = (*DRAWS, MODEL, LINEAR_SMOOTH, RBF_SMOOTH, MODEL_SMOOTH, LINEAR_ORIGINAL, RBF_ORIGINAL, MODEL_ORIGINAL)
NEW = (IPSO_C, IPSO_SMOOTH, IPSO_ORIGINAL, MODEL, *MODELS)  # that hand out nobody's residual
# What one method is asked for at once, on every file.
ALL_AT_ONCE = {"own_score": 6.0, "pil": 1.0, "detection": 60.0, "membership": 53.0}


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
_INFERRED = "interval disclosure, which is no leak: it lies below that of a draw from what X tells anyone"
_DETECTED = "audits of half the file, whose detection has a standard error of one to two points at this size"
_SMOOTHED = (
    "smoothed ranks move quantiles by themselves, the more the fewer records and the heavier the tails; with the observed values "
    "in their place it is below 1"
)
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


AT_ONCE = {
    "S1": (_TIED, 1.0), "S2": (_ONE_AUDIT, 1.0), **_rows(2.0),
}  # fmt: skip
GOALS = (
    Goal(
        "PIL, IPSO-C calibrated to original margins", "pil", (IPSO_ORIGINAL,), _on(0.1, 0.1, 1.0)
    ),
    Goal(
        "SCORE, IPSO-C calibrated to original margins", "score", (IPSO_ORIGINAL,), _on(4.3, 5.5),
        unreached={"S2": (_INFERRED, 6.2)},
    ),
    Goal(
        "detection, IPSO-C calibrated to original margins", "detection", (IPSO_ORIGINAL,), _on(65.0, 55.0, 70.0),
        unreached={"S1": (_TIED, 75.0)} | _rows(92.0),
    ),
    Goal(
        "PIL, IPSO-C calibrated to original margins, identities kept", "pil", (IPSO_KEPT,), dict.fromkeys(SUMS_HOLD, 1.0)
    ),
    Goal(
        "detection, calibrated to original margins, identities kept, the better of two", "detection", (IPSO_KEPT, MODEL_KEPT),
        dict.fromkeys(SUMS_HOLD, 70.0), best=True, unreached={"enterprises": (_ROWS["enterprises"], 85.0)},
    ),
    Goal(
        "PIL, IPSO-C calibrated to smooth margins", "pil", (IPSO_SMOOTH,), _on(1.0, 1.0, 1.0),
        unreached={file.key: (_SMOOTHED, 3.5) for file in FILES},
    ),
    Goal(
        "SCORE, IPSO-C calibrated to smooth margins", "score", (IPSO_SMOOTH,), _on(4.7, 5.7),
        unreached={"S2": (_INFERRED, 6.4)},
    ),
    Goal(
        "detection, IPSO-C calibrated to smooth margins", "detection", (IPSO_SMOOTH,), _on(64.0, 54.0, 70.0),
        unreached={"S1": (_TIED, 75.0), "S2": (_DETECTED, 56.0)} | _rows(92.0),
    ),
    Goal(
        "SCORE, FCRM model calibrated, the better of two", "score", MODELS, _on(5.4, 7.5), best=True,
        unreached={"S1": (_INFERRED, 6.3), "S2": (_INFERRED, 8.2)},
    ),
    Goal(
        "detection, FCRM model calibrated, the better of two", "detection", MODELS, _on(58.0, 53.0, 70.0), best=True,
        unreached={"S1": (_TIED, 68.0)} | _rows(88.0),
    ),
    Goal(
        "membership, FCRM model calibrated", "membership", MODELS, _on(53.0, 53.0, 53.0),
        unreached={file.key: (_ONE_AUDIT, 57.0) for file in FILES},
    ),
    Goal("informed linkage above its baseline, what draws anew", "informed_leak", NEW, _on(2.0, 2.0, 2.0)),
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


def verdicts(measured: Measured) -> list[Verdict]:
    """Every goal on every file that was measured, all of them at once by one method, and the constraints."""
    files = list(dict.fromkeys(row.file for row in measured.rows))
    made = [_judged(goal, file, measured) for goal in GOALS for file in files if file in goal.limits]
    return [*made, *(_at_once(file, measured) for file in files), *_of_constraints(measured)]


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
    value, spread = size(row), row.spread.get(goal.quantity, 0.0)
    if value <= limit:
        return Verdict(goal.words, file, limit, row.setting, value, spread, HOLDS)
    why, most = goal.unreached.get(file, ("", 0.0))
    why = why if value <= most else ""
    return Verdict(goal.words, file, limit, row.setting, value, spread, NOT_REACHED if why else MISSED, why)


def _at_once(file: str, measured: Measured) -> Verdict:
    """Whether one method has all of ALL_AT_ONCE: how many it misses, of the one that misses fewest, then by the least."""
    rows = [measured.row(file, setting) for setting in AUDITED]

    def over(row: Row) -> dict[str, float]:
        return {name: row.mean[name] for name, limit in ALL_AT_ONCE.items() if row.mean[name] >= limit}

    row = min(rows, key=lambda one: (len(over(one)), sum(v / ALL_AT_ONCE[name] for name, v in over(one).items())))
    beyond = "; ".join(f"{name} {value:.2f}, not below {ALL_AT_ONCE[name]:g}" for name, value in over(row).items())
    asked = ", ".join(f"{name} {limit:g}" for name, limit in ALL_AT_ONCE.items())
    value, (reason, most) = float(len(over(row))), AT_ONCE.get(file, ("", 0.0))
    verdict = HOLDS if not beyond else NOT_REACHED if value <= most else MISSED
    why = f"{row.setting} has {beyond}" + (f": {reason}" if verdict == NOT_REACHED else "") if beyond else ""
    return Verdict(f"limits missed by one method: {asked}", file, 0.0, row.setting, value, 0.0, verdict, why)


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
