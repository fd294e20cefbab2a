"""What the blackboard's canvas and small lines are told."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .board import Moment, Settings, view

Array = NDArray[np.float64]
WIDTH, HEIGHT, EDGE = 150, 34, 3
COURSES = (
    ("objective", "objective E_m"),
    ("delta", "max change of membership"),
    ("pil", "PIL, %"),
    ("dr", "DR, %"),
    ("score", "SCORE, %"),
)


def frame(points: Array, how: Settings, moment: Moment | None) -> dict[str, Any]:
    """One picture: points, and with a moment their clusters, strengths, releases and the lines."""
    told: dict[str, Any] = {
        "view": view(points),
        "independent": how.independent,
        "points": _short(points),
        "text": described(points, moment),
    }
    if moment is not None:
        told |= {
            "labels": moment.labels.tolist(),
            "strength": np.round(moment.membership.max(axis=1), 3).tolist(),
            "released": _short(moment.released),
            "lines": [None if np.isnan(line).any() else line.tolist() for line in moment.lines],
        }
    return told


def described(points: Array, moment: Moment | None) -> str:
    """The picture in words."""
    many = f"{len(points)} point{'' if len(points) == 1 else 's'}"
    if moment is None:
        return f"{many}, no lines yet"
    sizes = np.bincount(moment.labels, minlength=len(moment.lines))
    lines = "; ".join(
        f"line {k + 1}: {a:.4g} {'-' if b < 0 else '+'} {abs(b):.4g} x, {size} points"
        for k, ((a, b), size) in enumerate(zip(moment.lines.tolist(), sizes.tolist(), strict=True))
    )
    return f"{many} after iteration {moment.iteration}. {lines}"


def readings(history: Sequence[Moment]) -> list[tuple[str, str, str]]:
    """For each quantity: its name, its value now, and its course as a small line (SVG)."""
    rows = []
    for key, name in COURSES:
        values = [float(getattr(moment, key)) for moment in history]
        now = "–" if not values else f"{values[-1]:.2f}" if "%" in name else f"{values[-1]:.4g}"
        rows.append((name, now, sparkline(values, name, logarithmic=key == "delta")))
    return rows


def sparkline(values: Sequence[float], name: str, logarithmic: bool = False) -> str:
    """A small line of the values in their order; with `logarithmic` by their logarithms."""
    y = np.array(values, dtype=np.float64)
    if logarithmic:
        y = np.log10(np.maximum(y, 1e-12))
    words = f"{name}: from {values[0]:.4g} to {values[-1]:.4g} in {len(values)}" if values else f"{name}: nothing yet"
    head = f'<svg class="course" width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{escape(words, quote=True)}">'
    if not len(y):
        return head + "</svg>"
    span = float(np.ptp(y)) or 1.0
    across = np.linspace(EDGE, WIDTH - EDGE, len(y)) if len(y) > 1 else np.array([EDGE])
    down = HEIGHT - EDGE - (y - y.min()) / span * (HEIGHT - 2 * EDGE)
    places = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, down, strict=True))
    return f'{head}<polyline points="{places}"/><circle cx="{across[-1]:.1f}" cy="{down[-1]:.1f}" r="2.5"/></svg>'


def _short(values: Array) -> list[Any]:
    """Numbers with the digits that a screen can show."""
    rounded = np.array([float(f"{v:.6g}") for v in values.ravel()])
    return list(rounded.reshape(values.shape).tolist())
