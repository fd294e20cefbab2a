"""The risk-utility map, a point a candidate, and the course of PIL, DR and SCORE as the number of clusters grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .labels import place_labels
from .style import GREY, MARKERS, PALETTE, finish, fitting, new_figure

Rows = Sequence[Mapping[str, Any]]
MOST_LABELS, WIDEST = 20, 60  # points, characters
GAP, FAR = 6.0, 12.0  # points: of a label from a point; from where on a line joins them
AXES = {
    "dr": "disclosure risk DR, % (left is safer)",
    "dr_informed": "disclosure risk DR by who knows the method, % (left is safer)",
    "attributable": "attributable disclosure risk, percentage points (left is safer)",
}


def risk_utility_map(
    rows: Rows, nondominated: Sequence[bool], title: str | None = None, risk: str = "dr", *, limit: float | None = None
) -> Any:
    """Information loss (PIL) against disclosure risk, a point a candidate.

    rows : each with method, label, pil and the risk; nondominated : which of them no other beats in both; they are joined by
    a line; risk : a key of AXES; limit : on it, per cent, a dashed line. Returns a matplotlib Figure.
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
    best = _best(rows, nondominated)
    axes.plot(
        [p["dr"] for p in best], [p["pil"] for p in best], color=GREY, linewidth=1, zorder=0, label="not dominated"
    )
    if limit is not None:
        axes.axvline(limit, color=PALETTE[1], linestyle="--", linewidth=1, zorder=0, label=f"limit: {limit:g} %")
    finish(axes, title or "Risk-utility map", AXES[risk], "information loss PIL, % (down is better)")
    axes.margins(x=0.12, y=0.1)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    _legend(axes, families, rows, nondominated)
    _label(figure, axes, rows, nondominated)
    return figure


def _label(figure: Any, axes: Any, rows: Rows, nondominated: Sequence[bool]) -> None:
    """Name the points while they are few; else number those that are not dominated, from the safest.

    A label goes where it covers no point and no other label; one that is further off is joined to its point.
    """
    numbered = [(row, str(number)) for number, row in _numbered(rows, nondominated)]
    named = numbered if len(rows) > MOST_LABELS else [(row, str(row["label"])) for row in rows]
    named = [(row, words) for row, words in named if words]
    first = {id(row) for row, _ in named}
    texts = [
        axes.annotate(
            fitting(words, WIDEST), (row["dr"], row["pil"]), xytext=(0, 0), textcoords="offset points", fontsize=8
        )
        for row, words in named
    ]
    for text in texts:
        text.set_in_layout(False)
    figure.draw_without_rendering()  # places are known once the layout is
    boxes = [text.get_window_extent() for text in texts]
    points = axes.transData.transform(
        [(row["dr"], row["pil"]) for row in [*(row for row, _ in named), *(r for r in rows if id(r) not in first)]]
    )
    line = axes.transData.transform([(row["dr"], row["pil"]) for row in _best(rows, nondominated)])
    room, gap = axes.get_window_extent(), GAP * figure.dpi / 72
    sizes = [(box.width, box.height) for box in boxes]
    positions = place_labels(points.tolist(), sizes, (room.x0, room.y0, room.x1, room.y1), gap, line.tolist())
    for text, place, point, size in zip(texts, positions, points.tolist(), sizes, strict=False):
        _put(text, place, point, size, figure.dpi)


def _put(text: Any, place: Any, point: Sequence[float], size: tuple[float, float], dpi: float) -> None:
    """A label at its place, in points from the data's point; without one it is not shown."""
    if place is None:
        text.set_visible(False)
        return
    off = [(to - at) * 72 / dpi for to, at in zip(place, point, strict=True)]
    text.set_position(off)
    text.set_verticalalignment("bottom")
    middle = [off[0] + size[0] * 36 / dpi, off[1] + size[1] * 36 / dpi]
    if max(abs(middle[0]) - size[0] * 36 / dpi, abs(middle[1]) - size[1] * 36 / dpi) > FAR:
        arrow = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
        joined = text.axes.annotate("", text.xy, xytext=middle, textcoords="offset points", arrowprops=arrow, zorder=0)
        joined.set_in_layout(False)


def _numbered(rows: Rows, nondominated: Sequence[bool]) -> list[tuple[int, Mapping[str, Any]]]:
    return list(enumerate(_best(rows, nondominated), 1)) if len(rows) > MOST_LABELS else []


def _best(rows: Rows, nondominated: Sequence[bool]) -> list[Mapping[str, Any]]:
    """Those that are not dominated, the safest first."""
    marked = [row for row, mark in zip(rows, nondominated, strict=True) if mark]
    return sorted(marked, key=lambda row: (row["dr"], row["pil"]))


def _legend(axes: Any, families: Sequence[str], rows: Rows, nondominated: Sequence[bool]) -> None:
    """The legend of methods; of many candidates with the names of the numbered ones below."""
    columns = 2 if len(families) > 8 else 1
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.02), ncols=columns)
    if len(rows) <= MOST_LABELS:
        return
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
    axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.02))
    return figure
