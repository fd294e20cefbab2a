"""The risk-utility map as inline SVG: a button a trial, the unbeaten ones joined, the limit a line; axes from per cent
to places in the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from statistics import median

from .tried import Point

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 58, 24, 26, 50
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
LEAST = 5.0  # per cent: an axis is at least so long
SHAPES = {  # by the letters of plots.style.MARKERS, around (0, 0)
    "o": '<circle r="7"/>',
    "s": '<rect x="-6.2" y="-6.2" width="12.4" height="12.4"/>',
    "D": '<path d="M0-8.6 8.6 0 0 8.6-8.6 0Z"/>',
    "^": '<path d="M0-8 8 6.4H-8Z"/>',
    "v": '<path d="M0 8 8-6.4H-8Z"/>',
    "P": '<path d="M-2.9-8h5.8v5.1H8v5.8H2.9V8h-5.8V2.9H-8v-5.8h5.1Z"/>',
    "X": '<path d="M-7.7-4-4-7.7 0-3.7 4-7.7 7.7-4 3.7 0 7.7 4 4 7.7 0 3.7-4 7.7-7.7 4-3.7 0Z"/>',
}
# Where a point's number may stand, the first place first that no other one has: dx, dy.
PLACES = ((0, -14), (17, 4), (-17, 4), (0, 23), (14, -11), (-14, -11), (14, 18), (-14, 18))
NEAR = 9.0  # a point nearer to another one than this is drawn beside it, with a line to where it is
ASIDE = ((18, 0), (-18, 0), (0, 20), (0, -20), (15, 15), (-15, 15), (15, -15), (-15, -15))
CROWNED = 4  # further out, around the ring of the best


@dataclass(frozen=True)
class Scale:
    """Axes that begin at 0 and end at `across` (the risk) and `up` (PIL), in per cent."""

    across: float
    up: float

    def x(self, risk: float) -> float:
        """The place of a risk, from the left."""
        return LEFT + (WIDTH - LEFT - RIGHT) * risk / self.across

    def y(self, pil: float) -> float:
        """The place of a PIL, from the top."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * pil / self.up


def scale_for(risks: list[float], pils: list[float], limit: float | None) -> Scale:
    """Axes that hold every point, and the limit, with a little room."""
    return Scale(_end([0.0, *risks, limit or 0.0]), _end([0.0, *pils]))


def ticks(end: float, most: int = 6) -> list[float]:
    """Round numbers from 0 to `end`, at most so many steps."""
    power = 10.0 ** math.floor(math.log10(end / most))
    step = next(power * one for one in STEPS if power * one * most >= end * (1 - 1e-9))
    return [k * step for k in range(int(end / step * (1 + 1e-9)) + 1)]


def _end(values: list[float]) -> float:
    """A little beyond the largest."""
    most = max([LEAST, *(1.08 * value for value in values)])
    if max(values) <= 100 < most:
        return 104.0  # a point at 100 is not cut in half
    return most


