"""Files simulated here after business files that are hard to protect: balance sheets with negatives and totals that hold
but for rounding, and sales with point masses at zero and a column that is nearly another times a price."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pyfcrm.rstream import RStream, as_stream

BALANCES_COLUMNS = ("STAFF", "FOUNDED", "FIXED", "CURRENT", "TOTAL", "DEBT", "EQUITY", "PROFIT", "DIVIDEND")
SALES_COLUMNS = ("FLOOR", "HOURS", "STAFF", "ITEMS", "REVENUE", "ONLINE", "TOTAL", "STOCK", "MARGIN")


def balances(n: int = 500, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated balance sheets, in thousands: assets, what they are owed to, and the year's profit or loss.

    (n, 9) of int64; EQUITY and PROFIT have both signs, the others are at least 0. Draws: by columns, n uniforms or normals each.

    TOTAL is FIXED + CURRENT and EQUITY is TOTAL - DEBT, but for rounding: each column was rounded by itself, so either
    sum is off by 1 now and then. More than one firm in four has no debt; seven in ten pay no DIVIDEND, those with a loss never. Nothing
    here is from a real firm.
    """
    stream = as_stream(seed)
    staff = np.floor(4 * stream.runif(n) ** (-1 / 1.8))
    founded = np.floor(2020 - 60 * stream.runif(n) ** 2)
    fixed = staff * np.exp(3.0 + 0.9 * stream.rnorm(n))
    current = staff * np.exp(2.6 + 0.7 * stream.rnorm(n)) + 0.2 * fixed
    total = fixed + current
    owes = stream.runif(n) < 0.75
    debt = np.where(owes, total * 1.2 * stream.runif(n) ** 0.8, 0.0)
    profit = total * (0.06 + 0.09 * stream.rnorm(n)) - 0.04 * debt
    pays = (stream.runif(n) < 0.5) & (profit > 0)
    columns = {
        "STAFF": staff,
        "FOUNDED": founded,
        "FIXED": fixed,
        "CURRENT": current,
        "TOTAL": total,
        "DEBT": debt,
        "EQUITY": total - debt,
        "PROFIT": profit,
        "DIVIDEND": np.where(pays, profit * stream.runif(n), 0.0),
    }
    return pd.DataFrame({name: np.round(columns[name]).astype(np.int64) for name in BALANCES_COLUMNS})


def sales(n: int = 500, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated shops: what a shop is, what it sold, and what that brought.

    (n, 9) of int64; MARGIN has both signs, the others are at least 0. Draws: by columns, n uniforms or normals each.

    REVENUE is ITEMS times a price between about 11 and 13: a tight ratio. TOTAL is REVENUE + ONLINE rounded to hundreds.
    One shop in eight sold nothing, ONLINE is zero for seven in ten, and STOCK is in tens. Nothing here is from a real
    shop.
    """
    stream = as_stream(seed)
    floor = np.round(np.exp(4.5 + 0.6 * stream.rnorm(n)))
    hours = np.floor(20 + 60 * stream.runif(n))
    staff = np.floor(1 + floor / 40 * np.exp(0.3 * stream.rnorm(n)))
    is_open = stream.runif(n) < 0.875
    items = np.where(is_open, np.round(floor * hours / 8 * np.exp(0.5 * stream.rnorm(n))), 0.0)
    revenue = np.round(items * 12 * np.exp(0.03 * stream.rnorm(n)))
    online = np.where(stream.runif(n) < 0.4, np.round(revenue * stream.runif(n) ** 1.5), 0.0)
    columns = {
        "FLOOR": floor,
        "HOURS": hours,
        "STAFF": staff,
        "ITEMS": items,
        "REVENUE": revenue,
        "ONLINE": online,
        "TOTAL": 100 * np.round((revenue + online) / 100),
        "STOCK": 10 * np.round(floor * np.exp(0.4 * stream.rnorm(n)) / 2),
        "MARGIN": np.round(0.25 * (revenue + online) - 900 * staff * np.exp(0.4 * stream.rnorm(n))),
    }
    return pd.DataFrame({name: columns[name].astype(np.int64) for name in SALES_COLUMNS})
