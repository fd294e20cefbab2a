"""The blackboard: fuzzy c-regression turn by turn on drawn points, from several starts, and for several numbers of clusters."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from ..arguments import real_number, whole_number
from ..datasets import example
from ..errors import InvalidInput, PyfcrmError
from ..evaluation.report import judge
from ..fuzzy import FCRMFit, fcm, fcrm
from ..fuzzy.fcrm import START
from ..methods.text import value_of
from ..plots.svg import picture
from ..rstream import RStream
from ..types import Array
from .pages import page

OWNER = "blackboard"
MAX_POINTS, MAX_DRAWN, FURTHEST = 2000, 400, 1e12
MAX_CLUSTERS, TURNS, STARTS = 10, 30, 4
CLUSTERS = (1, 2, 3, 4, 5, 6, 8, 10)
SIZE = 220  # pixels of a small picture


@dataclass(frozen=True)
class Settings:
    """c clusters; m fuzzifier; independent : the predictor, 0 horizontal or 1 vertical; seed of the first partition."""

    c: int = 5
    m: float = 1.5
    independent: int = 0
    seed: int = 1


def read_settings(form: Any) -> Settings:
    """The settings of a form. Raises InvalidParameter."""
    numbers = {name: value_of(str(form.get(name, default))) for name, default in vars(Settings()).items()}
    return Settings(
        whole_number(OWNER, "c", numbers["c"], low=1, high=MAX_CLUSTERS),
        real_number(OWNER, "m", numbers["m"], above=1),
        whole_number(OWNER, "independent", numbers["independent"], low=0, high=1),
        whole_number(OWNER, "seed", numbers["seed"], low=0),
    )


def read_points(text: str) -> Array:
    """(n, 2) points from lines of two numbers. Raises InvalidInput."""
    try:
        rows = [[float(part) for part in line.replace(",", " ").split()] for line in text.splitlines() if line.strip()]
        points = np.array(rows, dtype=np.float64).reshape(-1, 2)
    except ValueError:
        raise InvalidInput(OWNER, "each line must have two numbers, such as 20, 35") from None
    if len(points) > MAX_POINTS:
        raise InvalidInput(OWNER, f"at most {MAX_POINTS} points", len(points))
    if len(points) and not np.abs(points).max() <= FURTHEST:
        raise InvalidInput(OWNER, f"points must lie between -{FURTHEST:g} and {FURTHEST:g}")
    return points


def first_membership(points: Array, settings: Settings) -> Array:
    """(n, c): where FCRM starts, by fuzzy c-means of both coordinates, the predictor first. Raises InvalidInput."""
    fewest, distinct = max(3, settings.c), len(np.unique(points, axis=0))
    if distinct < fewest:
        raise InvalidInput(OWNER, f"needs at least {fewest} different points for c = {settings.c}", distinct)
    for axis, name in enumerate(("horizontal", "vertical")):
        if np.ptp(points[:, axis]) == 0:
            raise InvalidInput(OWNER, f"needs points of more than one {name} position")
    ordered = points[:, [settings.independent, 1 - settings.independent]]
    start = fcm(ordered, settings.c, START.m, START.tol, START.max_iter, seed=RStream(settings.seed))
    return start.membership


def fit(points: Array, settings: Settings, membership: Array, turns: int, tol: float = 0.0) -> FCRMFit:
    """Fuzzy c-regression from a membership."""
    x, y = points[:, settings.independent], points[:, 1 - settings.independent]
    return fcrm(x, y, settings.c, settings.m, tol=tol, max_iter=turns, initial=membership)


def frame(points: Array, settings: Settings, result: FCRMFit, turn: int, previous: Array | None) -> dict[str, Any]:
    """What the canvas draws after a turn."""
    lines = result.coef[:, :, 0]
    if previous is not None:  # a cluster without records keeps its line
        lines = np.where(np.isnan(lines), previous, lines)
    released, delta = result.fitted[:, 0], float(result.delta[-1])
    report = judge(points[:, 1 - settings.independent][:, None], released[:, None], ["y"])
    settled = delta < 1e-5
    return {
        "turn": turn,
        "labels": result.labels.tolist(),
        "strength": np.round(result.membership.max(axis=1), 3).tolist(),
        "released": [float(f"{value:.6g}") for value in released],
        "lines": [None if np.isnan(line).any() else line.tolist() for line in lines],
        "settled": settled,
        "objective": float(result.objective[-1]),
        "delta": delta,
        **{key: report[key] for key in ("pil", "dr", "score")},
    }


async def frames(request: Request) -> Response:
    """The turns of a run, one JSON line each, as they are computed."""
    try:
        async with request.form(max_fields=20) as form:
            settings, points = read_settings(form), read_points(str(form.get("points", "")))
        membership = await asyncio.to_thread(first_membership, points, settings)
    except (PyfcrmError, MultiPartException) as error:
        return PlainTextResponse(str(error), 422)

    async def lines() -> AsyncIterator[str]:
        current, previous = membership, None
        for turn in range(1, TURNS + 1):
            result = await asyncio.to_thread(fit, points, settings, current, 1)
            picture = await asyncio.to_thread(frame, points, settings, result, turn, previous)
            yield json.dumps(picture) + "\n"
            current, previous = result.membership, result.coef[:, :, 0]
            if picture["settled"]:
                return

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def page_context(form: Any) -> dict[str, Any]:
    """What the page shows: its settings and points, and the small pictures that were requested."""
    context: dict[str, Any] = {
        "settings": Settings(),
        "points": str(form.get("points", "")),
        "error": "",
        "pictures": [],
        "kind": "",
    }
    try:
        context["settings"] = settings = read_settings(form)
        points = read_points(context["points"])
        if form.get("kind") in ("starts", "effect"):
            context["kind"] = form["kind"]
            context["pictures"] = await asyncio.to_thread(small_pictures, points, settings, form["kind"])
    except PyfcrmError as error:
        context["error"] = str(error)
    return context


async def page_points(request: Request) -> Response:
    """The blackboard, without points or with the requested ones."""
    if request.method == "GET":
        return page(request, "blackboard.html", **await page_context({"points": example_points()}))
    try:
        async with request.form(max_fields=20) as form:
            return page(request, "blackboard.html", **await page_context(form))
    except MultiPartException as error:
        return PlainTextResponse(str(error), 422)


def example_points() -> str:
    """The five lines of pyfcrm.datasets.example()."""
    return "\n".join(f"{x:.5g}, {y:.5g}" for x, y in example().to_numpy(dtype=np.float64))


def small_pictures(points: Array, settings: Settings, kind: str) -> list[dict[str, Any]]:
    """The end of a run from several starts, or for several numbers of clusters."""
    if kind == "starts":
        variants = {
            f"seed {seed}": replace(settings, seed=seed) for seed in range(settings.seed, settings.seed + STARTS)
        }
    else:
        most = len(np.unique(points, axis=0))
        variants = {f"c = {c}": replace(settings, c=c) for c in CLUSTERS if c < most}
    pictures = []
    for title, own in variants.items():
        result = fit(points, own, first_membership(points, own), TURNS, 1e-5)
        last = frame(points, own, result, len(result.delta), None)
        pictures.append({"title": title, "svg": small_svg(points, own, last, title), **last})
    return pictures


def small_svg(points: Array, settings: Settings, last: dict[str, Any], title: str) -> str:
    """Points in the colours of their clusters, and the lines."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)

    def places(values: Array) -> Any:
        """In pixels, down from the top."""
        return (((values - low) / span * (SIZE - 20) + 10) * [1, -1] + [0, SIZE]).tolist()

    drawn = range(0, len(points), max(1, len(points) // MAX_DRAWN))
    dots = zip(places(points[drawn]), [last["labels"][k] for k in drawn], strict=True)
    i, lines = settings.independent, list[Any]()
    for k, line in enumerate(last["lines"]):
        if line is not None:
            ends = np.array([low, high])
            ends[:, 1 - i] = line[0] + line[1] * ends[:, i]
            lines.append((places(ends), k))
    return picture("clusters", title=title, size=SIZE, dots=list(dots), lines=lines)
