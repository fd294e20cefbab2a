"""Fuzzy partitions that passes over the records move on: kept, where there is memory for one, or remade at each pass
from the centres or lines before. Kernels, blocks and draws are the same, and so are the numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..data.blocks import Sample, Step, pieces, taken, total
from ..engine import Added, Engine, Local, row_blocks
from ..numerics.design_by_blocks import triangle
from ..types import Array

Counts = NDArray[np.int64]
Take = Callable[[Array], tuple[Array, ...]]  # what a kernel needs of a block of records, beside the membership


class Kernels(Protocol):
    """What an algorithm sums, and how it moves a membership on: FCMStart and FCMPass, FCRMStart and FCRMPass."""

    def start(self, m: float) -> Any:
        """The kernel that sums a given membership."""

    def step(self, to: Array, m: float, before: Array | None = None) -> Any:
        """The kernel of one pass to the centres or lines `to`; before : those that the old membership follows from."""


class Kept:
    """A membership in memory: each pass writes the new one over the old.

    records : arrays of n rows, which a kernel takes with the membership; membership : in lanes (fuzzy.lanes).
    """

    def __init__(self, engine: Engine, records: tuple[Array, ...], membership: Array, m: float, by: Kernels) -> None:
        from .lanes import lanes_of

        self.engine, self.records, self.membership, self.m, self.by = engine, records, membership, m, by
        self.n, self.c = len(records[0]), membership.shape[1]
        self.blocks = [(*(A[rows] for A in records), membership[lanes_of(rows)]) for rows in row_blocks(self.n)]

    def start(self) -> Any:
        """The sums of the membership there is."""
        return self.engine.total(self.by.start(self.m), self.blocks)

    def advance(self, to: Array) -> Any:
        """The sums of the membership that follows from centres or lines, which takes the old one's place."""
        return self.engine.total(self.by.step(to, self.m), self.blocks)

    def matrix(self) -> Array:
        """(n, c) the membership."""
        from .lanes import from_lanes

        return from_lanes(self.membership, self.n)


class KeptLines(Kept):
    """The partition of a fuzzy c-regression, with its regressors A (n, r) and responses Y (n, t) in memory."""

    def weighted(self, i: int) -> tuple[Array, Array, Array]:
        """A, Y and weights (n,) with the least-squares solution of cluster i."""
        from .lanes import column_of

        A, Y = self.records
        return A, Y, column_of(self.membership, i, self.n) ** self.m

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """(n,) the cluster of each record's largest membership, once the fit is over."""
        return np.argmax(self.matrix(), axis=1)

    def counts(self) -> Counts:
        """(c,) how many records have their largest membership in each cluster."""
        return np.bincount(self.labels, minlength=self.c)

    def predicted(self, gamma: Array) -> list[Any]:
        """By blocks (b, t), what the line of each record's own cluster predicts."""
        A = self.records[0]
        return [np.einsum("kr,krt->kt", A[rows], gamma[self.labels[rows]]) for rows in row_blocks(self.n)]


@dataclass(frozen=True)
class Columns:
    """Some columns of a block, as fuzzy c-means takes them."""

    wanted: tuple[int, ...]

    def __call__(self, block: Array) -> tuple[Array]:
        """(b, p)."""
        return (taken(block, self.wanted),)


@dataclass(frozen=True)
class Drawn:
    """A random membership: the block's last c columns are uniforms, each record's divided by their sum."""

    c: int

    def __call__(self, block: Array) -> Array:
        """In lanes."""
        from .lanes import in_lanes

        u = np.asfortranarray(block[:, -self.c :])  # so that rows are summed in fuzzy.random_membership's order
        return in_lanes(np.ascontiguousarray(u / u.sum(axis=1, keepdims=True)))


