"""Fuzzy c-means (Bezdek 1981; thesis 2.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import real_number, whole_number
from ..rstream import RStream, as_stream
from .arrays import enough_records, finite_matrix, usable_fuzzifier
from .membership import given_membership, memberships, random_membership

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
) -> FCMFit:
    """Fuzzy c-means of the records of X, on the values as they are (no scaling).

    X : (n, p); c : number of clusters, 1 <= c <= n; m : fuzzifier, > 1; tol : stop when max|U' - U| < tol
    (0 runs all of max_iter); initial : an (n, c) membership to start from, else a random one from `seed`.
    Raises InvalidInput or InvalidParameter. Source: Bezdek (1981); thesis 2.7.
    """
    X = finite_matrix("fcm", "X", X)
    c = whole_number("fcm", "c", c, low=1)
    m = real_number("fcm", "m", m, above=1)
    tol = real_number("fcm", "tol", tol, low=0)
    max_iter = whole_number("fcm", "max_iter", max_iter, low=1)
    enough_records("fcm", c, len(X))
    usable_fuzzifier("fcm", m, c)
    U = (
        random_membership(len(X), c, as_stream(seed))
        if initial is None
        else given_membership("fcm", initial, len(X), c)
    )
    return _iterate(X, U, m, tol, max_iter)


def squared_distances(X: Array, P: Array) -> Array:
    """(n, c) squared Euclidean distances of records X (n, p) to centres P (c, p), from explicit differences."""
    d2 = np.zeros((len(X), len(P)))
    for j in range(X.shape[1]):
        difference = X[:, j, None] - P[None, :, j]
        d2 += difference * difference
    return d2


def update_centers(X: Array, W: Array, P: Array) -> Array:
    """Weighted means p_i = sum u^m x / sum u^m; a cluster whose weights are all 0 stays where it was.

    X : (n, p); W : (n, c), u^m; P : (c, p), the centres so far (infinite where there are none yet).
    """
    total = W.sum(axis=0)
    alive = total > 0
    centers = P.copy()
    centers[alive] = (W[:, alive].T @ X) / total[alive, None]
    return centers


def _iterate(X: Array, U: Array, m: float, tol: float, max_iter: int) -> FCMFit:
    P = np.full((U.shape[1], X.shape[1]), np.inf)
    W = U**m
    objective, delta, empty = [], [], False
    for _ in range(max_iter):
        empty = empty or not W.sum(axis=0).all()
        P = update_centers(X, W, P)
        d2 = squared_distances(X, P)
        before, U = U, memberships(d2, m)
        W = U**m
        objective.append(float(np.sum(W * np.where(U > 0, d2, 0.0))))
        delta.append(float(np.abs(U - before).max()))
        if delta[-1] < tol:
            break
    converged = delta[-1] < tol
    notes: tuple[str, ...] = ()
    if not converged and tol > 0:
        notes += (f"fuzzy c-means did not converge in {max_iter} iterations",)
    if empty:
        notes += ("fuzzy c-means had an empty cluster",)
    return FCMFit(U, P, np.array(objective), np.array(delta), len(delta), converged, notes)
