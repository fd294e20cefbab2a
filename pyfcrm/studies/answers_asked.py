"""The 200 analyses of the study of answers, and the four files they are of, written down before any of them was measured.

A line is the file, the regression (on 1: the total), whether it is weighted, and the level of the file's domain it is of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..data import Roles
from ..rstream import RStream

RECORDS = 5_000
ASKED = {
    "total": """
survey: wage ~ 1 weighted
survey: rent ~ 1 weighted
survey: tax ~ 1 weighted
survey: wage ~ 1 weighted in North
survey: rent ~ 1 weighted in North
survey: tax ~ 1 weighted in North
survey: wage ~ 1 weighted in East
survey: rent ~ 1 weighted in East
survey: tax ~ 1 weighted in East
survey: wage ~ 1 weighted in South
survey: rent ~ 1 weighted in South
survey: tax ~ 1 weighted in South
survey: wage ~ 1 weighted in West
census_like: FEDTAX ~ 1 weighted
census_like: STATETAX ~ 1 weighted
census_like: TAXINC ~ 1 weighted
census_like: FICA ~ 1 weighted
census_like: FEDTAX ~ 1 weighted in a
census_like: STATETAX ~ 1 weighted in a
census_like: TAXINC ~ 1 weighted in a
census_like: FICA ~ 1 weighted in a
census_like: FEDTAX ~ 1 weighted in b
census_like: STATETAX ~ 1 weighted in b
census_like: TAXINC ~ 1 weighted in b
census_like: FICA ~ 1 weighted in b
census_like: FEDTAX ~ 1 weighted in c
enterprises: TURNOVER ~ 1 weighted
enterprises: PURCHASES ~ 1 weighted
enterprises: PAYROLL ~ 1 weighted
enterprises: TURNOVER ~ 1 weighted in a
enterprises: PURCHASES ~ 1 weighted in a
enterprises: PAYROLL ~ 1 weighted in a
enterprises: TURNOVER ~ 1 weighted in b
enterprises: PURCHASES ~ 1 weighted in b
enterprises: PAYROLL ~ 1 weighted in b
enterprises: TURNOVER ~ 1 weighted in c
enterprises: PURCHASES ~ 1 weighted in c
enterprises: PAYROLL ~ 1 weighted in c
accounts: DEPOSITS ~ 1 weighted
accounts: DEBT ~ 1 weighted
accounts: FLOW ~ 1 weighted
accounts: TRANSACTIONS ~ 1 weighted
accounts: DEPOSITS ~ 1 weighted in a
accounts: DEBT ~ 1 weighted in a
accounts: FLOW ~ 1 weighted in a
accounts: TRANSACTIONS ~ 1 weighted in a
accounts: DEPOSITS ~ 1 weighted in b
accounts: DEBT ~ 1 weighted in b
accounts: FLOW ~ 1 weighted in b
accounts: TRANSACTIONS ~ 1 weighted in b
""",
    "on X": """
survey: wage ~ age + hours + size
survey: rent ~ hours weighted
survey: wage ~ age + size
survey: tax ~ hours + size weighted
survey: rent ~ age
survey: tax ~ size weighted
survey: rent ~ hours
survey: wage ~ age + hours weighted
survey: tax ~ hours + size
survey: rent ~ age + hours + size weighted
survey: tax ~ size
survey: rent ~ age + size weighted
survey: wage ~ age + hours
census_like: FEDTAX ~ AGI + POTHVAL + PEARNVAL
census_like: TAXINC ~ AGI + PEARNVAL weighted
census_like: STATETAX ~ POTHVAL + PEARNVAL
census_like: FICA ~ PEARNVAL weighted
census_like: TAXINC ~ AGI + PEARNVAL
census_like: STATETAX ~ AGI weighted
census_like: FICA ~ PEARNVAL
census_like: TAXINC ~ AGI + POTHVAL weighted
census_like: STATETAX ~ AGI
census_like: FICA ~ POTHVAL weighted
census_like: TAXINC ~ AGI + POTHVAL
census_like: STATETAX ~ AGI + POTHVAL + PEARNVAL weighted
census_like: FICA ~ POTHVAL
enterprises: TURNOVER ~ EMPLOYEES + AGE + ASSETS
enterprises: PURCHASES ~ AGE weighted
enterprises: TURNOVER ~ EMPLOYEES + ASSETS
enterprises: PAYROLL ~ AGE + ASSETS weighted
enterprises: PURCHASES ~ EMPLOYEES
enterprises: PAYROLL ~ ASSETS weighted
enterprises: PURCHASES ~ AGE
enterprises: TURNOVER ~ EMPLOYEES + AGE weighted
enterprises: PAYROLL ~ AGE + ASSETS
enterprises: PURCHASES ~ EMPLOYEES + AGE + ASSETS weighted
enterprises: PAYROLL ~ ASSETS
enterprises: PURCHASES ~ EMPLOYEES + ASSETS weighted
accounts: DEPOSITS ~ AGE + INCOME + RISK
accounts: FLOW ~ AGE + RISK weighted
accounts: DEBT ~ INCOME + RISK
accounts: TRANSACTIONS ~ RISK weighted
accounts: FLOW ~ AGE + RISK
accounts: DEBT ~ AGE weighted
accounts: TRANSACTIONS ~ RISK
accounts: FLOW ~ AGE + INCOME weighted
accounts: DEBT ~ AGE
accounts: TRANSACTIONS ~ INCOME weighted
accounts: FLOW ~ AGE + INCOME
accounts: DEBT ~ AGE + INCOME + RISK weighted
""",
    "by domain": """
