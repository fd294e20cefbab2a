"""The plain twins of the fuzzy kernels: the same iterations by whole numpy arrays, a line an equation."""

import numpy as np

from pyfcrm.fuzzy.panels import ERROR_FLOOR


def memberships(distance2, m):
    """Fuzzy membership of each record in each cluster.

    distance2 : (n, c) squared distances or squared errors; zeros and infinities allowed.
    m : fuzzifier, > 1.
    Returns (n, c); rows sum to 1. A record at distance 0 shares its membership equally among the clusters at
    distance 0; a cluster at infinite distance gets none.
    Source: Bezdek (1981); Hathaway and Bezdek (1993); thesis 2.7 step 2 and 4.1 step 3.
    """
    zero = distance2 == 0
    # In logarithms: the ratio (d_ik / d_jk)^(1/(m-1)) overflows for m near 1 and for d = 1e-100.
    v = np.log(np.where(zero, 1.0, distance2))
    v *= -1.0 / (m - 1.0)
    v -= v.max(axis=1, keepdims=True)
    u = np.exp(v)
    touching = zero.any(axis=1)
    u[touching] = zero[touching]
    u /= u.sum(axis=1, keepdims=True)
    return u


def squared_distances(X, P):
    """(n, c) squared distances of X (n, p) to the centres P (c, p), from explicit differences."""
    return ((X[:, None, :] - P[None, :, :]) ** 2).sum(axis=2)


def update_centers(X, W, P):
    """Weighted means (c, p) by W (n, c); a cluster whose weights are all 0 stays at P."""
    total = W.sum(axis=0)
    alive = total > 0
    centers = P.copy()
    centers[alive] = (W[:, alive].T @ X) / total[alive, None]
    return centers


def errors(A, Y, gamma):
    """(n, c) squared errors added over the responses, floored at 1e-100, infinite for a cluster without coefficients."""
    E = np.empty((len(Y), len(gamma)))
    for i, g in enumerate(gamma):
        residual = Y - A @ g
        E[:, i] = np.einsum("kt,kt->k", residual, residual)
    return np.where(np.isnan(E), np.inf, np.maximum(E, ERROR_FLOOR))


def cost(U, d, m):
    """sum u^m d, a cluster of no membership costing nothing wherever it is."""
    return float(np.sum(U**m * np.where(U > 0, d, 0.0)))
