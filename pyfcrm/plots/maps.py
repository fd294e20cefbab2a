"""The risk-utility map, a point a candidate, and the course of PIL, DR and SCORE as the number of clusters grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .style import MARKERS, PALETTE, finish, new_figure

Rows = Sequence[Mapping[str, Any]]
MOST_LABELS = 20
AXES = {
    "dr": "disclosure risk DR, % (left is safer)",
    "dr_informed": "disclosure risk DR by who knows the method, % (left is safer)",
}


def risk_utility_map(rows: Rows, nondominated: Sequence[bool], title: str | None = None, risk: str = "dr") -> Any:
    """Information loss (PIL) against disclosure risk, a point a candidate.

    rows : each with method, label, pil and the risk; nondominated : which of them no other beats in both; they are joined by
    a line; risk : "dr" or "dr_informed". Returns a matplotlib Figure.
    """
    rows = [{**row, "dr": row[risk]} for row in rows]
    figure, axes = new_figure((11.5, 5.5) if len(rows) > MOST_LABELS else (8.5, 5.0))
    families = list(dict.fromkeys(row["method"] for row in rows))
    for k, family in enumerate(families):
        own = [row for row in rows if row["method"] == family]
        turn = k // len(PALETTE)  # past the last colour, colours come again with another marker
        style = {"color": PALETTE[k % len(PALETTE)], "marker": MARKERS[(k + 3 * turn) % len(MARKERS)]}
        axes.plot(
            [r["dr"] for r in own], [r["pil"] for r in own], linestyle="none", markersize=7, label=family, **style
        )
    _label(axes, rows, nondominated)
    best = sorted((row["dr"], row["pil"]) for row, mark in zip(rows, nondominated, strict=True) if mark)
    axes.plot([p[0] for p in best], [p[1] for p in best], color="#777777", linewidth=1, zorder=0, label="not dominated")
    finish(
        axes,
        title or "Risk-utility map",
        AXES[risk],
        "information loss PIL, % (down is better)",
    )
    axes.margins(x=0.12, y=0.1)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    _legend(axes, families, rows, nondominated)
    return figure


def _label(axes: Any, rows: Rows, nondominated: Sequence[bool]) -> None:
    """Name the points while they are few; else number those that are not dominated, from the safest."""
    for row in () if len(rows) > MOST_LABELS else rows:
        place = (row["dr"], row["pil"])
        axes.annotate(row["label"], place, xytext=(6, 4), textcoords="offset points", fontsize=8)
    for number, row in _numbered(rows, nondominated):
        place = (row["dr"], row["pil"])
        axes.annotate(str(number), place, xytext=(-4, 7), textcoords="offset points", fontsize=8, weight="bold")


def _numbered(rows: Rows, nondominated: Sequence[bool]) -> list[tuple[int, Mapping[str, Any]]]:
    marked = [row for row, mark in zip(rows, nondominated, strict=True) if mark]
    return list(enumerate(sorted(marked, key=lambda r: r["dr"]), 1)) if len(rows) > MOST_LABELS else []


def _legend(axes: Any, families: Sequence[str], rows: Rows, nondominated: Sequence[bool]) -> None:
    """The methods; of many candidates beside the map, with the names of the numbered ones below."""
    if len(rows) <= MOST_LABELS:
        axes.legend(frameon=False, fontsize=9)
        return
    columns = 2 if len(families) > 8 else 1
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.02), ncols=columns)
    names = [f"{number}  {row['method']} {row['label']}" for number, row in _numbered(rows, nondominated)]
    text = "\n".join(["not dominated, from the safest:", *names])
    axes.text(1.03, 0.0, text, transform=axes.transAxes, fontsize=8, verticalalignment="bottom")


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
