"""All of DR and PIL at two sizes: time and peak memory.

python benchmarks/evaluate.py [n] [large n]. Nine attributes of money, whole numbers, two of them often 0; 30 % noise.
"""

from __future__ import annotations

import sys

import numpy as np
from support import Row, peak_memory, report, seconds

from pyfcrm.evaluation.report import judge

MOST = 4000  # MB


def files(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    F = rng.normal(size=(n, 4)) @ rng.normal(size=(4, p)) + rng.normal(size=(n, p))
    X = np.round(1000 * np.exp(F / 2))
    X[:, 3] *= rng.random(n) < 0.6
    X[:, 6] *= rng.random(n) < 0.3
    return X, np.round(X * (1 + 0.3 * rng.normal(size=X.shape)))


def main(n: int = 10**5, large: int = 10**6, p: int = 9) -> int:
    names = [f"v{j}" for j in range(p)]
    judge(*files(6000, p), names)  # loads or compiles
    rows: list[Row] = []
    before = None
    for size in (n, large):
        X, Z = files(size, p)
        ours = seconds(lambda X=X, Z=Z: judge(X, Z, names))
        held = peak_memory()
        against = "itself" if before is None else f"itself at n={n}"
        rows.append(
            Row("evaluate", against, f"n={size} p={p}", ours, before or ours, f"< {MOST} MB", held < MOST, held)
        )
        before = before or ours
    return report(rows)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
