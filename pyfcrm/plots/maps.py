"""The risk-utility map, a point a candidate, and the course of PIL, DR and SCORE as the number of clusters grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .style import GREY, MARKERS, PAGE, PALETTE, SMALL, finish, fitting, new_figure
from .svg import number_offsets

Rows = Sequence[Mapping[str, Any]]
MAX_NAMED, NAME_LENGTH = 24, 40  # candidates that are all named, and characters of a name
AXES = {
    "dr": "disclosure risk DR, % (left is safer)",
    "dr_informed": "method-aware disclosure risk DR, % (left is safer)",
    "attributable": "attributable risk, percentage points (left is safer)",
}


def risk_utility_map(
    rows: Rows, nondominated: Sequence[bool], title: str | None = None, risk: str = "dr", *, limit: float | None = None
) -> Any:
    """Information loss (PIL) against disclosure risk, a number at each marker and its name in the legend.

    rows : each with method, label, pil and the risk; nondominated : which of them no other beats in both; a line joins
    them, and of many candidates only they are named; risk : a key of AXES; limit : on it, a dashed line. Returns a matplotlib Figure.
    """
    named = [k for k in range(len(rows)) if len(rows) <= MAX_NAMED or nondominated[k]]
    named.sort(key=lambda k: (rows[k][risk], rows[k]["pil"]))
    figure, axes = new_figure((PAGE, max(4.6, 1.6 + 0.19 * len(named))))
    families = list(dict.fromkeys(row["method"] for row in rows))
    for turn, k in enumerate([*named, *(k for k in range(len(rows)) if k not in named)]):
        row, family = rows[k], families.index(rows[k]["method"])
        again = family // len(PALETTE)  # past the last colour, colours are repeated with another marker
        style = {"color": PALETTE[family % len(PALETTE)], "marker": MARKERS[(family + 3 * again) % len(MARKERS)]}
        name = fitting(f"{row['method']} {row['label']}".strip(), NAME_LENGTH)
        label = f"{turn + 1}  {name}" if k in named else None
        axes.plot(row[risk], row["pil"], linestyle="none", markersize=7, label=label, **style)
    best = [rows[k] for k in named if nondominated[k]]
    axes.plot([row[risk] for row in best], [row["pil"] for row in best], color=GREY, linewidth=1, zorder=0)
    if limit is not None:
        axes.axvline(limit, color=PALETTE[1], linestyle="--", linewidth=1, zorder=0, label=f"limit: {limit:g}")
    finish(axes, title or "Risk-utility map", AXES[risk], "information loss, % (down is better)")
    axes.margins(x=0.12, y=0.1)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    _write_numbers(figure, axes, [(row[risk], row["pil"]) for row in rows], named)
    axes.legend(frameon=False, fontsize=SMALL, loc="upper left", bbox_to_anchor=(1.0, 1.02))
    return figure


def _write_numbers(figure: Any, axes: Any, points: Sequence[tuple[float, float]], named: Sequence[int]) -> None:
    """The number of each named candidate beside its marker."""
    figure.draw_without_rendering()  # markers have their places once the layout is known
    unit = figure.dpi / 96
    places = [(x, -y) for x, y in axes.transData.transform(points).tolist()] if points else []
    offsets = number_offsets(places, [k in named for k in range(len(points))], unit)
    for place, k in enumerate(named):
        shift = (offsets[k][0] * 72 / figure.dpi, -offsets[k][1] * 72 / figure.dpi)
        style = {"fontsize": SMALL, "ha": "center", "va": "center"}
        axes.annotate(f"{place + 1}", points[k], xytext=shift, textcoords="offset points", **style).set_in_layout(False)


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
    axes.legend(frameon=False, fontsize=SMALL, loc="upper left", bbox_to_anchor=(1.0, 1.02))
    return figure
