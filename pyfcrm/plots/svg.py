"""The risk-utility map as SVG, for notebooks and the studio; text has the colour of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .style import GREY, PALETTE

LEFT, RIGHT, TOP, BOTTOM = 52, 16, 12, 40
FONT, LETTER = 12, 0.58  # pixels; width of a letter by its height
SHAPES = (
    "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z", "M-4.5 -4.5H4.5V4.5H-4.5Z", "M0 -6L6 0L0 6L-6 0Z", "M0 -6L5.5 4.5H-5.5Z",
    "M0 6L5.5 -4.5H-5.5Z", "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z", "M-6 -3L-3 -6L0 -3L3 -6L6 -3L3 0L6 3L3 6L0 3L-3 6L-6 3L-3 0Z",
)  # fmt: skip
# Of a number beside its marker, nearest first: right and down, in pixels.
PLACES = tuple(
    (x * k, y * k) for k in (1, 2, 3) for x, y in ((10, -6), (10, 10), (-10, -6), (-10, 10), (0, -13), (0, 16))
)


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


def risk_utility_svg(
    points: Sequence[MapPoint],
    title: str,
    risk: str,
    *,
    limit: float | None = None,
    front: Sequence[MapPoint] = (),
    size: tuple[int, int] = (460, 260),
    legend: bool = False,
) -> str:
    """Information loss against disclosure risk. front : the points that a line joins; legend : the names below."""
    width, height = size
    points = [point for point in points if math.isfinite(point.risk) and math.isfinite(point.loss)]
    across = axis_end([point.risk for point in points] + [limit or 0.0])
    up = axis_end([point.loss for point in points])

    def place(point: MapPoint) -> tuple[float, float]:
        x = LEFT + (width - LEFT - RIGHT) * max(point.risk, 0.0) / across
        return x, height - BOTTOM - (height - TOP - BOTTOM) * max(point.loss, 0.0) / up

    parts = _axes(width, height, across, up, risk)
    if limit is not None:
        x = LEFT + (width - LEFT - RIGHT) * limit / across
        parts.append(f'<path d="M{x:.1f} {TOP}V{height - BOTTOM}" stroke="{PALETTE[1]}" stroke-dasharray="5 4"/>')
        anchor = ("end", x - 4) if x > width - 90 else ("start", x + 4)
        parts.append(text_at(anchor[1], TOP + 10, f"limit {limit:g}", anchor[0]))
    if len(front) > 1:
        line = " ".join("{:.1f},{:.1f}".format(*place(point)) for point in front)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{GREY}"/>')
    families = list(dict.fromkeys(point.family for point in points))
    parts += _markers(points, [place(point) for point in points], families)
    named = [point for point in points if point.number] if legend else []
    for k, point in enumerate(named):
        parts.append(text_at(LEFT, height + 14 + 15 * k, f"{point.number}  {point.name}", "start"))
    return svg(width, height + (15 * len(named) + 6 if named else 0), title, parts, linked=any(p.href for p in points))


def _markers(points: Sequence[MapPoint], places: Sequence[tuple[float, float]], families: Sequence[str]) -> list[str]:
    """Markers, the hollow ones first, with their numbers where these cover no other one."""
    parts = []
    offsets = number_offsets(places, [bool(point.number) for point in points])
    order = sorted(range(len(points)), key=lambda k: (not points[k].hollow, points[k].selected))
    for k in order:
        point, (x, y) = points[k], places[k]
        family = families.index(point.family)
        color = PALETTE[family % len(PALETTE)]
        fill = "none" if point.hollow else color
        shape = f'<path d="{SHAPES[family % len(SHAPES)]}" fill="{fill}" stroke="{color}" stroke-width="1.6"/>'
        if point.selected:
            shape = '<circle r="10" fill="none" stroke="currentColor" stroke-width="2"/>' + shape
        dx, dy = offsets[k]
        number = text_at(dx, dy + 4, point.number, "middle") if point.number else ""
        body = f'<g transform="translate({x:.1f} {y:.1f})"><title>{escape(point.name)}</title>'
        if point.href:
            name = escape(f"{point.number} {point.name}".strip(), quote=True)
            link = f'<a href="{escape(point.href, quote=True)}" aria-label="{name}">'
            body += f'{link}<circle r="12" fill="transparent"/>{shape}{number}</a></g>'
        else:
            body += f"{shape}{number}</g>"
        parts.append(body)
    return parts


def number_offsets(
    places: Sequence[tuple[float, float]], numbered: Sequence[bool], unit: float = 1.0
) -> list[tuple[float, float]]:
    """Where the middle of each number goes, from its marker, so that it covers no marker and no other number.

    places : of all markers, down from the top; numbered : which of them have a number; unit : pixels of one of ours.
    """
    taken, offsets = list(places), []
    for (x, y), number in zip(places, numbered, strict=True):
        free = [
            (dx * unit, dy * unit)
            for dx, dy in PLACES
            if not any(abs(x + dx * unit - a) < 12 * unit and abs(y + dy * unit - b) < 11 * unit for a, b in taken)
        ]
        offsets.append(free[0] if free else (PLACES[0][0] * unit, PLACES[0][1] * unit))
        if number:
            taken.append((x + offsets[-1][0], y + offsets[-1][1]))
    return offsets


def _axes(width: int, height: int, across: float, up: float, below: str) -> list[str]:
    bottom = height - BOTTOM
    parts = [f'<path d="M{LEFT} {TOP}V{bottom}H{width - RIGHT}" fill="none" stroke="currentColor" opacity="0.6"/>']
    for value in axis_ticks(across):
        x = LEFT + (width - LEFT - RIGHT) * value / across
        parts.append(f'<path d="M{x:.1f} {bottom}v4" stroke="currentColor" opacity="0.6"/>')
        parts.append(text_at(x, bottom + 17, f"{value:g}", "middle"))
    for value in axis_ticks(up):
        y = bottom - (bottom - TOP) * value / up
        parts.append(f'<path d="M{LEFT} {y:.1f}h-4" stroke="currentColor" opacity="0.6"/>')
        parts.append(text_at(LEFT - 7, y + 4, f"{value:g}", "end"))
    parts.append(text_at((LEFT + width) / 2, height - 6, below, "middle"))
    middle = (TOP + bottom) / 2
    label = '<text transform="translate(13 {:.0f}) rotate(-90)" text-anchor="middle">information loss PIL, %</text>'
    return [*parts, label.format(middle)]


def axis_end(values: Sequence[float]) -> float:
    """A whole number of steps just beyond the largest value."""
    most = max([1.0, *(1.05 * value for value in values if math.isfinite(value))])
    return math.ceil(most / _step(most)) * _step(most)


def axis_ticks(end: float) -> list[float]:
    """From 0 to the end of an axis, in round steps."""
    return [k * _step(end) for k in range(round(end / _step(end)) + 1)]


def _step(most: float) -> float:
    """1, 2 or 5 times a power of ten, at most six of which make an axis."""
    power: float = 10.0 ** math.floor(math.log10(most / 6))
    return next(step * power for step in (1, 2, 5, 10) if most <= 6 * step * power)


def fitting_width(text: str, width: float) -> str:
    """The text, or its start, in so many pixels."""
    most = int(width / (LETTER * FONT))
    return text if len(text) <= most else text[: most - 3] + "..."


def text_at(x: float, y: float, words: str, anchor: str) -> str:
    """A text of one line."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def svg(width: int, height: int, title: str, parts: Sequence[str], *, linked: bool = False) -> str:
    """A picture with its title for readers who do not see it; one with links is a group, not an image."""
    role = "group" if linked else "img"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="{role}" aria-label="{escape(title, quote=True)}" font-family="sans-serif" font-size="{FONT}" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )
