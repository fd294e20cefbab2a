"""Fuzzy partitions that passes over the records update.

The membership is stored where memory allows, else recomputed at each pass from the models before. Passes, blocks and draws
are the same, and so are the numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.blocks import Sample, Step, loaded, pieces, taken, total
from ..engine import Engine, Local, row_blocks
from ..numerics.factor import stacked_factor, triangle
from ..types import Array, Integers
from .panels import PANEL, by_cluster, from_panels, to_panels
from .passes import Pass, Sums

Take = Callable[[Any], tuple[Array, ...]]
"""The columns (b, .) of a block that a pass needs: (X,) for c-means, (A, Y) for c-regression."""


@dataclass(frozen=True)
class Membership:
    """The membership of any block of records."""

    take: Take
    """Takes the columns that a pass needs from a block."""
    panels: Callable[[Any], Array]
    """Gives the membership of a block, in panels."""
    m: float
    """The fuzzifier."""

    def sums(self, step: Pass, block: Any) -> Sums:
        """The sums of a pass over a block. The pass computes the old membership itself where it has `step.before`."""
        U = self.panels(block) if step.before is None else None
        return step((*self.take(block), U))

    def matrix(self, block: Any) -> Array:
        """The membership (b, c) of the records of a block."""
        return from_panels(self.panels(block), len(self.take(block)[0]))

    # The following are defined for c-regression.

    def weighted(self, i: int, block: Any) -> Array:
        """The triangular factor of (A, Y), each record times the root of its weight u^m in cluster i."""
        A, Y = self.take(block)
        root = np.sqrt(by_cluster(self.panels(block), len(A))[i] ** self.m)
        return triangle(np.hstack([A, Y]) * root[:, None])

    def labels(self, block: Any) -> NDArray[np.intp]:
        """The cluster (b,) of each record's largest membership."""
        return np.argmax(self.matrix(block), axis=1)

    def sizes(self, c: int, block: Any) -> Integers:
        """Numbers (c,) of records that have their largest membership in each cluster."""
        return np.bincount(self.labels(block), minlength=c)

    def predicted(self, gamma: Array, block: Any) -> Array:
        """Predictions (b, t), each by the cluster of the record's largest membership. gamma : coefficients (c, r, t)."""
        A = self.take(block)[0]
        return np.einsum("kr,krt->kt", A, gamma[self.labels(block)])


@dataclass
class Partition:
    """A fuzzy partition of records, by blocks."""

    engine: Engine
    """Runs the passes over the blocks."""
    blocks: Sequence[Any]
    """The records by blocks, each with its membership where that is stored."""
    membership: Membership
    """The membership of each block."""
    sample: Sample | None = None
    """None for a stored membership, which each pass overwrites in its block. Else the records: the membership is then computed
    at each pass, and nothing is written to a block, so that another worker can repeat it."""
    models: Array | None = None
    """The models of the pass before, from which a membership that is not stored follows; None before the first pass."""

    def advance(self, models: Array | None = None) -> Sums:
        """The sums of the membership that follows from models, which replaces the old one.

        models : None for the sums of the present membership, which remains.
        """
        membership = self.membership
        step = Pass(membership.m, models, self.models)
        sums = total(self.engine, partial(membership.sums, step), self.blocks)
        if self.sample is not None and models is not None:
            # Nothing is stored: from now on the membership of a block is computed from these models.
            panels = partial(_following, membership.take, replace(step, before=None))
            self.membership = replace(membership, panels=panels)
            self.blocks = self.sample.blocks
            self.models = models
        return sums

    def weighted(self, i: int) -> Array:
        """Rows (k, r + t) with the least-squares solution of cluster i, of a c-regression."""
        return total(self.engine, partial(self.membership.weighted, i), self.blocks, stacked_factor)

    def sizes(self, c: int) -> Integers:
        """Numbers (c,) of records that have their largest membership in each cluster."""
        return total(self.engine, partial(self.membership.sizes, c), self.blocks)

    def matrix(self) -> Array:
        """The membership (n, c) of all records."""
        return np.vstack(self.by_block(self.membership.matrix))

    def by_block(self, function: Callable[[Any], Array]) -> list[Array]:
        """The results of a function of each block."""
        return [function(loaded(block)) for block in self.blocks]

    def predicted(self, gamma: Array) -> list[Any]:
        """Predictions by blocks (b, t), each by the cluster of the record's largest membership.

        gamma : the coefficients (c, r, t) of the last pass. Where the membership is not stored, a block of predictions is a
        step that computes it when it is loaded.
        """
        predict = partial(self.membership.predicted, gamma)
        if self.sample is None:
            return self.by_block(predict)
        return [(Step(predict), piece) for piece in pieces(self.sample.rows, Local())]


def stored(engine: Engine, records: tuple[Array, ...], panels: Sequence[Array], m: float) -> Partition:
    """A partition with a membership in memory.

    records : tables of n rows, as Take gives them; panels : the membership by blocks of rows.
    """
    blocks = []
    for rows, U in zip(row_blocks(len(records[0])), panels, strict=True):
        columns = [A[rows] for A in records]
        blocks.append(partial(tuple, [*columns, U]))  # a call gives the block, as other blocks are loaded by a call
    membership = Membership(take=itemgetter(slice(-1)), panels=itemgetter(-1), m=m)
    return Partition(engine, blocks, membership)


def _following(take: Take, step: Pass, block: Array) -> Array:
    """The membership that follows from the models of a pass, in panels."""
    assert step.models is not None
    # A pass overwrites the membership of its block by the new one.
    U = np.zeros((-(-len(block) // PANEL), len(step.models), PANEL))
    step((*take(block), U))
    return U


def in_panels(U: Array) -> list[Array]:
    """A membership (n, c) in panels, by blocks of rows."""
    return [to_panels(U[rows]) for rows in row_blocks(len(U))]


def columns_of(columns: tuple[int, ...], block: Array) -> tuple[Array]:
    """Some columns (b, p) of a block, as fuzzy c-means takes them."""
    return (taken(block, columns),)


def normalised(c: int, block: Array) -> Array:
    """A random membership, in panels: uniforms, the last c columns of a block, divided by each record's sum."""
    u = np.asfortranarray(block[:, -c:])  # so that rows are summed in fuzzy.random_membership's order
    return to_panels(np.ascontiguousarray(u / u.sum(axis=1, keepdims=True)))
