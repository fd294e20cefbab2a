"""pyfcrm measures: what there is to judge with, and how each value is read."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated, Any

import typer

from ..errors import unknown_name
from ..measures import DEFAULT, MEASURES
from ..measures.measure import Facts
from .options import Json
from .show import document, say, table

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
        document({"measures": [_contents(one) for one in chosen]})
    elif key is None:
        facts = [MEASURES[one].facts for one in chosen]
        rows = [(one.key, one.title, KINDS[one.kind], _range(one), one.better, one.source) for one in facts]
        table("Measures, as --measures takes them", ("key", "measure", "of", "range", "better", "source"), rows, left=6)
        say(f"Not asked for any, evaluate gives {', '.join(DEFAULT)}. One measure in full: pyfcrm measures KEY")
    else:
        _show(key)


def _show(key: str) -> None:
    measure, facts = MEASURES[key], MEASURES[key].facts
    say(f"{key}: {facts.title}")
    say(facts.reading)
    say()
    say(f"of: {KINDS[facts.kind]}")
    say(f"range: {_range(facts)}, {facts.better} is better")
    if facts.identity is not None:
        say(f"of the original itself: {facts.identity:g}")
    say(f"records: {'paired, each with its original' if facts.paired else 'need not be paired'}")
    if measure.of:
        say(f"made of: {', '.join(measure.of)}")
    if measure.of_keys:
        targets = ", and --targets, what they tell" if measure.of_targets else ""
        say(f"needs: --keys, the key attributes{targets}")
    say(f"source: {facts.source}")


def _range(facts: Facts) -> str:
    unit = " per cent" if facts.upper == 100 else ""
    if not math.isfinite(facts.lower):
        return f"up to {facts.upper:g}{unit}"
    return f"{facts.lower:g} to {facts.upper:g}{unit}" if math.isfinite(facts.upper) else f"{facts.lower:g} and more"


def _contents(key: str) -> dict[str, Any]:
    """The facts as they stand."""
    measure = MEASURES[key]
    return asdict(measure.facts) | {
        "default": key in DEFAULT,
        "keys": measure.of_keys,
        "targets": measure.of_targets,
        "of": measure.of,
    }
