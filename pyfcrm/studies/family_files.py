"""Beyond the paper: the files on which it is judged, the methods it compares, the constraints declared on each file,
and how many records of a release break one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import datasets
from ..constraints import Constraint, parsed
from ..data import Roles
from ..errors import InvalidInput
from ..methods import (
    EGADP,
    FCRM,
    GADP,
    IPSO,
    Calibrated,
    Dummy,
    Hybrid,
    Method,
    Microaggregation,
    Noise,
    Permutation,
    RankSwapping,
    Sequential,
    Shuffling,
)
from ..protection.protect import protect
from . import thesis
from .setting import Case

DRAW = FCRM(2, release="draw")
DRAW_RBF = FCRM(2, release="draw", basis="rbf")
MODEL_METHOD = FCRM(None, release="model")
# Label, method; the words before a comma are the family.
IPSO_C, IPSO_SMOOTH, IPSO_ORIGINAL = "IPSO-C", "IPSO-C, calibrated smooth", "IPSO-C, calibrated original"
LINEAR, LINEAR_SMOOTH, LINEAR_ORIGINAL = (
    "FCRM draw", "FCRM draw, calibrated smooth", "FCRM draw, calibrated original",
)  # fmt: skip
RBF, RBF_SMOOTH, RBF_ORIGINAL = (
    "FCRM draw rbf", "FCRM draw rbf, calibrated smooth", "FCRM draw rbf, calibrated original",
)  # fmt: skip
MODEL, MODEL_SMOOTH, MODEL_ORIGINAL = (
    "FCRM model", "FCRM model, calibrated smooth", "FCRM model, calibrated original",
)  # fmt: skip
IPSO_KEPT, MODEL_KEPT = f"{IPSO_ORIGINAL}, identities kept", f"{MODEL_ORIGINAL}, identities kept"
SETTINGS: dict[str, Method] = {
    "FCRM predict, c=2": FCRM(2),
    "FCRM predict, c=8": FCRM(8),
    LINEAR: DRAW,
    LINEAR_SMOOTH: Calibrated(DRAW),
    LINEAR_ORIGINAL: Calibrated(DRAW, margins="original"),
    RBF: DRAW_RBF,
    RBF_SMOOTH: Calibrated(DRAW_RBF),
    RBF_ORIGINAL: Calibrated(DRAW_RBF, margins="original"),
    MODEL: MODEL_METHOD,
    MODEL_SMOOTH: Calibrated(MODEL_METHOD),
    MODEL_ORIGINAL: Calibrated(MODEL_METHOD, margins="original"),
    MODEL_KEPT: Calibrated(MODEL_METHOD, margins="original"),
    "IPSO-A": IPSO("A"),
    "IPSO-B": IPSO("B"),
    IPSO_C: IPSO("C"),
    IPSO_SMOOTH: Calibrated(IPSO("C")),
    IPSO_ORIGINAL: Calibrated(IPSO("C"), margins="original"),
    IPSO_KEPT: Calibrated(IPSO("C"), margins="original"),
    "GADP": GADP(),
    "EGADP": EGADP(),
    "Hybrid regression, alpha=0.5": Hybrid("regression", 0.5),
    "Hybrid microaggregation, k=20": Hybrid("microaggregation", k=20),
    "Noise uncorrelated, 50 %": Noise("uncorrelated", 50),
    "Noise linear, 50 %": Noise("linear", 50),
    "Rank swapping, p=5": RankSwapping(5),
    "Rank swapping, p=15": RankSwapping(15),
    "MDAV, k=3": Microaggregation(3),
    "MDAV, k=10": Microaggregation(10),
    "Shuffling": Shuffling(),
    "Permutation, k=30": Permutation(30),
    "Sequential": Sequential(),
    "Dummy": Dummy(),
}
KEPT = (IPSO_KEPT, MODEL_KEPT)  # with structure="find": other releases than without where a file has exact identities
# Attacked by audit(), which takes some seconds each: what goals are about, and what to read them beside.
AUDITED = (
    "FCRM predict, c=8", LINEAR_SMOOTH, MODEL, MODEL_SMOOTH, MODEL_ORIGINAL, IPSO_C, IPSO_SMOOTH, IPSO_ORIGINAL, *KEPT,
    "Rank swapping, p=15", "Sequential",
)  # fmt: skip
CHECKED = (IPSO_C, IPSO_SMOOTH, LINEAR_SMOOTH, "Rank swapping, p=15", "Noise uncorrelated, 50 %")


@dataclass(frozen=True)
class File:
    """One file with its split of the columns.

    key : its word in the tables; data : which data set, "census" being the only one that is not simulated here.
    """

    key: str
    title: str
    data: str
    case: Case


@dataclass(frozen=True)
class Limits:
    """Constraints that the original of a file keeps in every record, and the split in which releases must keep them."""

    key: str
    data: str
    case: Case
    constraints: tuple[str, ...]


_ENTERPRISES = Case(
    ("EMPLOYEES", "AGE", "ASSETS"), ("TURNOVER", "PURCHASES", "PAYROLL", "SURPLUS", "EXPORTS", "INVESTMENT")
)


_BALANCES = Case(("STAFF", "FOUNDED"), ("FIXED", "CURRENT", "TOTAL", "DEBT", "EQUITY", "PROFIT", "DIVIDEND"))


_SALES = Case(("FLOOR", "HOURS", "STAFF"), ("ITEMS", "REVENUE", "ONLINE", "TOTAL", "STOCK", "MARGIN"))


_ACCOUNTS = Case(("AGE", "INCOME", "RISK"), ("DEPOSITS", "DEBT", "NET", "FLOW", "RETURN", "TRANSACTIONS"))


FILES = (
    File("S1", "S1: Census, 9 dependent attributes on AGI, POTHVAL and PEARNVAL", "census", thesis.S1_CASE),
    File("S2", "S2: Census, 4 dependent attributes (v4 v7 v12 v13) on nine", "census", thesis.S2_CASE),
    File(
        "enterprises",
        "enterprises: simulated, heavy tails, zeros, 6 dependent attributes on 3",
        "enterprises",
        _ENTERPRISES,
    ),
    File(
        "accounts",
        "accounts: simulated, three hidden groups, both signs, 6 dependent attributes on 3",
        "accounts",
        _ACCOUNTS,
    ),
    File(
        "balances",
        "balances: simulated, negatives, sums that hold but for rounding, 7 dependent attributes on 2",
        "balances",
        _BALANCES,
    ),
    File(
        "sales",
        "sales: simulated, heaps of zeros, a tight ratio, rounded totals, 6 dependent attributes on 3",
        "sales",
        _SALES,
    ),
)


LIMITS = (
    Limits(
        "S1",
        "census",
        thesis.S1_CASE,
        ("FEDTAX >= 0", "FEDTAX <= TAXINC", "TAXINC <= AGI", "STATETAX >= 0", "INTVAL >= 0", "WSALVAL >= 0", "ERNVAL >= 0"),
    ),
    Limits(
        "Census incomes",
        "census",
        Case(("AGI", "FEDTAX", "FICA"), ("PTOTVAL", "POTHVAL", "PEARNVAL", "WSALVAL", "INTVAL")),
        ("PTOTVAL == POTHVAL + PEARNVAL", "POTHVAL >= 0", "PEARNVAL >= 0", "PEARNVAL <= 100000", "WSALVAL >= 0", "INTVAL >= 0"),
    ),
    Limits(
        "enterprises",
        "enterprises",
        _ENTERPRISES,
        ("TURNOVER == PURCHASES + PAYROLL + SURPLUS", "PURCHASES >= 0", "PAYROLL >= 0", "EXPORTS >= 0",
         "EXPORTS <= TURNOVER", "INVESTMENT >= 0", "INVESTMENT <= ASSETS"),
    ),
    Limits(
        "accounts",
        "accounts",
        _ACCOUNTS,
        ("NET == DEPOSITS - DEBT", "DEPOSITS >= 0", "DEBT >= 0", "TRANSACTIONS >= 0"),
    ),
)  # fmt: skip


def frames(census: str | None = None) -> dict[str, Any]:
    """The data sets by name; without "census" where no path is given and there is no such file to be found."""
    simulated = dict.fromkeys(file.data for file in FILES if file.data != "census")
    found: dict[str, Any] = {name: getattr(datasets, name)() for name in simulated}
    try:
        found["census"] = datasets.census(census)
    except InvalidInput:
        if census is not None:
            raise
    return found


def present(frames: Mapping[str, Any]) -> tuple[File, ...]:
    """The files whose data set there is."""
    return tuple(file for file in FILES if file.data in frames)


@dataclass(frozen=True)
class Broken:
    """Records that break a constraint, summed over the seeds: `declared` where protect() was told of them, `without`
    where not; `original` in the file itself; records : in one release."""

    key: str
    setting: str
    original: int
    without: int
    declared: int
    records: int


def broken_in(limits: Limits, setting: str, frame: Any, seeds: Iterable[int]) -> Broken:
    """One method's releases of one file, with the constraints and without, counted."""
    constraints = parsed("beyond", list(limits.constraints))
    roles = Roles(limits.case.independent, limits.case.dependent)
    without = declared = 0
    for seed in seeds:
        without += records_breaking(constraints, protect(frame, SETTINGS[setting], roles, seed).frame)
        kept = protect(frame, SETTINGS[setting], roles, seed, constraints=constraints)
        declared += records_breaking(constraints, kept.frame)
    return Broken(limits.key, setting, records_breaking(constraints, frame), without, declared, len(frame))


def records_breaking(constraints: Iterable[Constraint], frame: Any) -> int:
    """How many records break one or more of the constraints. The columns hold whole numbers, so sums are exact."""
    broken = np.zeros(len(frame), dtype=bool)
    for one in constraints:
        coefficients, bound = one.scaled()
        total = sum(c * np.asarray(frame[name], dtype=np.float64) for name, c in coefficients.items())
        broken |= total != bound if one.equality else total > bound
    return int(broken.sum())
