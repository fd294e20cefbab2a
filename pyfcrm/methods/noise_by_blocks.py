"""Noise over blocks of rows: the kinds that treat each value by itself, and those whose covariance is the file's,
with every factor a sum.

Draws are those of memory. The factors of blocks come in another order, so numbers agree to rounding; the ranks of
nonlinear noise are then the same but where two values lie within rounding of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..data.blocks import Piece, Sample, draws, loaded, pieces, total
from ..data.records import DiskColumns, DiskRecords, column
from ..engine import Local, row_blocks
from ..numerics.design_by_blocks import Sums, location, triangle
from ..numerics.factor import basis_and_factor, residual_factor
from ..numerics.location import Location, scores
from ..numerics.sorting import normal_scores, placed_by_rank
from ..progress import Note
from ..rstream import RStream
from ..types import Array
from .noise import KINDS, Noise

Values = Callable[[Array], Array]


@dataclass(frozen=True)
class _Factor:
    """The triangular factor of the standardised columns from `first` on, over sqrt(n - 1)."""

    first: int
    where: Location
    n: int

    def part(self, block: Array) -> Array:
        return triangle(_standard(block, self.first, self.where) / _root(self.n))

    def add(self, a: Array, b: Array) -> Array:
        return triangle(np.vstack([a, b]))


def _standard(block: Array, first: int, where: Location) -> Array:
    return scores(block[:, first : first + len(where.sd)], where)


def _root(n: int) -> float:
    return float(np.sqrt(max(n - 1, 1)))


def correlated(a: float, file: Sample, where: Location, stream: RStream) -> tuple[Values, Sequence[Any]]:
    """methods.noise: what gives the values of a block with its draws, and the draws."""
    T = residual_factor(total(file.engine, _Factor(file.s, where, file.n), file.blocks))
    return partial(_correlated, a, file.s, where, T), draws(stream, file.n, file.t, "normal")


def _correlated(a: float, first: int, where: Location, T: Array, block: Array) -> Array:
    k, t = T.shape
    noise = block[:, first + t :][:, :k] @ T
    return np.asarray(block[:, first : first + t] + a * noise * where.sd)


@dataclass(frozen=True)
class _Moved:
    """The orthonormal basis of a block's standardised columns, with noise: Q + a E, both in that basis.

    back : (t, k) from the columns over sqrt(n - 1) to Q.
    """

    a: float
    first: int
    where: Location
    n: int
    back: Array

    def part(self, block: Array) -> Array:
        """(b, k)."""
        t, k = self.back.shape
        Q = _standard(block, self.first, self.where) / _root(self.n) @ self.back
        return np.asarray(Q + self.a / _root(self.n) * block[:, self.first + t :][:, :k])


@dataclass(frozen=True)
class _Summed:
    """What a kernel adds up over the blocks of moved bases."""

    moved: _Moved
    kernel: Any

    def part(self, block: Array) -> Any:
        return self.kernel.part(self.moved.part(block))

    def add(self, a: Any, b: Any) -> Any:
        return self.kernel.add(a, b)


@dataclass(frozen=True)
class _Triangle:
    mean: Array

    def part(self, block: Array) -> Array:
        return triangle(block - self.mean)

    def add(self, a: Array, b: Array) -> Array:
        return triangle(np.vstack([a, b]))


def linear(a: float, file: Sample, where: Location, stream: RStream) -> tuple[Values, Sequence[Any]]:
    """methods.noise, as `correlated`; the polar factor of the moved basis is it times V S^-1 V', with V and S of
    its triangular factor."""
    normals = draws(stream, file.n, file.t, "normal")
    R = total(file.engine, _Factor(file.s, where, file.n), file.blocks)
    _, T = basis_and_factor(R)
    moved = _Moved(a, file.s, where, file.n, np.asarray(np.linalg.pinv(T), dtype=np.float64))
    drawn = list(zip(file.blocks, normals, strict=True))
    mean = total(file.engine, _Summed(moved, Sums(len(T))), drawn)[0] / file.n
    _, size, right = np.linalg.svd(total(file.engine, _Summed(moved, _Triangle(mean)), drawn), full_matrices=False)
    polar = (right.T / np.where(size > 0, size, np.inf)) @ right
    return partial(_linear, moved, mean, polar @ T * _root(file.n), where), normals


def _linear(moved: _Moved, mean: Array, M: Array, where: Location, block: Array) -> Array:
    Y = block[:, moved.first : moved.first + len(where.sd)]
    return np.where(where.sd > 0, (where.origin + where.offset) + ((moved.part(block) - mean) @ M) * where.sd, Y)


def nonlinear(a: float, file: Sample, where: Location, stream: RStream) -> tuple[Values, Sequence[Any]]:
    """methods.noise: the values are placed here, a column at a time, and then lie on disk by rows."""
    scored = DiskColumns(file.n, file.t, file.folder)
    for j in range(file.t):
        scored.write(j, normal_scores(column(file.rows, file.s + j))[:, 0])
    blocks = pieces(scored, file.engine)
    at = location(file.engine, blocks, file.n, 0, file.t)
    T = residual_factor(total(file.engine, _Factor(0, at, file.n), blocks))
    moved = DiskRecords(file.t, file.folder)
    normals = draws(stream, file.n, file.t, "normal")
    for block, draw in zip(pieces(scored, Local()), normals, strict=True):
        moved.append(scores(loaded(block), at) + a * (draw.load()[:, : len(T)] @ T))
    placed = scored  # its numbers have been used
    for j in range(file.t):
        placed.write(j, placed_by_rank(column(file.rows, file.s + j), column(moved, j))[:, 0])
    moved.close()
    return partial(_last, file.t), [Piece(placed, rows) for rows in row_blocks(file.n)]


def _last(t: int, block: Array) -> Array:
    return block[:, -t:]


TOGETHER = {"correlated": correlated, "linear": linear, "nonlinear": nonlinear}


@dataclass(frozen=True)
class _Drawn:
    """Draws already made, where a kind of noise asks its stream for them."""

    values: Array

    def rnorm_matrix(self, n: int, k: int) -> Array:
        return self.values

    def runif_matrix(self, n: int, k: int) -> Array:
        return self.values


@dataclass(frozen=True)
class _Zeros:
    first: int
    last: int

    def part(self, block: Array) -> int:
        return int((block[:, self.first : self.last] == 0).sum())

    def add(self, a: int, b: int) -> int:
        return a + b


def noise(method: Noise, file: Sample, stream: RStream, note: Note) -> tuple[Callable[[Array], Array], Sequence[Any]]:
    """What gives a block's protected values, and what belongs to it: its draws, or values placed by rank."""
    engine, blocks, s, t = file.engine, file.blocks, file.s, file.t
    a = method.amount / 100
    where: Location | None = None
    if method.kind == "multiplicative":
        zeros = total(engine, _Zeros(s, s + t), blocks)
        if zeros:
            note(f"{zeros} values that are 0 stay 0: noise was multiplied")
    else:
        where = location(engine, blocks, file.n, s, s + t)
        for j in np.flatnonzero(where.sd == 0):
            note(f"dependent attribute {j + 1} is constant and stays as it is")
        if method.kind in TOGETHER:
            return TOGETHER[method.kind](a, file, where, stream)
    kind: Any = KINDS[method.kind]
    given = () if where is None else (where,)

    def values(block: Array) -> Array:
        return np.asarray(kind(block[:, s : s + t], a, _Drawn(block[:, s + t :]), *given))

    return values, draws(stream, file.n, t, "uniform" if method.kind == "laplace" else "normal")
