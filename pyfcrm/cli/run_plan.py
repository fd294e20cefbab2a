"""pyfcrm run: a plan in, its release out if the verdict is "pass"."""

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

    plan: Annotated[str, typer.Argument(metavar="PLAN.toml", help="what comes in, what is done, within which limits")]
    overwrite: Annotated[bool, typer.Option("--overwrite", help="replace what the plan writes where it exists")] = False
    despite_hold: Annotated[
        str | None,
        typer.Option("--despite-hold", metavar="REASON", help="release whatever the verdict is; with --by"),
    ] = None
    by: Annotated[str | None, typer.Option(metavar="NAME", help="who answers for --despite-hold")] = None
    as_json: Json = False


def run(request: Request) -> None:
    """Protect, audit and evaluate as a reviewed file says; nothing is released unless the verdict is pass."""
    with progress("doing what the plan says") as advance:
        result = run_the_plan(
            request.plan,
            overwrite=request.overwrite,
            despite_hold=request.despite_hold,
            by=request.by,
            progress=advance,
        )
    if request.as_json:
        hold = {"despite_hold": result.despite_hold, "by": result.by} if result.despite_hold else {}
        document({"ok": result.ok, "verdict": result.verdict.document(), **hold, "notes": list(result.notes)})
    else:
        notes(result.notes)
        for sentence in result.sentences():
            say(sentence)
    if not result.ok:
        raise typer.Exit(1)
