"""Membership of records in clusters: from distances, at random, or as given."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidParameter
from ..rstream import RStream

Array = NDArray[np.float64]


def memberships(distance2: Array, m: float) -> Array:
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


def random_membership(n: int, c: int, stream: RStream) -> Array:
    """A random (n, c) membership: n*c uniforms filled by columns, as R's matrix(), each row divided by its sum."""
    u = stream.runif(n * c).reshape(c, n).T
    return np.ascontiguousarray(u / u.sum(axis=1, keepdims=True))


def given_membership(owner: str, initial: ArrayLike, n: int, c: int) -> Array:
    """A caller's starting membership as float64 (n, c), checked; rows are divided by their sums."""
    try:
        u = np.array(initial, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # 10**400 among them
        raise InvalidParameter(owner, "initial", "must be numbers", type(initial).__name__) from None
    if u.shape != (n, c):
        raise InvalidParameter(owner, "initial", f"must be a membership of shape ({n}, {c})", u.shape)
    with np.errstate(over="ignore"):
        sums = u.sum(axis=1)
    if not np.isfinite(sums).all() or (u < 0).any() or (sums <= 0).any():
        raise InvalidParameter(owner, "initial", "must be finite, at least 0, with no row of zeros", "other values")
    return u / sums[:, None]
