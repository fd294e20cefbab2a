"""One iteration of fuzzy c-means or fuzzy c-regression over a block of records.

It gives the memberships, the objective, the largest change, and weighted sums for the next models. Small blocks run in numpy,
others in compiled kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from .panels import ERROR_FLOOR, PANEL, by_cluster, to_panels

SMALL_WORK = 60_000  # records x columns x clusters, up to which no kernel is compiled, which takes 5 s


@dataclass(frozen=True)
class Sums:
    """The sums over records that an iteration needs."""

    products: Array
    """Sums of each cluster, (c, 1 + K). First that of u^m. Then for c-means those of u^m x_j; for c-regression, for each
    regressor i, those of u^m a_i a_j for j = i, i + 1, ..., then of u^m a_i y_j for each j."""
    objective: float
    """The sum of u^m d^2; NaN where only the sums of a membership are computed."""
    delta: float
    """The largest change max|U' - U| of a membership; NaN without an old one."""

    def __add__(self, other: Sums) -> Sums:
        """The sums of two blocks together; of their changes the larger."""
        delta = float(np.maximum(self.delta, other.delta))  # NaN stays
        return Sums(self.products + other.products, self.objective + other.objective, delta)

    def centers(self, before: Array) -> Array:
        """Weighted means (c, p); a cluster without weight stays where it was before."""
        alive = self.products[:, 0] > 0
        centers = before.copy()
        centers[alive] = self.products[alive, 1:] / self.products[alive, :1]
        return centers

    def normal_equations(self, r: int, t: int) -> tuple[Array, Array, Array]:
        """Weights (c,), A'DA (c, r, r) and A'DY (c, r, t) of every cluster; see `products` for their order."""
        c = len(self.products)
        G = np.empty((c, r, r))
        h = np.empty((c, r, t))
        start = 1
        for i in range(r):
            end_of_G = start + r - i
            end_of_h = end_of_G + t
            G[:, i, i:] = self.products[:, start:end_of_G]
            G[:, i:, i] = G[:, i, i:]
            h[:, i] = self.products[:, end_of_G:end_of_h]
            start = end_of_h
        return self.products[:, 0], G, h


@dataclass(frozen=True)
class Pass:
    """One iteration over a block: (X, U) for c-means, (A, Y, U) for c-regression with regressors A (b, r).

    The membership U, in panels, is overwritten by the new one.
    """

    m: float
    """The fuzzifier."""
    models: Array | None = None
    """Centres (c, p), infinite for a cluster that never had weight; or coefficients (c, r, t), NaN for such a cluster.
    None: only the sums of the membership U are computed."""
    before: Array | None = None
    """The models of the iteration before. The old membership follows from these in blocks whose U is None."""

    def __call__(self, block: tuple[Any, ...]) -> Sums:
        A = _for_kernels(block[0])
        Y = _for_kernels(block[1]) if len(block) == 3 else None
        U = block[-1]
        if self.models is not None:
            c = len(self.models)
        else:
            assert U is not None
            c = U.shape[1]
        columns = A.shape[1] + (0 if Y is None else Y.shape[1])
        run = _in_numpy if len(A) * columns * c <= SMALL_WORK else _compiled
        return run(self, A, Y, U, c)


def _in_numpy(step: Pass, A: Array, Y: Array | None, U: Array | None, c: int) -> Sums:
    """The sums of a block, for c-means (Y is None) or c-regression; U is overwritten. The reference implementation.

    Memberships and their weights are (c, n) here, products (n, 1 + K).
    """
    n = len(A)
    if Y is None:
        parts = [A]
    else:  # a_i a_j for j from i on, then a_i y_j
        parts = [A[:, i : i + 1] * np.hstack([A[:, i:], Y]) for i in range(A.shape[1])]
    products = np.hstack([np.ones((n, 1)), *parts])
    old = None if U is None else by_cluster(U, n)
    if step.models is None:
        assert old is not None
        return Sums(old**step.m @ products, np.nan, np.nan)
    if old is None and step.before is not None:
        old = _shares(_squared_errors(A, Y, step.before), step.m)[0]
    u, w, cost = _shares(_squared_errors(A, Y, step.models), step.m)
    delta = np.nan if old is None else float(np.abs(u - old).max())
    if U is not None:  # of which `old` may be a view
        U[:] = to_panels(u.T)
    return Sums(w @ products, float(cost.sum()), delta)


