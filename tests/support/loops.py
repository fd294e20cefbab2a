"""Fuzzy c-means and fuzzy c-regression once more, by loops written from their equations: slow, obvious, the oracle.

Inside there are only Python floats, but for weighted least squares, which is numpy's lstsq on sqrt(w) (1, X).
Nothing here is careful with numbers: a ratio that overflows is infinite, which is what its equation means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Rows = list[list[float]]


@dataclass(frozen=True)
class Round:
    """One iteration: the models (centres or coefficients), the membership they gave, its objective and its move."""

    models: np.ndarray
    membership: np.ndarray
    objective: float
    delta: float


def rows(A):
    return [[float(v) for v in a] for a in np.asarray(A, dtype=float).reshape(len(A), -1)]


def power(base, exponent):
    try:
        return base**exponent
    except OverflowError:
        return float("inf")


def membership_of(d, m):
    """u_ik = [sum_j (d_ik/d_jk)^(1/(m-1))]^-1, d squared distances; records at distance 0 share alike."""
    U = []
    for record in d:
        zeros = [v == 0 for v in record]
        if any(zeros):
            U.append([1 / sum(zeros) if zero else 0.0 for zero in zeros])
        else:
            U.append([1 / sum(power(v / w, 1 / (m - 1)) for w in record) for v in record])
    return U


def fcm(X, U, m, rounds):
    """`rounds` iterations from the membership U (n, c), every column of which has weight. Thesis 2.7."""
    x, u = rows(X), rows(U)
    n, p, c = len(x), len(x[0]), len(u[0])
    done = []
    for _ in range(rounds):
        w = [[v**m for v in record] for record in u]
        total = [sum(w[k][i] for k in range(n)) for i in range(c)]
        P = [[sum(w[k][i] * x[k][a] for k in range(n)) / total[i] for a in range(p)] for i in range(c)]
        d = [[sum((x[k][a] - P[i][a]) ** 2 for a in range(p)) for i in range(c)] for k in range(n)]
        u, before = membership_of(d, m), u
        done.append(finished(P, u, before, d, m))
    return done


def weighted_coefficients(A, Y, w):
    """Minimises sum_k w_k |y_k - a_k'beta|^2."""
    root = np.sqrt(w)[:, None]
    return np.linalg.lstsq(root * A, root * Y, rcond=None)[0]


def fcrm(X, Y, U, m, rounds, intercept=True):
    """`rounds` iterations of fuzzy c-regression of Y (n, t) on X (n, s), errors added over the columns. Thesis 4.1."""
    Y = np.asarray(Y, dtype=float).reshape(len(Y), -1)
    A = np.column_stack([np.ones(len(X)), X]) if intercept else np.asarray(X, dtype=float)
    a, y, u = rows(A), rows(Y), rows(U)
    n, t, c = len(y), len(y[0]), len(u[0])
    done = []
    for _ in range(rounds):
        betas = [weighted_coefficients(A, Y, np.array([u[k][i] ** m for k in range(n)])) for i in range(c)]
        E = [[max(squared_error(a[k], y[k], betas[i], t), 1e-100) for i in range(c)] for k in range(n)]
        u, before = membership_of(E, m), u
        done.append(finished(betas, u, before, E, m))
    return done


def squared_error(a, y, beta, t):
    fitted = [sum(a[b] * float(beta[b, j]) for b in range(len(a))) for j in range(t)]
    return sum((y[j] - fitted[j]) ** 2 for j in range(t))


def own_prediction(X, done):
    """(n, t) x'beta of each record's cluster of largest membership, the first on ties. Thesis 4.2."""
    A = np.column_stack([np.ones(len(X)), X])
    return np.array([A[k] @ done.models[int(np.argmax(done.membership[k]))] for k in range(len(A))])


def finished(models, u, before, d, m):
    n, c = len(u), len(u[0])
    objective = sum(u[k][i] ** m * d[k][i] for k in range(n) for i in range(c))
    delta = max(abs(u[k][i] - before[k][i]) for k in range(n) for i in range(c))
    return Round(np.array(models), np.array(u), objective, delta)
