"""The Census reference file, where the user has it, and a simulated file with its columns, identity and distributions."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arguments import MOST_RECORDS, whole_number
from ..errors import InvalidInput
from ..files import open_table
from ..rstream import RStream, as_stream
from ..types import Array

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = (
    "AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC",
    "POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL",
)  # fmt: skip

# United States income tax of 1994, by filing status: single, married filing jointly, head of household.
_STANDARD_DEDUCTION = np.array([3800.0, 6350.0, 5600.0])
_EXEMPTION = 2450.0
_TO_28 = np.array([22750.0, 38000.0, 30500.0])
_TO_31 = np.array([55100.0, 91850.0, 78700.0])
_SOCIAL_SECURITY_CEILING = 60600.0
_LARGEST = {"AGI": 100_000, "PEARNVAL": 100_000, "PTOTVAL": 120_000}  # the file holds none as large as these
_LIMITS = np.array([_LARGEST.get(name, np.inf) for name in COLUMNS])
_OWNER = "datasets.census"
_ABSENT = (
    "the Census file is not shipped with pyfcrm: give its path, or set PYFCRM_CENSUS to its path, "
    "or install R with the package sdcMicro"
)
_SECONDS = 120
_R_CODE = (
    'if (!requireNamespace("sdcMicro", quietly = TRUE)) quit(status = 3); e <- new.env(); '
    'data("CASCrefmicrodata", package = "sdcMicro", envir = e); '
    "write.csv(e$CASCrefmicrodata, commandArgs(trailingOnly = TRUE)[1], row.names = FALSE)"
)


def census_like(n: int = 1080, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated records with the Census file's 13 columns, names and order.

    This is not the Census file, and holds no value of it.

    Parameters
    ----------
    n : int
        How many records.
    seed : int or RStream
        An integer, or a stream, which moves on.

    Returns
    -------
    pandas.DataFrame
        (n, 13) of positive int64: dollars a year, except the weight AFNLWGT.

    Raises
    ------
    InvalidParameter
        If n is not a whole number of at least 1.

    Notes
    -----
    A household is drawn and its taxes computed. Earnings are log-normal, partly rounded as people do, with part years,
    self-employment and second jobs. There are interest and other income, a spouse's income and a survey weight. Taxes
    follow the federal and social security rules of 1994 and a state's rate. The identity PTOTVAL = POTHVAL + PEARNVAL
    is exact. Near identities hold too: WSALVAL and ERNVAL with PEARNVAL, FICA with PEARNVAL, FEDTAX with TAXINC with
    AGI. Skewness and rank correlations are roughly those of the Census file. As there, only households positive in
    every column and without very large incomes are kept.
    """
    import pandas as pd

    n = whole_number("census_like", "n", n, low=1, limit=MOST_RECORDS)
    stream = as_stream(seed)
    kept: list[NDArray[np.int64]] = []
    missing = n
    while missing > 0:
        drawn = _households(stream, int(1.6 * missing) + 40)
        kept.append(drawn[((drawn > 0) & (drawn < _LIMITS)).all(axis=1)][:missing])
        missing -= len(kept[-1])
    return pd.DataFrame(np.concatenate(kept), columns=list(COLUMNS))


def _households(stream: RStream, n: int) -> NDArray[np.int64]:
    """Drawn households (n, 13), whole dollars, not yet selected."""
    status = np.digitize(stream.runif(n), [0.25, 0.88])  # 0 single, 1 married, 2 head of household
    skill = stream.rnorm(n)
    wages, self_employed, first_job, part_year = _earnings(stream, skill)
    earned = wages + self_employed
    interest, other = _unearned(stream, skill, part_year)
    income = _adjusted_income(stream, status, skill, earned, other)
    taxable = income - _deductions(stream, status, income)
    federal = np.floor(_federal_tax(taxable, status) - 480 * (stream.runif(n) < 0.12))
    state_rate, weight = _state_and_weight(stream, n)
    columns = {  # in the order of COLUMNS, which is that of the draws
        "AFNLWGT": weight,
        "AGI": income,
        "EMCONTRB": _employer_health(stream, wages, status),
        "FEDTAX": federal,
        "PTOTVAL": other + earned,
        "STATETAX": np.floor(state_rate * taxable),
        "TAXINC": taxable,
        "POTHVAL": other,
        "INTVAL": interest,
        "PEARNVAL": earned,
        "FICA": _payroll_tax(stream, wages, self_employed),
        "WSALVAL": wages,
        "ERNVAL": first_job,
    }
    return np.column_stack(list(columns.values())).astype(np.int64)


def _earnings(stream: RStream, skill: Array) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Wages, self-employment, wages of the longest job (each (n,)), and who worked part of the year."""
    n = len(skill)
    part_year = stream.runif(n) < 0.30
    total = np.exp(10.78 + 0.52 * skill) * np.where(part_year, stream.runif(n), 1.0)
    total = _as_people_round(stream, total)
    self_employed = np.where(stream.runif(n) < 0.055, np.floor(total * stream.runif(n)), 0.0)
    wages = total - self_employed
    second_job = stream.runif(n) < 0.15
    first_job = np.where(second_job, _as_people_round(stream, wages * (1 - stream.runif(n) ** 3)), wages)
    return wages, self_employed, first_job, part_year


def _as_people_round(stream: RStream, amount: Array) -> Array:
    """Most amounts to the nearest thousand, some to the nearest hundred, the rest to the dollar."""
    unit = np.array([1000.0, 100.0, 1.0])[np.digitize(stream.runif(len(amount)), [0.68, 0.86])]
    return np.maximum(np.round(amount / unit) * unit, 1.0)


def _unearned(stream: RStream, skill: Array, part_year: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Interest, and all other income with the interest in it."""
    n = len(skill)
    interest = np.floor(np.exp(5.75 + 0.9 * skill + 1.7 * stream.rnorm(n)))
    has_more = stream.runif(n) < np.where(part_year, 0.85, 0.67)
    more = np.floor(np.exp(6.9 - 0.25 * skill + 0.8 * part_year + 1.7 * stream.rnorm(n)))
    return interest, interest + np.where(has_more, more, 0.0)


