"""A run: what was asked for, protected and judged."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ...cli.options import WHOLE
from ...errors import InvalidParameter
from ...evaluating import evaluate
from ...measures import DEFAULT
from ...methods import Method
from ...progress import Progress, within
from ...protecting import protect
from ...table import Roles
from .trial import Source, Trial


@dataclass(frozen=True)
class Order:
    """What the page asks for; seed as it was typed."""

    source: Source
    method: Method
    roles: Roles
    seed: str
    missing: str
    constraints: str | None
    further: tuple[str, ...]


def run(order: Order, number: int, began: float, progress: Progress) -> Trial:
    """Protect and judge. Raises PyfcrmError; Cancelled where the progress says so."""
    frame = order.source.table.frame
    released = protect(
        frame,
        order.method,
        order.roles,
        seed_of(order.seed),
        constraints=order.constraints,
        missing=order.missing,
        progress=within(progress, 0, 2, "protecting"),
    )
    report = evaluate(
        frame,
        released.frame,
        order.roles.dependent,
        (*DEFAULT, *order.further),
        missing=order.missing,
        progress=within(progress, 1, 2, "judging"),
        roles=order.roles,
    )
    seconds = time.monotonic() - began
    return Trial(number, order.source, order.method, released, report, order.missing, order.constraints, seconds)


def seed_of(text: str) -> int | None:
    """The seed that was typed; None for an empty field: the system's entropy."""
    if not text.strip():
        return None
    if not WHOLE.fullmatch(text.strip()):
        raise InvalidParameter("studio", "seed", "must be a whole number, or empty for fresh entropy", text)
    return int(text)
