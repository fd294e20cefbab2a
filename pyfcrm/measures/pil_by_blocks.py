"""Probabilistic information loss by blocks of rows: moments are sums; quantiles take one column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.blocks import total
from ..data.records import Records, column
from ..engine import Engine
from ..numerics.design_by_blocks import Sums, location
from ..numerics.location import Location, scores
from ..numerics.moments import FourthMoments
from ..types import Array
from .measure import Parts
from .pil import Statistics, from_losses, moment_losses, quantile_losses


@dataclass(frozen=True)
class Cross:
    """(3, p, p): sums of s s', s^2 s^2' and s^3 s', s the standardised columns from `first` on."""

    first: int
    where: Location

    def part(self, block: Array) -> Array:
        """See engine.Kernel."""
        S = scores(block[:, self.first : self.first + len(self.where.sd)], self.where)
        S2 = S * S
        return np.stack([S.T @ S, S2.T @ S2, (S2 * S).T @ S])

    def add(self, a: Array, b: Array) -> Array:
        """See engine.Kernel."""
        return a + b


def pil(engine: Engine, blocks: Sequence[Any], rows: Records) -> Parts:
    """measures.pil of records that hold the original's p columns, then the protected ones; equal to 1e-10.

    blocks : of rows, as the engine has them. Quantiles are exact: each column is read, and sorted, by itself.
    """
    p = rows.p // 2
    before, fourth = _statistics(engine, blocks, rows.n, 0, p)
    after, _ = _statistics(engine, blocks, rows.n, p, 2 * p)
    of_quantiles = [quantile_losses(column(rows, j), column(rows, p + j)) for j in range(p)]
    return from_losses(moment_losses(before, after, fourth), np.vstack(of_quantiles))


def _statistics(
    engine: Engine, blocks: Sequence[Any], n: int, first: int, last: int
) -> tuple[Statistics, FourthMoments]:
    where = location(engine, blocks, n, first, last, ddof=0)
    largest = total(engine, Sums(last), blocks)[1, first:]
    r, m22, m31 = total(engine, Cross(first, where), blocks) / n
    return Statistics(n, where, largest, np.clip(r, -1.0, 1.0)), FourthMoments(m22, m31)
