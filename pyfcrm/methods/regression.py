"""The regression of the dependent attributes on the independent ones that IPSO, GADP and their kin start from, and
noise that fits it: each by sums over blocks of records, wherever these lie.

The columns (1, X, Y) are made nearly orthonormal by a first triangular factor; a second one, of what was made so and of
the noise beside it, has every cross-product to rounding. Source: Yamamoto et al. (2015), twice a triangular factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from ..data.blocks import Sample, total
from ..errors import InvalidInput
from ..numerics.design import RANK_TOL
from ..numerics.design_by_blocks import Sums, triangle
from ..numerics.factor import basis_and_factor, independent
from ..numerics.tall_factor import positive, solved, tall_factor
from ..progress import Note
from ..types import Array
from .method import Released

CLEAR = 1e-4  # what a column of norm 1 leaves beside those before it, from which nothing is collinear
CONSTANT = 1e-13  # of a column's magnitude: centring leaves as much behind in a constant one


@dataclass(frozen=True)
class Centred:
    """(1, X, Y) of a block, centred, in powers of two that round nothing. one : the constant column, 1/sqrt(n)."""

    one: float
    mean: Array
    unit: Array

    def __call__(self, block: Array) -> Array:
        p = len(self.mean)
        A = np.empty((len(block), 1 + p))
        A[:, 0] = self.one
        np.subtract(block[:, :p], self.mean, out=A[:, 1:])
        A[:, 1:] /= self.unit
        return A


@dataclass(frozen=True)
class Basis:
    """Q (b, r), which spans (1, X), and beside it E (b, k), which spans the residuals of Y: orthonormal, nearly.

    back : (1 + s, r) from (1, X) to Q; size : (t,) norms of the centred Y; slopes : (r, t) of Y, at norm 1, on Q;
    factor : (k, t), so that Y is Q slopes + E factor to rounding; kept : k columns of Y where it is triangular.
    """

    centred: Centred
    back: Array
    size: Array
    slopes: Array
    factor: Array
    kept: list[int]

    @property
    def rank(self) -> int:
        """Of (1, X)."""
        return self.back.shape[1]

    @property
    def unit(self) -> Array:
        """(t,) what Y at norm 1 was divided by, in the data's units."""
        return np.asarray(self.size * self.centred.unit[-len(self.size) :])

    def __call__(self, block: Array) -> Array:
        return self.of(self.centred(block))

    def of(self, A: Array) -> Array:
        """(b, r + k) of the centred columns (b, 1 + s + t)."""
        s1, r = self.back.shape
        both = np.empty((len(A), r + len(self.kept)))
        np.matmul(A[:, :s1], self.back, out=both[:, :r])
        if self.kept:
            left = A[:, s1:][:, self.kept] / self.size[self.kept] - both[:, :r] @ self.slopes[:, self.kept]
            # A solve by rows: what it rounds is no more than Y's own last digits, whatever the factor's condition.
            both[:, r:] = solve_triangular(self.factor[:, self.kept].T, left.T, lower=True, check_finite=False).T
        return both


@dataclass(frozen=True)
class AddedNoise:
    """(N - B slopes) M: N the first columns of the normals `draws` (by blocks), B those of (Q, E); M : (columns, t)."""

    draws: Sequence[Any]
    slopes: Array
    M: Array


@dataclass(frozen=True)
class Regression:
    """Y regressed on (1, X), both centred and Y at norm 1, and normals on both.

    S : the triangular factor of (Q, E, N), N the t columns of `draws`, where there are any; n : records.
    """

    basis: Basis
    S: Array
    n: int
    draws: Sequence[Any] | None = None

    @property
    def rank(self) -> int:
        """k, of the residuals."""
        return len(self.basis.kept)

    @property
    def needed(self) -> int:
        """Records that noise uncorrelated with X and Y, and of the residuals' rank, needs."""
        return self.basis.rank + 2 * self.rank

    @property
    def slopes(self) -> Array:
        """(r, t) of Y on Q."""
        r, k = self.basis.rank, self.rank
        return np.asarray(self.basis.slopes + solved(self.S[:r, :r], self.S[:r, r : r + k] @ self.basis.factor))

    @property
    def factor(self) -> Array:
        """T (k, t), T'T = R'R for the residuals R: with k = t their Cholesky factor, else that of columns that make up all."""
        r, k = self.basis.rank, self.rank
        return np.asarray(self.S[r : r + k, r : r + k] @ self.basis.factor)

    def on_x(self) -> tuple[Array, Array]:
        """The first k columns of N regressed on Q: slopes (r, k), and the upper factor (k, k) of what is left."""
        r, k = self.basis.rank, self.rank
        N = self.S[:, r + k : r + 2 * k]
        return solved(self.S[:r, :r], N[:r]), positive(triangle(N[r:]))

    def on_both(self) -> tuple[Array, Array]:
        """N regressed on (Q, E): slopes (r + k, t), and the upper factor (t, t) of what is left."""
        both = self.basis.rank + self.rank
        return solved(self.S[:both, :both], self.S[:both, both:]), self.S[both:, both:]

    def sd(self) -> Array:
        """(t,) of the normals, n - 1."""
        r = self.basis.rank
        constant = self.S[:r, :r] @ np.linalg.lstsq(self.basis.back, np.eye(len(self.basis.back))[0])[0]
        N = self.S[:, r + self.rank :].copy()
        N[:r] -= np.outer(constant, constant @ N[:r]) / (constant @ constant)
        return np.asarray(np.sqrt((N * N).sum(axis=0) / (self.n - 1)))

    def released(self, noise: AddedNoise | None = None, share: float = 1.0, own: float = 0.0) -> Released:
        """Predictions + share noise + own residuals, in the data's units."""
        r, k, t = self.basis.rank, self.rank, len(self.basis.size)
        M = np.zeros((r + k, t))
        M[:r] = (1 - own) * self.slopes
        if noise is None:
            return Released(_Values(self.basis, M, own))
        M[: len(noise.slopes)] -= share * (noise.slopes @ noise.M)
        return Released(_Values(self.basis, np.vstack([M, share * noise.M]), own), noise.draws)


