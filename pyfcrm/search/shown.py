"""What is shown of candidates judged alike: their table, those that none beats first, and the risk-utility map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..display import View, pictures
from ..measures import DEFAULT


def map_rows(judged: Sequence[Any]) -> list[dict[str, Any]]:
    """Of Candidates or Judged, each a method with values by key: what the map needs of them."""
    return [
        {"method": type(one.method).__name__, "label": one.method.settings(), "pil": one["pil"], "dr": one["dr"]}
        for one in judged
    ]


def map_view(
    title: str, judged: Sequence[Any], marks: Sequence[bool], said: Sequence[str], limit: float | None = None
) -> View:
    """The view of a Frontier or a Recommendation.

    marks : which of them no other beats in PIL and DR; limit : on DR, per cent.
    """
    order = sorted(range(len(judged)), key=lambda k: (not marks[k], judged[k]["dr"] if marks[k] else k))
    rows = [(str(judged[k].method), *(judged[k][key] for key in DEFAULT), "*" if marks[k] else "") for k in order]
    drawn = map_rows(judged)
    return View(
        title,
        ("method", *(key.upper() for key in DEFAULT), "best"),
        rows,
        ["*: no other is at least as good in PIL and DR and better in one. Per cent.", *said],
        lambda: pictures.risk_map(drawn, marks, "the risk-utility map", limit),
    )


def in_short(one: Any) -> str:
    """A Candidate or Judged in one line."""
    return f"<{type(one).__name__} {one.method}: PIL {one['pil']:.2f}, DR {one['dr']:.2f}>"
