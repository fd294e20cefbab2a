"""The map's axes: from per cent to places in the picture, and round numbers to write beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 58, 24, 26, 50
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
LEAST = 5.0  # per cent: an axis is at least so long


@dataclass(frozen=True)
class Scale:
    """Axes that begin at 0 and end at `across` (DR) and `up` (PIL), in per cent."""

    across: float
    up: float

    def x(self, dr: float) -> float:
        """The place of a DR, from the left."""
        return LEFT + (WIDTH - LEFT - RIGHT) * dr / self.across

    def y(self, pil: float) -> float:
        """The place of a PIL, from the top."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * pil / self.up


def scale_for(drs: list[float], pils: list[float], limit: float | None) -> Scale:
    """Axes that hold every point, and the limit, with a little room."""
    return Scale(_end([0.0, *drs, limit or 0.0]), _end([0.0, *pils]))


def ticks(end: float, most: int = 6) -> list[float]:
    """Round numbers from 0 to `end`, at most so many steps."""
    power = 10.0 ** math.floor(math.log10(end / most))
    step = next(power * one for one in STEPS if power * one * most >= end * (1 - 1e-9))
    return [k * step for k in range(int(end / step * (1 + 1e-9)) + 1)]


def _end(values: list[float]) -> float:
    """A little beyond the largest."""
    most = max([LEAST, *(1.08 * value for value in values)])
    if max(values) <= 100 < most:
        return 104.0  # a point at 100 is not cut in half
    return most
