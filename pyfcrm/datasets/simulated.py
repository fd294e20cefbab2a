"""Simulated files: bank customers in three hidden groups, a business survey, the example of fuzzy c-regression with
five linear groups, and a household survey."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arguments import MOST_RECORDS, whole_number
from ..rstream import RStream, as_stream
from ..types import Array, Codes

if TYPE_CHECKING:
    import pandas as pd

# Savers, borrowers, traders: their shares, and for each column its intercept, then its slopes on (AGE - 45)/15, on
# (INCOME - 30 000)/10 000 and on RISK, then the standard deviation of what is left. A row is a group.
_SHARES = (0.45, 0.35, 0.20)
_DEPOSITS = (
    (60_000, 15_000, 9_000, -3_000, 6_000),
    (15_000, -2_000, 4_000, 0, 2_500),
    (35_000, 0, -5_000, 8_000, 9_000),
)
_DEBT = (
    (12_000, -4_000, 1_500, 0, 2_000),
    (110_000, -28_000, 17_000, 5_000, 12_000),
    (28_000, 3_000, -3_000, 6_000, 5_000),
)
_FLOW = ((400, -150, 260, 0, 130), (-350, 200, -180, -60, 150), (50, 0, 0, -420, 300))
_RETURN = ((1.5, 0.2, 0.0, -0.3, 0.5), (-2.0, 0.0, 0.4, -1.2, 0.7), (3.0, -0.5, 0.0, 4.5, 2.5))
_ACTIVITY = ((2.3, -0.25, 0.05, 0, 0.35), (2.8, -0.15, 0.1, 0, 0.35), (3.5, -0.3, 0.0, 0.2, 0.3))  # logarithms
TAIL_INDEX = 1.6  # of EMPLOYEES: a mean, but no variance
_SMALLEST = 5.0  # employees
# One group a row: intercept, slope, where x starts, where x ends. The thesis prints no coordinates.
_GROUPS = (
    (10.0, 0.8, 0.0, 40.0),
    (85.0, -0.6, 5.0, 45.0),
    (-35.0, 1.2, 35.0, 75.0),
    (60.0, 0.3, 50.0, 95.0),
    (80.0, -0.7, 60.0, 100.0),
)
_POINTS = 50
_NOISE = 1.5
# Strata: the region's name, its share of the households, its design weight, what wages and rents are there.
_REGIONS = ("North", "East", "South", "West", None)  # the fifth stratum is the islands, whose region is missing
_REGION_SHARES = (0.27, 0.23, 0.16, 0.26, 0.08)
_WEIGHTS = np.array([410, 365, 250, 520, 180])
_PRICES = np.array([1.0, 0.92, 0.85, 1.22, 0.8])
_AGES = np.array([25, 35, 45, 55, 65, 75])  # the middle of each ten years
_AGE_SHARES = (0.14, 0.19, 0.2, 0.18, 0.16, 0.13)
_HOURS = np.array([0, 20, 40])


def accounts(n: int = 1000, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated bank customers: age, income and appetite for risk, and what their accounts show.

    Parameters
    ----------
    n : int
        How many records.
    seed : int or RStream
        An integer, or a stream, which moves on. Draws: by columns, n uniforms or normals each.

    Returns
    -------
    pandas.DataFrame
        (n, 9): RISK, between about -3 and 3, and RETURN, per cent a year, are floats, all others int64.

    Raises
    ------
    InvalidParameter
        If n is not a whole number of at least 1.

    Notes
    -----
    Savers, borrowers and traders (45, 35 and 20 per cent) have regressions on the same three columns, with different,
    often opposite, slopes. The group is not a column. Fuzzy c-regression models such switching regressions. NET =
    DEPOSITS - DEBT exactly; deposits and debts are at least 0 and negatively correlated; NET, FLOW and RETURN have both
    signs. Nothing here is from a real bank.
    """
    import pandas as pd

    n = whole_number("accounts", "n", n, low=1, limit=MOST_RECORDS)
    stream = as_stream(seed)
    group = _drawn(stream, n, _SHARES)
    age = np.floor(18 + 72 * stream.runif(n) ** 1.3)
    income = np.round(np.exp(10.2 + 0.4 * stream.rnorm(n)))
    risk = np.round(stream.rnorm(n), 2)
    A = np.column_stack([np.ones(n), (age - 45) / 15, (income - 30_000) / 10_000, risk])
    switched = partial(_switched, group, A, stream)
    deposits = np.maximum(np.round(switched(_DEPOSITS)), 0.0)
    debt = np.maximum(np.round(switched(_DEBT)), 0.0)
    columns = {
        "AGE": age,
        "INCOME": income,
        "RISK": risk,
        "DEPOSITS": deposits,
        "DEBT": debt,
        "NET": deposits - debt,
        "FLOW": np.round(switched(_FLOW)),
        "RETURN": np.round(switched(_RETURN), 2),
        "TRANSACTIONS": np.floor(np.exp(switched(_ACTIVITY))),
    }
    return pd.DataFrame(columns).astype(dict.fromkeys(columns.keys() - {"RISK", "RETURN"}, np.int64))


