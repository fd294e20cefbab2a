"""Sums over blocks of rows, wherever they run. An engine knows no statistics: a kernel says what is summed."""

from __future__ import annotations

from .kernel import Engine, Kernel, row_blocks
from .local import Local

__all__ = ["Engine", "Kernel", "Local", "row_blocks"]
