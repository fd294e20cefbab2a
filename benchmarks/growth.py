"""How the cost of each kernel grows: one of n, p and c doubled at a time, CPU seconds against the same kernel before.

python benchmarks/growth.py. A ratio near 2 is linear; MDAV's n squared and linkage's n log n show here too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from sdcmicro import cpu_seconds
from support import Row, report, within

import pyfcrm as pf
from pyfcrm.evaluation.report import judge
from pyfcrm.linkage.nearest import nearest_share
from pyfcrm.linkage.probabilistic import probabilistic_linkage
from pyfcrm.methods.grouping import mdav_groups
from pyfcrm.numerics.location import standardise

Work = Callable[[int, int, int], Callable[[], object]]  # of n, p, c: what is timed


def attributes(n: int, p: int) -> np.ndarray:
    """(n, p) correlated values, the same columns first whatever p is."""
    F = np.random.default_rng(1).normal(size=(n, 4))
    own = np.random.default_rng(2).normal(size=(p, n)).T
    return np.asarray(F @ np.random.default_rng(3).normal(size=(p, 4)).T + own)


def fitted(n: int, p: int, c: int) -> tuple[np.ndarray, np.ndarray]:
    """Attributes and a membership to start from."""
    U = np.random.default_rng(4).random((n, c))
    return attributes(n, p), U / U.sum(axis=1, keepdims=True)


def fcm(n: int, p: int, c: int) -> Callable[[], object]:
    A, U = fitted(n, p, c)
    return lambda: pf.fcm(A, c, tol=0, max_iter=20, initial=U)


def fcrm(n: int, p: int, c: int) -> Callable[[], object]:
    A, U = fitted(n, p, c)
    return lambda: pf.fcrm(A[:, :4], A[:, 4:], c, tol=0, max_iter=20, initial=U)


def ipso(n: int, p: int, c: int) -> Callable[[], object]:
    A = attributes(n, p)
    return lambda: pf.IPSO("C").protect(A[:, :4], A[:, 4:], pf.RStream(1))


def mdav(n: int, p: int, c: int) -> Callable[[], object]:
    A = attributes(n, p)
    return lambda: mdav_groups(A, 10)


def swapping(n: int, p: int, c: int) -> Callable[[], object]:
    A = attributes(n, p)
    return lambda: pf.RankSwapping(5).protect(A[:, :0], A, pf.RStream(1))


def dbrl(n: int, p: int, c: int) -> Callable[[], object]:
    A = attributes(n, p)
    X, Z = standardise(A), standardise(A[::-1].copy())
    return lambda: nearest_share(X, Z)


def prl(n: int, p: int, c: int) -> Callable[[], object]:
    X = np.round(20 * attributes(n, p))
    Z = np.where(np.random.default_rng(5).random(X.shape) < 0.3, X, X[::-1])
    return lambda: probabilistic_linkage(X, Z)


def evaluate(n: int, p: int, c: int) -> Callable[[], object]:
    X = attributes(n, p)
    names = [str(j) for j in range(p)]
    Z = X + 0.3 * np.random.default_rng(6).normal(size=X.shape)
    return lambda: judge(X, Z, names)


KERNELS: dict[str, tuple[Work, tuple[int, int, int], str]] = {
    "FCM, 20 iterations": (fcm, (100_000, 8, 10), "npc"),
    "FCRM, 20 iterations": (fcrm, (100_000, 8, 10), "npc"),
    "IPSO-C": (ipso, (100_000, 8, 0), "np"),
    "MDAV k=10": (mdav, (20_000, 6, 0), "np"),
    "rank swapping": (swapping, (100_000, 6, 0), "np"),
    "DBRL": (dbrl, (50_000, 6, 0), "np"),
    "PRL": (prl, (50_000, 6, 0), "np"),
    "evaluate": (evaluate, (50_000, 6, 0), "np"),
}


def main(repeats: int = 3) -> int:
    """The table; no goals."""
    rows: list[Row] = []
    for name, (work, base, letters) in KERNELS.items():
        work(2000, *base[1:])()  # loads or compiles

        def least(n: int, p: int, c: int, work: Work = work) -> float:
            timed = work(n, p, c)
            return min(cpu_seconds(timed) for _ in range(repeats))

        before = least(*base)
        for k, letter in enumerate("npc"):
            if letter in letters:
                size = tuple(2 * value if j == k else value for j, value in enumerate(base))
                words = ", ".join(f"{x}={v}" for x, v in zip("npc", size, strict=True) if x in letters)
                against = f"itself at {letter}={base[k]}"
                rows.append(within(name, against, words, (least(*size), before), None))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
