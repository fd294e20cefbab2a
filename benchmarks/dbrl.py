"""Distance-based linkage against scipy's KD-tree and brute force, and its growth from 1e5 to 1e6 records.

python benchmarks/dbrl.py [n] [large n]. Releases: IPSO-C of 13 attributes on 4 others (unlike), and noise of 10 % of the
sd (like). The peers run once, since they take most of a minute.
"""

from __future__ import annotations

import statistics
import sys

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from support import Row, faster, report, seconds, within

from pyfcrm import IPSO, RStream
from pyfcrm.linkage.nearest import nearest_share
from pyfcrm.numerics.location import standardise

ROWS = 500


def files(n: int, p: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(1)
    B = rng.normal(size=(4, p))  # drawn first, so that files of any length are of one kind
    X = rng.normal(size=(n, 4))
    Y = X @ B + 2 * rng.normal(size=(n, p))
    unlike = IPSO("C").protect(X, Y, RStream(1))
    like = Y + 0.1 * Y.std(axis=0) * rng.normal(size=Y.shape)
    return {name: (standardise(Y), standardise(Z)) for name, Z in (("unlike", unlike), ("like", like))}


def tree(X: np.ndarray, Z: np.ndarray) -> None:
    cKDTree(Z).query(X)


def brute(X: np.ndarray, Z: np.ndarray) -> None:
    for start in range(0, len(X), ROWS):
        cdist(X[start : start + ROWS], Z).argmin(axis=1)


def main(n: int = 10**5, large: int = 10**6, p: int = 13) -> int:
    first = files(20_000, p)["unlike"]
    print(f"first call, loading or compiling: {seconds(lambda: nearest_share(*first)):.2f} s")
    rows: list[Row] = []
    ours = {}
    for name, (X, Z) in files(n, p).items():
        ours[name] = statistics.median(seconds(lambda X=X, Z=Z: nearest_share(X, Z)) for _ in range(5))
        least = 50 if name == "unlike" else None
        at = f"n={n} p={p} {name}"
        rows.append(faster("DBRL", "scipy cKDTree", at, (ours[name], seconds(lambda X=X, Z=Z: tree(X, Z))), least))
        if name == "unlike":
            theirs = seconds(lambda X=X, Z=Z: brute(X, Z))
            rows.append(faster("DBRL", "scipy cdist, brute force", at, (ours[name], theirs), least))
    for name, (X, Z) in files(large, p).items():
        times = (seconds(lambda X=X, Z=Z: nearest_share(X, Z)), ours[name])
        most = 2 * large / n if name == "unlike" else None
        rows.append(within("DBRL", f"itself at n={n}", f"n={large} p={p} {name}", times, most))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
