"""A calibrated release against the release of its method without calibration, and a predictor of many levels against one of two.

python benchmarks/calibrated.py [n] [repeats]. The aim is at most ten times the time without calibration. Lognormal files do not
reach their margins, so that all rounds are used. A file of the form of sdcMicro's EIA, with 258 levels, is protected with as
many attempted swaps as one with two levels; each costs more, since sums with each level are to be those of the original.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from support import Row, in_turn, report, seconds, within

from pyfcrm import IPSO, Calibrated, Roles, RStream, protect
from pyfcrm.engine import one_blas_thread

AT_MOST = 10.0
S, T = 3, 9
FEW_LEVELS, MANY_LEVELS = 2, 258
RECORDS_A_LEVEL = 16
LEVELS_AT_MOST = 20.0  # times: a swap changes 260 sums for 4
AMOUNTS = ["homes", "industry", "total"]


def data(kind: str, n: int, s: int, t: int) -> tuple[np.ndarray, np.ndarray]:
    """Gamma X with normal residuals, or all of it lognormal."""
    rng = np.random.default_rng(1)
    if kind == "gamma":
        X = rng.gamma(2.0, size=(n, s))
        return X, X @ rng.normal(size=(s, t)) + rng.normal(size=(n, t))
    X = rng.lognormal(size=(n, s))
    return X, np.exp(0.5 * np.log(X) @ rng.normal(size=(s, t)) + 0.7 * rng.normal(size=(n, t)))


def released(method: IPSO | Calibrated, X: np.ndarray, Y: np.ndarray) -> float:
    """Seconds of one release."""
    with one_blas_thread():
        return seconds(lambda: method.protect(X, Y, RStream(1)))


def accounts(levels: int) -> pd.DataFrame:
    """Amounts and their total of 258 accounts in 16 months, with a text column of so many levels."""
    rng = np.random.default_rng(1)
    account = np.repeat(np.arange(MANY_LEVELS), RECORDS_A_LEVEL)
    size = np.exp(rng.normal(8, 1.5, MANY_LEVELS))[account]
    parts = np.rint(size[:, None] * np.exp(rng.normal(0, 0.2, (len(account), 2))))
    names = [f"account {a % levels}" for a in account]
    return pd.DataFrame(parts, columns=AMOUNTS[:2]).assign(total=parts.sum(axis=1), account=names)


def protected(frame: pd.DataFrame) -> float:
    """Seconds of protect() for a file of accounts."""
    return seconds(lambda: protect(frame, Calibrated(IPSO("C")), Roles(["account"], AMOUNTS), seed=1))


def main(n: int = 10**6, repeats: int = 3) -> int:
    table = list[Row]()
    for kind in ("gamma", "lognormal"):
        X, Y = data(kind, n, S, T)
        for margins in ("smooth", "original"):
            method = Calibrated(IPSO("C"), margins=margins)
            times = in_turn(
                lambda method=method, X=X, Y=Y: released(method, X, Y),
                lambda X=X, Y=Y: released(IPSO("C"), X, Y),
                repeats,
            )
            at = f"n={n}, s={S}, t={T}, {kind}"
            table.append(within(f"calibrated, {margins}", "IPSO-C without calibration", at, times, AT_MOST))
    few = accounts(FEW_LEVELS)
    many = accounts(MANY_LEVELS)
    times = in_turn(lambda: protected(many), lambda: protected(few), repeats)
    table.append(within("258 levels", "2 levels", f"n={len(many)}, t={len(AMOUNTS)}", times, LEVELS_AT_MOST))
    return report(table)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
