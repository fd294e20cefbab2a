"""One column of a trial, before and after: its distribution, its figures, and a map of where values went."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from shiny import Inputs, reactive, render, ui

from ....report.html import number, table
from ....types import Array
from ..bench import Trial
from ..inputs import one_of

SIZE, EDGE, CELLS, BARS = 320, 44, 24, 30
QUANTILES = (0, 0.01, 0.25, 0.5, 0.75, 0.99, 1)
NAMES = ("smallest", "1 % below", "lower quartile", "median", "upper quartile", "1 % above", "largest")
WORDS = (
    "Left, how the values lie, before (blue) and after (orange). Right, where they went: across the original value, up the "
    "released one, the darker the more records; on the line nothing changed."
)


def panel() -> Any:
    """Which column, and the pictures."""
    return ui.div(
        ui.input_select("column", "Column", {"": "none"}, width="18rem"),
        ui.p(WORDS, class_="said"),
        ui.output_ui("column_shown"),
    )


def serve(input: Inputs, selected: Any) -> None:
    """The column that was chosen, of the trial that is shown."""

    @reactive.effect
    def _columns() -> None:
        trial = selected()
        names = [] if trial is None else list(trial.report.columns)
        with reactive.isolate():
            before = input.column() if input.column.is_set() else ""
        ui.update_select("column", choices=names, selected=before if before in names else None)

    @render.ui
    def column_shown() -> Any:
        trial = selected()
        name = "" if trial is None else one_of(input.column(), trial.report.columns)
        return ui.HTML(column_page(trial, name)) if trial is not None and name else None


def column_page(trial: Trial, name: str) -> str:
    """Two pictures and a table of one column."""
    before, after = both(trial, name)
    if not len(before):
        return '<p class="said">No record has this column in both files.</p>'
    pictures = outlines(before, after, name) + change_map(before, after, name)
    return f'<div class="two-pictures">{pictures}</div>{figures(before, after)}'


def both(trial: Trial, name: str) -> tuple[Array, Array]:
    """(n,) the values of the records that have this column in both files."""
    original, released = trial.source.table.frame[name], trial.released.frame[name]
    before, after = (
        one.to_numpy(dtype=np.float64, na_value=np.nan) for one in (original.loc[released.index], released)
    )
    whole = np.isfinite(before) & np.isfinite(after)
    return before[whole], after[whole]


def figures(before: Array, after: Array) -> str:
    """Mean, sd, quantiles and what changed, before and after."""
    sd = [float(one.std(ddof=1)) if len(one) > 1 else 0.0 for one in (before, after)]
    rows = [("mean", number(float(before.mean())), number(float(after.mean()))), ("sd", number(sd[0]), number(sd[1]))]
    quantiles = [np.quantile(one, QUANTILES) for one in (before, after)]
    rows += [(name, number(float(a)), number(float(b))) for name, a, b in zip(NAMES, *quantiles, strict=True)]
    changed, gap = float(np.mean(before != after)), np.abs(after - before)
    sentences = (
        f"{100 * changed:.1f} % of {len(before):,} values changed, by {number(float(np.median(gap)))} at the median"
    )
    moved = f"{sentences}, and by {number(float(gap.max()))} at most." if changed else "No value changed."
    return str(table(("figure", "before", "after"), rows)) + f'<p class="said">{escape(moved)}</p>'


def outlines(before: Array, after: Array, name: str) -> str:
    """Two histograms over the same classes."""
    low, high = _range(before, after)
    counts = [np.histogram(one, BARS, (low, high))[0] for one in (before, after)]
    most, room = max(int(one.max()) for one in counts), SIZE - 2 * EDGE
    drawn = "".join(_steps(one / most, kind) for one, kind in zip(counts, ("before", "after"), strict=True))
    ends = _text(EDGE, SIZE - EDGE + 18, low, "start") + _text(SIZE - EDGE, SIZE - EDGE + 18, high, "end")
    line = f'<path class="grid" d="M{EDGE} {EDGE + room}h{room}"/>'
    return _svg(f"Distribution of {name}, before and after", drawn + line + ends)


def change_map(before: Array, after: Array, name: str) -> str:
    """How many records went from where to where, in classes of both values."""
    low, high = _range(before, after)
    counts = np.histogram2d(before, after, CELLS, ((low, high), (low, high)))[0]
    size, most = (SIZE - 2 * EDGE) / CELLS, np.log1p(counts.max())
    cells = "".join(
        f'<rect class="cell" x="{EDGE + i * size:.1f}" y="{SIZE - EDGE - (j + 1) * size:.1f}" width="{size:.1f}" '
        f'height="{size:.1f}" opacity="{0.12 + 0.88 * np.log1p(counts[i, j]) / most:.2f}"/>'
        for i, j in np.argwhere(counts)
    )
    line = f'<path class="same" d="M{EDGE} {SIZE - EDGE}L{SIZE - EDGE} {EDGE}"/>'
    ends = _text(EDGE, SIZE - EDGE + 18, low, "start") + _text(SIZE - EDGE, SIZE - EDGE + 18, high, "end")
    axes = f'<text x="{SIZE / 2}" y="{SIZE - 6}" text-anchor="middle">original</text>'
    axes += f'<text transform="translate(14 {SIZE / 2}) rotate(-90)" text-anchor="middle">released</text>'
    return _svg(f"Map of change of {name}, from its original to its released value", cells + line + ends + axes)


def _range(before: Array, after: Array) -> tuple[float, float]:
    low, high = float(min(before.min(), after.min())), float(max(before.max(), after.max()))
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _steps(heights: Array, kind: str) -> str:
    room = SIZE - 2 * EDGE
    step, floor = room / len(heights), SIZE - EDGE
    path = "".join(f"V{floor - room * h:.1f}h{step:.2f}" for h in heights.tolist())
    return f'<path class="steps {kind}" d="M{EDGE} {floor}{path}V{floor}"/>'


def _text(x: float, y: float, value: float, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{value:.4g}</text>'


def _svg(what: str, inside: str) -> str:
    words = escape(what, quote=True)
    return (
        f'<svg class="column-picture" viewBox="0 0 {SIZE} {SIZE}" role="img" aria-label="{words}">'
        f"<title>{words}</title>{inside}</svg>"
    )