def risk_map(
    points: Sequence[Point],
    limit: float | None,
    best: int | None,
    chosen: int | None,
    green: bool = False,
    *,
    axis: str = "disclosure risk DR, %",
    near: bool = False,
) -> str:
    """The map.

    points : what was tried; limit : on the risk, in per cent; best, chosen : the trials' numbers; green : whether
    nothing speaks against the best; axis : what the risk is; near : leave out what lies far off (see near_ones). Points follow
    each other by risk,
    so that Tab goes from left to right; a shape and a colour say the family. The words are for those who do not see it.
    """
    points = near_ones(points, limit) if near else points
    scale = scale_for([p.risk for p in points], [p.pil for p in points], limit)
    named = points[0].named if points else "DR"
    parts = [
        f'<svg class="risk-map" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" '
        f'aria-label="{escape(in_words(points), quote=True)}">',
        _axes(scale, axis),
        "" if limit is None else _limit(scale, limit, named),
        _joined(scale, points),
        *_buttons(scale, points, best, chosen, green),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


def near_ones(points: Sequence[Point], limit: float | None) -> Sequence[Point]:
    """The points up to half as much again as the limit, or as the median risk, and up to twice the least loss within it; all
    of them where that leaves less than two."""
    most = median([p.risk for p in points]) if limit is None and points else limit or 0.0
    loss = min((p.pil for p in points if p.risk <= most), default=math.inf)
    kept = [p for p in points if p.pil <= 2 * loss and p.risk <= 1.5 * most]
    return kept if len(kept) > 1 else points


def in_words(points: Sequence[Point]) -> str:
    """The map in one sentence."""
    unbeaten = [p.label for p in _by_risk(points) if p.unbeaten]
    many, named = f"{len(points)} trial{'s' * (len(points) != 1)}", points[0].named if points else "DR"
    return f"Risk-utility map of {many}; not beaten by another in both PIL and {named}: {', '.join(unbeaten) or 'none'}"


def legend(points: Sequence[Point]) -> str:
    """The families with their shapes, and what the line joins."""
    families = {p.family: p for p in points}
    rows = [f"<li>{swatch(p)}{escape(name)}</li>" for name, p in families.items()]
    line = '<svg class="swatch" width="22" height="18" aria-hidden="true"><path class="joined" d="M1 9H21"/></svg>'
    return f'<ul class="legend">{"".join(rows)}<li>{line}not beaten in both</li></ul>'


def swatch(point: Point) -> str:
    """The point's shape, by itself, in a line of text."""
    return (
        '<svg class="swatch" width="18" height="18" viewBox="-9 -9 18 18" aria-hidden="true">'
        f'<g class="{_kind(point)}" fill="{point.color}">{SHAPES[point.marker]}</g></svg>'
    )


def _kind(point: Point) -> str:
    """Black is the one colour that a dark page swallows."""
    return "mark black" if point.color == "#000000" else "mark"


def _axes(scale: Scale, axis: str) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    lines = []
    for value in ticks(scale.across):
        x = scale.x(value)
        lines.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
        lines.append(f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{value:g}</text>')
    for value in ticks(scale.up):
        y = scale.y(value)
        lines.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    middle = (TOP + bottom) / 2
    lines.append(
        f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{escape(axis)}</text>'
        f'<text transform="translate(16 {middle:.0f}) rotate(-90)" text-anchor="middle">information loss PIL, %</text>'
    )
    return f'<g class="axes" aria-hidden="true">{"".join(lines)}</g>'


def _limit(scale: Scale, limit: float, named: str) -> str:
    """The line, and what lies beyond it a little darker."""
    x, bottom, right = scale.x(limit), HEIGHT - BOTTOM, WIDTH - RIGHT
    end = x > WIDTH * 0.7
    return (
        f'<g class="limit" aria-hidden="true"><rect class="beyond" x="{x:.1f}" y="{TOP}" width="{max(right - x, 0):.1f}" '
        f'height="{bottom - TOP}"/><path d="M{x:.1f} {TOP - 6}V{bottom}"/>'
        f'<text x="{x + (-6 if end else 6):.1f}" y="{TOP - 9}" text-anchor="{"end" if end else "start"}">'
        f"limit: {named} {limit:g} %</text></g>"
    )


def _joined(scale: Scale, points: Sequence[Point]) -> str:
    unbeaten = [p for p in _by_risk(points) if p.unbeaten]
    places = " ".join(f"{scale.x(p.risk):.1f},{scale.y(p.pil):.1f}" for p in unbeaten)
    return f'<polyline class="joined" points="{places}" aria-hidden="true"/>' if len(unbeaten) > 1 else ""


def _buttons(scale: Scale, points: Sequence[Point], best: int | None, chosen: int | None, green: bool) -> list[str]:
    places = drawn_at(scale, points)
    taken = list(places.values())
    result = []
    for p in sorted(points, key=lambda one: (*places[one.number], one.number)):
        x, y = places[p.number]
        across, up = scale.x(p.risk) - x, scale.y(p.pil) - y
        line = f'<path class="crowded" d="M0 0L{across:.1f} {up:.1f}"/>' if across or up else ""
        dx, dy = _place(x, y, taken, CROWNED if p.number == best else 0)
        taken.append((x + dx, y + dy - 4))
        crown = f'<circle class="best{" green" * green}" r="14"/>' if p.number == best else ""
        kinds = "point unbeaten" if p.unbeaten else "point"
        result.append(
            f'<g class="{kinds}" transform="translate({x:.1f} {y:.1f})" role="button" tabindex="0" '
            f'data-trial="{p.number}" aria-pressed="{str(p.number == chosen).lower()}" '
            f'aria-label="{escape(p.words, quote=True)}"><title>{escape(p.words)}</title>{line}<circle class="ring" r="11"/>{crown}'
            f'<g class="{_kind(p)}" fill="{p.color}">{SHAPES[p.marker]}</g>'
            f'<text x="{dx}" y="{dy}" text-anchor="middle">{p.number}</text></g>'
        )
    return result


def drawn_at(scale: Scale, points: Sequence[Point]) -> dict[int, tuple[float, float]]:
    """Where each point is drawn, by its number: at its place, or beside it where another one is drawn there already."""
    found: dict[int, tuple[float, float]] = {}
    for p in points:
        point_at = scale.x(p.risk), scale.y(p.pil)
        tries = [point_at, *((point_at[0] + dx, point_at[1] + dy) for dx, dy in ASIDE)]
        free = [at for at in tries if all(math.dist(at, other) >= NEAR for other in found.values())]
        found[p.number] = next(
            (at for at in free if LEFT <= at[0] <= WIDTH - RIGHT and TOP <= at[1] <= HEIGHT - BOTTOM), point_at
        )
    return found


def _place(x: float, y: float, taken: Sequence[tuple[float, float]], out: int) -> tuple[int, int]:
    """Where the number goes, `out` further away: the first place that is free and inside; else above."""

    def free(dx: int, dy: int) -> bool:
        at_x, at_y = x + dx, y + dy - 4
        if not (LEFT <= at_x <= WIDTH - 6 and 8 <= at_y <= HEIGHT - BOTTOM):
            return False
        return all(abs(at_x - a) > 14 or abs(at_y - b) > 13 for a, b in taken if (a, b) != (x, y))

    places = [
        (dx + out * ((dx > 0) - (dx < 0)), dy + out * (1 if dy > 4 else -1 if dy < 0 else 0)) for dx, dy in PLACES
    ]
    return next((place for place in places if free(*place)), places[0])


def _by_risk(points: Sequence[Point]) -> list[Point]:
    return sorted(points, key=lambda p: (p.risk, p.pil, p.number))
