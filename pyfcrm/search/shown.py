"""The table of candidates, those that no other dominates first, and the risk-utility map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..display import View, pictures
from ..measures import DEFAULT


def on_map(candidates: Sequence[Any], risk: str = "dr") -> list[Any]:
    """Those that have the risk: where records do not pair there is none, and no place on the map."""
    return [candidate for candidate in candidates if not math.isnan(candidate[risk])]


def nondominated(candidates: Sequence[Any], risk: str = "dr") -> list[bool]:
    """For each: whether no other is at least as good in PIL and the risk and better in one of them."""
    points = [(candidate["pil"], candidate[risk]) for candidate in candidates]
    return [not math.isnan(p[1]) and not any(q[0] <= p[0] and q[1] <= p[1] and q != p for q in points) for p in points]


def map_rows(candidates: Sequence[Any], risk: str = "dr") -> list[dict[str, Any]]:
    """What the map needs of each candidate."""
    return [
        {"method": type(c.method).__name__, "label": c.method.settings(), "pil": c["pil"], risk: c[risk]}
        for c in candidates
    ]


def frontier_view(title: str, candidates: Sequence[Any], marks: Sequence[bool], notes: Sequence[str]) -> View:
    """The view of a Frontier. marks : which candidates no other dominates."""
    order = sorted(range(len(candidates)), key=lambda k: (not marks[k], candidates[k]["dr"] if marks[k] else k))
    rows = [
        (str(candidates[k].method), *(candidates[k][key] for key in DEFAULT), "*" if marks[k] else "") for k in order
    ]
    shown = on_map(candidates)
    return View(
        title,
        ("method", *(key.upper() for key in DEFAULT), "best"),
        rows,
        ["*: no other is at least as good in PIL and DR and better in one. Per cent.", *notes],
        lambda: pictures.risk_map(map_rows(shown), nondominated(shown), "the risk-utility map", "dr"),
    )
