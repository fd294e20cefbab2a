"""The risk-utility map, a point a candidate, as a matplotlib figure."""

from collections.abc import Sequence
from typing import Any

from .style import GREY, MARKERS, PAGE, PALETTE, SMALL, finish, fitting, new_figure
from .svg import MapPoint, front, number_offsets

NAME_LENGTH = 40  # characters of a name
AXES = {
    "dr": "disclosure risk DR, % (left is safer)",
    "attributable": "attributable risk, percentage points (left is safer)",
}


LOSSES = {
    "utility_rms": "deviation of estimates, standard errors",
    "pil": "information loss, %",
}


def risk_utility_map(
    points: Sequence[MapPoint], title: str | None, risk: str, loss: str, *, limit: float | None
) -> Any:
    """What users lose against disclosure risk, a number at each marker and its name in the legend.

    risk, loss : keys of AXES and LOSSES; limit : on the first, a dashed line. A line joins the points that no other beats in both.
    Returns a matplotlib Figure.
    """
    named = [point for point in points if point.number]
    figure, axes = new_figure((PAGE, max(4.6, 1.6 + 0.19 * len(named))))
    families = list(dict.fromkeys(point.family for point in points))
    for point in points:
        style = families.index(point.family)
        again = style // len(PALETTE)  # past the last colour, colours are repeated with another marker
        label = f"{point.number}  {fitting(point.name, NAME_LENGTH)}" if point.number else None
        look = {"color": PALETTE[style % len(PALETTE)], "marker": MARKERS[(style + 3 * again) % len(MARKERS)]}
        axes.plot(point.risk, point.loss, linestyle="none", markersize=7, label=label, **look)
    best = front(points)
    axes.plot([point.risk for point in best], [point.loss for point in best], color=GREY, linewidth=1, zorder=0)
    if limit is not None:
        axes.axvline(limit, color=PALETTE[1], linestyle="--", linewidth=1, zorder=0, label=f"limit: {limit:g}")
    finish(axes, title or "Risk-utility map", AXES[risk], f"{LOSSES[loss]} (down is better)")
    axes.margins(x=0.12, y=0.1)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    _write_numbers(figure, axes, points)
    if named or limit is not None:
        axes.legend(frameon=False, fontsize=SMALL, loc="upper left", bbox_to_anchor=(1.0, 1.02))
    return figure


def _write_numbers(figure: Any, axes: Any, points: Sequence[MapPoint]) -> None:
    """The number of each named point beside its marker."""
    figure.draw_without_rendering()  # markers have their places once the layout is known
    data = [(point.risk, point.loss) for point in points]
    places = [(x, -y) for x, y in axes.transData.transform(data).tolist()] if points else []
    offsets = number_offsets(places, [bool(point.number) for point in points], figure.dpi / 96)
    for point, (right, down) in zip(points, offsets, strict=True):
        shift = (right * 72 / figure.dpi, -down * 72 / figure.dpi)
        axes.annotate(point.number, (point.risk, point.loss), xytext=shift, textcoords="offset points",
                      fontsize=SMALL, ha="center", va="center").set_in_layout(False)  # fmt: skip
