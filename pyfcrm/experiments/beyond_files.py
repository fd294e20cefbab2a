"""Beyond the paper: the files on which it is judged, and the constraints declared on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import datasets
from ..errors import InvalidInput
from . import s1, s2
from .study import Case


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
_ACCOUNTS = Case(("AGE", "INCOME", "RISK"), ("DEPOSITS", "DEBT", "NET", "FLOW", "RETURN", "TRANSACTIONS"))

FILES = (
    File("S1", "S1: Census, 9 dependent attributes on AGI, POTHVAL and PEARNVAL", "census", s1.CASE),
    File("S2", "S2: Census, 4 dependent attributes (v4 v7 v12 v13) on nine", "census", s2.CASE),
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
)

LIMITS = (
    Limits(
        "S1",
        "census",
        s1.CASE,
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
    found: dict[str, Any] = {"enterprises": datasets.enterprises(), "accounts": datasets.accounts()}
    try:
        found["census"] = datasets.census(census)
    except InvalidInput:
        if census is not None:
            raise
    return found


def present(frames: Mapping[str, Any]) -> tuple[File, ...]:
    """The files whose data set there is."""
    return tuple(file for file in FILES if file.data in frames)
