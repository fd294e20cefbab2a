"""Methods that do more than replace numbers one for one: they drop records, make categories or leave gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rstream import RStream
from .method import Method, Note, unheard

Objects = NDArray[np.object_]


@dataclass(frozen=True)
class Needs:
    """The columns a frame method asks for: `numbers` must be numeric, `cells` may hold anything."""

    numbers: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """What a frame method gives back.

    numbers : new values (n,) by column, of the column's own type; categories : (n,) labels by column with the labels'
    order, for columns that become categorical; gaps : (n,) True where a cell of the column is to be left empty;
    rows : the positions of the records that stay, ascending, None for all. n counts the records that came in.
    """

    numbers: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    categories: Mapping[str, tuple[Objects, list[str]]] = field(default_factory=dict)
    gaps: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    rows: NDArray[np.intp] | None = None


@dataclass(frozen=True)
class FrameMethod(Method):
    """A method whose verb is `release`: columns by name in, a Release out."""

    def needs(self, dependent: tuple[str, ...]) -> Needs:
        """Which columns it works on, given the dependent ones."""
        return Needs(numbers=dependent)

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Note = unheard) -> Release:
        """The release of n records.

        cells : the columns it asked for, float64 (n,) with NaN for missing, or objects (n,) with None for missing.
        """
        raise TypeError(f"{type(self).__name__} does not say what it releases")
