"""Releases given which cells are missing: this is released unchanged, and tells something of the values that are observed."""

from collections.abc import Sequence

import numpy as np

from ..methods.gaps import with_gap_indicators
from ..methods.work import Run
from ..types import Array, Mask
from .request import ProtectRequest

MIN_SHARE = 0.02  # of a column's cells: fewer gaps hardly change what the observed ones tell
MIN_CELLS = 30  # of the filled and of the observed ones


def gaps_of(request: ProtectRequest, names: Sequence[str]) -> Mask | None:
    """The gaps (n, t) of columns that have at least 2 per cent, and at least 30 gaps and 30 observed cells; None without any."""
    found = []
    for name in names:
        gap = request.gaps.get(name)
        if gap is not None and (gap.mean() < MIN_SHARE or min(gap.sum(), (~gap).sum()) < MIN_CELLS):
            gap = None
        found.append(gap)
    known = [gap for gap in found if gap is not None]
    if not known:
        return None
    none = np.zeros(len(known[0]), dtype=bool)
    return np.column_stack([none if gap is None else gap for gap in found])


def release_given_gaps(request: ProtectRequest, X: Array, Y: Array, run: Run) -> Array:
    """The method's release (n, t) given X (n, s) and the indicators of gaps. A method that swaps gets the gaps themselves."""
    if not request.facts.swaps:
        X, run = with_gap_indicators(X, run)
    return request.numbers.release(X, Y, run)
