"""The blackboard: fuzzy c-regression turn by turn on drawn points, from several starts, and for several numbers of clusters."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from ..arguments import real_number, whole_number
from ..data.pairs import Pair
from ..datasets import example
from ..engine import Local
from ..errors import InvalidInput, PyfcrmError
from ..evaluation.measuring import measured
from ..fuzzy import FCRMFit, fcm, fcrm
from ..fuzzy.fcrm import START
from ..methods.text import value_of
from ..rstream import RStream
from ..types import Array
from .pages import page

OWNER = "blackboard"
MAX_POINTS, FURTHEST = 2000, 1e12
TURNS = 100  # within which the example settles for every number of clusters on the page
CLUSTERS = (1, 2, 3, 4, 5, 6, 8, 10)
ENDS = {"c": {"low": 1, "high": 10}, "independent": {"low": 0, "high": 1}, "seed": {"low": 0}}  # of whole numbers
SETTLED = 1e-5  # change of a membership


@dataclass(frozen=True)
class Board:
    """Points (n, 2) and settings: c clusters; m fuzzifier; independent : the predictor, 0 horizontal or 1 vertical; seed of
    the first partition."""

    points: Array
    c: int
    m: float
    independent: int
    seed: int

    @property
    def ordered(self) -> Array:
        """The points, the predictor first."""
        return self.points[:, [self.independent, 1 - self.independent]]

    def start(self) -> Array:
        """(n, c): where FCRM starts, by fuzzy c-means of both coordinates. Raises InvalidInput."""
        fewest, distinct = max(3, self.c), len(np.unique(self.points, axis=0))
        if distinct < fewest or (np.ptp(self.points, axis=0) == 0).any():
            rule = (
                f"needs at least {fewest} different points for c = {self.c}, not all on one horizontal or vertical line"
            )
            raise InvalidInput(OWNER, rule, distinct)
        return fcm(self.ordered, self.c, START.m, START.tol, START.max_iter, seed=RStream(self.seed)).membership

    def fit(self, membership: Array, turns: int, tol: float = 0.0) -> FCRMFit:
        """Fuzzy c-regression from a membership."""
        x, y = self.ordered.T
        return fcrm(x, y, self.c, self.m, tol=tol, max_iter=turns, initial=membership)

    def frame(self, result: FCRMFit, turn: int, previous: Array | None = None) -> dict[str, Any]:
        """What the canvas draws after a turn. previous : the lines before it, which clusters without records keep."""
        lines = result.coef[:, :, 0]
        if previous is not None:
            lines = np.where(np.isnan(lines), previous, lines)
        released, delta = result.fitted, float(result.delta[-1])
        measures = measured(Pair.of(self.ordered[:, 1:], released), ("pil", "dr", "score"), Local())
        return {
            "turn": turn,
            "labels": result.labels.tolist(),
            "strength": np.round(result.membership.max(axis=1), 3).tolist(),
            "released": [float(f"{value:.6g}") for value in released[:, 0]],
            "lines": [None if np.isnan(line).any() else line.tolist() for line in lines],
            "settled": delta < SETTLED,
            "objective": float(result.objective[-1]),
            "delta": delta,
            **{key: result.total for key, result in measures.items()},
        }


def read_board(values: Mapping[str, str]) -> Board:
    """The points, lines of two numbers, and the settings of a form. Raises InvalidInput or InvalidParameter."""
    try:
        rows = [[float(part) for part in line.replace(",", " ").split()] for line in values["points"].splitlines()]
        points = np.array([row for row in rows if row], dtype=np.float64).reshape(-1, 2)
    except ValueError:
        raise InvalidInput(OWNER, "each line must have two numbers, such as 20, 35") from None
    if len(points) > MAX_POINTS or not (np.abs(points) <= FURTHEST).all():
        raise InvalidInput(OWNER, f"at most {MAX_POINTS} points, between -{FURTHEST:g} and {FURTHEST:g}", len(points))
    whole = {name: whole_number(OWNER, name, value_of(values[name]), **ends) for name, ends in ENDS.items()}
    return Board(points, m=real_number(OWNER, "m", value_of(values["m"]), above=1), **whole)


async def read_form(request: Request) -> dict[str, str]:
    """The values of the form, by default the five lines of pyfcrm.datasets.example()."""
    points = "\n".join(f"{x:.5g}, {y:.5g}" for x, y in example().to_numpy(dtype=np.float64))
    defaults = {"c": "5", "m": "1.5", "independent": "0", "seed": "1", "points": points, "kind": ""}
    async with request.form(max_fields=20) as form:
        return defaults | {key: str(value) for key, value in form.items()}


async def frames(request: Request) -> Response:
    """The turns of a run, one JSON line each, as they are computed."""
    try:
        board = read_board(await read_form(request))
        membership = await asyncio.to_thread(board.start)
    except PyfcrmError as error:
        return PlainTextResponse(str(error), 422)

    async def lines() -> AsyncIterator[str]:
        current, previous = membership, None
        for turn in range(1, TURNS + 1):
            result = await asyncio.to_thread(board.fit, current, 1)
            drawn = board.frame(result, turn, previous)
            yield json.dumps(drawn) + "\n"
            current, previous = result.membership, result.coef[:, :, 0]
            if drawn["settled"]:
                return

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def page_points(request: Request) -> Response:
    """The blackboard, with the small pictures that were requested."""
    values, pictures, message = await read_form(request), list[dict[str, Any]](), ""
    try:
        board = read_board(values)
        if values["kind"]:
            pictures = await asyncio.to_thread(small_pictures, board, values["kind"])
    except PyfcrmError as error:
        message = str(error)
    return page("blackboard.html", values=values, pictures=pictures, error=message)


def small_pictures(board: Board, kind: str) -> list[dict[str, Any]]:
    """The end of a run from several starts, or for several numbers of clusters."""
    most = len(np.unique(board.points, axis=0))
    variants = {f"c = {c}": replace(board, c=c) for c in CLUSTERS if c < most}
    if kind == "starts":
        variants = {f"seed {seed}": replace(board, seed=seed) for seed in range(board.seed, board.seed + 4)}
    fits = {title: own.fit(own.start(), TURNS, SETTLED) for title, own in variants.items()}
    return [{"title": title, **board.frame(fit, len(fit.delta))} for title, fit in fits.items()]
