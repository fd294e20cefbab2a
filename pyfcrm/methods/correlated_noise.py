"""Noise whose covariance is the file's: every factor is a sum over blocks of records, wherever these lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..data.blocks import Piece, Sample, loaded, pieces, total
from ..data.records import Records
from ..engine import row_blocks
from ..numerics.design_by_blocks import Sums, location, triangle
from ..numerics.factor import basis_and_factor, residual_factor
from ..numerics.location import Location, scores
from ..numerics.sorting import normal_scores, placed_by_rank
from ..types import Array
from .method import Released

Draws = Sequence[Any]


@dataclass(frozen=True)
class _Standardised:
    """The t columns from `first` on, centred, sd 1 or 0, over sqrt(n - 1)."""

    first: int
    where: Location
    root: float

    def __call__(self, block: Array) -> Array:
        return scores(block[:, self.first : self.first + len(self.where.sd)], self.where) / self.root


@dataclass(frozen=True)
class _Moved:
    """The orthonormal basis of a block's standardised columns, with noise: Q + a E, both in that basis.

    back : (t, k) from the columns to Q.
    """

    a: float
    columns: _Standardised
    back: Array

    def __call__(self, block: Array) -> Array:
        t, k = self.back.shape
        noise = block[:, self.columns.first + t :][:, :k]
        return np.asarray(self.columns(block) @ self.back + self.a / self.columns.root * noise)


@dataclass(frozen=True)
class _Triangle:
    """The triangular factor of blocks less a mean."""

    mean: Array

    def part(self, block: Array) -> Array:
        return triangle(block - self.mean)

    def add(self, a: Array, b: Array) -> Array:
        return triangle(np.vstack([a, b]))


def _root(n: int) -> float:
    return float(np.sqrt(max(n - 1, 1)))


def correlated(a: float, sample: Sample, where: Location, draws: Draws) -> Released:
    """Y (n, t) plus normal noise of covariance a^2 S, S the sample covariance of Y.

    The noise has the rank of Y: what is an exact linear identity in Y stays one. draws : n x t normals.
    Source: Brand (2002), 2.2. (sdcMicro's "correlated" takes noise/100 for a^2.)
    """
    columns = _Standardised(sample.s, where, _root(sample.n))
    T = residual_factor(_factor(sample, columns))
    return Released(partial(_correlated, a, sample.s, where, T), draws)


def _factor(sample: Sample, columns: _Standardised) -> Array:
    return total(sample.engine, _Triangle(np.zeros(len(columns.where.sd))), sample.mapped(columns))


def _correlated(a: float, first: int, where: Location, T: Array, block: Array) -> Array:
    k, t = T.shape
    noise = block[:, first + t :][:, :k] @ T
    return np.asarray(block[:, first : first + t] + a * noise * where.sd)


def linear(a: float, sample: Sample, where: Location, draws: Draws) -> Released:
    """Y (n, t) plus correlated noise of covariance a^2 S, transformed so that sample means and covariances are Y's.

    Kim multiplies the deviations of y + e from the mean by one number, near 1/sqrt(1 + a^2), that keeps S without
    bias. Here it is the symmetric matrix nearest to it that keeps S exactly: with Y = QT centred, Q orthonormal,
    y + e is Q + aE in that basis, and its polar factor (the orthonormal matrix nearest to it) replaces Q: it is that
    basis times V D^-1 V', with D and V of its triangular factor.
    With few records there is little room: with two, a release is the original or its mirror image.
    draws : n x t normals. Source: Kim (1986); the polar factor: Higham (1986).
    """
    columns = _Standardised(sample.s, where, _root(sample.n))
    T = basis_and_factor(_factor(sample, columns))[1]
    moved = _Moved(a, columns, np.asarray(np.linalg.pinv(T), dtype=np.float64))
    blocks = sample.mapped(moved, draws)
    mean = total(sample.engine, Sums(len(T)), blocks)[0] / sample.n
    _, size, right = np.linalg.svd(total(sample.engine, _Triangle(mean), blocks), full_matrices=False)
    polar = (right.T / np.where(size > 0, size, np.inf)) @ right
    return Released(partial(_linear, moved, mean, polar @ T * columns.root), draws)


def _linear(moved: _Moved, mean: Array, M: Array, block: Array) -> Array:
    where, first = moved.columns.where, moved.columns.first
    Y = block[:, first : first + len(where.sd)]
    return np.where(where.sd > 0, (where.origin + where.offset) + ((moved(block) - mean) @ M) * where.sd, Y)


def nonlinear(a: float, sample: Sample, where: Location, draws: Draws) -> Released:
    """The values of each attribute of Y (n, t), placed by the ranks of its normal scores with correlated noise.

    The noise's covariance is a^2 that of the scores. Each margin is the original's exactly: the values released are
    the file's own, at other records. The values are placed here, a column at a time. draws : n x t normals.
    Source: Sullivan (1989), with the empirical margins and without her later steps, which search for the best correlations.
    """
    n, s, t = sample.n, sample.s, sample.t
    columns, moved = (Records.empty(n, t, on_disk=not sample.in_memory, folder=sample.folder) for _ in range(2))
    for j in range(t):
        columns.A[:, j] = normal_scores(sample.rows.column(s + j))[:, 0]
    scored = Sample(sample.engine, pieces(columns, sample.engine), columns, 0, t, sample.folder)
    at = location(scored.engine, scored.blocks, n, 0, t)
    T = residual_factor(_factor(scored, _Standardised(0, at, _root(n))))
    for rows, draw in zip(row_blocks(n), draws, strict=True):
        moved.A[rows] = scores(columns.read(rows), at) + a * (loaded(draw)[:, : len(T)] @ T)
    for j in range(t):  # over the scores, which have been used
        columns.A[:, j] = placed_by_rank(sample.rows.column(s + j), moved.column(j))[:, 0]
    return Released(partial(_last, t), [Piece(columns, rows) for rows in row_blocks(n)])


def _last(t: int, block: Array) -> Array:
    return block[:, -t:]


TOGETHER: dict[str, Callable[[float, Sample, Location, Draws], Released]] = {
    "correlated": correlated,
    "linear": linear,
    "nonlinear": nonlinear,
}
