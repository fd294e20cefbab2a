"""Probabilistic information loss by blocks of rows: moments are sums; quantiles take one column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine
from ..linkage.distance import Location, scores
from ..measures.measure import Parts
from ..measures.moments import FourthMoments
from ..measures.pil import Statistics, from_losses, moment_losses, quantile_losses
from .basis import Sums
from .blocks import total
from .location import location
from .rows import Rows, column

Array = NDArray[np.float64]


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


def pil(engine: Engine, blocks: Sequence[Any], rows: Rows) -> Parts:
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
