"""pyfcrm run: a plan in, its release out where every threshold is met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ..trust.run import run as run_the_plan
from .options import Json
from .show import document, notes, progress, say


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for, as it was typed: each option, declared."""

    plan: Annotated[str, typer.Argument(metavar="PLAN.toml", help="what comes in, what is done, by which thresholds")]
    overwrite: Annotated[bool, typer.Option("--overwrite", help="replace what the plan writes where it exists")] = False
    as_json: Json = False


def run(request: Request) -> None:
    """Protect, judge and audit as a reviewed file says; nothing is released where a threshold is not met."""
    with progress("doing what the plan says") as advance:
        made = run_the_plan(request.plan, overwrite=request.overwrite, progress=advance)
    if request.as_json:
        rows = [{"key": one.key, "limit": one.limit, "value": one.value, "met": one.met} for one in made.thresholds]
        document({"ok": made.ok, "thresholds": rows, "notes": list(made.notes)})
    else:
        notes(made.notes)
        for sentence in made.sentences():
            say(sentence)
    if not made.ok:
        raise typer.Exit(1)