survey: wage ~ age + hours + size in North
survey: rent ~ hours weighted in West
survey: wage ~ age + size weighted in South
survey: tax ~ age + hours weighted in East
survey: rent ~ hours + size weighted in North
survey: wage ~ age in West
survey: tax ~ age + hours + size in South
survey: wage ~ size in East
survey: tax ~ hours in North
survey: rent ~ age + hours weighted in West
survey: wage ~ hours + size weighted in South
survey: tax ~ age weighted in East
survey: rent ~ age + hours + size weighted in North
census_like: FEDTAX ~ AGI + POTHVAL + PEARNVAL in a
census_like: TAXINC ~ AGI + POTHVAL in b
census_like: FEDTAX ~ PEARNVAL in c
census_like: FICA ~ POTHVAL + PEARNVAL weighted in a
census_like: STATETAX ~ POTHVAL weighted in b
census_like: FEDTAX ~ AGI weighted in c
census_like: TAXINC ~ POTHVAL in a
census_like: STATETAX ~ AGI in b
census_like: FICA ~ AGI + PEARNVAL in c
census_like: TAXINC ~ AGI + POTHVAL + PEARNVAL weighted in a
census_like: FEDTAX ~ AGI + POTHVAL weighted in b
census_like: TAXINC ~ PEARNVAL weighted in c
census_like: STATETAX ~ AGI + POTHVAL in a
enterprises: TURNOVER ~ EMPLOYEES + AGE + ASSETS in a
enterprises: PURCHASES ~ ASSETS in b
enterprises: TURNOVER ~ AGE in c
enterprises: PAYROLL ~ EMPLOYEES + ASSETS weighted in a
enterprises: PURCHASES ~ EMPLOYEES + AGE weighted in b
enterprises: TURNOVER ~ AGE + ASSETS weighted in c
enterprises: PAYROLL ~ AGE + ASSETS in a
enterprises: PURCHASES ~ EMPLOYEES in b
enterprises: TURNOVER ~ EMPLOYEES + AGE + ASSETS in c
enterprises: PURCHASES ~ ASSETS weighted in a
enterprises: TURNOVER ~ AGE weighted in b
enterprises: PAYROLL ~ EMPLOYEES + ASSETS weighted in c
accounts: DEPOSITS ~ AGE + INCOME + RISK in a
accounts: FLOW ~ AGE + INCOME in b
accounts: DEPOSITS ~ RISK in c
accounts: TRANSACTIONS ~ INCOME + RISK weighted in a
accounts: DEBT ~ INCOME weighted in b
accounts: DEPOSITS ~ AGE weighted in c
accounts: FLOW ~ INCOME in a
accounts: DEBT ~ AGE in b
accounts: TRANSACTIONS ~ AGE + RISK in c
accounts: FLOW ~ AGE + INCOME + RISK weighted in a
accounts: DEPOSITS ~ AGE + INCOME weighted in b
accounts: FLOW ~ RISK weighted in c
""",
    "on Y": """
