"""Fuzzy c-regression, seconds an iteration: against numpy with one Gram matrix a cluster, and against a matrix product with as
many operations.

python benchmarks/fcrm.py [repeats].
"""

from __future__ import annotations

import sys

import numpy as np
from support import Row, Timer, faster, in_turn, per_iteration, report, seconds, within

from pyfcrm.engine import Local, one_blas_thread
from pyfcrm.fuzzy.partition import in_panels, stored
from pyfcrm.numerics.design import design, solved

M = 1.5
NUMPY_AT_LEAST, PRODUCT_AT_MOST = 8.0, 2.5
PEERS, PRODUCTS = (10**5, 4, 9, 10), [(10**6, 4, 9, 10), (10**6, 4, 9, 81)]


class Problem:
    """n records, s regressors and t responses of five regimes; c clusters from a random start."""

    def __init__(self, n: int, s: int, t: int, c: int) -> None:
        rng = np.random.default_rng(1)
        X = rng.normal(size=(n, s))
        self.Y = X @ rng.normal(size=(s, t)) + rng.integers(0, 5, size=(n, 1)) + 0.3 * rng.normal(size=(n, t))
        self.design = design(X)
        self.U = rng.random((n, c))
        self.U /= self.U.sum(axis=1, keepdims=True)
        self.size = f"n={n}, s={s}, t={t}, c={c}"

    def ours(self, threads: int) -> Timer:
        """The same steps as pyfcrm.fcrm's: a pass, and the solves."""
        r, t = self.design.columns.shape[1], self.Y.shape[1]
        partition = stored(Local(threads), (self.design.columns, self.Y), in_panels(self.U), M)
        sums = [partition.advance()]

        def iterate(rounds: int) -> None:
            with one_blas_thread():
                for _ in range(rounds):
                    sums[0] = partition.advance(solved(sums[0].normal_equations(r, t), partition.weighted))

        return lambda: seconds(lambda: iterate(5)) / 5

    def numpy(self) -> Timer:
        """One Gram matrix a cluster, whole arrays."""
        A, Y = self.design.columns, self.Y
        columns = np.hstack([A, Y])
        r = A.shape[1]

        def iterate(rounds: int) -> None:
            U = self.U
            for _ in range(rounds):
                W, E = U**M, np.empty_like(U)
                for i in range(U.shape[1]):
                    G = (A * W[:, [i]]).T @ columns
                    residual = Y - A @ np.linalg.solve(G[:, :r], G[:, r:])
                    E[:, i] = np.einsum("kt,kt->k", residual, residual)
                np.maximum(E, 1e-100, out=E)
                V = (E.min(axis=1, keepdims=True) / E) ** 2
                U = V / V.sum(axis=1, keepdims=True)

        return per_iteration(iterate, few=1, many=4)

    def operations(self) -> float:
        """Floating-point operations of an iteration."""
        (n, r), t, c = self.design.columns.shape, self.Y.shape[1], self.U.shape[1]
        K = r * (r + 1) / 2 + r * t
        return float(n * (c * (2 * r * t + 3 * t + 2 * K + 8) + K))


def matrix_product(operations: float, k: int = 1024) -> Timer:
    """The time of so many operations in products of matrices (k, k), BLAS on one thread."""
    A = np.random.default_rng(2).normal(size=(k, k))

    def once() -> float:
        with one_blas_thread():
            return seconds(lambda: A @ A) * operations / (2 * k**3)

    return once


def rows(repeats: int) -> list[Row]:
    table, problem = list[Row](), Problem(*PEERS)
    for threads in (2, 1):
        with one_blas_thread():
            times = in_turn(problem.ours(threads), problem.numpy(), repeats)
        what, least = f"FCRM, {threads} thread" + "s" * (threads > 1), NUMPY_AT_LEAST if threads == 2 else None
        table.append(faster(what, "numpy, a Gram matrix a cluster", problem.size, times, least))
    for shape in PRODUCTS:
        problem = Problem(*shape)
        times = in_turn(problem.ours(1), matrix_product(problem.operations()), repeats)
        table.append(within("FCRM, 1 thread", "a matrix product's operations", problem.size, times, PRODUCT_AT_MOST))
    return table


def main(repeats: int = 5) -> int:
    return report(rows(repeats))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
