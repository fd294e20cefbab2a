"""Before and after: distributions and correlations of an original and its release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..types import Array
from .style import PAGE, PALETTE, SMALL, finish, fitting, new_figure

Names = Sequence[str]

BEFORE, AFTER = PALETTE[0], PALETTE[1]
BINS, TAIL = 40, 0.005  # bars, and the share of values beyond either end of them
ACROSS = 3  # small pictures in a row
WRITTEN = 5  # columns up to which correlations are written into the map


def distributions(X: Array, Z: Array, names: Names) -> Any:
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
        for values, color, label, style in ((X, BEFORE, "original", "-"), (Z, AFTER, "protected", "--")):
            inside = np.clip(values[:, j], edges[0], edges[-1])
            share = 100 * np.histogram(inside, edges)[0] / len(values)
            axes[j].stairs(share, edges, color=color, label=label, linestyle=style, linewidth=1.4)
        finish(axes[j], fitting(name), "", "per cent" if j % ACROSS == 0 else "")
        axes[j].locator_params(axis="x", nbins=5)
    figure.legend(
        *axes[0].get_legend_handles_labels(), frameon=False, fontsize=SMALL, loc="outside upper right", ncols=2
    )
    return figure


def correlations(X: Array, Z: Array, names: Names) -> Any:
    """The correlations before, after, and their difference, as three maps with the numbers in them.

    X, Z (n, p), (N, p) : p at least 2. A constant attribute has no correlations, and blank cells. Returns a Figure.
    """
    tables = [_correlation(X), _correlation(Z)]
    tables.append(tables[1] - tables[0])
    p, listed = len(names), [fitting(name) for name in names]
    figure, axes = new_figure((PAGE, 1.3 + 0.26 * p + 0.06 * max(map(len, listed))), 1, 3)
    for one, values, title in zip(axes, tables, ("original", "protected", "protected less original"), strict=True):
        one.imshow(values, vmin=-1, vmax=1, cmap="PuOr", aspect="auto")
        one.set_title(title, fontsize=9, loc="left")
        one.set_xticks(range(p), listed, rotation=90, fontsize=SMALL)
        one.set_yticks(range(p), listed if one is axes[0] else [""] * p, fontsize=SMALL)
        for i, j in np.ndindex(p, p):
            if p <= WRITTEN and np.isfinite(values[i, j]):
                dark = abs(values[i, j]) > 0.7
                text = f"{values[i, j]:.2f}"
                one.text(j, i, text, ha="center", va="center", fontsize=SMALL, color="white" if dark else "black")
    return figure


def _edges(x: Array, z: Array) -> Array:
    low, high = np.quantile(np.concatenate([x, z]), [TAIL, 1 - TAIL])
    if not high > low:
        low, high = min(x.min(), z.min()), max(x.max(), z.max())
    return np.histogram_bin_edges(x, BINS, (low, high))


def _correlation(A: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.atleast_2d(np.corrcoef(A, rowvar=False))
