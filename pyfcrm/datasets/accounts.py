"""Simulated bank customers: three hidden groups with unlike regressions, negative correlations, values of both signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arguments import MOST_RECORDS, whole_number
from ..rstream import RStream

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

COLUMNS = ("AGE", "INCOME", "RISK", "DEPOSITS", "DEBT", "NET", "FLOW", "RETURN", "TRANSACTIONS")

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


def accounts(n: int = 1000, seed: int | RStream = 1) -> pd.DataFrame:
    """Simulated bank customers: age, income and appetite for risk, and what their accounts show.

    Savers, borrowers and traders (45, 35 and 20 per cent; the group is not a column) have regressions of unlike, often
    opposite, slopes on the same three columns: switching regressions, what fuzzy c-regression is for. NET = DEPOSITS - DEBT
    exactly; deposits and debts are at least 0 and negatively correlated; NET, FLOW and RETURN have both signs.
    Nothing here is from a real bank.

    n : records wanted; seed : an int, or an RStream, which moves on. Draws: by columns, n uniforms or normals each.
    Returns an (n, 9) frame: RISK, between about -3 and 3, and RETURN, per cent a year, are floats, all others int64.
    Raises InvalidParameter if n is not a whole number of at least 1.
    """
    import pandas as pd

    n = whole_number("accounts", "n", n, low=1, limit=MOST_RECORDS)
    stream = seed if isinstance(seed, RStream) else RStream(seed)
    group = np.digitize(stream.runif(n), np.cumsum(_SHARES)[:-1])
    age = np.floor(18 + 72 * stream.runif(n) ** 1.3)
    income = np.round(np.exp(10.2 + 0.4 * stream.rnorm(n)))
    risk = np.round(stream.rnorm(n), 2)
    A = np.column_stack([np.ones(n), (age - 45) / 15, (income - 30_000) / 10_000, risk])
    deposits = np.maximum(np.round(_switched(_DEPOSITS, group, A, stream)), 0.0)
    debt = np.maximum(np.round(_switched(_DEBT, group, A, stream)), 0.0)
    whole = {
        "AGE": age,
        "INCOME": income,
        "DEPOSITS": deposits,
        "DEBT": debt,
        "NET": deposits - debt,
        "FLOW": np.round(_switched(_FLOW, group, A, stream)),
    }
    returned = np.round(_switched(_RETURN, group, A, stream), 2)
    whole["TRANSACTIONS"] = np.floor(np.exp(_switched(_ACTIVITY, group, A, stream)))
    columns = {name: values.astype(np.int64) for name, values in whole.items()} | {"RISK": risk, "RETURN": returned}
    return pd.DataFrame({name: columns[name] for name in COLUMNS})


def _switched(table: tuple[tuple[float, ...], ...], group: NDArray[np.int64], A: Array, stream: RStream) -> Array:
    """A (n, 4) times each record's own group's coefficients, and normal noise of that group's standard deviation."""
    of_group = np.array(table, dtype=np.float64)[group]
    return np.einsum("ij,ij->i", A, of_group[:, :4]) + of_group[:, 4] * stream.rnorm(len(A))