def _switched(group: NDArray[np.int64], A: Array, stream: RStream, table: tuple[tuple[float, ...], ...]) -> Array:
    """A (n, 4) times each record's own group's coefficients, and normal noise of that group's standard deviation."""
    of_group = np.array(table, dtype=np.float64)[group]
    return np.einsum("ij,ij->i", A, of_group[:, :4]) + of_group[:, 4] * stream.rnorm(len(A))


def enterprises(n: int = 1000, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated enterprises: size, age and assets, and the year's accounts in thousands.

    Parameters
    ----------
    n : int
        How many records.
    seed : int or RStream
        An integer, or a stream, which moves on. Draws: by columns, n uniforms or normals each.

    Returns
    -------
    pandas.DataFrame
        (n, 9) of int64; all are at least 0 but SURPLUS.

    Raises
    ------
    InvalidParameter
        If n is not a whole number of at least 1.

    Notes
    -----
    Employees have a Pareto tail of index 1.6, so the file has a few giants that anyone would recognise. Turnover,
    payroll, assets and investment are log-normal given the size, so their tails are heavy too. TURNOVER = PURCHASES +
    PAYROLL + SURPLUS exactly, and the surplus may be a loss. EXPORTS, at most the turnover, are zero for about three in
    five, INVESTMENT for one in three. Nothing here is from a real survey.
    """
    import pandas as pd

    n = whole_number("enterprises", "n", n, low=1, limit=MOST_RECORDS)
    stream = as_stream(seed)
    employees = np.floor(_SMALLEST * stream.runif(n) ** (-1 / TAIL_INDEX))
    age = np.floor(1 + 14 * np.exp(0.7 * stream.rnorm(n)))
    trade = stream.runif(n) < 0.4  # buys and sells; the others make or serve
    assets = np.round(employees * np.exp(np.where(trade, 3.2, 3.9) + 0.8 * stream.rnorm(n)))
    turnover = np.round(employees * np.exp(np.where(trade, 5.6, 4.7) + 0.5 * stream.rnorm(n)))
    share = 1 / (1 + np.exp(np.where(trade, -1.1, 0.2) + 0.4 * stream.rnorm(n)))
    purchases = np.round(share * turnover)
    payroll = np.round(employees * np.exp(3.4 + 0.25 * stream.rnorm(n)))
    columns = {
        "EMPLOYEES": employees,
        "AGE": age,
        "ASSETS": assets,
        "TURNOVER": turnover,
        "PURCHASES": purchases,
        "PAYROLL": payroll,
        "SURPLUS": turnover - purchases - payroll,
        "EXPORTS": _exports(stream, employees, turnover),
        "INVESTMENT": _investment(stream, assets),
    }
    return pd.DataFrame(columns).astype(np.int64)


def _exports(stream: RStream, employees: Array, turnover: Array) -> Array:
    """Part of the turnover; large enterprises export more often."""
    n = len(employees)
    sells_abroad = stream.runif(n) < 1 - 0.8 / np.sqrt(employees / _SMALLEST)
    return np.where(sells_abroad, np.floor(turnover * stream.runif(n) ** 2), 0.0)


def _investment(stream: RStream, assets: Array) -> Array:
    """Some per cent of the assets in two years of three."""
    n = len(assets)
    invests = stream.runif(n) < 0.66
    return np.where(invests, np.floor(assets * np.exp(-2.5 + 0.7 * stream.rnorm(n))), 0.0)


def example(seed: int | RStream = 1) -> pd.DataFrame:
    """Two columns, x and y: five lines of 50 points each, with noise of standard deviation 1.5 around each.

    Parameters
    ----------
    seed : int or RStream
        An integer, or a stream, which moves on.

    Returns
    -------
    pandas.DataFrame
        (250, 2) of floats. Records are in the order of their group; the group is not a column.

    Raises
    ------
    InvalidParameter
        For a seed that R refuses.

    Notes
    -----
    In the manner of the example of the thesis, section 4.3 (figures 3 and 4), whose own points were never published.
    """
    import pandas as pd

    stream, groups = as_stream(seed), []
    for intercept, slope, start, end in _GROUPS:
        x = start + (end - start) * stream.runif(_POINTS)
        groups.append(pd.DataFrame({"x": x, "y": intercept + slope * x + _NOISE * stream.rnorm(_POINTS)}))
    return pd.concat(groups, ignore_index=True)


def survey(n: int = 2000, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated households, one record for each reference person.

    Age and hours are in bands and sizes stop at 5. So few records are unique on age, hours, size, region, stratum and
    weight. Wages, rents and taxes are to be protected: nearly every one that is not 0 is unique. Wages are 0 for who
    does not work, rents for owners, taxes below a threshold: point masses. Nothing here is from a real survey.

    Parameters
    ----------
    n : int
        How many records.
    seed : int or RStream
        An integer, or a stream, which moves on. Draws: by columns, n uniforms or normals each. A release of the file from
        the same integer repeats them: give it another one.

    Returns
    -------
    DataFrame
        (n, 10): name, which identifies; region, missing on the islands; stratum, 1 to 5; weight, that of the
        stratum's design; age, the middle of its ten years; hours a week; size, people in the household, 5 for 5 and more;
        wage and rent a month, tax a year. Text, and int64.

    Raises
    ------
    InvalidParameter
        If n is not a whole number of at least 1.
    """
    import pandas as pd

    n = whole_number("survey", "n", n, low=1)
    stream = as_stream(seed)
    stratum = _drawn(stream, n, _REGION_SHARES)
    age = _drawn(stream, n, _AGE_SHARES)
    hours = _hours(stream, age)
    size = _size(stream, age)
    wage = _wage(stream, _PRICES[stratum], age, _HOURS[hours])
    numbers = {
        "stratum": stratum + 1,
        "weight": _WEIGHTS[stratum],
        "age": _AGES[age],
        "hours": _HOURS[hours],
        "size": size,
        "wage": wage,
        "rent": _rent(stream, _PRICES[stratum], age, size),
        "tax": _tax(stream, wage, size),
    }
    digits = max(4, len(str(n)))
    names = [f"household {k:0{digits}d}" for k in range(1, n + 1)]
    texts = pd.DataFrame({"name": names, "region": np.array(_REGIONS, dtype=object)[stratum]})
    return texts.join(pd.DataFrame(numbers).astype(np.int64))


def _drawn(stream: RStream, n: int, shares: tuple[float, ...]) -> Codes:
    """Class (n,) of each record, from 0."""
    return np.digitize(stream.runif(n), np.cumsum(shares)[:-1])


def _hours(stream: RStream, age: Codes) -> Codes:
    """Full time for most, nothing for nearly all above 60 and for some of the others."""
    u, old = stream.runif(len(age)), age >= 4
    return np.where(old, 2 * (u > 0.96), np.digitize(u, [0.13, 0.25]))


def _size(stream: RStream, age: Codes) -> Codes:
    """People in the household: most in the middle of life, one or two among the old."""
    u, old = stream.runif(len(age)), age >= 4
    large: Codes = 1 + np.digitize(u, [0.22, 0.5, 0.71, 0.92])
    return np.where(old, 1 + (u > 0.42), large)


def _wage(stream: RStream, price: Array, age: Codes, hours: Codes) -> Array:
    """A month's wage, higher with age and hours, 0 without work."""
    noise = stream.rnorm(len(age))
    return np.where(hours > 0, np.round(hours * np.exp(3.75 + 0.09 * age + 0.3 * noise) * price), 0.0)


def _rent(stream: RStream, price: Array, age: Codes, size: Codes) -> Array:
    """A month's rent, 0 for owners, who are more among the older."""
    owns = stream.runif(len(age)) < 0.25 + 0.09 * age
    noise = stream.rnorm(len(age))
    return np.where(owns, 0.0, np.round((380 + 130 * size) * np.exp(0.22 * noise) * price))


def _tax(stream: RStream, wage: Array, size: Codes) -> Array:
    """A year's tax: a share of the income above a threshold that grows with the household."""
    noise = stream.rnorm(len(wage))
    return np.maximum(np.round(0.24 * (12 * wage - 9000 - 2500 * size) * np.exp(0.12 * noise)), 0.0)
