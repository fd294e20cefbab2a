"""Small SVG pictures for a notebook: bars, histograms, and the risk-utility map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..plots import AXES
from ..plots.svg import MapPoint, picture, risk_utility_svg
from ..types import Array

MAX_BARS, BINS = 24, 24


def bars(rows: Sequence[tuple[str, float, float | None, str]], title: str) -> str:
    """A bar a row: its name, its length from 0 to 1, an upright mark (such as chance) or None, its value in words."""
    return picture("bars", title=title, rows=rows[:MAX_BARS])


def histograms(columns: Sequence[tuple[str, Array]], title: str) -> str:
    """A small histogram a column, its name below; values that are not finite are left out."""
    drawn = []
    for name, values in columns:
        counts = np.histogram(values[np.isfinite(values)], BINS)[0]
        drawn.append((name, (counts / max(counts.max(), 1)).tolist()))
    return picture("histograms", title=title, columns=drawn)


def risk_map(points: Sequence[MapPoint], risk: str, limit: float | None = None) -> str:
    """The risk-utility map with the names of its numbers. risk : a key of AXES; limit : on it, a dashed line."""
    return risk_utility_svg(points, AXES[risk], limit=limit, legend=True)
