"""Fuzzy c-regression models (Hathaway and Bezdek 1993; thesis 4.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import choice, flag, real_number, whole_number
from ..engine import Engine, as_engine, one_blas_thread, row_blocks
from ..errors import InvalidInput, InvalidParameter
from ..numerics.design import Design, Inverse, design, solved
from ..rstream import RStream, as_stream
from ..types import Array
from .fcm import enough_records, fcm, finite_matrix, given_membership, usable_fuzzifier
from .radial import CENTRES, RadialBasis, Table, radial_basis, usable_centres, usable_width

START = {"m": 2.0, "tol": 1e-5, "max_iter": 100}  # the fuzzy c-means that gives the first partition


@dataclass(frozen=True)
class FCRMFit:
    """c regressions and the fuzzy partition that goes with them.

    membership : (n, c), rows sum to 1; coef : (c, s+1, t), the intercept first (no intercept: (c, s, t)), those that
    gave the membership (NaN: a cluster that never had a record); fitted : (n, t), x'beta of the cluster of largest
    membership; labels : (n,), that cluster, from 0; objective : E_m, sum of u^m E after each iteration; delta :
    max|U' - U| of each (the thesis's "F.O."); iterations; converged : True only if the last delta was below tol;
    rank : of (1, X); notes : what happened; radial : the basis, where there is one: coef are then of its functions.
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
    radial: RadialBasis | None = None


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
    engine: Engine | None = None,
    centres: int | Table = CENTRES,
    width: float | None = None,
    radial: RadialBasis | None = None,
) -> FCRMFit:
    """Fuzzy c-regression of y on X; several columns of y are fitted jointly, their squared errors added.

    X : (n, s), independent; y : (n,) or (n, t), dependent; c : clusters, 1 <= c <= n; m : fuzzifier, > 1;
    tol, max_iter : stop when max|U' - U| < tol, or after max_iter; initial : an (n, c) membership to start from, else
    fuzzy c-means of (X, y) on raw values from a random membership of `seed`; inverse : the generalised inverse used
    where X'DX is singular ("orthogonal", "thesis" for its algorithm 2.6, "moore_penrose"): fitted values do not depend on it;
    engine : what runs the sums over blocks of records (None: this machine's threads);
    basis : "linear", or "rbf" (ours) for Gaussian functions of standardised X in its place, with `centres` and `width`
    as `radial_basis` has them; their draws come first; radial : such a basis that is there already, instead.
    Raises InvalidInput or InvalidParameter. Source: Hathaway and Bezdek (1993); thesis 4.1.
    """
    X, Y = finite_matrix("fcrm", "X", X), finite_matrix("fcrm", "y", y)
    if len(X) != len(Y):
        raise InvalidInput("fcrm", "`X` and `y` must have as many records as each other", f"{len(X)} and {len(Y)}")
    c = whole_number("fcrm", "c", c, low=1)
    m = real_number("fcrm", "m", m, above=1)
    tol = real_number("fcrm", "tol", tol, low=0)
    max_iter = whole_number("fcrm", "max_iter", max_iter, low=1)
    choice("fcrm", "basis", basis, ("linear", "rbf"))
    centres, width = usable_centres("fcrm", centres), usable_width("fcrm", width)
    engine = as_engine("fcrm", engine)
    if radial is not None and not (isinstance(radial, RadialBasis) and radial.mean.shape == X.shape[1:]):
        rule = "must be a RadialBasis of as many columns as `X`, as radial_basis() gives, or None"
        raise InvalidParameter("fcrm", "radial", rule, radial)
    choice("fcrm", "inverse", inverse, ("orthogonal", "thesis", "moore_penrose"))
    enough_records("fcrm", c, len(X))
    usable_fuzzifier("fcrm", m, c)
    if not flag("fcrm", "intercept", intercept) and X.shape[1] == 0:
        raise InvalidInput("fcrm", "needs an intercept or at least one independent column", "neither")
    stream = as_stream(seed)
    with one_blas_thread():
        made = radial_basis("fcrm", X, centres, width, stream) if basis == "rbf" and radial is None else None
        radial = radial or made
        if initial is None:
            start = fcm(np.column_stack([X, Y]), c, seed=stream, engine=engine, **START)  # type: ignore[arg-type]
            U = start.membership
        else:
            U = given_membership("fcrm", initial, len(X), c)
        D = design(X if radial is None else radial.columns(X), intercept, inverse)
        fit = _iterate(D, Y, U, m, tol, max_iter, engine)
    return replace(fit, notes=(*(made.notes if made else ()), *fit.notes), radial=radial)


def _iterate(D: Design, Y: Array, U: Array, m: float, tol: float, max_iter: int, engine: Engine) -> FCRMFit:
    from .fcrm_kernels import FCRMPass, FCRMStart  # loads numba
    from .lanes import column_of, from_lanes, in_lanes, lanes_of

    n, c = U.shape
    membership = in_lanes(U)
    del U
    blocks = [(D.columns[rows], Y[rows], membership[lanes_of(rows)]) for rows in row_blocks(n)]
    r, t = D.columns.shape[1], Y.shape[1]
    gamma = np.full((c, r, t), np.nan)
    sums = engine.total(FCRMStart(m), blocks)
    objective, delta = [], []
    for _ in range(max_iter):
        new = solved(D, Y, *sums.normal_equations(r, t), lambda i: column_of(membership, i, n) ** m)
        gamma = np.where(np.isnan(new), gamma, new)  # an empty cluster keeps its line
        sums = engine.total(FCRMPass(gamma, m), blocks)
        objective.append(sums.objective)
        delta.append(sums.delta)
        if delta[-1] < tol:
            break
    return _fit(D, gamma, from_lanes(membership, n), objective, delta, tol)


def _fit(D: Design, gamma: Array, U: Array, objective: list[float], delta: list[float], tol: float) -> FCRMFit:
    labels = np.argmax(U, axis=1)
    fitted = _predictions(D.columns, gamma, labels)
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


def _predictions(A: Array, gamma: Array, labels: NDArray[np.intp]) -> Array:
    """(n, t) A gamma_i of each record's own cluster i."""
    fitted = np.empty((len(A), gamma.shape[2]))
    for rows in row_blocks(len(A)):
        fitted[rows] = np.einsum("kr,krt->kt", A[rows], gamma[labels[rows]])
    return fitted