@dataclass(frozen=True)
class Following:
    """The membership that follows from c centres or lines. step : the kernel of a pass to these."""

    take: Take
    step: Any
    c: int

    def __call__(self, block: Array) -> Array:
        """In lanes."""
        return self.of(self.take(block))

    def of(self, records: tuple[Array, ...]) -> Array:
        """In lanes, of what `take` gives."""
        from .lanes import LANES, aligned

        U = aligned(-(-len(records[0]) // LANES) * self.c).reshape(-1, self.c, LANES)
        self.step.part((*records, U))
        return U

    def matrix(self, records: tuple[Array, ...]) -> Array:
        """(b, c)."""
        from .lanes import from_lanes

        return from_lanes(self.of(records), len(records[0]))


@dataclass(frozen=True)
class Origin:
    """A membership that is not kept: blocks of records, with whatever else it is made of, and how it is made of one."""

    blocks: Sequence[Any]
    lanes: Callable[[Array], Array]


@dataclass(frozen=True)
class _Remaking(Added):
    """A pass of a kernel over blocks whose membership is made first, or by the kernel itself (lanes is None)."""

    kernel: Any
    take: Take
    lanes: Callable[[Array], Array] | None = None

    def part(self, block: Array) -> Any:
        """See engine.Kernel."""
        return self.kernel.part((*self.take(block), None if self.lanes is None else self.lanes(block)))


class Remade:
    """A membership that is made again at each pass, from its origin or from the centres or lines of the pass before.

    Nothing is written to a block, so one can be worked on again, by another worker where the first was lost.
    """

    def __init__(self, sample: Sample, take: Take, origin: Origin, m: float, by: Kernels) -> None:
        self.sample, self.take, self.first, self.m, self.by = sample, take, origin, m, by
        self.now: Array | None = None

    def start(self) -> Any:
        """See Kept."""
        return self._total(_Remaking(self.by.start(self.m), self.take, self.first.lanes), self.first.blocks)

    def advance(self, to: Array) -> Any:
        """See Kept."""
        if self.now is None:
            sums = self._total(_Remaking(self.by.step(to, self.m), self.take, self.first.lanes), self.first.blocks)
        else:
            sums = self._total(_Remaking(self.by.step(to, self.m, self.now), self.take), self.sample.blocks)
        self.now = to
        return sums

    def origin(self) -> Origin:
        """Where the membership there is comes from."""
        return self.first if self.now is None else Origin(self.sample.blocks, self._following())

    def _following(self) -> Following:
        assert self.now is not None
        return Following(self.take, self.by.step(self.now, self.m), len(self.now))

    def _total(self, kernel: Any, blocks: Sequence[Any]) -> Any:
        return total(self.sample.engine, kernel, blocks)


class RemadeLines(Remade):
    """The partition of a fuzzy c-regression, with regressors and responses that are made again, too."""

    def weighted(self, i: int) -> tuple[Array, Array, Array]:
        """See KeptLines: the triangular factor of the weighted records, which has their solution, by one more pass."""
        origin = self.origin()
        R, r = self._total(_Reweighted(self.take, origin.lanes, i, self.m), origin.blocks)
        return R[:, :r], R[:, r:], np.ones(len(R))

    def counts(self) -> Counts:
        """See KeptLines."""
        counts: Counts = self._total(_Counted(self._following()), self.sample.blocks)
        return counts

    def predicted(self, gamma: Array) -> list[Any]:
        """See KeptLines; the blocks are made when they are loaded, here."""
        step = Step(_Predicted(self._following(), gamma))
        return [(step, piece) for piece in pieces(self.sample.rows, Local())]


@dataclass(frozen=True)
class _Reweighted:
    """The triangular factor of (A, Y), each record times the root of its weight in cluster i; and A's columns."""

    take: Take
    lanes: Callable[[Array], Array]
    i: int
    m: float

    def part(self, block: Array) -> tuple[Array, int]:
        from .lanes import column_of

        A, Y = self.take(block)
        root = np.sqrt(column_of(self.lanes(block), self.i, len(A)) ** self.m)
        return triangle(np.hstack([A, Y]) * root[:, None]), A.shape[1]

    def add(self, a: tuple[Array, int], b: tuple[Array, int]) -> tuple[Array, int]:
        return triangle(np.vstack([a[0], b[0]])), a[1]


@dataclass(frozen=True)
class _Counted(Added):
    """(c,) how many records have their largest membership in each cluster."""

    membership: Following

    def part(self, block: Array) -> Counts:
        U = self.membership.matrix(self.membership.take(block))
        return np.bincount(np.argmax(U, axis=1), minlength=U.shape[1])


@dataclass(frozen=True)
class _Predicted:
    """(b, t) what the line of each record's own cluster predicts."""

    membership: Following
    gamma: Array

    def __call__(self, block: Array) -> Array:
        A, Y = self.membership.take(block)
        labels = np.argmax(self.membership.matrix((A, Y)), axis=1)
        return np.einsum("kr,krt->kt", A, self.gamma[labels])
