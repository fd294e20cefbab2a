"""The kinds of noise that treat each value by itself, over blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine
from ..linkage.distance import Location
from ..methods import Noise
from ..methods.method import Note
from ..methods.noise import KINDS
from ..rstream import RStream
from .blocks import Draw, draws, total
from .location import location

Array = NDArray[np.float64]


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


def noise(
    method: Noise, engine: Engine, blocks: Sequence[Any], shape: tuple[int, int, int], stream: RStream, note: Note
) -> tuple[Callable[[Array], Array], Sequence[Draw]]:
    """What gives a block's protected values, and the draws that belong to it; shape : n, s, t."""
    n, s, t = shape
    kind: Any = KINDS[method.kind]
    a = method.amount / 100
    where: Location | None = None
    if method.kind == "multiplicative":
        zeros = total(engine, _Zeros(s, s + t), blocks)
        if zeros:
            note(f"{zeros} values that are 0 stay 0: noise was multiplied")
    else:
        where = location(engine, blocks, n, s, s + t)
        for j in np.flatnonzero(where.sd == 0):
            note(f"dependent attribute {j + 1} is constant and stays as it is")
    given = () if where is None else (where,)

    def values(block: Array) -> Array:
        return np.asarray(kind(block[:, s : s + t], a, _Drawn(block[:, s + t :]), *given))

    return values, draws(stream, n, t, "uniform" if method.kind == "laplace" else "normal")
