"""pyfcrm measures: what there is to judge with, and how each value is read."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from ..errors import unknown_name
from ..measures import DEFAULT, MEASURES
from ..measures.measure import Measure
from .options import Json
from .show import document, say, table

FACTS = ("key", "title", "reading", "kind", "source", "better", "identity", "paired", "lower", "upper", "informed")
KINDS = {"loss": "information loss", "risk": "disclosure risk", "score": "both in one number"}


def run(
    *,
    key: Annotated[str | None, typer.Argument(metavar="KEY", help="one measure; all if not given")] = None,
    as_json: Json = False,
) -> None:
    """The measures, with their ranges and sources."""
    if key is not None and key not in MEASURES:
        raise unknown_name("measures", "measure", key, MEASURES)
    chosen = list(MEASURES) if key is None else [key]
    if as_json:
        document({"measures": [_contents(MEASURES[one]) for one in chosen]})
    elif key is None:
        rows = [
            (one.key, one.title, KINDS[one.kind], range_text(one), one.better, one.source) for one in MEASURES.values()
        ]
        table("Measures, as --measures takes them", ("key", "measure", "of", "range", "better", "source"), rows, left=6)
        say(f"Not asked for any, evaluate gives {', '.join(DEFAULT)}. One measure in full: pyfcrm measures KEY")
    else:
        _show(MEASURES[key])


def _show(measure: Measure) -> None:
    say(f"{measure.key}: {measure.title}")
    say(measure.reading)
    say()
    say(f"of: {KINDS[measure.kind]}")
    say(f"range: {range_text(measure)}, {measure.better} is better")
    if measure.identity is not None:
        say(f"of the original itself: {measure.identity:g}")
    say(f"records: {'paired, each with its original' if measure.paired else 'need not be paired'}")
    if measure.components:
        say(f"made of: {', '.join(measure.components)}")
    if measure.needs_keys:
        targets = ", and --targets, what they tell" if measure.needs == "targets" else ""
        say(f"needs: --keys, the key attributes{targets}")
    say(f"source: {measure.source}")


def range_text(measure: Measure) -> str:
    """The range of its values in words."""
    low, high = (f"{bound:g}" if math.isfinite(bound) else "" for bound in (measure.lower, measure.upper))
    unit = " per cent" if measure.upper == 100 else ""
    if not high:
        return f"{low} and more"
    return (f"{low} to {high}" if low else f"up to {high}") + unit


def _contents(measure: Measure) -> dict[str, Any]:
    facts = {name: getattr(measure, name) for name in FACTS}
    needs = {"keys": measure.needs_keys, "targets": measure.needs == "targets", "of": measure.components}
    return {**facts, "default": measure.key in DEFAULT, **needs}