survey: wage ~ rent
survey: rent ~ tax + age + hours + size
survey: wage ~ tax + age in North
survey: tax ~ rent in East
survey: rent ~ wage + age + hours + size weighted
survey: wage ~ rent + age weighted
survey: tax ~ wage weighted in North
survey: wage ~ tax + age + hours + size weighted in East
survey: tax ~ rent + age + hours + size
survey: rent ~ tax + age
survey: wage ~ tax in North
survey: tax ~ wage + age + hours + size in East
survey: rent ~ wage + age weighted
census_like: FEDTAX ~ STATETAX
census_like: TAXINC ~ STATETAX + AGI in b
census_like: FEDTAX ~ FICA + AGI + POTHVAL + PEARNVAL weighted in a
census_like: FICA ~ STATETAX + AGI
census_like: STATETAX ~ FICA + AGI + POTHVAL + PEARNVAL weighted
census_like: FEDTAX ~ TAXINC weighted in b
census_like: TAXINC ~ FICA + AGI + POTHVAL + PEARNVAL in a
census_like: STATETAX ~ TAXINC weighted
census_like: FICA ~ TAXINC + AGI + POTHVAL + PEARNVAL
census_like: TAXINC ~ STATETAX in b
census_like: FEDTAX ~ FICA + AGI weighted in a
census_like: FICA ~ STATETAX
census_like: STATETAX ~ FICA + AGI weighted
enterprises: TURNOVER ~ PURCHASES
enterprises: PURCHASES ~ PAYROLL + EMPLOYEES + AGE + ASSETS
enterprises: TURNOVER ~ PAYROLL + EMPLOYEES in a
enterprises: PAYROLL ~ PURCHASES in b
enterprises: PURCHASES ~ TURNOVER + EMPLOYEES + AGE + ASSETS weighted
enterprises: TURNOVER ~ PURCHASES + EMPLOYEES weighted
enterprises: PAYROLL ~ TURNOVER weighted in a
enterprises: TURNOVER ~ PAYROLL + EMPLOYEES + AGE + ASSETS weighted in b
enterprises: PAYROLL ~ PURCHASES + EMPLOYEES + AGE + ASSETS
enterprises: PURCHASES ~ PAYROLL + EMPLOYEES
enterprises: TURNOVER ~ PAYROLL in a
enterprises: PAYROLL ~ TURNOVER + EMPLOYEES + AGE + ASSETS in b
accounts: DEPOSITS ~ DEBT
accounts: FLOW ~ DEBT + AGE in b
accounts: DEPOSITS ~ TRANSACTIONS + AGE + INCOME + RISK weighted in a
accounts: TRANSACTIONS ~ DEBT + AGE
accounts: DEBT ~ TRANSACTIONS + AGE + INCOME + RISK weighted
accounts: DEPOSITS ~ FLOW weighted in b
accounts: FLOW ~ TRANSACTIONS + AGE + INCOME + RISK in a
accounts: DEBT ~ FLOW weighted
accounts: TRANSACTIONS ~ FLOW + AGE + INCOME + RISK
accounts: FLOW ~ DEBT in b
accounts: DEPOSITS ~ TRANSACTIONS + AGE weighted in a
accounts: TRANSACTIONS ~ DEBT
""",
}


@dataclass(frozen=True)
class Analysis:
    """One of the 200. kind : a key of ASKED; terms : the response and its regressors, none for a total; level : of the file's
    domain, None for all records."""

    kind: str
    file: str
    terms: tuple[str, ...]
    weighted: bool
    level: str | None


@dataclass(frozen=True)
class File:
    """One of the four: its frame, its columns by role, and its columns of weights and of domains."""

    frame: Any
    roles: Roles
    weights: str
    domain: str


def analyses() -> tuple[Analysis, ...]:
    """All of them, in their order."""
    made = []
    for kind, lines in ASKED.items():
        for line in lines.strip().splitlines():
            file, _, rest = line.partition(": ")
            rest, _, level = rest.partition(" in ")
            formula = rest.removesuffix(" weighted")
            y, _, others = formula.partition(" ~ ")
            terms = (y,) if others == "1" else (y, *others.split(" + "))
            made.append(Analysis(kind, file, terms, rest != formula, level or None))
    return tuple(made)


def files(n: int = RECORDS) -> dict[str, File]:
    """The four files of n records. Weights are a design's, or depend on what is protected; domains are regions, or classes."""
    census, firms, accounts = datasets.census_like(n), datasets.enterprises(n), datasets.accounts(n)
    census["BAND"] = _classes(census["AGI"])
    firms["CLASS"] = _classes(firms["EMPLOYEES"] + firms["AGE"])
    firms["WEIGHT"] = 1 + 20 / np.sqrt(firms["EMPLOYEES"])
    stream = RStream(1)
    accounts["BRANCH"] = np.array(["a", "b", "c"])[(3 * stream.runif(n)).astype(int)]
    accounts["WEIGHT"] = np.sqrt(1 + accounts["DEPOSITS"] / 10_000) * np.exp(0.3 * stream.rnorm(n))
    taxes = Roles(["AGI", "POTHVAL", "PEARNVAL"], ["FEDTAX", "STATETAX", "TAXINC", "FICA"])
    firm = Roles(["EMPLOYEES", "AGE", "ASSETS"], ["TURNOVER", "PURCHASES", "PAYROLL"])
    account = Roles(["AGE", "INCOME", "RISK"], ["DEPOSITS", "DEBT", "FLOW", "TRANSACTIONS"])
    household = Roles(["age", "hours", "size"], ["wage", "rent", "tax"], ["name"])
    return {
        "survey": File(datasets.survey(n), household, "weight", "region"),
        "census_like": File(census, taxes, "AFNLWGT", "BAND"),
        "enterprises": File(firms, firm, "WEIGHT", "CLASS"),
        "accounts": File(accounts, account, "WEIGHT", "BRANCH"),
    }


def _classes(values: Any) -> NDArray[np.str_]:
    """(n,) a, b or c: the lower half, the next three tenths, and the rest."""
    return np.array(["a", "b", "c"])[np.searchsorted(np.quantile(values, [0.5, 0.8]), values)]
