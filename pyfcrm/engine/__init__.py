"""Sums over blocks of rows, on threads or a cluster. An engine knows no statistics: a function gives the part of each block."""

from .engines import Dask, Engine, Local, Part, chosen, is_cluster, on_this_machine, one_blas_thread, row_blocks

__all__ = [
    "Dask",
    "Engine",
    "Local",
    "Part",
    "chosen",
    "is_cluster",
    "on_this_machine",
    "one_blas_thread",
    "row_blocks",
]
