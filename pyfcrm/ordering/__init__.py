"""Values from the least up, equal ones in file order: numpy's stable sort, or for long columns a compiled twin of it."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

COMPILED_ABOVE = 2_000_000  # values; below it loading the compiled code costs more than it saves
COMPILED_WHEN_LOADED = 10_000


def stable_order(x: Array) -> Integers:
    """The places of x (n,), finite, from the least value up; equal ones, -0.0 and 0.0 too, in file order. (n,)."""
    return ordered(x)[0]


def ordered(x: Array) -> tuple[Integers, Array]:
    """The stable order of x (n,), finite, and x in it: two (n,), of which neither is x itself.

    Which of the two sorts is taken does not show. The compiled one lets other threads run meanwhile.
    """
    loaded = "numba" in sys.modules
    if len(x) <= (COMPILED_WHEN_LOADED if loaded else COMPILED_ABOVE):
        return plain_ordered(x)
    from .radix_kernel import MOST_PLACES, sort_stably

    if len(x) >= MOST_PLACES:
        return plain_ordered(x)
    order, ranked = np.empty(len(x), np.int64), np.empty(len(x))
    sort_stably(np.ascontiguousarray(x, dtype=np.float64), order, ranked)
    return order, ranked


def plain_ordered(x: Array) -> tuple[Integers, Array]:
    """`ordered` in numpy: for short columns, and the plain twin of radix_kernel."""
    order = np.argsort(x, kind="stable")
    return order, x[order]
