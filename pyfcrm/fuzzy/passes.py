"""One iteration of fuzzy c-means or fuzzy c-regression over a block of records: memberships, objective, largest change,
and weighted sums for the next models. Small blocks run in numpy, others in compiled kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from .panels import ERROR_FLOOR, PANEL, by_cluster, to_panels

SMALL_WORK = 60_000  # records x columns x clusters, up to which no kernel is compiled, which takes 5 s


@dataclass(frozen=True)
class Sums:
    """The sums over records that an iteration needs.

    products : (c, 1 + K) the sum of u^m, and with x a record: of u^m x for c-means; of u^m a_i a_j and u^m a_i y_j for
    c-regression, for each i, j from i on and then y; objective : sum of u^m d^2; delta : max|U' - U|.
    """

    products: Array
    objective: float
    delta: float

    def __add__(self, other: Sums) -> Sums:
        delta = float(np.maximum(self.delta, other.delta))  # NaN stays
        return Sums(self.products + other.products, self.objective + other.objective, delta)

    def centers(self, before: Array) -> Array:
        """Weighted means (c, p); a cluster without weight stays where it was before."""
        alive = self.products[:, 0] > 0
        centers = before.copy()
        centers[alive] = self.products[alive, 1:] / self.products[alive, :1]
        return centers

    def normal_equations(self, r: int, t: int) -> tuple[Array, Array, Array]:
        """(c,) weights, (c, r, r) A'DA and (c, r, t) A'DY of every cluster."""
        c = len(self.products)
        G, h, at = np.empty((c, r, r)), np.empty((c, r, t)), 1
        for i in range(r):
            G[:, i, i:] = self.products[:, at : at + r - i]
            G[:, i:, i] = G[:, i, i:]
            h[:, i] = self.products[:, at + r - i : at + r - i + t]
            at += r - i + t
        return self.products[:, 0], G, h


@dataclass(frozen=True)
class Pass:
    """One iteration over a block: (X, U) for c-means, (A, Y, U) for c-regression with regressors A (b, r).

    m : fuzzifier; models : centres (c, p), infinite for a cluster that never had weight, or coefficients (c, r, t), NaN for
    such a cluster. None: only the sums of the membership U. before : the models of the iteration before, for blocks whose
    U is None, as their old membership follows from these. U, in panels, is overwritten.
    """

    m: float
    models: Array | None = None
    before: Array | None = None

    def __call__(self, block: tuple[Any, ...]) -> Sums:
        *records, U = block
        A, *Y = map(_own, records)
        c = U.shape[1] if self.models is None and U is not None else len(self.models)  # type: ignore[arg-type]
        columns = sum(B.shape[1] for B in (A, *Y))
        run = _in_numpy if len(A) * columns * c <= SMALL_WORK else _compiled
        return run(self, A, Y[0] if Y else None, U, c)


def _in_numpy(step: Pass, A: Array, Y: Array | None, U: Array | None, c: int) -> Sums:
    """The sums of a block, for c-means (Y is None) or c-regression."""
    n = len(A)
    parts = [A] if Y is None else [A[:, i : i + 1] * np.hstack([A[:, i:], Y]) for i in range(A.shape[1])]
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
    """(c, n) squared distances from centres, or squared residuals: at least 1e-100, infinite without coefficients."""
    E = np.zeros((len(models), len(A)))
    for j in range(A.shape[1] if Y is None else Y.shape[1]):
        R = A[:, j] - models[:, j, None] if Y is None else Y[:, j] - models[:, :, j] @ A.T
        E += R * R
    return E if Y is None else np.where(np.isnan(E), np.inf, np.maximum(E, ERROR_FLOOR))


def _shares(d: Array, m: float) -> tuple[Array, Array, Array]:
    """See kernels.shares: memberships and their weights (c, n), and cost (n,)."""
    least = d.min(axis=0)
    with np.errstate(invalid="ignore"):  # 0 / 0 and infinity / infinity are not used
        ratio = np.where(d == least, 1.0, least / d)
    v = ratio ** (1.0 / (m - 1.0))
    total = v.sum(axis=0)
    scale = total**-m
    return v / total, v * ratio * scale, least * (total * scale)


def _compiled(step: Pass, A: Array, Y: Array | None, U: Array | None, c: int) -> Sums:
    """As _in_numpy."""
    from .kernels import WIDE, iterate  # loads numba

    r, t = A.shape[1], 0 if Y is None else Y.shape[1]
    size = 1 + (r if Y is None else r * (r + 1) // 2 + r * t)
    models = np.zeros((c, r, t) if t else (c, r)) if step.models is None else step.models
    before = models if step.before is None else step.before
    # In the order in which the kernel unpacks them.
    rows = (r + t + 6, 1, -(-size // WIDE) * WIDE, c, c, c, c, 4)
    z, rest, *more = (np.zeros((k, PANEL)) for k in rows)
    work = (z, rest[0], *more)
    work[2][0] = 1.0
    moved, sums = np.zeros(PANEL), np.zeros((rows[6], rows[2]))
    stored = np.empty((0, 0, PANEL)) if U is None else U
    arrays = (A, np.empty((0, 0)) if Y is None else Y, stored, _padded(models), _padded(before))
    objective = iterate(*arrays, step.m, step.models is None, Y is None, work, moved, sums)
    products = sums[:c, :size].copy()
    if step.models is None:
        return Sums(products, np.nan, np.nan)
    return Sums(products, objective, np.nan if U is None and step.before is None else float(moved.max()))


def _own(A: Array) -> Array:
    """A as the one kind of array that the kernels are compiled for; copied only if it is another."""
    return np.require(A, np.float64, ["C", "W", "A"])


def _padded(models: Array) -> Array:
    """Models as the kernels take them: centres (c, 1, p); coefficients (c, t, 6 or 10 or 14 ...), 0 where padded."""
    if models.ndim == 2:
        return _own(models[:, None])
    c, r, t = models.shape
    padded = np.zeros((c, t, 6 + 4 * max(0, -(-(r - 6) // 4))))
    padded[:c, :, :r] = models.transpose(0, 2, 1)
    return padded
