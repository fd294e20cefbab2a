"""How kernels are compiled: by numba, kept on disk where that is possible, never with liberties about numbers.

Whether compiling pays is asked of `engine.worth.compiled`, which does not load numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numba import njit
from numba.core import event

from ..progress import compiler_ends, compiler_starts, hold, let_go

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Liberty = Literal["contract", "reassoc"]
# What kernels give other kernels where they mean 0, 1, 2: of these themselves the other is compiled once more.
ZERO, ONE, TWO = (cast(int, np.int64(k)) for k in range(3))


class _Uninterrupted(event.Listener):
    """Hears from numba that a thread begins to compile, or to load what was compiled, and that it has ended."""

    def on_start(self, event: event.Event) -> None:
        hold()

    def on_end(self, event: event.Event) -> None:
        let_go()


class _Compiling(event.Listener):
    """Hears that a kernel is compiled, and not only loaded, which takes long enough to be said."""

    def on_start(self, event: event.Event) -> None:
        compiler_starts()

    def on_end(self, event: event.Event) -> None:
        compiler_ends()


event.register("numba:compiler_lock", _Uninterrupted())
event.register("numba:compile", _Compiling())


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel of arrays and numbers at its first call. Other Python threads run meanwhile, so that whoever
    watches long work can stop it; where several run it at once, the caller sees to it that no two write one array.

    No fastmath: it assumes that there is no NaN, and changes sums. Division follows numpy's rules; Python's check for
    zero would stop loops from being vectorised.
    """
    return _compile(function, {"nogil": True})


def compiled_freely(*liberties: Liberty) -> Callable[[Kernel], Kernel]:
    """As `compiled`, for a helper of a few lines whose sums may be rounded otherwise than written.

    liberties : "contract" (a * b + c rounded once), "reassoc" (sums in another order). NaN and infinity keep their
    meaning with both. The order is fixed when compiled: the same numbers again give the same sum.
    """
    return lambda function: _compile(function, {"fastmath": set(liberties), "nogil": True})


def _compile(function: Kernel, options: dict[str, Any]) -> Kernel:
    # Without a way in from C, which nobody takes and which takes time to compile.
    options = {**options, "no_cfunc_wrapper": True}
    try:
        return cast(Kernel, njit(cache=True, error_model="numpy", **options)(function))
    except RuntimeError:  # no folder that the cache could be written to
        return cast(Kernel, njit(error_model="numpy", **options)(function))
