"""Fuzzy partitions that passes over the records update: stored where memory allows, else recomputed at each pass from the
models before. Passes, blocks and draws are the same, and so are the numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.blocks import Sample, Step, pieces, taken, total
from ..engine import Engine, Local, row_blocks
from ..numerics.design import weighted_rows
from ..numerics.factor import stacked_factor, triangle
from ..types import Array
from .panels import PANEL, column_of, from_panels, to_panels
from .passes import Pass, Sums

Counts = NDArray[np.int64]
Take = Callable[[Array], tuple[Array, ...]]
"""The columns (b, .) of a block that a pass needs: (X,) for c-means, (A, Y) for c-regression."""


class StoredMembership:
    """A membership in memory: each pass writes the new one over the old.

    records : arrays of n rows, as Take gives them; membership : in panels; m : fuzzifier.
    """

    def __init__(self, engine: Engine, records: tuple[Array, ...], membership: Array, m: float) -> None:
        self.engine, self.records, self.membership, self.m = engine, records, membership, m
        self.n, self.c = len(records[0]), membership.shape[1]
        self.blocks = []
        for rows in row_blocks(self.n):
            panels = slice(rows.start // PANEL, -(-rows.stop // PANEL))
            self.blocks.append((*(A[rows] for A in records), membership[panels]))

    def advance(self, models: Array | None = None) -> Sums:
        """The sums of the membership that follows from models and replaces the old one; None: of the present one."""
        return self.engine.total(Pass(self.m, models), self.blocks)

    def matrix(self) -> Array:
        """(n, c) the membership."""
        return from_panels(self.membership, self.n)

    # Of a c-regression:

    def weighted(self, i: int) -> Array:
        """(n, r + t) weighted A and Y with the least-squares solution of cluster i."""
        A, Y = self.records
        return weighted_rows(A, Y, column_of(self.membership, i, self.n) ** self.m)

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """(n,) the cluster of each record's largest membership, once the fit is over."""
        return np.argmax(self.matrix(), axis=1)

    def counts(self) -> Counts:
        """(c,) how many records have their largest membership in each cluster."""
        return np.bincount(self.labels, minlength=self.c)

    def predicted(self, gamma: Array) -> list[Any]:
        """By blocks (b, t), the prediction of each record's own cluster."""
        A = self.records[0]
        return [np.einsum("kr,krt->kt", A[rows], gamma[self.labels[rows]]) for rows in row_blocks(self.n)]


def columns_of(columns: tuple[int, ...], block: Array) -> tuple[Array]:
    """(b, p) some columns of a block, for fuzzy c-means."""
    return (taken(block, columns),)


def normalised(c: int, block: Array) -> Array:
    """A random membership, in panels: the last c columns of a block, uniforms, each record's divided by their sum."""
    u = np.asfortranarray(block[:, -c:])  # so that rows are summed in fuzzy.random_membership's order
    return to_panels(np.ascontiguousarray(u / u.sum(axis=1, keepdims=True)))


@dataclass(frozen=True)
class ModelMembership:
    """The membership that follows from c models, in panels."""

    take: Take
    m: float
    models: Array

    def __call__(self, block: Array) -> Array:
        records, c = self.take(block), len(self.models)
        U = np.zeros((-(-len(block) // PANEL), c, PANEL))
        Pass(self.m, self.models)((*records, U))
        return U

    def labels(self, block: Array) -> NDArray[np.intp]:
        """(b,) the cluster of each record's largest membership."""
        return np.argmax(from_panels(self(block), len(block)), axis=1)

    def sizes(self, block: Array) -> Counts:
        """(c,) how many records have their largest membership in each cluster."""
        return np.bincount(self.labels(block), minlength=len(self.models))

    def predicted(self, block: Array) -> Array:
        """(b, t) the prediction of each record's own cluster."""
        return np.einsum("kr,krt->kt", self.take(block)[0], self.models[self.labels(block)])


def _sums(step: Pass, take: Take, membership: Callable[[Array], Array] | None, block: Array) -> Sums:
    """A pass over a block whose membership is computed first, or by the pass itself (None)."""
    return step((*take(block), None if membership is None else membership(block)))


class RecomputedMembership:
    """A membership that is computed at each pass, from its origin or from the models of the pass before.

    Nothing is written to a block, so another worker can repeat one. origin : blocks, and the function that gives their
    membership in panels.
    """

    def __init__(
        self, sample: Sample, take: Take, origin: tuple[Sequence[Any], Callable[[Array], Array]], m: float
    ) -> None:
        self.sample, self.take, self.origin, self.m = sample, take, origin, m
        self.models: Array | None = None

    def advance(self, models: Array | None = None) -> Sums:
        """See StoredMembership."""
        if self.models is None:
            blocks, membership = self.origin
            sums = total(self.sample.engine, partial(_sums, Pass(self.m, models), self.take, membership), blocks)
        else:
            step = Pass(self.m, models, self.models)
            sums = total(self.sample.engine, partial(_sums, step, self.take, None), self.sample.blocks)
        self.models = models
        return sums

    def present(self) -> tuple[Sequence[Any], Callable[[Array], Array]]:
        """The origin of the present membership."""
        return self.origin if self.models is None else (self.sample.blocks, self._following())

    def _following(self) -> ModelMembership:
        assert self.models is not None
        return ModelMembership(self.take, self.m, self.models)

    # Of a c-regression:

    def weighted(self, i: int) -> Array:
        """See StoredMembership: the triangular factor of the weighted records, which has their solution, by one more pass."""
        blocks, membership = self.present()
        part = partial(_weighted, self.take, membership, i, self.m)
        return total(self.sample.engine, part, blocks, stacked_factor)

    def counts(self) -> Counts:
        """See StoredMembership."""
        return total(self.sample.engine, self._following().sizes, self.sample.blocks)

    def predicted(self, gamma: Array) -> list[Any]:
        """See StoredMembership; the blocks are computed when they are loaded, here. gamma : those of the last pass."""
        step = Step(self._following().predicted)
        return [(step, piece) for piece in pieces(self.sample.rows, Local())]


def _weighted(take: Take, membership: Callable[[Array], Array], i: int, m: float, block: Array) -> Array:
    """The triangular factor of (A, Y), each record times the root of its weight in cluster i."""
    A, Y = take(block)
    root = np.sqrt(column_of(membership(block), i, len(A)) ** m)
    return triangle(np.hstack([A, Y]) * root[:, None])
