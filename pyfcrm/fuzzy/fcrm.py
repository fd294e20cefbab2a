"""Fuzzy c-regression models (Hathaway and Bezdek 1993; thesis 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import choice, flag, real_number, whole_number
from ..errors import InvalidInput
from ..rstream import RStream, as_stream
from .arrays import enough_records, finite_matrix, usable_fuzzifier
from .fcm import fcm
from .membership import given_membership, memberships
from .weighted_ls import Design, Inverse, coefficients, design

Array = NDArray[np.float64]
ERROR_FLOOR = 1e-100  # the thesis's replacement for an error of zero
START = {"m": 2.0, "tol": 1e-5, "max_iter": 100}  # the fuzzy c-means that gives the first partition


@dataclass(frozen=True)
class FCRMFit:
    """c regressions and the fuzzy partition that goes with them.

    membership : (n, c), rows sum to 1; coef : (c, s+1, t), the intercept first (no intercept: (c, s, t)), those that
    gave the membership (NaN: a cluster that never had a record); fitted : (n, t), x'beta of the cluster of largest
    membership; labels : (n,), that cluster, from 0; objective : E_m, sum of u^m E after each iteration; delta :
    max|U' - U| of each (the thesis's "F.O."); iterations; converged : True only if the last delta was below tol;
    rank : of (1, X); notes : what happened.
    """

    membership: Array
    coef: Array
    fitted: Array
    labels: NDArray[np.intp]
    objective: Array
    delta: Array
    iterations: int
    converged: bool
    rank: int
    notes: tuple[str, ...] = ()


def fcrm(
    X: ArrayLike,
    y: ArrayLike,
    c: int,
    m: float = 1.5,
    tol: float = 1e-5,
    max_iter: int = 30,
    intercept: bool = True,
    basis: str = "linear",
    initial: ArrayLike | None = None,
    seed: int | RStream | None = None,
    inverse: Inverse = "orthogonal",
) -> FCRMFit:
    """Fuzzy c-regression of y on X; several columns of y are fitted jointly, their squared errors added.

    X : (n, s), independent; y : (n,) or (n, t), dependent; c : clusters, 1 <= c <= n; m : fuzzifier, > 1;
    tol, max_iter : stop when max|U' - U| < tol, or after max_iter; initial : an (n, c) membership to start from, else
    fuzzy c-means of (X, y) on raw values from a random membership of `seed`; inverse : the generalised inverse used
    where X'DX is singular ("orthogonal", "thesis" for its algorithm 2.6, "moore_penrose"): fitted values do not depend on it.
    Raises InvalidInput or InvalidParameter. Source: Hathaway and Bezdek (1993); thesis 4.1.
    """
    X, Y = finite_matrix("fcrm", "X", X), finite_matrix("fcrm", "y", y)
    if len(X) != len(Y):
        raise InvalidInput("fcrm", "`X` and `y` must have as many records as each other", f"{len(X)} and {len(Y)}")
    c = whole_number("fcrm", "c", c, low=1)
    m = real_number("fcrm", "m", m, above=1)
    tol = real_number("fcrm", "tol", tol, low=0)
    max_iter = whole_number("fcrm", "max_iter", max_iter, low=1)
    choice("fcrm", "basis", basis, ("linear",))
    choice("fcrm", "inverse", inverse, ("orthogonal", "thesis", "moore_penrose"))
    enough_records("fcrm", c, len(X))
    usable_fuzzifier("fcrm", m, c)
    if not flag("fcrm", "intercept", intercept) and X.shape[1] == 0:
        raise InvalidInput("fcrm", "needs an intercept or at least one independent column", "neither")
    if initial is None:
        start = fcm(np.column_stack([X, Y]), c, seed=as_stream(seed), **START)  # type: ignore[arg-type]
        U = start.membership
    else:
        U = given_membership("fcrm", initial, len(X), c)
    return _iterate(design(X, intercept, inverse), Y, U, m, tol, max_iter)


def errors(D: Design, Y: Array, gamma: Array) -> Array:
    """(n, c) squared errors E_ik, floored at 1e-100, infinite for a cluster without coefficients.

    D : design; Y : (n, t); gamma : (c, r, t) coefficients in the design's basis.
    """
    E = np.empty((len(Y), len(gamma)))
    for i, g in enumerate(gamma):
        residual = Y - D.columns @ g
        E[:, i] = np.einsum("kt,kt->k", residual, residual)
    return np.where(np.isnan(E), np.inf, np.maximum(E, ERROR_FLOOR))


def _iterate(D: Design, Y: Array, U: Array, m: float, tol: float, max_iter: int) -> FCRMFit:
    gamma = np.full((U.shape[1], D.columns.shape[1], Y.shape[1]), np.nan)
    W = U**m
    objective, delta = [], []
    for _ in range(max_iter):
        new = coefficients(D, Y, W)
        gamma = np.where(np.isnan(new), gamma, new)  # an empty cluster keeps its line
        E = errors(D, Y, gamma)
        before, U = U, memberships(E, m)
        W = U**m
        objective.append(float(np.sum(W * np.where(U > 0, E, 0.0))))
        delta.append(float(np.abs(U - before).max()))
        if delta[-1] < tol:
            break
    return _fit(D, gamma, U, objective, delta, tol)


def _fit(D: Design, gamma: Array, U: Array, objective: list[float], delta: list[float], tol: float) -> FCRMFit:
    labels = np.argmax(U, axis=1)
    fitted = np.einsum("kr,krt->kt", D.columns, gamma[labels])
    converged = delta[-1] < tol
    notes: tuple[str, ...] = ()
    if not converged and tol > 0:
        notes += (f"fuzzy c-regression did not converge in {len(delta)} iterations (max|U'-U| = {delta[-1]:.3g})",)
    if D.rank < D.back.shape[0]:
        notes += (f"the regressors have rank {D.rank} of {D.back.shape[0]}: a generalised inverse was used",)
    unused = U.shape[1] - len(np.unique(labels))
    if unused:
        notes += (f"{unused} of {U.shape[1]} clusters hold no record",)
    coef = np.einsum("sr,crt->cst", D.back, gamma)
    return FCRMFit(U, coef, fitted, labels, np.array(objective), np.array(delta), len(delta), converged, D.rank, notes)
