"""One result as a figure: the measures of a report, the attacks of an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .style import PAGE, PALETTE, SMALL, finish, fitting, new_figure

Rows = Sequence[Mapping[str, Any]]
A_ROW, AROUND = 0.34, 1.3  # inches
WIDEST = 50  # characters of an attack's name


def measures(rows: Rows, title: str | None = None) -> Any:
    """A bar a measure, as long as its value is far along its range, the value beside it, chance as a mark.

    rows : each with measure, value, baseline (or None), lower, upper; a measure without an upper end has its value only.
    Returns a matplotlib Figure.
    """
    figure, axes = new_figure((PAGE, AROUND + A_ROW * len(rows)))
    chance = False
    for k, row in enumerate(rows):
        reach = row["upper"] - row["lower"]
        long = 100 * (row["value"] - row["lower"]) / reach if reach < float("inf") else float("nan")
        if long == long:
            axes.barh(k, min(long, 100.0), height=0.6, color=PALETTE[0])
        if row["baseline"] is not None and row["baseline"] == row["baseline"] and reach < float("inf"):
            mark = 100 * (row["baseline"] - row["lower"]) / reach
            axes.plot(
                [mark, mark], [k - 0.42, k + 0.42], color=PALETTE[1], linewidth=2, label=None if chance else "by chance"
            )
            chance = True
        axes.text(1.01, k, f"{row['value']:.4g}", transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    finish(axes, title or "Measures", "per cent of each measure's range", "")
    axes.set_xlim(0, 100)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), [row["measure"] for row in rows], fontsize=SMALL)
    if chance:
        figure.legend(frameon=False, fontsize=SMALL, loc="outside lower right")
    return figure


def attacks(rows: Rows, title: str | None = None) -> Any:
    """Each attack's value with its 95 per cent interval, and its control.

    rows : each with attack, value, control, lower, upper, per cent. Returns a matplotlib Figure.
    """
    figure, axes = new_figure((PAGE, AROUND + A_ROW * len(rows)))
    places = list(range(len(rows)))
    for k, row in zip(places, rows, strict=True):
        axes.plot([row["lower"], row["upper"]], [k, k], color=PALETTE[0], linewidth=2)
    axes.plot([r["value"] for r in rows], places, "o", color=PALETTE[0], label="value, with its 95 % interval")
    axes.plot([r["control"] for r in rows], places, "D", color=PALETTE[1], fillstyle="none", label="control")
    finish(axes, "", "per cent", "")
    figure.suptitle(title or "Audit", fontsize=10, x=0.01, horizontalalignment="left")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(places, [fitting(row["attack"], WIDEST) for row in rows], fontsize=SMALL)
    figure.legend(frameon=False, fontsize=SMALL, loc="outside lower right", ncols=2)
    return figure
