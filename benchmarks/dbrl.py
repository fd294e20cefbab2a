"""Distance-based linkage against scipy's KD-tree and brute force, and its growth from 1e5 to 1e6 records.

python benchmarks/dbrl.py [n] [large n]. The release is IPSO-C of 13 attributes given 4 others. The peers
run once, since they take most of a minute.
"""

from __future__ import annotations

import statistics
import sys

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from support import faster, report, seconds, within

from pyfcrm import IPSO, RStream
from pyfcrm.linkage.nearest import nearest_share
from pyfcrm.numerics.location import standardise

ROWS = 500


def files(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    B = rng.normal(size=(4, p))  # drawn first, so that files of all lengths have the same model
    X = rng.normal(size=(n, 4))
    Y = X @ B + 2 * rng.normal(size=(n, p))
    return standardise(Y), standardise(IPSO("C").protect(X, Y, RStream(1)))


def tree(X: np.ndarray, Z: np.ndarray) -> None:
    cKDTree(Z).query(X)


def brute(X: np.ndarray, Z: np.ndarray) -> None:
    for start in range(0, len(X), ROWS):
        cdist(X[start : start + ROWS], Z).argmin(axis=1)


def main(n: int = 10**5, large: int = 10**6, p: int = 13) -> int:
    nearest_share(*files(20_000, p))  # loads or compiles
    X, Z = files(n, p)
    ours = statistics.median(seconds(lambda: nearest_share(X, Z)) for _ in range(5))
    peers = {"scipy cKDTree": tree, "scipy cdist, brute force": brute}
    rows = [
        faster("DBRL", against, f"n={n} p={p}", (ours, seconds(lambda peer=peer: peer(X, Z))), 50)
        for against, peer in peers.items()
    ]
    A, B = files(large, p)
    times = (seconds(lambda: nearest_share(A, B)), ours)
    return report([*rows, within("DBRL", f"itself at n={n}", f"n={large} p={p}", times, 2 * large / n)])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
