"""Before and after: distributions of an original and its release."""

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


def _edges(x: Array, z: Array) -> Array:
    low, high = np.quantile(np.concatenate([x, z]), [TAIL, 1 - TAIL])
    if not high > low:
        low, high = min(x.min(), z.min()), max(x.max(), z.max())
    return np.histogram_bin_edges(x, BINS, (low, high))
