"""Methods that do more than replace numbers one for one: they drop records, make categories or leave gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..progress import Reporter, discard
from ..rstream import RStream
from .method import Method

Objects = NDArray[np.object_]


@dataclass(frozen=True)
class Release:
    """What a frame method gives back, of n records that came in.

    Parameters
    ----------
    numbers : mapping of str to ndarray, shape (n,)
        New values by column, of the column's own type.
    categories : mapping of str to tuple
        By column (n,) labels with the labels' order, for columns that become categorical.
    gaps : mapping of str to ndarray of bool, shape (n,)
        By column, True where a cell is to be left empty.
    rows : ndarray of int, optional
        The positions of the records that stay, ascending; None for all.
    """

    numbers: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    categories: Mapping[str, tuple[Objects, list[str]]] = field(default_factory=dict)
    gaps: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    rows: NDArray[np.intp] | None = None


@dataclass(frozen=True)
class FrameMethod(Method):
    """A method whose verb is `release`: columns by name in, a Release out."""

    one_for_one = False

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter = discard) -> Release:
        """The release of n records.

        Parameters
        ----------
        cells : mapping of str to ndarray, shape (n,)
            The columns it asked for: float64 with NaN for missing, or objects with None for missing.
        n : int
            How many records.
        stream : RStream
            Where randomness comes from.
        note : callable
            Told, in a sentence each, what had to be done on the way.

        Returns
        -------
        Release
            New values, categories, gaps, and the records that stay.
        """
        raise TypeError(f"{type(self).__name__} does not say what it releases")
