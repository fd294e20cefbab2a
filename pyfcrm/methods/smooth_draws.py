"""Draws from smoothed quantiles of ten or more values of a part of a file, such as a leaf of a tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..types import Array, Integers
from .margins import FEWEST, SmoothMargin, quantiles


def smooth_draws(column: Array, parts: Sequence[Array], part: Integers, u: Array) -> Array:
    """Values (k,), each drawn by a uniform u (k,) from the smoothed quantiles of one part of a column (m,).

    parts : the values of each part, at least one; part : (k,) which part each is drawn from.

    The quantiles of q values are weighted means of about 8 of 20 around each rank, see `quantiles`; u (q - 1) is the place
    between them. In place of fewer than 10 values a part has the 10 of the column that are nearest in rank. A draw between two
    neighbouring values would depend on two records, by which members of the file are found. The standard deviation of the
    values is not restored: a single large one of 20 would move all others.
    """
    ordered = np.sort(column)
    smoothed = [quantiles(np.sort(_ten_or_more(values, ordered))) for values in parts]
    sizes = np.array([len(values) for values in smoothed])
    starts = np.cumsum(sizes) - sizes
    values = np.concatenate(smoothed)
    place = u * (sizes[part] - 1)
    below = np.floor(place).astype(np.int64)
    low = values[starts[part] + below]
    high = values[starts[part] + np.minimum(below + 1, sizes[part] - 1)]
    typical = SmoothMargin.of(ordered, ordered[:0]).typical()
    return np.clip(low + (place - below) * (high - low), typical[0], typical[-1])


def _ten_or_more(values: Array, ordered: Array) -> Array:
    """The values of a part, if they are 10 or more; else the 10 of the ascending column around their median, or all of fewer."""
    if len(values) >= FEWEST:
        return values
    first = int(np.searchsorted(ordered, np.median(values))) - FEWEST // 2
    first = min(max(first, 0), max(len(ordered) - FEWEST, 0))
    return ordered[first : first + FEWEST]
