"""Sums over blocks of rows, on threads or a cluster. An engine knows no statistics: the kernel defines the sum."""

from __future__ import annotations

from .dask import Dask
from .kernel import Added, Engine, Kernel, one_blas_thread, row_blocks
from .threads import Local, chosen, is_cluster, on_this_machine

__all__ = [
    "Added",
    "Dask",
    "Engine",
    "Kernel",
    "Local",
    "chosen",
    "is_cluster",
    "on_this_machine",
    "one_blas_thread",
    "row_blocks",
]
