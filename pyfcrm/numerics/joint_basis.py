"""Columns that span (1, X), and beside them columns that span what the regression on them leaves of Y: nearly
orthonormal, made of a block of records as they are needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular

from ..data.blocks import Sample, total
from ..types import Array
from .design import RANK_TOL
from .design_by_blocks import triangle
from .factor import basis_and_factor, independent
from .tall_factor import positive, solved, tall_factor

CLEAR = 1e-4  # what a column of norm 1 has beside those before it, from which they are no special case
CONSTANT = 1e-13  # of a column's mean: centring leaves as much behind in a constant one


@dataclass(frozen=True)
class Centred:
    """(1, X, Y) of a block, less the mean (s + t,). one : the constant column, 1/sqrt(n)."""

    one: float
    mean: Array

    def __call__(self, block: Array) -> Array:
        p = len(self.mean)
        A = np.empty((len(block), 1 + p))
        A[:, 0] = self.one
        np.subtract(block[:, :p], self.mean, out=A[:, 1:])
        return A


@dataclass(frozen=True)
class JointBasis:
    """Q (b, r), which spans (1, X), and beside it E (b, k), which spans the residuals of Y: orthonormal, nearly.

    back : (1 + s, r) from (1, X) to Q; scale : (t,) norms of the centred Y; slopes : (r, t) of Y, at norm 1, on Q;
    factor : (k, t), so that Y is Q slopes + E factor to rounding; kept : k columns of Y where it is triangular;
    direct : (1 + s + t, r + k) from (1, X, Y) to (Q, E) where no column is nearly collinear with others.
    """

    centred: Centred
    back: Array
    scale: Array
    slopes: Array
    factor: Array
    kept: list[int]
    direct: Array | None = None

    @property
    def rank(self) -> int:
        """Of (1, X)."""
        return self.back.shape[1]

    @property
    def mean(self) -> Array:
        """(t,) of Y."""
        return self.centred.mean[-len(self.scale) :]

    def __call__(self, block: Array) -> Array:
        """(Q, E) of a block (b, s + t + q), and its last q columns as they are."""
        p = len(self.centred.mean)
        A, rk = self.centred(block), self.rank + len(self.kept)
        made = np.empty((len(A), rk + block.shape[1] - p))
        made[:, rk:] = block[:, p:]
        if self.direct is not None:
            np.matmul(A, self.direct, out=made[:, :rk])
        else:
            self._in_turn(A, made)
        return made

    def times(self, A: Array, M: Array) -> Array:
        """(Q, E) M of the centred columns A (b, 1 + s + t)."""
        if self.direct is not None:
            return np.asarray(A @ (self.direct @ M))
        both = np.empty((len(A), len(M)))
        self._in_turn(A, both)
        return np.asarray(both @ M)

    def _in_turn(self, A: Array, made: Array) -> None:
        """Q, then E from what Q leaves of Y."""
        (s1, r), kept = self.back.shape, self.kept
        made[:, :r] = Q = A[:, :s1] @ self.back
        if kept:
            left = A[:, s1:][:, kept] / self.scale[kept] - Q @ self.slopes[:, kept]
            # A solve by rows: what it rounds is no more than Y's own last digits, whatever the factor's condition.
            E = solve_triangular(self.factor[:, kept].T, left.T, lower=True, check_finite=False)
            made[:, r : r + len(kept)] = E.T


@dataclass(frozen=True)
class _Sums:
    """Of each column, as a product: along the rows numpy is several times slower."""

    def part(self, block: Array) -> Array:
        return np.ones(len(block)) @ block

    def add(self, a: Array, b: Array) -> Array:
        return a + b


def joint_basis(sample: Sample) -> JointBasis:
    """The sample's, by two passes: sums, and a triangular factor of (1, X, Y); collinear columns are no special case."""
    n, s1, t = sample.n, 1 + sample.s, sample.t
    mean = total(sample.engine, _Sums(), sample.blocks) / n
    centred = Centred(1.0 / float(np.sqrt(n)), mean)
    R = tall_factor(sample.engine, sample.blocks, n, centred)
    largest = np.abs(R).max(axis=0)
    largest[largest == 0] = 1.0
    size = np.sqrt(((R / largest) ** 2).sum(axis=0)) * largest
    size[size == 0] = 1.0
    constant = size[1:s1] <= CONSTANT * np.abs(mean[: s1 - 1]) * np.sqrt(n)
    U = R / size
    if (np.diag(U) > CLEAR).all() and not constant.any():
        direct = solved(U, np.eye(s1 + t)) / size[:, None]
        return JointBasis(
            centred, direct[:s1, :s1], size[s1:], U[:s1, s1:], U[s1:, s1:], list(range(t)), direct
        )  # fmt: skip
    size[1:s1][constant] = np.inf
    return _collinear(centred, R / size, size, s1)


def _collinear(centred: Centred, U: Array, size: Array, s1: int) -> JointBasis:
    """From the factor U of columns at norm 1, `size` before, of which some may be collinear; s1 : those of (1, X)."""
    A, Y = U[:, :s1], U[:, s1:]
    Q, P, pivot = qr(A, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(P))
    r = int(np.sum(diagonal > RANK_TOL * diagonal.max()))
    back, Q = np.zeros((s1, r)), Q[:, :r]
    back[pivot[:r]] = solved(P[:r, :r], np.eye(r))
    slopes = Q.T @ Y
    left = Y - Q @ slopes
    left = positive(triangle(left - Q @ (Q.T @ left)))
    T = basis_and_factor(left)[1]
    kept = list(range(Y.shape[1])) if len(T) == Y.shape[1] else independent(left)
    return JointBasis(centred, back / size[:s1, None], size[s1:], slopes, T, kept)
