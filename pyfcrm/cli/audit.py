"""pyfcrm audit: one file and a method in, what its releases tell of the records they were made of out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ..evaluation.audit import audit
from ..files import read_table
from ..methods.text import make_method
from .options import FileRequest, Json, MethodName, Settings, externals, real, whole
from .show import document, notes, progress, say, table


@dataclass(frozen=True, kw_only=True)
class Request(FileRequest):
    """What was asked for, as it was typed: each option, declared."""

    method: MethodName
    settings: Settings = None
    seed: Annotated[
        int,
        typer.Option(
            parser=whole, metavar="INTEGER", help="starts the splits and the releases, none of which goes out"
        ),
    ] = 1
    share: Annotated[
        float, typer.Option(parser=real, metavar="FLOAT", help="of the records that are protected in each split")
    ] = 0.5
    repeats: Annotated[int, typer.Option(parser=whole, metavar="INTEGER", help="how many splits")] = 3
    shadows: Annotated[
        int, typer.Option(parser=whole, metavar="INTEGER", help="how many releases train the attack by shadow releases")
    ] = 8
    copies: Annotated[
        int,
        typer.Option(
            parser=whole, metavar="INTEGER", help="releases of the same records that the intruder has, together"
        ),
    ] = 1
    as_json: Json = False


def run(request: Request) -> None:
    """Attack releases of a random part of the records, and judge by the records they never saw."""
    method = make_method(request.method, request.settings or (), externals(request.external))
    roles = request.roles
    options = request.options() | {"copies": request.copies, "shadows": request.shadows}
    read = read_table(request.source, request.separator, request.decimal)
    with progress(f"auditing {method}") as advance:
        found = audit(
            read.frame, method, roles, request.seed, request.share, request.repeats, progress=advance, **options
        )
    said = [*read.notes, *found.notes]
    if request.as_json:
        document(found.document() | {"notes": said})
        return
    rows = [tuple(row.values()) for row in found.rows()]
    table(found.title, ("attack", "value", "control", "lower", "upper"), rows)
    for sentence in found.describe():
        say(sentence)
    notes(said)
