"""Pictures as SVG for the studio and notebooks; text has the colour of the page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .style import GREY, PALETTE
from .template import environment

WIDTH, HEIGHT = 560, 350
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 38, 46  # text on a small screen is as large as half of TOP and BOTTOM
SHAPES = (
    "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z", "M-4.5 -4.5H4.5V4.5H-4.5Z", "M0 -6L6 0L0 6L-6 0Z", "M0 -6L5.5 4.5H-5.5Z",
    "M0 6L5.5 -4.5H-5.5Z", "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z", "M-6 -3L-3 -6L0 -3L3 -6L6 -3L3 0L6 3L3 6L0 3L-3 6L-6 3L-3 0Z",
)  # fmt: skip
# Of a number's middle from its marker, nearest first: right and down, in pixels.
PLACES = [(x * k, y * k) for k in (1, 2, 3) for x, y in ((14, -8), (14, 9), (-14, -8), (-14, 9), (0, -15), (0, 16))]


@dataclass(frozen=True)
class MapPoint:
    """A point: risk and loss, its name, the number at its marker, its family; `href` makes it a link."""

    risk: float
    loss: float
    name: str
    number: str = ""
    family: str = ""
    href: str = ""
    hollow: bool = False
    selected: bool = False


@cache
def templates() -> Any:
    """The templates of the pictures."""
    return environment(Path(__file__).parent / "templates")


def picture(name: str, **context: Any) -> str:
    """A picture's template, filled."""
    colors = (*PALETTE[:-1], "currentColor")  # black on light pages
    text: str = templates().get_template(f"{name}.html").render(colors=colors, **context)
    return text.strip()


def risk_utility_svg(
    points: Sequence[MapPoint], risk: str, loss: str, *, limit: float | None = None, legend: bool = False
) -> str:
    """What users lose against disclosure risk, its title above the axis; a line joins the filled points that are Pareto-optimal.

    risk, loss : the titles of the axes; limit : on the first, a dashed line; legend : whether the names of numbered points are below.
    """
    points = [point for point in points if math.isfinite(point.risk) and math.isfinite(point.loss)]
    across = axis_ticks([point.risk for point in points] + [limit or 0.0])
    up = axis_ticks([point.loss for point in points])
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(value: float) -> float:
        return LEFT + (right - LEFT) * max(value, 0.0) / across[-1]

    def y(value: float) -> float:
        return bottom - (bottom - TOP) * max(value, 0.0) / up[-1]

    places = [(x(point.risk), y(point.loss)) for point in points]
    offsets = number_offsets(places, [bool(point.number) for point in points])
    families = list(dict.fromkeys(point.family for point in points))
    marks = [
        {"point": point, "dx": dx, "dy": dy, "style": families.index(point.family)}
        for point, (dx, dy) in zip(points, offsets, strict=True)
    ]
    return picture(
        "map", risk=risk, loss=loss, limit=limit, legend=legend, width=WIDTH, height=HEIGHT, x=x, y=y, across=across,
        up=up, left=LEFT, right=right, top=TOP, bottom=bottom, shapes=SHAPES, grey=GREY, marks=marks, front=front(points),
    )  # fmt: skip


def front(points: Sequence[MapPoint]) -> list[MapPoint]:
    """The filled points that are Pareto-optimal, from the least risk on."""
    best, least = list[MapPoint](), math.inf
    for point in sorted(points, key=lambda point: (point.risk, point.loss)):
        if not point.hollow and point.loss < least:
            best.append(point)
            least = point.loss
    return best


def number_offsets(
    places: Sequence[tuple[float, float]], numbered: Sequence[bool], unit: float = 1.0
) -> list[tuple[float, float]]:
    """Positions of the middle of each number, from its marker, so that it covers no marker and no other number.

    places : of all markers, down from the top; numbered : which of them have a number; unit : pixels of one of ours.
    """
    taken, offsets = list(places), []
    for (x, y), number in zip(places, numbered, strict=True):
        spots = [(x + dx * unit, y + dy * unit) for dx, dy in PLACES]
        free = (s for s in spots if all(abs(s[0] - a) >= 12 * unit or abs(s[1] - b) >= 11 * unit for a, b in taken))
        spot = next(free, spots[0])
        offsets.append((spot[0] - x, spot[1] - y))
        if number:
            taken.append(spot)
    return offsets


def axis_ticks(values: Sequence[float]) -> list[float]:
    """Ticks from 0 to just beyond the largest value, in at most six steps of 1, 2 or 5 times a power of ten."""
    from matplotlib.ticker import MaxNLocator

    most = max([1.0, *(1.05 * value for value in values)])
    return list(map(float, MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(0.0, most)))
