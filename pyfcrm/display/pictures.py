"""Small SVG pictures for a notebook: bars, histograms, and the risk-utility map. Text has the colour of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..plots import AXES
from ..plots.style import PALETTE
from ..plots.svg import MapPoint, fitting_width, risk_utility_svg, svg, text_at
from ..types import Array

WIDTH, LINE = 460, 18
NAMES, VALUES = 150, 60  # widths left and right of the bars
MOST = 24  # bars
HEIGHT, MOST_POINTS, MOST_LABELS, MAX_NAMED = 260, 150, 20, 12
BINS, SMALL, ACROSS = 24, 110, 4


def bars(rows: Sequence[tuple[str, float, float | None, str]], what: str) -> str:
    """A bar a row: its name, its length from 0 to 1, an upright mark (such as chance) or None, its value in words."""
    shown, room = rows[:MOST], WIDTH - NAMES - VALUES
    shapes = []
    for k, (name, share, mark, value) in enumerate(shown):
        y, long = k * LINE, room * _share(share)
        shapes.append(text_at(NAMES - 6, y + 13, fitting_width(name, NAMES - 8), "end"))
        shapes.append(f'<rect x="{NAMES}" y="{y + 3}" width="{long:.1f}" height="{LINE - 6}" fill="{PALETTE[0]}"/>')
        if mark is not None and mark == mark:
            x = NAMES + room * _share(mark)
            shapes.append(f'<path d="M{x:.1f} {y + 1}V{y + LINE - 1}" stroke="{PALETTE[1]}" stroke-width="2"/>')
        shapes.append(text_at(WIDTH - 2, y + 13, value, "end"))
    return svg(WIDTH, LINE * len(shown), what, shapes)


def histograms(columns: Sequence[tuple[str, Array]], what: str) -> str:
    """A small histogram a column, its name below; values that are not finite are left out."""
    shapes, height = [], SMALL * 0.6
    for k, (name, values) in enumerate(columns):
        x, y = (k % ACROSS) * (SMALL + 5), (k // ACROSS) * (height + 16)
        finite = values[np.isfinite(values)]
        counts = np.histogram(finite, BINS)[0] if len(finite) else np.zeros(BINS, dtype=int)
        wide, tall = SMALL / BINS, height / max(int(counts.max()), 1)
        steps = "".join(f"V{y + height - tall * count:.1f}h{wide:.2f}" for count in counts.tolist())
        shapes.append(f'<path d="M{x} {y + height:.1f}{steps}V{y + height:.1f}Z" fill="{PALETTE[0]}"/>')
        shapes.append(text_at(x, y + height + 12, fitting_width(name, SMALL), "start"))
    down = -(-len(columns) // ACROSS)
    return svg(ACROSS * (SMALL + 5), int(down * (height + 16)) + 2, what, shapes)


def risk_map(
    rows: Sequence[Mapping[str, Any]], nondominated: Sequence[bool], what: str, risk: str, *, limit: float | None = None
) -> str:
    """The risk-utility map: a point a row with method, label, pil and the risk; the Pareto-optimal ones are named and joined.

    risk : a key of AXES; limit : on it, a dashed line. At most 150 points are drawn, the Pareto-optimal first.
    """
    order = sorted(range(len(rows)), key=lambda k: (not nondominated[k], rows[k][risk], rows[k]["pil"]))[:MOST_POINTS]
    points = [
        MapPoint(
            rows[k][risk],
            rows[k]["pil"],
            fitting_width(f"{rows[k]['method']} {rows[k]['label']}".strip(), WIDTH),
            str(place + 1) if (nondominated[k] or len(rows) <= MAX_NAMED) and place < MOST_LABELS else "",
            rows[k]["method"],
        )
        for place, k in enumerate(order)
    ]
    front = [point for k, point in zip(order, points, strict=True) if nondominated[k]]
    return risk_utility_svg(points, what, AXES[risk], limit=limit, front=front, size=(WIDTH, HEIGHT), legend=True)


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0) if value == value else 0.0
