"""A simulated business survey: heavy tails, an accounting identity, and many zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arguments import MOST_RECORDS, whole_number
from ..rstream import RStream

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

COLUMNS = (
    "EMPLOYEES", "AGE", "ASSETS", "TURNOVER", "PURCHASES", "PAYROLL", "SURPLUS", "EXPORTS", "INVESTMENT",
)  # fmt: skip

TAIL_INDEX = 1.6  # of EMPLOYEES: a mean, but no variance
_SMALLEST = 5.0  # employees


def enterprises(n: int = 1000, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated enterprises: size, age and assets, and the year's accounts in thousands.

    Employees have a Pareto tail of index 1.6, so the file has few giants whom anyone would recognise; turnover, payroll,
    assets and investment are log-normal for each size, so they inherit it. TURNOVER = PURCHASES + PAYROLL + SURPLUS
    exactly, and the surplus may be a loss; EXPORTS, at most the turnover, are zero for about three
    in five, INVESTMENT for one in three. Nothing here is from a real survey.

    n : records wanted; seed : an int, or an RStream, which moves on. Draws: by columns, n uniforms or normals each.
    Returns an (n, 9) frame of int64; all are at least 0 but SURPLUS.
    Raises InvalidParameter if n is not a whole number of at least 1.
    """
    import pandas as pd

    n = whole_number("enterprises", "n", n, low=1, limit=MOST_RECORDS)
    stream = seed if isinstance(seed, RStream) else RStream(seed)
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
    return pd.DataFrame({name: columns[name].astype(np.int64) for name in COLUMNS})


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
