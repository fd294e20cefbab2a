"""Fuzzy c-means (Bezdek 1981; thesis 2.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import real_number, whole_number
from ..engine import Engine, as_engine, one_blas_thread, row_blocks
from ..rstream import RStream, as_stream
from .arrays import enough_records, finite_matrix, usable_fuzzifier
from .membership import given_membership, random_membership

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FCMFit:
    """A fuzzy c-means partition.

    membership : (n, c), rows sum to 1; centers : (c, p), those that gave the membership (infinite: a cluster
    that never had a record);
    objective : sum of u^m d^2 after each iteration; delta : max|U' - U| of each iteration (the thesis's "F.O.");
    iterations : how many were run; converged : True only if the last delta was below tol; notes : what happened.
    """

    membership: Array
    centers: Array
    objective: Array
    delta: Array
    iterations: int
    converged: bool
    notes: tuple[str, ...] = ()


def fcm(
    X: ArrayLike,
    c: int,
    m: float = 2.0,
    tol: float = 1e-5,
    max_iter: int = 100,
    initial: ArrayLike | None = None,
    seed: int | RStream | None = None,
    engine: Engine | None = None,
) -> FCMFit:
    """Fuzzy c-means of the records of X, on the values as they are (no scaling).

    X : (n, p); c : number of clusters, 1 <= c <= n; m : fuzzifier, > 1; tol : stop when max|U' - U| < tol
    (0 runs all of max_iter); initial : an (n, c) membership to start from, else a random one from `seed`;
    engine : what runs the sums over blocks of records (None: this machine's threads).
    Raises InvalidInput or InvalidParameter. Source: Bezdek (1981); thesis 2.7.
    """
    X = finite_matrix("fcm", "X", X)
    c = whole_number("fcm", "c", c, low=1)
    m = real_number("fcm", "m", m, above=1)
    tol = real_number("fcm", "tol", tol, low=0)
    max_iter = whole_number("fcm", "max_iter", max_iter, low=1)
    engine = as_engine("fcm", engine)
    enough_records("fcm", c, len(X))
    usable_fuzzifier("fcm", m, c)
    U = (
        random_membership(len(X), c, as_stream(seed))
        if initial is None
        else given_membership("fcm", initial, len(X), c)
    )
    with one_blas_thread():
        return _iterate(X, U, m, tol, max_iter, engine)


def _iterate(X: Array, U: Array, m: float, tol: float, max_iter: int, engine: Engine) -> FCMFit:
    from .fcm_kernel import FCMPass, FCMStart  # loads numba
    from .lanes import from_lanes, in_lanes, lanes_of

    n, c = U.shape
    membership = in_lanes(U)
    del U
    blocks = [(X[rows], membership[lanes_of(rows)]) for rows in row_blocks(n)]
    P = np.full((c, X.shape[1]), np.inf)
    sums = engine.total(FCMStart(m), blocks)
    objective, delta, empty = [], [], False
    for _ in range(max_iter):
        empty = empty or not sums.weights[:, 0].all()
        P = sums.centers(P)
        sums = engine.total(FCMPass(P, m), blocks)
        objective.append(sums.objective)
        delta.append(sums.delta)
        if delta[-1] < tol:
            break
    converged = delta[-1] < tol
    notes: tuple[str, ...] = ()
    if not converged and tol > 0:
        notes += (f"fuzzy c-means did not converge in {max_iter} iterations",)
    if empty:
        notes += ("fuzzy c-means had an empty cluster",)
    U = from_lanes(membership, n)
    return FCMFit(U, P, np.array(objective), np.array(delta), len(delta), converged, notes)
