"""What is shown of candidates judged alike: their table, those that none beats first, and the risk-utility map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..display import View, pictures
from ..measures import DEFAULT

RISKS = {"dr": "DR", "dr_informed": "DR by who knows the method"}  # what a limit can be on, and how a sentence calls it


def on_map(judged: Sequence[Any], risk: str = "dr") -> list[Any]:
    """Those that have the risk: where records do not pair there is none, and no place on the map."""
    return [one for one in judged if not math.isnan(one[risk])]


def map_rows(judged: Sequence[Any], risk: str = "dr") -> list[dict[str, Any]]:
    """Of Candidates or Judged, each a method with values by key: what the map needs of them."""
    return [
        {"method": type(one.method).__name__, "label": one.method.settings(), "pil": one["pil"], risk: one[risk]}
        for one in judged
    ]


def map_view(
    title: str,
    judged: Sequence[Any],
    marks: Sequence[bool],
    said: Sequence[str],
    *,
    risk: str = "dr",
    limit: float | None = None,
) -> View:
    """The view of a Frontier or a Recommendation.

    marks : which of them no other beats in PIL and the risk; risk : one of RISKS; limit : on it, per cent.
    """
    order = sorted(range(len(judged)), key=lambda k: (not marks[k], judged[k][risk] if marks[k] else k))
    keys = DEFAULT if risk in DEFAULT else (*DEFAULT, risk)
    rows = [(str(judged[k].method), *(judged[k][key] for key in keys), "*" if marks[k] else "") for k in order]
    shown = [mark for one, mark in zip(judged, marks, strict=True) if not math.isnan(one[risk])]
    drawn = map_rows(on_map(judged, risk), risk)
    return View(
        title,
        ("method", *(key.upper() for key in keys), "best"),
        rows,
        [f"*: no other is at least as good in PIL and {RISKS[risk]} and better in one. Per cent.", *said],
        lambda: pictures.risk_map(drawn, shown, "the risk-utility map", risk, limit=limit),
    )


def in_short(one: Any) -> str:
    """A Candidate or Judged in one line."""
    return f"<{type(one).__name__} {one.method}: PIL {one['pil']:.2f}, DR {one['dr']:.2f}>"
