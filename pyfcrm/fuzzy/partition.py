"""Fuzzy partitions that passes over the records update: stored where memory allows, else recomputed at each pass from the
models before. Passes, blocks and draws are the same, and so are the numbers."""

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
    """The membership of any block of records. take : its columns; panels : the membership in panels; m : the fuzzifier."""

    take: Take
    panels: Callable[[Any], Array]
    m: float

    def sums(self, step: Pass, block: Any) -> Sums:
        """A pass over a block. Its membership is not needed where it follows from the models of the pass before."""
        return step((*self.take(block), self.panels(block) if step.before is None else None))

    def matrix(self, block: Any) -> Array:
        """(b, c) by record."""
        return from_panels(self.panels(block), len(self.take(block)[0]))

    # Of a c-regression:

    def weighted(self, i: int, block: Any) -> Array:
        """The triangular factor of (A, Y), each record times the root of its weight in cluster i."""
        A, Y = self.take(block)
        root = np.sqrt(by_cluster(self.panels(block), len(A))[i] ** self.m)
        return triangle(np.hstack([A, Y]) * root[:, None])

    def labels(self, block: Any) -> NDArray[np.intp]:
        """(b,) the cluster of each record's largest membership."""
        return np.argmax(self.matrix(block), axis=1)

    def sizes(self, c: int, block: Any) -> Integers:
        """(c,) how many records have their largest membership in each cluster."""
        return np.bincount(self.labels(block), minlength=c)

    def predicted(self, gamma: Array, block: Any) -> Array:
        """(b, t) the prediction of each record's own cluster."""
        return np.einsum("kr,krt->kt", self.take(block)[0], gamma[self.labels(block)])


@dataclass
class Partition:
    """A fuzzy partition of records, by blocks.

    sample : None for a stored membership, a part of its block, over which each pass writes the new one. Else nothing is written to
    a block, so another worker can repeat one: the membership is computed at each pass. models : those it then follows from, which
    are of the pass before; None until then.
    """

    engine: Engine
    blocks: Sequence[Any]
    membership: Membership
    sample: Sample | None = None
    models: Array | None = None

    def advance(self, models: Array | None = None) -> Sums:
        """The sums of the membership that follows from models and replaces the old one; None: of the present one."""
        membership = self.membership
        step = Pass(membership.m, models, self.models)
        sums = total(self.engine, partial(membership.sums, step), self.blocks)
        if self.sample is not None and models is not None:
            panels = partial(_following, membership.take, replace(step, before=None))
            self.membership, self.blocks, self.models = replace(membership, panels=panels), self.sample.blocks, models
        return sums

    def weighted(self, i: int) -> Array:
        """Rows (k, r + t) with the least-squares solution of cluster i, of a c-regression."""
        return total(self.engine, partial(self.membership.weighted, i), self.blocks, stacked_factor)

    def sizes(self, c: int) -> Integers:
        """(c,) how many records have their largest membership in each cluster."""
        return total(self.engine, partial(self.membership.sizes, c), self.blocks)

    def matrix(self) -> Array:
        """(n, c) the membership."""
        return np.vstack(self.by_block(self.membership.matrix))

    def by_block(self, function: Callable[[Any], Array]) -> list[Array]:
        """The results of a function of each block."""
        return [function(loaded(block)) for block in self.blocks]

    def predicted(self, gamma: Array) -> list[Any]:
        """By blocks (b, t), to be loaded, the prediction of each record's own cluster by the coefficients of the last pass."""
        part = partial(self.membership.predicted, gamma)
        if self.sample is None:
            return self.by_block(part)
        return [(Step(part), piece) for piece in pieces(self.sample.rows, Local())]


def stored(engine: Engine, records: tuple[Array, ...], panels: Sequence[Array], m: float) -> Partition:
    """A partition with a membership in memory. records : of n rows, as Take gives them; panels : by blocks of rows."""
    rows = row_blocks(len(records[0]))
    blocks = [partial(tuple, (*(A[k] for A in records), U)) for k, U in zip(rows, panels, strict=True)]
    return Partition(engine, blocks, Membership(itemgetter(slice(-1)), itemgetter(-1), m))


def _following(take: Take, step: Pass, block: Array) -> Array:
    """The membership that follows from the models of a pass, in panels."""
    assert step.models is not None
    U = np.zeros((-(-len(block) // PANEL), len(step.models), PANEL))
    step((*take(block), U))
    return U


def in_panels(U: Array) -> list[Array]:
    """A membership (n, c) in panels, by blocks of rows."""
    return [to_panels(U[rows]) for rows in row_blocks(len(U))]


def columns_of(columns: tuple[int, ...], block: Array) -> tuple[Array]:
    """(b, p) some columns of a block, for fuzzy c-means."""
    return (taken(block, columns),)


def normalised(c: int, block: Array) -> Array:
    """A random membership, in panels: the last c columns of a block, uniforms, each record's divided by their sum."""
    u = np.asfortranarray(block[:, -c:])  # so that rows are summed in fuzzy.random_membership's order
    return to_panels(np.ascontiguousarray(u / u.sum(axis=1, keepdims=True)))
