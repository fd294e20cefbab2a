"""The generalised inverse of the thesis, and fuzzy c-regression with it: an oracle for collinear columns."""

import numpy as np

from .plain_fuzzy import errors, memberships


def thesis_inverse(A, tol=1e-10):
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


def fitted(X, Y, U, m, rounds):
    """(n, t) the predictions after `rounds` iterations of fuzzy c-regression from the membership U (n, c)."""
    A = np.column_stack([np.ones(len(X)), X - X.mean(axis=0)])
    A /= np.where(np.linalg.norm(A, axis=0) > 1e-12 * np.abs(X).max(), np.linalg.norm(A, axis=0), 1.0)
    for _ in range(rounds):
        gamma = np.stack([thesis_inverse(A.T @ (w[:, None] * A)) @ (A.T @ (w[:, None] * Y)) for w in (U**m).T])
        U = memberships(errors(A, Y, gamma), m)
    return np.einsum("kr,krt->kt", A, gamma[U.argmax(axis=1)])