@dataclass(frozen=True)
class _Values:
    """own Y + (Q, E, noise) M of a block, in the data's units."""

    basis: Basis
    M: Array
    own: float

    def __call__(self, block: Array) -> Array:
        centred, p, t = self.basis.centred, len(self.basis.centred.mean), len(self.basis.size)
        A = centred(block)
        both = self.basis.of(A)
        k = len(self.M) - both.shape[1]
        Z = both @ self.M[: both.shape[1]]
        if k:
            Z += block[:, p : p + k] @ self.M[both.shape[1] :]
        Z *= self.basis.size
        if self.own:
            Z += self.own * A[:, 1 + p - t :]
        Z *= centred.unit[p - t :]
        Z += centred.mean[p - t :]
        return np.asarray(Z)


def regression(sample: Sample, note: Note, draws: Sequence[Any] | None = None) -> Regression:
    """The dependent attributes regressed on (1, X), s may be 0; collinear columns are no special case, and noted.

    draws : the normals (b, t) by blocks that noise is to be made of, where they must be regressed too.
    """
    basis, n = _basis(sample), sample.n
    if basis.rank < sample.s + 1:
        note(f"the independent attributes have rank {basis.rank - 1} of {sample.s}: collinear ones were set aside")
    if draws is None:
        return Regression(basis, tall_factor(sample.engine, sample.mapped(basis), n), n)
    S = tall_factor(sample.engine, sample.mapped(_Beside(basis, n), draws), n)
    S[:, basis.rank + len(basis.kept) :] *= np.sqrt(n)
    return Regression(basis, S, n, draws)


@dataclass(frozen=True)
class _Beside:
    """(Q, E, N / sqrt(n)) of a block that has its draws N (b, t) on its right."""

    basis: Basis
    n: int

    def __call__(self, block: Array) -> Array:
        return np.hstack([self.basis(block), block[:, len(self.basis.centred.mean) :] / np.sqrt(self.n)])


def _basis(sample: Sample) -> Basis:
    n, s1, t = sample.n, 1 + sample.s, sample.t
    sums = total(sample.engine, Sums(sample.s + t), sample.blocks)
    unit = np.ldexp(1.0, np.frexp(sums[1])[1])
    centred = Centred(1.0 / np.sqrt(n), sums[0] / n, unit)
    R = tall_factor(sample.engine, sample.mapped(centred), n)
    norm = np.sqrt((R * R).sum(axis=0))
    size = norm[s1:]
    size[size == 0] = 1.0
    x = norm[:s1]
    x[1:][x[1:] <= CONSTANT * (sums[1] / unit)[: s1 - 1] * np.sqrt(n)] = np.inf
    A, y = R[:, :s1] / x, R[:, s1:] / size
    if (np.diag(A) > CLEAR).all():
        back, slopes, left = np.diag(1 / x) @ solved(A[:s1], np.eye(s1)), y[:s1], y[s1:]
    else:
        Q, P, pivot = qr(A, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(P))
        r = int(np.sum(diagonal > RANK_TOL * diagonal.max()))
        back, Q = np.zeros((s1, r)), Q[:, :r]
        back[pivot[:r]] = solved(P[:r, :r], np.eye(r))
        back, slopes = np.diag(1 / x) @ back, Q.T @ y
        left = y - Q @ slopes
        left -= Q @ (Q.T @ left)
    left = positive(triangle(left))
    T = left if (np.diag(left) > CLEAR).all() else basis_and_factor(left)[1]
    return Basis(centred, back, size, slopes, T, list(range(t)) if len(T) == t else independent(left))


def exact_noise(owner: str, fit: Regression, note: Note, which: str = "") -> AddedNoise:
    """Noise with the residuals' own cross-products R'R, uncorrelated with X and with Y in the sample.

    owner, which : who an error is about. Errors: InvalidInput with fewer than 1 + s + t + rank(R) records, by rank.
    Source: Burridge (2003) as the thesis's A.1 codes it; Muralidhar and Sarathy (2008).
    """
    T, t, k = fit.factor, len(fit.basis.size), fit.rank
    say_rank(T, t, note)
    if fit.n < fit.needed:
        raise InvalidInput(owner, f"{which}needs at least {fit.needed} records for these attributes", fit.n)
    slopes, left = fit.on_both()
    # By the lower factor of the inverse cross-products, as R's t(chol(solve(.))): from the last column back.
    last = positive(triangle(left[:k, :k][:, ::-1]))
    return AddedNoise(drawn(fit), slopes[:, :k], solved(last, T[::-1])[::-1])


def drawn(fit: Regression) -> Sequence[Any]:
    """The normals that were regressed."""
    assert fit.draws is not None
    return fit.draws


def say_rank(T: Array, t: int, note: Note) -> None:
    """Notes a factor T (k, t) of residuals that has fewer rows than attributes."""
    if len(T) < t:
        note(f"the residuals of the {t} dependent attributes have rank {len(T)}: a factor of that rank was used")
