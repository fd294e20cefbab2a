"""Nearly orthonormal columns that span (1, X) and the residuals of Y, computed for a block of records when needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from ..data.blocks import Sample, total
from ..types import Array
from .design import orthonormal
from .factor import basis_and_factor, independent, positive, solved, tall_factor, triangle

CLEAR = 1e-4  # least part of a column of norm 1 that those before it do not explain, for the fast way
SURE = 32.0  # squared lengths of the inverse's columns, on average: up to there one factor is as good as two
CONSTANT = 1e-13  # of a column's mean: centring leaves as much behind in a constant one


@dataclass(frozen=True)
class Centred:
    """(1, X, Y) of some records, less the mean (s + t,), and further columns. one : the constant, 1/sqrt(n)."""

    one: float
    mean: Array

    def __call__(self, parts: list[Array]) -> Array:
        """(b, 1 + s + t + q), by columns, of parts side by side, (b, s + t + q) together."""
        A = np.empty((1 + sum(part.shape[1] for part in parts), len(parts[0])))
        A[0], at = self.one, 1
        for part in parts:
            A[at : at + part.shape[1]] = part.T
            at += part.shape[1]
        A[1 : 1 + len(self.mean)] -= self.mean[:, None]
        return A.T


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

    def __call__(self, parts: list[Array]) -> Array:
        """(Q, E), and further columns unchanged: (b, r + k + q), by columns."""
        A = self.centred(parts).T
        p, rk = 1 + len(self.centred.mean), self.rank + len(self.kept)
        out = np.empty((rk + len(A) - p, A.shape[1]))
        out[rk:] = A[p:]
        if self.direct is not None:
            np.matmul(self.direct.T, A[:p], out=out[:rk])
            return out.T
        (s1, r), kept = self.back.shape, self.kept
        np.matmul(self.back.T, A[:s1], out=out[:r])
        if kept:
            left = A[s1:p][kept] / self.scale[kept, None] - self.slopes[:, kept].T @ out[:r]
            # A solve by records: what it rounds is no more than Y's own last digits, whatever the factor's condition.
            out[r:rk] = solve_triangular(self.factor[:, kept].T, left, lower=True, check_finite=False)
        return out.T


def _sums(block: Array) -> Array:
    """Of each column, as a product: along the rows numpy is several times slower."""
    return np.ones(len(block)) @ block


def joint_basis(sample: Sample, extra: Sequence[Any] | None = None) -> tuple[JointBasis, Array]:
    """The sample's, by two passes: sums, and a triangular factor of (1, X, Y); collinear columns are no special case.

    extra : further columns, by blocks. Also the factor of (Q, E) and these, by a further pass unless it follows without rounding
    errors that matter.
    """
    n, p = sample.n, 1 + sample.s + sample.t
    mean = total(sample.engine, _sums, sample.blocks) / n
    centred = Centred(1.0 / float(np.sqrt(n)), mean)
    blocks = sample.blocks if extra is None else list(zip(sample.blocks, extra, strict=True))
    R = tall_factor(sample.engine, blocks, n, centred)
    size = _norms(R[:, :p])
    constant = size[1 : 1 + sample.s] <= CONSTANT * np.abs(mean[: sample.s]) * np.sqrt(n)
    U: Array = R[:p, :p] / size
    if constant.any() or (np.diag(U) <= CLEAR).any():
        size[1 : 1 + sample.s][constant] = np.inf
        basis = _collinear(centred, R[:p, :p] / size, size, 1 + sample.s)
        return basis, tall_factor(sample.engine, blocks, n, basis)
    s1, inverse = 1 + sample.s, solved(U, np.eye(p))
    direct = inverse / size[:, None]
    basis = JointBasis(
        centred, direct[:s1, :s1], size[s1:], U[:s1, s1:], U[s1:, s1:], list(range(sample.t)), direct
    )  # fmt: skip
    if (inverse * inverse).sum() > SURE * p:
        return basis, tall_factor(sample.engine, blocks, n, basis)
    S = R.copy()
    S[:p, :p] = np.eye(p)
    return basis, S


def _norms(R: Array) -> Array:
    """Of the columns, 1 for a column of zeros."""
    largest = np.abs(R).max(axis=0)
    largest[largest == 0] = 1.0
    size: Array = np.sqrt(((R / largest) ** 2).sum(axis=0)) * largest
    size[size == 0] = 1.0
    return size


def _collinear(centred: Centred, U: Array, size: Array, s1: int) -> JointBasis:
    """From the factor U of columns at norm 1, `size` before, of which some may be collinear; s1 : those of (1, X)."""
    A, Y = U[:, :s1], U[:, s1:]
    Q, back = orthonormal(A)
    Q = Q[:, : back.shape[1]]
    slopes = Q.T @ Y
    left = Y - Q @ slopes
    left = positive(triangle(left - Q @ (Q.T @ left)))
    T = basis_and_factor(left)[1]
    kept = list(range(Y.shape[1])) if len(T) == Y.shape[1] else independent(left)
    return JointBasis(centred, back / size[:s1, None], size[s1:], slopes, T, kept)
