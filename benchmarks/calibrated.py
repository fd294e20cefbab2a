"""A calibrated release against the plain one of the method it wraps, and donors against scipy's tree.

python benchmarks/calibrated.py [n] [records for donors]. The goal is at most ten times the plain release's time.
"""

from __future__ import annotations

import sys

import numpy as np
from support import Row, in_turn, report, seconds, within

from pyfcrm import IPSO, Calibrated, RStream
from pyfcrm.engine import one_blas_thread
from pyfcrm.methods.donors import donors_near

AT_MOST = 10.0
# The last never meets its margins, so that all rounds are spent.
SHAPES = [("gamma", 4, 5), ("gamma", 3, 9), ("lognormal", 3, 9)]
K = 50


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


def calibrated_rows(n: int, repeats: int) -> list[Row]:
    table = []
    for kind, s, t in SHAPES:
        for size in (n // 10, n):
            X, Y = data(kind, size, s, t)
            for margins in ("smooth", "original"):
                plain, method = IPSO("C"), Calibrated(IPSO("C"), margins=margins)
                times = in_turn(
                    lambda method=method, X=X, Y=Y: released(method, X, Y),
                    lambda plain=plain, X=X, Y=Y: released(plain, X, Y),
                    repeats,
                )
                at, goal = f"n={size}, s={s}, t={t}, {kind}", AT_MOST if size == n else None
                table.append(within(f"calibrated, {margins}", "the plain release, IPSO-C", at, times, goal))
    return table


def scipy_neighbours(X: np.ndarray) -> float:
    from scipy.spatial import cKDTree

    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return seconds(lambda: cKDTree(Z).query(Z, k=K + 1))


def donor_rows(n: int) -> list[Row]:
    table = []
    for size in (n // 4, n):
        X = np.random.default_rng(1).normal(size=(size, 9))
        times = in_turn(
            lambda X=X: seconds(lambda: donors_near("benchmark", X, K, RStream(1))), lambda X=X: scipy_neighbours(X), 1
        )
        at, goal = f"n={size}, s=9, independent", 1.0 if size == n else None
        table.append(within("donors", f"scipy's KD-tree, {K + 1} nearest", at, times, goal))
    return table


def main(n: int = 10**6, donors: int = 10**5, repeats: int = 3) -> int:
    return report([*calibrated_rows(n, repeats), *donor_rows(donors)])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
