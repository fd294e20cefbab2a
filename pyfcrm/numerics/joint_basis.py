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

# Least part of a column of norm 1 that the columns before it do not explain: then no column is nearly collinear.
CLEAR = 1e-4
# Mean squared length of the inverse's columns up to which the second factor follows from the first one.
SURE = 32.0
# Of a column's mean: centring leaves as much behind in a constant column.
CONSTANT = 1e-13


@dataclass(frozen=True)
class Centred:
    """The columns (1, X, Y) of some records, less their means, and further columns unchanged."""

    one: float
    """The value of the constant column, 1/sqrt(n)."""
    mean: Array
    """Means of X and Y, (s + t,)."""

    def __call__(self, parts: list[Array]) -> Array:
        """The columns (b, 1 + s + t + q) of parts side by side, (b, s + t + q) together."""
        widths = [part.shape[1] for part in parts]
        transposed = np.empty((1 + sum(widths), len(parts[0])))  # by columns, which are then contiguous
        transposed[0] = self.one
        start = 1
        for part, width in zip(parts, widths, strict=True):
            transposed[start : start + width] = part.T
            start += width
        transposed[1 : 1 + len(self.mean)] -= self.mean[:, None]
        return transposed.T


@dataclass(frozen=True)
class JointBasis:
    """Columns Q (b, r), which span (1, X), and E (b, k), which span the residuals of Y; together nearly orthonormal.

    Y at norm 1 is Q slopes + E factor, to rounding.
    """

    centred: Centred
    """Makes the columns (1, X, Y) of a block."""
    back: Array
    """The matrix (1 + s, r) from centred (1, X) to Q."""
    scale: Array
    """Norms (t,) of the centred columns of Y."""
    slopes: Array
    """Coefficients (r, t) on Q of Y at norm 1."""
    factor: Array
    """Coefficients (k, t) of Y's residuals on E."""
    kept: list[int]
    """Positions of k columns of Y in which `factor` is triangular."""
    direct: Array | None = None
    """The matrix (1 + s + t, r + k) from centred (1, X, Y) to (Q, E) at once; None if columns are nearly collinear."""

    @property
    def rank(self) -> int:
        """The rank r of (1, X)."""
        return self.back.shape[1]

    @property
    def mean(self) -> Array:
        """Means (t,) of Y."""
        return self.centred.mean[-len(self.scale) :]

    def __call__(self, parts: list[Array]) -> Array:
        """The columns (Q, E) of a block, then further columns unchanged: (b, r + k + q).

        parts : X, Y and further columns of the block's records, side by side.
        """
        A = self.centred(parts).T  # (p + q, b): columns are rows here, which are contiguous
        p = 1 + len(self.centred.mean)
        s1, r = self.back.shape
        k = len(self.kept)
        result = np.empty((r + k + len(A) - p, A.shape[1]))
        result[r + k :] = A[p:]
        if self.direct is not None:
            np.matmul(self.direct.T, A[:p], out=result[: r + k])
            return result.T
        np.matmul(self.back.T, A[:s1], out=result[:r])
        if k:
            # E' solves factor' E' = residuals', by the columns in which the factor is triangular.
            Y = A[s1:p][self.kept] / self.scale[self.kept, None]
            residuals = Y - self.slopes[:, self.kept].T @ result[:r]
            # A solve by records: what it rounds is no more than Y's own last digits, whatever the factor's condition.
            triangular = self.factor[:, self.kept].T
            result[r : r + k] = solve_triangular(triangular, residuals, lower=True, check_finite=False)
        return result.T


def _sums(block: Array) -> Array:
    """Sums of the columns of a block, as a matrix product: numpy's sum over rows is several times slower."""
    return np.ones(len(block)) @ block


def joint_basis(sample: Sample, extra: Sequence[Any] | None = None) -> tuple[JointBasis, Array]:
    """The basis of a sample, by two passes: sums, and a triangular factor of (1, X, Y).

    extra : further columns, by blocks. The second result is the triangular factor of (Q, E) and these. It takes a third pass,
    unless it follows from the first factor without rounding errors that matter.
    """
    s1 = 1 + sample.s
    p = s1 + sample.t
    mean = total(sample.engine, _sums, sample.blocks) / sample.n
    centred = Centred(1.0 / float(np.sqrt(sample.n)), mean)
    blocks = sample.blocks if extra is None else list(zip(sample.blocks, extra, strict=True))
    R = tall_factor(sample.engine, blocks, sample.n, centred)

    # U is the factor of the columns at norm 1. Its diagonal has the part of each that the columns before it do not explain.
    size = _norms(R[:, :p])
    of_X = slice(1, s1)
    constant = size[of_X] <= CONSTANT * np.abs(mean[: sample.s]) * np.sqrt(sample.n)
    U: Array = R[:p, :p] / size
    if constant.any() or (np.diag(U) <= CLEAR).any():
        size[of_X][constant] = np.inf  # divided by it, such a column is 0
        basis = _collinear(centred, R[:p, :p] / size, size, s1)
        return basis, tall_factor(sample.engine, blocks, sample.n, basis)

    # (1, X, Y) U^-1 is orthonormal. Its first columns span (1, X), the others the residuals of Y.
    inverse = solved(U, np.eye(p))
    direct = inverse / size[:, None]
    basis = JointBasis(
        centred=centred,
        back=direct[:s1, :s1],
        scale=size[s1:],
        slopes=U[:s1, s1:],
        factor=U[s1:, s1:],
        kept=list(range(sample.t)),
        direct=direct,
    )
    if (inverse * inverse).sum() > SURE * p:
        return basis, tall_factor(sample.engine, blocks, sample.n, basis)
    # The first p columns are now (Q, E), which are orthonormal; further columns have the same coefficients as before.
    factor = R.copy()
    factor[:p, :p] = np.eye(p)
    return basis, factor


def _norms(R: Array) -> Array:
    """Norms of the columns; 1 for a column of zeros, so that division is safe."""
    largest = np.abs(R).max(axis=0)
    largest[largest == 0] = 1.0
    # Divided by the largest element first, so that no square overflows or vanishes.
    size: Array = np.sqrt(((R / largest) ** 2).sum(axis=0)) * largest
    size[size == 0] = 1.0
    return size


def _collinear(centred: Centred, U: Array, size: Array, s1: int) -> JointBasis:
    """The basis from the factor U of columns of norms `size`, brought to norm 1, of which some may be collinear.

    s1 : the number of columns of (1, X), which come first.
    """
    A = U[:, :s1]
    Y = U[:, s1:]
    Q, back = orthonormal(A)
    Q = Q[:, : back.shape[1]]
    slopes = Q.T @ Y
    residuals = Y - Q @ slopes
    residuals -= Q @ (Q.T @ residuals)  # once more, for what rounding leaves
    R = positive(triangle(residuals))
    factor = basis_and_factor(R)[1]
    full_rank = len(factor) == Y.shape[1]
    return JointBasis(
        centred=centred,
        back=back / size[:s1, None],
        scale=size[s1:],
        slopes=slopes,
        factor=factor,
        kept=list(range(Y.shape[1])) if full_rank else independent(R),
    )
