"""Fuzzy c-means, seconds an iteration, against scikit-fuzzy.

python benchmarks/fcm.py [repeats].
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from skfuzzy.cluster import cmeans
from support import Row, Timer, faster, in_turn, per_iteration, report

from pyfcrm.engine import Local
from pyfcrm.fuzzy.fcm import Settings, means
from pyfcrm.fuzzy.partition import in_panels, stored

AT_LEAST = 10.0
N, P, C = 10**5, 13, 10


def data(n: int, p: int, c: int) -> tuple[np.ndarray, np.ndarray]:
    """Five clouds, and a random membership to start from."""
    rng = np.random.default_rng(1)
    U = rng.random((n, c))
    return rng.normal(size=(n, p)) + rng.integers(0, 5, size=(n, 1)), U / U.sum(axis=1, keepdims=True)


def ours(X: np.ndarray, U: np.ndarray, threads: int) -> Timer:
    how = Settings(U.shape[1], 2.0, 0.0, 0)

    def fit(iterations: int) -> None:
        partition = stored(Local(threads), (X,), in_panels(U), how.m)
        means(partition, X.shape[1], replace(how, max_iter=iterations))

    return per_iteration(fit, few=2, many=32)


def rows(repeats: int) -> list[Row]:
    X, U = data(N, P, C)
    theirs = per_iteration(lambda k: cmeans(X.T, C, 2, error=0, maxiter=k, init=U.T.copy()))
    table = []
    for threads in (2, 1):
        what, goal = f"FCM, {threads} thread" + "s" * (threads > 1), AT_LEAST if threads == 2 else None
        times = in_turn(ours(X, U, threads), theirs, repeats)
        table.append(faster(what, "scikit-fuzzy", f"n={N}, p={P}, c={C}", times, goal))
    return table


def main(repeats: int = 5) -> int:
    return report(rows(repeats))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
