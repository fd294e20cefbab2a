"""Noise over blocks of rows: here the kinds that treat each value by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..linkage.distance import Location
from ..methods import Noise
from ..methods.method import Note
from ..methods.noise import KINDS
from ..rstream import RStream
from .blocks import draws, total
from .file import File
from .location import location
from .noise_together import TOGETHER

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


def noise(method: Noise, file: File, stream: RStream, note: Note) -> tuple[Callable[[Array], Array], Sequence[Any]]:
    """What gives a block's protected values, and what belongs to it: its draws, or values placed by rank."""
    engine, blocks, s, t = file.engine, file.blocks, file.s, file.t
    a = method.amount / 100
    where: Location | None = None
    if method.kind == "multiplicative":
        zeros = total(engine, _Zeros(s, s + t), blocks)
        if zeros:
            note(f"{zeros} values that are 0 stay 0: noise was multiplied")
    else:
        where = location(engine, blocks, file.n, s, s + t)
        for j in np.flatnonzero(where.sd == 0):
            note(f"dependent attribute {j + 1} is constant and stays as it is")
        if method.kind in TOGETHER:
            return TOGETHER[method.kind](a, file, where, stream)
    kind: Any = KINDS[method.kind]
    given = () if where is None else (where,)

    def values(block: Array) -> Array:
        return np.asarray(kind(block[:, s : s + t], a, _Drawn(block[:, s + t :]), *given))

    return values, draws(stream, file.n, t, "uniform" if method.kind == "laplace" else "normal")
