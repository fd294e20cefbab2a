"""Generalised inverses A^-, with A A^- A = A: the thesis's elimination (2.6) and Moore and Penrose's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def thesis_inverse(A: Array, tol: float = 1e-10) -> Array:
    """The generalised inverse of the thesis's algorithm: the inverse of a non-singular submatrix, found row by row.

    A : (m, n). tol : a product counts as zero below tol times the norms of its factors (the thesis says "different
    from zero", which rounding cannot tell).
    Returns (n, m), the inverse of the submatrix in its places and zeros elsewhere. Source: thesis 2.6; Schott (2005).
    """
    m, n = A.shape
    W = np.eye(n)
    U = np.full(n, -1)  # U[p] = the row of A that column p of W was pivoted on
    for i in range(m):
        t = A[i] @ W
        size = np.linalg.norm(A[i]) * np.linalg.norm(W, axis=0)
        free = np.flatnonzero((np.abs(t) > tol * size) & (U < 0))
        if free.size == 0:
            continue  # row i depends on the rows before it
        p = free[0]
        U[p] = i
        W[:, p] /= t[p]
        others = np.arange(n) != p
        W[:, others] -= np.outer(W[:, p], t[others])
    inverse = np.zeros((n, m))
    chosen = np.flatnonzero(U >= 0)
    inverse[:, U[chosen]] = W[:, chosen]
    return inverse


def moore_penrose(A: Array, tol: float = 1e-10) -> Array:
    """The Moore-Penrose inverse (n, m) of A (m, n); singular values below tol times the largest count as zero."""
    return np.asarray(np.linalg.pinv(A, rcond=tol), dtype=np.float64)
