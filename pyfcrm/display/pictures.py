"""Small SVG pictures for a notebook: bars, histograms, and the risk-utility map. Text has the colour of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from ..plots import AXES
from ..plots.labels import place_labels
from ..plots.style import GREY, PALETTE
from ..types import Array

WIDTH, LINE, FONT = 460, 18, 11
NAMES, VALUES = 150, 60  # widths left and right of the bars
LETTER = 0.58  # of a font's size: how wide a letter is, about
MOST = 24  # bars
HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 240, 44, 12, 10, 34
MOST_POINTS, MOST_LABELS = 150, 20
BINS, SMALL, ACROSS = 24, 110, 4


def bars(rows: Sequence[tuple[str, float, float | None, str]], what: str) -> str:
    """A bar a row: its name, its length from 0 to 1, an upright mark (such as chance) or None, its value in words."""
    shown, room = rows[:MOST], WIDTH - NAMES - VALUES
    shapes = []
    for k, (name, share, mark, value) in enumerate(shown):
        y, long = k * LINE, room * _share(share)
        shapes.append(_text(NAMES - 6, y + 13, _fitting(name, NAMES - 8), "end"))
        shapes.append(f'<rect x="{NAMES}" y="{y + 3}" width="{long:.1f}" height="{LINE - 6}" fill="{PALETTE[0]}"/>')
        if mark is not None and mark == mark:
            x = NAMES + room * _share(mark)
            shapes.append(f'<path d="M{x:.1f} {y + 1}V{y + LINE - 1}" stroke="{PALETTE[1]}" stroke-width="2"/>')
        shapes.append(_text(WIDTH - 2, y + 13, value, "end"))
    return _svg(WIDTH, LINE * len(shown), what, shapes)


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
        shapes.append(_text(x, y + height + 12, _fitting(name, SMALL), "start"))
    down = -(-len(columns) // ACROSS)
    return _svg(ACROSS * (SMALL + 5), int(down * (height + 16)) + 2, what, shapes)


def risk_map(
    rows: Sequence[Mapping[str, Any]], nondominated: Sequence[bool], what: str, risk: str, *, limit: float | None = None
) -> str:
    """Information loss against disclosure risk, a point a row with method, label, pil and the risk, the Pareto-optimal ones joined.

    risk : a key of AXES; limit : on it, a dashed line. At most 150 points are drawn, the Pareto-optimal first; the labels are theirs.
    """
    order = sorted(range(len(rows)), key=lambda k: (not nondominated[k], rows[k][risk]))[:MOST_POINTS]
    families = list(dict.fromkeys(row["method"] for row in rows))
    across = _end([row[risk] for row in rows] + [limit or 0.0])
    up = _end([row["pil"] for row in rows])
    places = [
        (
            LEFT + (WIDTH - LEFT - RIGHT) * rows[k][risk] / across,
            HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rows[k]["pil"] / up,
        )
        for k in order
    ]
    shapes = _frame(across, up, AXES[risk])
    if limit is not None:
        x = LEFT + (WIDTH - LEFT - RIGHT) * limit / across
        shapes.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{PALETTE[1]}" stroke-dasharray="4 3"/>')
    best = [place for k, place in zip(order, places, strict=True) if nondominated[k]]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in best)
    shapes.append(f'<polyline points="{line}" fill="none" stroke="{GREY}"/>')
    for k, (x, y) in zip(order, places, strict=True):
        color = PALETTE[families.index(rows[k]["method"]) % len(PALETTE)]
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>')
    return _svg(WIDTH, HEIGHT, what, [*shapes, *_labels([rows[k] for k in order], places, len(best))])


def _labels(rows: Sequence[Mapping[str, Any]], places: Sequence[tuple[float, float]], best: int) -> list[str]:
    """The names of the Pareto-optimal points, which come first, where they cover nothing."""
    names = [_fitting(f"{row['method']} {row['label']}".strip(), 130) for row in rows[: min(best, MOST_LABELS)]]
    sizes = [(LETTER * FONT * len(name), float(FONT)) for name in names]
    positions = place_labels(places, sizes, (LEFT, TOP, WIDTH - 2, HEIGHT - BOTTOM), 5.0, places[:best])
    return [
        _text(round(at[0], 1), round(at[1] + FONT - 2, 1), name, "start")
        for name, at in zip(names, positions, strict=True)
        if at is not None
    ]


def _frame(across: float, up: float, below: str) -> list[str]:
    bottom = HEIGHT - BOTTOM
    shapes = [f'<path d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}" fill="none" stroke="currentColor" opacity="0.5"/>']
    for k in range(3):
        shapes.append(_text(LEFT + (WIDTH - LEFT - RIGHT) * k / 2, bottom + 13, f"{across * k / 2:g}", "middle"))
        shapes.append(_text(LEFT - 4, bottom - (bottom - TOP) * k / 2 + 4, f"{up * k / 2:g}", "end"))
    shapes.append(_text((LEFT + WIDTH) / 2, HEIGHT - 6, below, "middle"))
    middle = (TOP + bottom) / 2
    shapes.append(
        f'<text transform="translate(11 {middle:.0f}) rotate(-90)" text-anchor="middle">information loss PIL, %</text>'
    )
    return shapes


def _end(values: Sequence[float]) -> float:
    """A round number just beyond the largest."""
    most = max([1.0, *(1.05 * value for value in values if value == value)])
    step = 10.0 ** np.floor(np.log10(most)) / 5
    return float(np.ceil(most / step) * step)


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0) if value == value else 0.0


def _fitting(text: str, room: float) -> str:
    most = int(room / (LETTER * FONT))
    return text if len(text) <= most else text[: most - 3] + "..."


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(width: int, height: int, what: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(what, quote=True)}" font-family="sans-serif" font-size="{FONT}" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )
