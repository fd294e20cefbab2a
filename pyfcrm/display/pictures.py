"""Small SVG pictures for a notebook: bars, histograms, and the risk-utility map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..plots import AXES
from ..plots.svg import MapPoint, picture, risk_utility_svg
from ..types import Array

MAX_BARS, BINS = 24, 24
MAX_POINTS, MAX_LABELS, MAX_NAMED = 150, 20, 12


def bars(rows: Sequence[tuple[str, float, float | None, str]], title: str) -> str:
    """A bar a row: its name, its length from 0 to 1, an upright mark (such as chance) or None, its value in words."""
    drawn = [
        (name, _share(share), None if mark is None or mark != mark else _share(mark), value)
        for name, share, mark, value in rows[:MAX_BARS]
    ]
    return picture("bars", title=title, rows=drawn)


def histograms(columns: Sequence[tuple[str, Array]], title: str) -> str:
    """A small histogram a column, its name below; values that are not finite are left out."""
    drawn = []
    for name, values in columns:
        counts = np.histogram(values[np.isfinite(values)], BINS)[0]
        drawn.append((name, (counts / max(counts.max(), 1)).tolist()))
    return picture("histograms", title=title, columns=drawn)


def risk_map(
    rows: Sequence[Mapping[str, Any]],
    nondominated: Sequence[bool],
    title: str,
    risk: str,
    *,
    limit: float | None = None,
) -> str:
    """The risk-utility map: a point a row with method, label, pil and the risk; the Pareto-optimal ones are named.

    risk : a key of AXES; limit : on it, a dashed line. At most 150 points are drawn, the Pareto-optimal first.
    """
    order = sorted(range(len(rows)), key=lambda k: (not nondominated[k], rows[k][risk], rows[k]["pil"]))[:MAX_POINTS]
    points = [
        MapPoint(
            rows[k][risk],
            rows[k]["pil"],
            f"{rows[k]['method']} {rows[k]['label']}".strip()[:80],
            str(place + 1) if (nondominated[k] or len(rows) <= MAX_NAMED) and place < MAX_LABELS else "",
            rows[k]["method"],
        )
        for place, k in enumerate(order)
    ]
    return risk_utility_svg(points, title, AXES[risk], limit=limit, legend=True)


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0) if value == value else 0.0
