"""Fuzzy c-means, seconds an iteration, against R's e1071 and Python's scikit-fuzzy; and how it grows with n and c.

python benchmarks/fcm.py [repeats]. What is not installed is left out, which the table says.
"""

from __future__ import annotations

import sys

import numpy as np
from support import Row, Timer, faster, in_turn, per_iteration, r_has, r_timer, report

from pyfcrm import fcm
from pyfcrm.engine import Local

AT_LEAST = 10.0
SIZES = [(10**5, 13, 10, AT_LEAST), (2 * 10**4, 13, 10, None), (10**5, 13, 20, None)]
E1071 = """
x <- read("X", {p}); centers <- x[seq_len({c}), ]
fit <- function(k) e1071::cmeans(x, centers, iter.max = k, m = 2, control = list(reltol = 1e-300))
few <- seconds(function() fit(2)); many <- seconds(function() fit(12))
cat((many - few) / 10, "\\n")
"""


def data(n: int, p: int, c: int) -> tuple[np.ndarray, np.ndarray]:
    """Five clouds, and a random membership to start from."""
    rng = np.random.default_rng(1)
    U = rng.random((n, c))
    return rng.normal(size=(n, p)) + rng.integers(0, 5, size=(n, 1)), U / U.sum(axis=1, keepdims=True)


def ours(X: np.ndarray, U: np.ndarray, threads: int) -> Timer:
    return per_iteration(
        lambda k: fcm(X, U.shape[1], tol=0, max_iter=k, initial=U, engine=Local(threads)), few=2, many=32
    )


def scikit_fuzzy(X: np.ndarray, U: np.ndarray) -> Timer:
    from skfuzzy.cluster import cmeans

    return per_iteration(lambda k: cmeans(X.T, U.shape[1], 2, error=0, maxiter=k, init=U.T.copy()))


def rows(repeats: int) -> list[Row]:
    table = []
    for n, p, c, least in SIZES:
        X, U = data(n, p, c)
        size = f"n={n}, p={p}, c={c}"
        for threads in (2, 1):
            what, goal = f"FCM, {threads} thread" + "s" * (threads > 1), least if threads == 2 else None
            if r_has("e1071"):
                times = in_turn(ours(X, U, threads), r_timer(E1071.format(p=p, c=c), X=X), repeats)
                table.append(faster(what, "R e1071::cmeans", size, times, goal))
            else:
                print("not installed: R's e1071 (Debian: r-cran-e1071)")
            try:
                times = in_turn(ours(X, U, threads), scikit_fuzzy(X, U), repeats)
                table.append(faster(what, "scikit-fuzzy", size, times, goal))
            except ImportError:
                print("not installed: scikit-fuzzy (pip install scikit-fuzzy)")
    return table


def main(repeats: int = 5) -> int:
    return report(rows(repeats))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
