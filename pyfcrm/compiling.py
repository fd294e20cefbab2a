"""How kernels are compiled: by numba, kept on disk where that is possible, never with liberties about numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel of arrays and numbers at its first call.

    No fastmath: it assumes that there is no NaN, and changes sums. Division follows numpy's rules; Python's check for
    zero would stop loops from being vectorised.
    """
    try:
        return cast(Kernel, njit(cache=True, error_model="numpy")(function))
    except RuntimeError:  # no folder that the cache could be written to
        return cast(Kernel, njit(error_model="numpy")(function))
