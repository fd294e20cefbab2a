"""The course of PIL, DR and SCORE as the number of clusters grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .style import MARKERS, PALETTE, finish, new_figure

Rows = Sequence[Mapping[str, Any]]


def course(rows: Rows, title: str | None = None, horizontal: str = "number of clusters c") -> Any:
    """PIL, DR and SCORE against c, with the printed values dashed where rows have them.

    rows : each with x and pil, dr, score (per cent), and perhaps printed_pil, printed_dr, printed_score.
    Returns a matplotlib Figure.
    """
    figure, axes = new_figure()
    x = [row["x"] for row in rows]
    for k, (key, name) in enumerate((("pil", "PIL"), ("dr", "DR"), ("score", "SCORE"))):
        color = PALETTE[k]
        axes.plot(
            x, [row[key] for row in rows], color=color, marker=MARKERS[k], markersize=5, label=f"{name}, measured"
        )
        printed = [row.get(f"printed_{key}") for row in rows]
        if any(value is not None for value in printed):
            values = [float("nan") if value is None else value for value in printed]
            axes.plot(x, values, color=color, linestyle="--", linewidth=1, label=f"{name}, printed")
    finish(axes, title or "PIL, DR and SCORE", horizontal, "per cent")
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize=9)
    return figure