def _squared_errors(A: Array, Y: Array | None, models: Array) -> Array:
    """Squared distances (c, n) from centres where Y is None, else squared residuals, added over the columns.

    Residuals are at least 1e-100, and infinite for a cluster without coefficients.
    """
    E = np.zeros((len(models), len(A)))
    if Y is None:
        for j in range(A.shape[1]):
            R = A[:, j] - models[:, j, None]
            E += R * R
        return E
    for j in range(Y.shape[1]):
        R = Y[:, j] - models[:, :, j] @ A.T
        E += R * R
    return np.where(np.isnan(E), np.inf, np.maximum(E, ERROR_FLOOR))


def _shares(d: Array, m: float) -> tuple[Array, Array, Array]:
    """Memberships and their weights u^m (c, n), and the records' cost (n,), from squared distances d (c, n).

    kernels.shares has the formula.
    """
    least = d.min(axis=0)
    with np.errstate(invalid="ignore"):  # 0 / 0 and infinity / infinity are not used
        ratio = np.where(d == least, 1.0, least / d)
    v = ratio ** (1.0 / (m - 1.0))
    total = v.sum(axis=0)
    scale = total**-m
    return v / total, v * ratio * scale, least * (total * scale)


def _compiled(step: Pass, A: Array, Y: Array | None, U: Array | None, c: int) -> Sums:
    """The sums of a block by the compiled iteration, equal to those of _in_numpy."""
    from .kernels import WIDE, iterate  # loads numba

    r = A.shape[1]
    t = 0 if Y is None else Y.shape[1]
    size = 1 + (r if Y is None else r * (r + 1) // 2 + r * t)
    padded_size = -(-size // WIDE) * WIDE
    if step.models is not None:
        models = step.models
    else:  # not used
        models = np.zeros((c, r) if Y is None else (c, r, t))
    before = models if step.before is None else step.before

    # Arrays that the kernel works in, (k, PANEL), in the order in which it unpacks them.
    products_by_record = np.zeros((padded_size, PANEL))
    products_by_record[0] = 1.0
    work = (
        np.zeros((r + t + 6, PANEL)),  # z: regressors and responses
        np.zeros(PANEL),  # rest
        products_by_record,
        np.zeros((c, PANEL)),  # d: squared distances
        np.zeros((c, PANEL)),  # old memberships
        np.zeros((c, PANEL)),  # u: new memberships
        np.zeros((c, PANEL)),  # w: their weights
        np.zeros((4, PANEL)),  # cost, and space for it
    )
    moved = np.zeros(PANEL)
    sums = np.zeros((c, padded_size))
    objective = iterate(
        A,
        np.empty((0, 0)) if Y is None else Y,
        np.empty((0, 0, PANEL)) if U is None else U,
        _padded(models),
        _padded(before),
        step.m,
        step.models is None,
        Y is None,
        work,
        moved,
        sums,
    )
    products = sums[:c, :size].copy()
    if step.models is None:
        return Sums(products, np.nan, np.nan)
    old_is_known = U is not None or step.before is not None
    return Sums(products, objective, float(moved.max()) if old_is_known else np.nan)


def _for_kernels(A: Array) -> Array:
    """A as the one kind of array that the kernels are compiled for; copied only if it is another."""
    return np.require(A, np.float64, ["C", "W", "A"])


def _padded(models: Array) -> Array:
    """Models as the kernels take them: centres (c, 1, p); coefficients (c, t, 6 or 10 or 14 ...), 0 where padded."""
    if models.ndim == 2:
        return _for_kernels(models[:, None])
    c, r, t = models.shape
    padded = np.zeros((c, t, 6 + 4 * max(0, -(-(r - 6) // 4))))
    padded[:c, :, :r] = models.transpose(0, 2, 1)
    return padded
