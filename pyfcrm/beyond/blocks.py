"""Blocks of rows as an engine takes them: a place to read from, not the numbers themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine, row_blocks
from ..rstream import RStream
from .rows import Rows

Array = NDArray[np.float64]
Part = TypeVar("Part")


class RowKernel(Protocol[Part]):
    """A kernel whose block is one float64 array (b, p)."""

    def part(self, block: Array) -> Part:
        """See engine.Kernel."""

    def add(self, a: Part, b: Part) -> Part:
        """See engine.Kernel."""


@dataclass(frozen=True)
class Piece:
    """Some records of a table, still where they are."""

    rows: Rows
    where: slice

    def load(self) -> Array:
        """(b, p)."""
        return self.rows.read(self.where)


@dataclass(frozen=True)
class Draw:
    """A block of a matrix of random draws: one stream a column, each at the first of the block's draws.

    R fills a matrix by columns, so the draws of a block of rows lie n apart; the streams were moved there by skipping.
    """

    streams: tuple[RStream, ...]
    kind: str
    count: int

    def load(self) -> Array:
        """(count, columns), the same each time, laid out by columns as RStream's own matrices."""
        columns = np.empty((len(self.streams), self.count))
        for column, stream in zip(columns, self.streams, strict=True):
            twin = stream.copy()
            column[:] = twin.rnorm(self.count) if self.kind == "normal" else twin.runif(self.count)
        return columns.T


def draws(stream: RStream, n: int, k: int, kind: str) -> list[Draw]:
    """The n x k matrix that the stream would fill by columns next, by the blocks of n rows; the stream is advanced.

    kind : "normal" (two uniforms each) or "uniform".
    """
    parts = row_blocks(n)
    words = 2 if kind == "normal" else 1
    starts: list[list[RStream]] = [[] for _ in parts]
    for _ in range(k):
        for start, rows in zip(starts, parts, strict=True):
            start.append(stream.copy())
            stream.skip(words * (rows.stop - rows.start))
    return [Draw(tuple(s), kind, rows.stop - rows.start) for s, rows in zip(starts, parts, strict=True)]


def pieces(rows: Rows, engine: Engine) -> list[Any]:
    """The blocks of a table, handed to a cluster's workers where the engine is one."""
    made = [Piece(rows, where) for where in row_blocks(rows.n)]
    hold = getattr(engine, "hold", None)
    return list(hold(piece.load() for piece in made)) if hold else cast(list[Any], made)


@dataclass(frozen=True)
class _Loading(Generic[Part]):
    kernel: RowKernel[Part]

    def part(self, block: Any) -> Part:
        return self.kernel.part(loaded(block))

    def add(self, a: Part, b: Part) -> Part:
        return self.kernel.add(a, b)


def loaded(block: Any) -> Array:
    """The numbers (b, p) of a piece or a draw; of a tuple of them, side by side."""
    if isinstance(block, Piece | Draw):
        return block.load()
    if isinstance(block, tuple):
        return np.hstack([loaded(one) for one in block])
    return cast(Array, block)


def taken(block: Array, columns: tuple[int, ...]) -> Array:
    """These columns of a block, contiguous; not copied where they are all of it."""
    first, last = columns[0], columns[-1] + 1
    if columns == tuple(range(first, last)):
        return np.ascontiguousarray(block[:, first:last])
    return np.ascontiguousarray(block[:, list(columns)])


def total(engine: Engine, kernel: RowKernel[Part], blocks: Sequence[Any]) -> Part:
    """The kernel's sum over blocks that are pieces, draws, tuples of these, or blocks held by a cluster."""
    return engine.total(_Loading(kernel), list(blocks))
