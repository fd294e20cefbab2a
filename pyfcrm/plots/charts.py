"""Charts: distributions before and after, and the measures of a report."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..types import Array
from .style import PAGE, PALETTE, SMALL, finish, fitting, new_figure

A_ROW, AROUND = 0.34, 1.3  # inches
BINS, TAIL = 40, 0.005  # bars, and the share of values beyond either end of them
ACROSS = 3  # small pictures in a row


def distributions(X: Array, Z: Array, names: Sequence[str]) -> Any:
    """Each attribute's values before and after, as outlines over the same bins.

    X, Z (n, p), (N, p) : original and protected. The outer half per cent is counted in the last bars, so that one
    extreme value does not flatten the rest. Returns a matplotlib Figure.
    """
    across, down = min(len(names), ACROSS), -(-len(names) // ACROSS)
    figure, grid = new_figure((PAGE if across > 1 else 4.2, 2.0 * down), down, across)
    axes = list(np.ravel(grid))
    for empty in axes[len(names) :]:
        empty.set_axis_off()
    for j, name in enumerate(names):
        edges = _edges(X[:, j], Z[:, j])
        for values, color, label, style in ((X, PALETTE[0], "original", "-"), (Z, PALETTE[1], "protected", "--")):
            inside = np.clip(values[:, j], edges[0], edges[-1])
            share = 100 * np.histogram(inside, edges)[0] / len(values)
            axes[j].stairs(share, edges, color=color, label=label, linestyle=style, linewidth=1.4)
        finish(axes[j], fitting(name), "", "per cent" if j % ACROSS == 0 else "")
        axes[j].locator_params(axis="x", nbins=5)
    figure.legend(
        *axes[0].get_legend_handles_labels(), frameon=False, fontsize=SMALL, loc="outside upper right", ncols=2
    )
    return figure


def _edges(x: Array, z: Array) -> Array:
    low, high = np.quantile(np.concatenate([x, z]), [TAIL, 1 - TAIL])
    if not high > low:
        low, high = min(x.min(), z.min()), max(x.max(), z.max())
    return np.histogram_bin_edges(x, BINS, (low, high))


def along(row: Mapping[str, Any], name: str) -> float | None:
    """Position of a value or baseline of a report's row along the row's range, per cent; None without a value, or an end."""
    value, reach = row[name], row["upper"] - row["lower"]
    if value is None or math.isnan(value) or not math.isfinite(reach):
        return None
    return 100 * min(max((value - row["lower"]) / reach, 0.0), 1.0)


def measures(rows: Sequence[Mapping[str, Any]], title: str | None = None) -> Any:
    """A bar a measure, as long as its value is far along its range, the value beside it, chance as a mark.

    rows : each with measure, value, baseline (or None), lower, upper; a measure without an upper end has its value only.
    Returns a matplotlib Figure.
    """
    figure, axes = new_figure((PAGE, AROUND + A_ROW * len(rows)))
    figure.suptitle(title or "Measures", fontsize=10, x=0.01, horizontalalignment="left")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), [row["measure"] for row in rows], fontsize=SMALL)
    finish(axes, "", "per cent of each measure's range", "")
    for k, row in enumerate(rows):
        axes.text(1.01, k, f"{row['value']:.4g}", transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.barh(range(len(rows)), [along(row, "value") or 0.0 for row in rows], height=0.6, color=PALETTE[0])
    marks = [(mark, k) for k, row in enumerate(rows) if (mark := along(row, "baseline")) is not None]
    if marks:
        axes.plot(*zip(*marks, strict=True), "|", color=PALETTE[1], markersize=17, markeredgewidth=2, label="by chance")
        figure.legend(frameon=False, fontsize=SMALL, loc="outside lower right")
    axes.set_xlim(0, 100)
    return figure
