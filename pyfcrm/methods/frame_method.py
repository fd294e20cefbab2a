"""Base class of methods that drop records, make categories or suppress cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array, Mask, Masks, Rows
from .method import Method


@dataclass(frozen=True)
class FrameRelease:
    """What a frame method releases of n records.

    Parameters
    ----------
    numbers : mapping of str to ndarray, shape (n,)
        New values by column, of the column's own type.
    categories : mapping of str to tuple
        By column (n,) labels with the labels' order, for columns that become categorical.
    gaps : mapping of str to ndarray of bool, shape (n,)
        By column, True where a cell is suppressed.
    rows : ndarray of int, optional
        The positions of the released records, ascending; None for all.
    moved : mapping of str to ndarray of int, shape (n,)
        By column, the record whose cell each record receives, so that cells keep their type.
    """

    numbers: Mapping[str, Array] = field(default_factory=dict)
    categories: Mapping[str, tuple[NDArray[np.object_], list[str]]] = field(default_factory=dict)
    gaps: Mapping[str, Mask] = field(default_factory=dict)
    rows: Rows | None = None
    moved: Mapping[str, Rows] = field(default_factory=dict)


@dataclass(frozen=True)
class FrameMethod(Method):
    """A method that drops records, makes categories or suppresses cells: it overrides `release`, not `protect`."""

    one_for_one = False
    masks: ClassVar[Masks] = "keys"

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter = discard) -> FrameRelease:
        """The release of n records.

        Parameters
        ----------
        cells : mapping of str to ndarray, shape (n,)
            The columns that `needs` names: float64 with NaN for missing, or objects with None for missing.
        n : int
            Number of records.
        stream : RStream
            Source of randomness.
        note : callable
            Receives notes on the release.

        Returns
        -------
        FrameRelease
            New values, categories, suppressed cells, and released records.
        """
        raise TypeError(f"{type(self).__name__} must override release")
