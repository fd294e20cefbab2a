"""Compilation of kernels by numba, cached on disk where that is possible, without fast-math.

`engine.dispatch.compiled` decides whether compiling pays; it does not load numba.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numba import njit
from numba.core import event

from ..progress import compiling

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Liberty = Literal["contract", "reassoc"]
# For calls from kernel to kernel: with a plain 0 the called kernel would be compiled once more.
ZERO = cast(int, np.int64(0))


class _CompileListener(event.Listener):
    """Records for progress.compiling that a kernel is compiled."""

    def on_start(self, event: event.Event) -> None:
        compiling.append(event.kind)

    def on_end(self, event: event.Event) -> None:
        compiling.pop()


event.register("numba:compile", _CompileListener())


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel of arrays and numbers at its first call. It releases Python's lock, so that other threads run.
    Callers with several threads ensure that no two write to one array.

    No fastmath: it assumes that there is no NaN, and changes sums. Division follows numpy's rules; Python's check for
    zero would stop loops from being vectorised.
    """
    return compiled_freely()(function)


def compiled_freely(*liberties: Liberty) -> Callable[[Kernel], Kernel]:
    """Decorator as `compiled`, for a helper of a few lines whose sums may be rounded otherwise than written.

    liberties : "contract" (a * b + c rounded once), "reassoc" (sums in another order). NaN and infinity keep their
    meaning with both. The order is fixed when compiled: the same numbers again give the same sum.
    """

    def compile(function: Kernel) -> Kernel:
        # Without the wrapper for C, which is not used and takes time to compile.
        options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "fastmath": {*liberties}}
        try:
            return cast(Kernel, njit(cache=True, **options)(function))
        except RuntimeError:  # no folder that the cache could be written to
            return cast(Kernel, njit(**options)(function))

    return compile
