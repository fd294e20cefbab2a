"""One method tried: what the page asks for, protected and judged."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ...data import Roles
from ...errors import InvalidInput, InvalidParameter
from ...evaluation.evaluate import evaluate
from ...evaluation.report import Report
from ...measures import DEFAULT
from ...methods import Method
from ...methods.text import WHOLE
from ...progress import Progress, within
from ...protection.protect import Protected, protect
from ...rstream import RStream
from ..scripts.replay import ReleaseOptions
from .bench import Source, Trial

FURTHER = ("detection", "id_rank", "prl_tolerance", "dbrl_mahalanobis", "um", "cm3", "correlation_difference", "drisk")
BY_KEYS = ("uniques", "k_anonymity")
MISSING = {"refuse": "refuse", "protect": "protect them too", "drop": "leave them out"}


@dataclass(frozen=True)
class Order(ReleaseOptions):
    """What the page asks for; seed as it was typed; further, keys : the measures asked for besides, and what those that are
    about keys are about; title : what the trial is called; start : what to begin from, where `seed` is empty."""

    source: Source
    method: Method
    roles: Roles
    seed: str
    further: tuple[str, ...]
    keys: tuple[str, ...] = ()
    title: str = ""
    start: int | RStream | None = None


def run(order: Order, number: int, began: float, progress: Progress) -> Trial:
    """Protect and judge. Raises PyfcrmError; Cancelled where the progress says so."""
    released = protect(
        order.source.table.frame,
        order.method,
        order.roles,
        order.start if order.start is not None else seed_of(order.seed),
        progress=within(progress, 0, 2, "protecting"),
        **order.options,
    )
    report = judged(order, released, within(progress, 1, 2, "judging"))
    seconds = time.monotonic() - began
    return Trial(number, order.source, order.method, released, report, seconds, order.title, **order.release_options)


def judged(order: Order, released: Protected, progress: Progress | None) -> Report:
    """How a release is judged; one that has gaps by its method, and of which nothing can be judged, is kept with a report
    that says why."""
    try:
        return evaluate(
            order.source.table.frame,
            released,
            measures=(*DEFAULT, *order.further, *(BY_KEYS if order.keys else ())),
            keys=order.keys or None,
            progress=progress,
        )
    except InvalidInput as error:
        if order.method.one_for_one:
            raise
        return Report({}, (), len(released.frame), (f"It could not be judged: {error.rule}.",))


def seed_of(text: str) -> int | None:
    """The seed that was typed; None for an empty field: the system's entropy."""
    if not text.strip():
        return None
    if not WHOLE.fullmatch(text.strip()):
        raise InvalidParameter("studio", "seed", "must be a whole number, or empty for fresh entropy", text)
    return int(text)
