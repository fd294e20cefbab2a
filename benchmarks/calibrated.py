"""A calibrated release against the release of its method without calibration.

python benchmarks/calibrated.py [n] [repeats]. The aim is at most ten times the time without calibration. Lognormal files do not
reach their margins, so that all rounds are used.
"""

from __future__ import annotations

import sys

import numpy as np
from support import Row, in_turn, report, seconds, within

from pyfcrm import IPSO, Calibrated, RStream
from pyfcrm.engine import one_blas_thread

AT_MOST = 10.0
S, T = 3, 9


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
    return report(table)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
