"""Tables of numbers in memory or on disk, their blocks of rows for an engine, and how many records fit in memory.

A block is how to read its numbers, not the numbers: a cluster's worker, or a later pass, reads them.
"""

from __future__ import annotations

import operator
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike

from ..engine import Engine, Part, row_blocks
from ..engine.memory import memory
from ..errors import refusing
from ..rstream import RStream
from ..types import Array, Rows

COPIES = 8  # copies of both files that a measure may need in memory
WORKING = 1 << 31  # bytes above which linkage works by blocks
STRIP = 1024  # rows that fit in the processor's cache
ALL = slice(None)
SCRATCH = "the temporary file of this work could not be written there"
Block = Any
"""Numbers (b, p); a function that gives them; a tuple of blocks, side by side; or a pair (Step, block), for its result."""


def most_records(p: int) -> int:
    """Records of p numbers that fit in half of the memory several times over."""
    return memory() // 2 // (COPIES * 8 * p)


def small(n: int, p: int) -> bool:
    """Whether n records of p numbers are linked faster at once than by blocks, within `WORKING` bytes."""
    return n <= min(most_records(p), WORKING // (COPIES * 8 * p))


class Records:
    """n records of p numbers. A : (n, p), in memory, or mapped from a file without a name, by columns."""

    def __init__(self, A: Any, *, on_disk: bool = False) -> None:
        # In memory there is one layout, so that sums are in one order wherever a block is.
        self.A = A if on_disk else np.ascontiguousarray(A)
        self.on_disk = on_disk
        self.n, self.p = A.shape

    @classmethod
    def empty(
        cls, n: int, p: int, *, on_disk: bool = False, folder: str | None = None, dtype: DTypeLike = np.float64
    ) -> Records:
        """A table to be filled. folder : where a file of its size fits, None for the system's temporary folder."""
        if not on_disk or n * p == 0:
            return cls(np.empty((n, p), dtype), on_disk=on_disk)
        size = n * p * np.dtype(dtype).itemsize
        with refusing(folder or tempfile.gettempdir(), SCRATCH), tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(size)
            # A full disk is an error here; under a mapped page it would end the process.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            return cls(np.asarray(np.memmap(file, dtype, "r+", shape=(n, p), order="F")), on_disk=True)

    def read(self, rows: slice = ALL) -> Array:
        """The records (b, p) of a slice; not to be written to."""
        return np.ascontiguousarray(self.A[rows], dtype=np.float64)

    def column(self, j: int) -> Array:
        """One column (n, 1), in memory."""
        return np.array(self.A[:, j], dtype=np.float64)[:, None]

    def taken(self, rows: Rows, columns: Sequence[int] | None = None, folder: str | None = None) -> Records:
        """A new table of the records at these positions, in this order. columns : None for all."""
        columns = range(self.p) if columns is None else columns
        table = Records.empty(len(rows), len(columns), on_disk=self.on_disk, folder=folder, dtype=self.A.dtype)
        for k, j in enumerate(columns):
            table.A[:, k] = self.A[rows, j]
        return table


class SideBySide(Records):
    """The records of two tables of equal length: the columns of the first, then those of the second."""

    def __init__(self, first: Records, second: Records) -> None:
        self.tables = (first, second)
        self.n = first.n
        self.p = first.p + second.p

    def read(self, rows: slice = ALL) -> Array:
        """The records (b, p) of a slice."""
        return np.hstack([table.read(rows) for table in self.tables])

    def column(self, j: int) -> Array:
        """One column (n, 1)."""
        first, second = self.tables
        return first.column(j) if j < first.p else second.column(j - first.p)


def _drawn(streams: Sequence[RStream], kind: str, count: int) -> Array:
    """Draws (count, columns) from copies of the streams: the same each time, laid out by columns as RStream's matrices."""
    columns = np.empty((len(streams), count))
    for column, stream in zip(columns, streams, strict=True):
        copy = stream.copy()
        column[:] = copy.rnorm(count) if kind == "normal" else copy.runif(count)
    return columns.T


def draws(stream: RStream, n: int, k: int, kind: str) -> list[Block]:
    """The n x k matrix that the stream would fill by columns next, by the blocks of n rows; the stream is advanced.

    R fills a matrix by columns, so the draws of a block of rows lie n apart. Each block has one stream for each column,
    at the first of its draws. kind : "normal" (two uniforms each) or "uniform".
    """
    parts = row_blocks(n)
    words = 2 if kind == "normal" else 1  # uniforms for each draw
    starts: list[list[RStream]] = [[] for _ in parts]  # of each block, a stream for each column
    for _ in range(k):
        for of_block, rows in zip(starts, parts, strict=True):
            of_block.append(stream.copy())
            stream.skip(words * (rows.stop - rows.start))
    blocks: list[Block] = []
    for of_block, rows in zip(starts, parts, strict=True):
        blocks.append(partial(_drawn, of_block, kind, rows.stop - rows.start))
    return blocks


def pieces(rows: Records, engine: Engine) -> list[Block]:
    """The blocks of a table, not yet read, or sent to the workers where the engine is a cluster."""
    blocks = [partial(rows.read, where) for where in row_blocks(rows.n)]
    hold = getattr(engine, "hold", None)  # a cluster has it
    if hold is None:
        return list(blocks)
    return list(hold(block() for block in blocks))


@dataclass(frozen=True)
class Step:
    """A function of a block: the first of a pair (step, block), computed whenever the pair is loaded."""

    function: Callable[[Array], Array]


def loaded(block: Block) -> Array:
    """The numbers (b, p) of a block."""
    if not isinstance(block, tuple):
        return cast(Array, block() if callable(block) else block)
    if isinstance(block[0], Step):
        step, of_block = block
        return cast(Array, step.function(loaded(of_block)))
    return np.hstack([loaded(part) for part in block])


def strips(block: Any) -> Iterator[list[Array]]:
    """The numbers of a block, or of each block of a tuple, STRIP rows at a time, which fit in the processor's cache."""
    several = isinstance(block, tuple) and not isinstance(block[0], Step)
    tables = [loaded(part) for part in block] if several else [loaded(block)]
    for first in range(0, len(tables[0]), STRIP):
        yield [table[first : first + STRIP] for table in tables]


def taken(block: Array, columns: tuple[int, ...]) -> Array:
    """These columns of a block, contiguous; not copied where they are all of it."""
    first = columns[0]
    stop = columns[-1] + 1
    if columns == tuple(range(first, stop)):
        return np.ascontiguousarray(block[:, first:stop])
    return np.ascontiguousarray(block[:, list(columns)])


def total(
    engine: Engine,
    part: Callable[[Any], Part],
    blocks: Sequence[Block],
    add: Callable[[Part, Part], Part] = operator.add,
) -> Part:
    """The sum of a function of each block, which may be held by a cluster."""
    return engine.total(partial(_of_loaded, part), blocks, add)


def _of_loaded(function: Callable[[Array], Part], block: Any) -> Part:
    """The function's result for a block's numbers: at module level, so that it can be sent to a worker."""
    return function(loaded(block))


def _listed(block: Array) -> list[Array]:
    """List of one block: as a sum of lists, `total` keeps every block."""
    return [block]


@dataclass(frozen=True)
class Sample:
    """The n records for methods that add up blocks."""

    engine: Engine
    """The engine that computes functions of blocks."""
    blocks: Sequence[Any]
    """Blocks (b, s + t): the independent columns, then the dependent ones."""
    rows: Records
    """The same records as one table (n, s + t)."""
    s: int
    """Number of independent columns."""
    t: int
    """Number of dependent columns."""
    folder: str | None = None
    """The folder for scratch files of 16 t bytes a record; None for the system's temporary folder."""

    @classmethod
    def of(cls, X: Array, Y: Array, engine: Engine) -> Sample:
        """The records X (n, s) and Y (n, t), in memory."""
        rows = Records(np.hstack([X, Y]))
        return cls(engine, pieces(rows, engine), rows, X.shape[1], Y.shape[1])

    @property
    def n(self) -> int:
        """Number of records."""
        return self.rows.n

    @property
    def dependent(self) -> tuple[int, ...]:
        """The positions of the dependent columns."""
        return tuple(range(self.s, self.s + self.t))

    @property
    def in_memory(self) -> bool:
        """Whether results of a pass are kept for the next; else they are computed again, from disk or on a cluster."""
        return not self.rows.on_disk and not hasattr(self.engine, "hold")

    def mapped(self, function: Callable[[Array], Array], *others: Sequence[Any]) -> list[Any]:
        """The function's result (b, k) for each block, which has the blocks of `others` to its right.

        Computed once where the records are in memory, else at each pass, so it must depend on nothing else.
        """
        blocks = list(self.blocks)
        if others:
            blocks = list(zip(self.blocks, *others, strict=True))
        steps = [(Step(function), block) for block in blocks]
        if self.in_memory:
            return total(self.engine, _listed, steps)
        return steps

    def draws(self, stream: RStream, k: int, kind: str) -> list[Any]:
        """The n x k matrix that the stream fills by columns next, by blocks; the stream is advanced. kind : as `draws`."""
        if not self.in_memory:
            return draws(stream, self.n, k, kind)
        A = stream.rnorm_matrix(self.n, k) if kind == "normal" else stream.runif_matrix(self.n, k)
        return [A[rows] for rows in row_blocks(self.n)]
