"""Linkage by other distances: Mahalanobis, a weighted mean of squared differences, the first few attributes only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import InvalidParameter
from ..numerics.location import Location, location, scores, standardise
from ..types import Array
from .nearest import nearest_share

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
    T = _transformation(scores(X, replace(x, sd=unit)), scores(Z, replace(z, sd=unit)))
    origin = Location(x.origin, np.zeros_like(unit), unit)
    a, b = (_mapped(np.clip(scores(A, origin), -VERY_FAR, VERY_FAR), T) for A in (X, Z))
    return a, b


def _transformation(X: Array, Z: Array) -> Array:
    """T (p, r) of centred X and Z in comparable units, T T' = S^-."""
    freedom = max(len(X) - 1, 1)
    spread, V = np.linalg.eigh((X.T @ X + Z.T @ Z) / freedom)
    kept = spread > NO_SPREAD * max(float(spread.max(initial=0.0)), np.finfo(np.float64).tiny)
    W = V[:, kept] / np.sqrt(spread[kept])
    D = (X - Z) @ W
    own, Q = np.linalg.eigh(D.T @ D / freedom)
    return np.asarray(W @ (Q / np.sqrt(np.maximum(own, LEAST))), dtype=np.float64)


def _mapped(A: Array, T: Array) -> Array:
    # Not A @ T, whose rounding depends on where a row stands: equal records must stay equal, being ties.
    mapped = np.zeros((len(A), T.shape[1]))
    for a, row in zip(A.T, T, strict=True):
        mapped += a[:, None] * row
    return mapped


def weighted_share(X: Array, Z: Array, w: Array) -> Array:
    """1/t where an original's own record is among the t protected ones of least weighted distance, else 0; (n,).

    X, Z : (n, p) paired by position; each is standardised by its own mean and sd (n - 1).
    w : (p,) weights of the squared differences, at least 0, not all 0; only their proportions matter.
    Raises InvalidParameter for other weights. Equal weights give distance-based record linkage exactly.
    Source: Abril, Navarro-Arribas and Torra (2012).
    """
    w = np.asarray(w, dtype=np.float64)
    if w.shape != (X.shape[1],) or not np.isfinite(w).all() or (w < 0).any() or not w.any():
        rule = f"must be {X.shape[1]} numbers of at least 0, not all 0"
        raise InvalidParameter("weighted_share", "w", rule, w.tolist())
    root = np.sqrt(w / w.max())  # over the largest, so that equal weights change no bit
    return nearest_share(standardise(X) * root, standardise(Z) * root)
