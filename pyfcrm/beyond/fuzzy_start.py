"""Fuzzy c-means over blocks that keep no membership: what gives fuzzy c-regression its first partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine
from .blocks import Draw, taken, total

if TYPE_CHECKING:
    from ..fuzzy.fcm_kernel import FCMSums

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FromDraws:
    """The sums of a random membership, or one iteration from it: a block is (records, uniforms (b, c)).

    wanted : the records' columns; P : centres (c, p), None for the sums only.
    """

    wanted: tuple[int, ...]
    c: int
    m: float
    P: Array | None = None

    def part(self, block: Array) -> FCMSums:
        """See engine.Kernel."""
        from ..fuzzy.fcm_kernel import FCMPass, FCMStart
        from ..fuzzy.lanes import in_lanes

        X = taken(block, self.wanted)
        u = np.asfortranarray(block[:, -self.c :])  # so that rows are summed in fuzzy.random_membership's order
        U = in_lanes(np.ascontiguousarray(u / u.sum(axis=1, keepdims=True)))
        return FCMStart(self.m).part((X, U)) if self.P is None else FCMPass(self.P, self.m).part((X, U))

    def add(self, a: FCMSums, b: FCMSums) -> FCMSums:
        """See engine.Kernel."""
        return a + b


@dataclass(frozen=True)
class FromBefore:
    """One iteration to centres P from the centres before."""

    wanted: tuple[int, ...]
    m: float
    P: Array
    before: Array

    def part(self, block: Array) -> FCMSums:
        """See engine.Kernel."""
        from ..fuzzy.fcm_kernel import FCMPass

        return FCMPass(self.P, self.m, self.before).part((taken(block, self.wanted), None))

    def add(self, a: FCMSums, b: FCMSums) -> FCMSums:
        """See engine.Kernel."""
        return a + b


def centers(
    engine: Engine,
    blocks: Sequence[Any],
    uniforms: Sequence[Draw],
    wanted: tuple[int, ...],
    c: int,
    m: float,
    tol: float,
    max_iter: int,
) -> Array:
    """The centres (c, p) that give fuzzy.fcm's final membership of the columns `wanted`, to the last bit."""
    drawn = list(zip(blocks, uniforms, strict=True))
    P = np.full((c, len(wanted)), np.inf)
    sums = total(engine, FromDraws(wanted, c, m), drawn)
    for k in range(max_iter):
        before, P = P, sums.centers(P)
        first = k == 0
        sums = total(
            engine,
            FromDraws(wanted, c, m, P) if first else FromBefore(wanted, m, P, before),
            drawn if first else blocks,
        )
        if sums.delta < tol:
            break
    return P
