"""Fuzzy c-regression on the blackboard, one iteration at a time, and what the blackboard's canvas and small lines are
told: plain functions of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Count, InvalidInput
from ...evaluation.report import judge
from ...fuzzy import fcm, fcrm
from ...fuzzy.fcrm import START
from ...rstream import RStream
from ...types import Array

MOST_CLUSTERS, MOST_POINTS = 10, 20_000
CLUSTER = 20  # points of one drag
WIDTH, HEIGHT, EDGE = 150, 34, 3
COURSES = (
    ("objective", "objective E_m"),
    ("delta", "max change of membership"),
    ("pil", "PIL, %"),
    ("dr", "DR, %"),
    ("score", "SCORE, %"),
)


@dataclass(frozen=True)
class Settings:
    """c clusters; m fuzzifier; independent : which coordinate explains the other, 0 or 1; seed of the first partition;
    the run ends when memberships move less than tol, or after `most` iterations."""

    c: int = 5
    m: float = 1.5
    independent: int = 0
    seed: int = 1
    tol: float = 1e-5
    most: int = 30


@dataclass(frozen=True)
class Moment:
    """One iteration: membership (n, c); labels (n,), the cluster of the largest; lines (c, 2), intercept and slope;
    released (n,), the dependent coordinate as it would be released; pil, dr, score in per cent; converged."""

    iteration: int
    membership: Array
    labels: NDArray[np.intp]
    lines: Array
    released: Array
    objective: float
    delta: float
    pil: float
    dr: float
    score: float
    converged: bool


def first_membership(points: Array, how: Settings) -> Array:
    """(n, c): where FCRM starts, by fuzzy c-means of both coordinates, the independent one first.

    points : (n, 2). Raises InvalidInput, one sentence, for points that no line can be fitted to.
    """
    distinct = len(np.unique(points, axis=0))
    if distinct < max(3, how.c):
        rule = f"needs at least {max(3, how.c)} different points for c = {how.c}"
        raise InvalidInput("blackboard", rule, distinct)
    for axis, name in enumerate(("horizontal", "vertical")):
        if np.ptp(points[:, axis]) == 0:
            raise InvalidInput("blackboard", f"needs points of more than one {name} position", f"{len(points)} of one")
    ordered = points[:, [how.independent, 1 - how.independent]]
    return fcm(ordered, how.c, seed=RStream(how.seed), **START).membership  # type: ignore[arg-type]


def step(points: Array, how: Settings, membership: Array, before: Moment | None) -> Moment:
    """The next iteration, by the package's own fuzzy c-regression, and what a release now would be worth."""
    x, y = points[:, how.independent], points[:, 1 - how.independent]
    fit = fcrm(x, y, how.c, how.m, tol=0, max_iter=1, initial=membership)
    lines = fit.coef[:, :, 0]
    if before is not None:  # a cluster without records keeps its line
        lines = np.where(np.isnan(lines), before.lines, lines)
    released = fit.fitted[:, 0]
    report = judge(y[:, None], released[:, None], ["y"])
    delta = float(fit.delta[-1])
    return Moment(
        1 if before is None else before.iteration + 1,
        fit.membership,
        fit.labels,
        lines,
        released,
        float(fit.objective[-1]),
        delta,
        report["pil"],
        report["dr"],
        report["score"],
        delta < how.tol,
    )


def ended(moment: Moment, how: Settings) -> bool:
    """Whether a run stops here."""
    return moment.converged or moment.iteration >= how.most


def cluster(x: float, y: float, radius: float, stream: RStream) -> Array:
    """(20, 2) points around a place, with half the radius as standard deviation."""
    return np.array([x, y]) + radius / 2 * stream.rnorm(2 * CLUSTER).reshape(CLUSTER, 2)


def view(points: Array) -> tuple[float, float, float, float]:
    """What part of the plane is shown: 0 to 100 both ways, or as much as the points need, with a little room."""
    if not len(points) or (points.min() >= 0 and points.max() <= 100):
        return 0.0, 100.0, 0.0, 100.0
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.maximum(high - low, 1e-9 * np.maximum(np.abs(high), 1.0)) * 0.06
    return float(low[0] - room[0]), float(high[0] + room[0]), float(low[1] - room[1]), float(high[1] + room[1])


def frame(points: Array, how: Settings, moment: Moment | None) -> dict[str, Any]:
    """One picture: points, and with a moment their clusters, strengths, releases and the lines."""
    state: dict[str, Any] = {
        "view": view(points),
        "independent": how.independent,
        "points": _short(points),
        "text": described(points, moment),
    }
    if moment is not None:
        state |= {
            "labels": moment.labels.tolist(),
            "strength": np.round(moment.membership.max(axis=1), 3).tolist(),
            "released": _short(moment.released),
            "lines": [None if np.isnan(line).any() else line.tolist() for line in moment.lines],
        }
    return state


def described(points: Array, moment: Moment | None) -> str:
    """The picture in words."""
    many = f"{len(points)} {Count(len(points)):point|points}"
    if moment is None:
        return f"{many}, no lines yet"
    sizes = np.bincount(moment.labels, minlength=len(moment.lines))
    lines = "; ".join(
        f"line {k + 1}: {a:.4g} {'-' if b < 0 else '+'} {abs(b):.4g} x, {size} points"
        for k, ((a, b), size) in enumerate(zip(moment.lines.tolist(), sizes.tolist(), strict=True))
    )
    return f"{many} after iteration {moment.iteration}. {lines}"


def readings(history: Sequence[Moment]) -> list[tuple[str, str, str]]:
    """For each quantity: its name, its value now, and its course as a small line (SVG)."""
    rows = []
    for key, name in COURSES:
        values = [float(getattr(moment, key)) for moment in history]
        now = "–" if not values else f"{values[-1]:.2f}" if "%" in name else f"{values[-1]:.4g}"
        rows.append((name, now, sparkline(values, name, logarithmic=key == "delta")))
    return rows


def sparkline(values: Sequence[float], name: str, logarithmic: bool = False) -> str:
    """A small line of the values in their order; with `logarithmic` by their logarithms."""
    y = np.array(values, dtype=np.float64)
    if logarithmic:
        y = np.log10(np.maximum(y, 1e-12))
    words = f"{name}: from {values[0]:.4g} to {values[-1]:.4g} in {len(values)}" if values else f"{name}: nothing yet"
    head = f'<svg class="course" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(words, quote=True)}">'
    if not len(y):
        return head + "</svg>"
    span = float(np.ptp(y)) or 1.0
    across = np.linspace(EDGE, WIDTH - EDGE, len(y)) if len(y) > 1 else np.array([EDGE])
    down = HEIGHT - EDGE - (y - y.min()) / span * (HEIGHT - 2 * EDGE)
    places = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, down, strict=True))
    return f'{head}<polyline points="{places}"/><circle cx="{across[-1]:.1f}" cy="{down[-1]:.1f}" r="2.5"/></svg>'


def _short(values: Array) -> list[Any]:
    """Numbers with the digits that a screen can show."""
    rounded = np.array([float(f"{v:.6g}") for v in values.ravel()])
    return list(rounded.reshape(values.shape).tolist())
