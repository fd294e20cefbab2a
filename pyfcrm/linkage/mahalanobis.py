"""Coordinates in which Euclidean distance is the Mahalanobis distance between an original and a protected record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .distance import Location, location

Array = NDArray[np.float64]

# Relative: a direction in which the two files together vary less than this is rounding, and is left out.
NO_SPREAD = 1e-10
# Of the files' own variance: differences that vary less than this count as varying so much.
LEAST = 1e-12
# A record this many sd away is as far as squares can bear.
VERY_FAR = 1e140


def whitened(X: Array, Z: Array) -> tuple[Array, Array]:
    """X and Z (n, p), paired by position, as (n, r) each with |a - b|^2 = (a - b)' S^- (a - b).

    S = Var X + Var Z - Cov - Cov' (n - 1), the covariance of the differences. S^- is the pseudo-inverse over the
    directions in which either file varies. Where a direction varies but its differences do not (an attribute
    released unchanged), the plain pseudo-inverse would ignore what gives every record away; here its weight is
    the limit of small differences instead, so that it decides first.
    Source: Torra, Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012); the limit is ours.
    """
    x, z = location(X), location(Z)
    unit = np.hypot(x.sd, z.sd)
    used = unit > 0
    unit = np.where(used, unit, 1.0)
    Xc, Zc = (_centred(A, where) / unit * used for A, where in ((X, x), (Z, z)))
    T = _transformation(Xc, Zc)
    return tuple(_mapped(np.clip((A - x.origin) / unit, -VERY_FAR, VERY_FAR) * used, T) for A in (X, Z))  # type: ignore[return-value]


def _transformation(X: Array, Z: Array) -> Array:
    """T (p, r) of centred X and Z in comparable units, T T' = S^-."""
    freedom = max(len(X) - 1, 1)
    spread, V = np.linalg.eigh((X.T @ X + Z.T @ Z) / freedom)
    kept = spread > NO_SPREAD * max(float(spread.max(initial=0.0)), np.finfo(np.float64).tiny)
    W = V[:, kept] / np.sqrt(spread[kept])
    D = (X - Z) @ W
    own, Q = np.linalg.eigh(D.T @ D / freedom)
    return np.asarray(W @ (Q / np.sqrt(np.maximum(own, LEAST))), dtype=np.float64)


def _centred(A: Array, where: Location) -> Array:
    return np.where(where.sd > 0, (A - where.origin) - where.offset, 0.0)


def _mapped(A: Array, T: Array) -> Array:
    # Not A @ T, whose rounding depends on where a row stands: equal records must stay equal, being ties.
    mapped = np.zeros((len(A), T.shape[1]))
    for a, row in zip(A.T, T, strict=True):
        mapped += a[:, None] * row
    return mapped
