"""A simulated household survey in which few records are unique on the columns that may be released unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arguments import whole_number
from ..rstream import RStream, as_stream
from ..types import Array, Codes

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = ("name", "region", "stratum", "weight", "age", "hours", "size", "wage", "rent", "tax")

# Strata: the region's name, its share of the households, its design weight, what wages and rents are there.
_REGIONS = ("North", "East", "South", "West", None)  # the fifth stratum is the islands, whose region is missing
_SHARES = (0.27, 0.23, 0.16, 0.26, 0.08)
_WEIGHTS = np.array([410, 365, 250, 520, 180])
_PRICES = np.array([1.0, 0.92, 0.85, 1.22, 0.8])
_AGES = np.array([25, 35, 45, 55, 65, 75])  # the middle of each ten years
_AGE_SHARES = (0.14, 0.19, 0.2, 0.18, 0.16, 0.13)
_HOURS = np.array([0, 20, 40])


def survey(n: int = 2000, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated households, one record for each reference person.

    Age and hours are in bands and sizes stop at 5, so that few records are unique on what may be kept: age, hours, size,
    region, stratum and weight. Wages, rents and taxes are to be protected: nearly every one that is not 0 is unique. Wages
    are 0 for who does not work, rents for owners, taxes below a threshold: point masses. Nothing here is from a
    real survey.

    Parameters
    ----------
    n : int
        How many records.
    seed : int or RStream
        An integer, or a stream, which moves on. Draws: by columns, n uniforms or normals each.

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
    stratum = _drawn(stream, n, _SHARES)
    age = _drawn(stream, n, _AGE_SHARES)
    hours = _hours(stream, age)
    size = _size(stream, age)
    wage = _wage(stream, _PRICES[stratum], age, _HOURS[hours])
    whole = {
        "stratum": stratum + 1,
        "weight": _WEIGHTS[stratum],
        "age": _AGES[age],
        "hours": _HOURS[hours],
        "size": size,
        "wage": wage,
        "rent": _rent(stream, _PRICES[stratum], age, size),
        "tax": _tax(stream, wage, size),
    }
    regions = np.array(_REGIONS, dtype=object)[stratum]
    digits = max(4, len(str(n)))
    names = [f"household {k:0{digits}d}" for k in range(1, n + 1)]
    columns = {"name": names, "region": regions, **{name: values.astype(np.int64) for name, values in whole.items()}}
    return pd.DataFrame({name: columns[name] for name in COLUMNS})


def _drawn(stream: RStream, n: int, shares: tuple[float, ...]) -> Codes:
    """(n,) which of the classes each record is in, from 0."""
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
    """A year's tax: a share of what lies above a threshold that grows with the household."""
    noise = stream.rnorm(len(wage))
    return np.maximum(np.round(0.24 * (12 * wage - 9000 - 2500 * size) * np.exp(0.12 * noise)), 0.0)