def _adjusted_income(stream: RStream, status: NDArray[np.int64], skill: Array, earned: Array, other: Array) -> Array:
    """Adjusted gross income of the return: own income less what is not taxed, and a spouse's."""
    n = len(skill)
    works = (status == 1) & (stream.runif(n) < 0.80)
    spouse = np.where(works, np.exp(10.15 + 0.15 * skill + 0.6 * stream.rnorm(n)), 0.0)
    untaxed = np.where(stream.runif(n) < 0.45, other * stream.runif(n) + 2500 * stream.runif(n), 0.0)
    return np.floor(earned + other + spouse - untaxed)


def _deductions(stream: RStream, status: NDArray[np.int64], income: Array) -> Array:
    """Exemptions, and the larger of the standard and the itemised deduction."""
    n = len(income)
    children = np.digitize(stream.runif(n), [0.45, 0.68, 0.92])
    people = np.choose(status, [np.ones(n, dtype=np.int64), 2 + children, 2 + children // 2])
    share = np.maximum(0.175 + 0.06 * stream.rnorm(n), 0.0)
    return _EXEMPTION * people + np.maximum(_STANDARD_DEDUCTION[status], np.floor(share * income))


def _federal_tax(taxable: Array, status: NDArray[np.int64]) -> Array:
    """15 per cent of taxable income, 28 above a first threshold and 31 above a second."""
    above_28, above_31 = (np.maximum(taxable - threshold[status], 0.0) for threshold in (_TO_28, _TO_31))
    return 0.15 * taxable + 0.13 * above_28 + 0.03 * above_31


def _payroll_tax(stream: RStream, wages: Array, self_employed: Array) -> Array:
    """7.65 per cent of wages up to a ceiling, 1.45 above it; twice that on self-employment; a few are exempt."""
    n = len(wages)
    on_wages = 0.062 * np.minimum(wages, _SOCIAL_SECURITY_CEILING) + 0.0145 * wages
    exempt = np.where(stream.runif(n) < 0.03, stream.runif(n), 1.0)
    return np.floor(on_wages * exempt + 0.9235 * 0.153 * np.minimum(self_employed, _SOCIAL_SECURITY_CEILING))


def _employer_health(stream: RStream, wages: Array, status: NDArray[np.int64]) -> Array:
    """The employer's contribution to health insurance: more for better jobs and for families."""
    noise = stream.rnorm(len(wages))
    return np.floor(1400 + 0.037 * np.minimum(wages, 80_000) + 450 * (status == 1) + 1120 * noise)


def _state_and_weight(stream: RStream, n: int) -> tuple[Array, Array]:
    """The state's tax rate, and the survey weight, a little smaller where the rate is high."""
    state = stream.rnorm(n)
    rate = np.maximum(0.064 + 0.017 * state + 0.013 * stream.rnorm(n), 0.001)
    root = 428 - 12 * state + 116 * stream.rnorm(n)
    return rate, np.floor(np.maximum(root, 0.0) ** 2)


def census(path: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """The CASC reference file "Census": 1080 records, 13 columns in file order.

    Parameters
    ----------
    path : path, optional
        A CSV file of it; else the file named by the environment variable PYFCRM_CENSUS; else `CASCrefmicrodata` of the
        R package sdcMicro, if Rscript and sdcMicro are installed.

    Returns
    -------
    pandas.DataFrame
        (1080, 13) of int64: dollars a year, except the weight AFNLWGT.

    Raises
    ------
    InvalidInput
        If there is none of the three, or if a column is missing or not of whole numbers.

    References
    ----------
    Brand, Domingo-Ferrer and Mateo-Sanz (2002), reference data sets of the CASC project.
    """
    with tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
        path = path if path is not None else os.environ.get("PYFCRM_CENSUS") or _from_sdcmicro(folder)
        frame = open_table(path).frame
    if missing := [name for name in COLUMNS if name not in frame.columns]:
        rule = f"the file must have the Census file's {len(COLUMNS)} columns"
        raise InvalidInput(_OWNER, rule, f"{path} without {', '.join(missing)}")
    try:
        return frame[list(COLUMNS)].astype("Int64").astype(np.int64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(_OWNER, "every value of the Census file is a whole number", f"others in {path}") from error


def _from_sdcmicro(folder: str) -> str:
    """The path of the file that R with sdcMicro writes into the folder. Raises InvalidInput where there is none."""
    path = os.path.join(folder, "census.csv")
    command = ["Rscript", "--no-save", "--no-restore", "-e", _R_CODE, path]
    try:
        subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise InvalidInput(_OWNER, _ABSENT) from error
    return path
