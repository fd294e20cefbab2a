"""pyfcrm structure: what holds between the columns of a file and was not declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ..constraints.structure import find_structure
from ..data import Roles
from ..data.source import open_data
from .options import Decimal, Json, Separator, Source, chosen, whole
from .show import document, notes, say


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for, as it was typed: each option, declared."""

    source: Source
    independent: Annotated[str | None, typer.Option(help="columns kept as they are: a,b")] = None
    dependent: Annotated[str | None, typer.Option(help="columns to protect, which it is about: c,d; without, all")] = (
        None
    )
    accept: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="those that are told alone, by their numbers: 1,3")
    ] = None
    separator: Separator = None
    decimal: Decimal = None
    as_json: Json = False


def run(request: Request) -> None:
    """What holds between columns: sums, but for rounding too, zeros together, at most, ratios."""
    dependent = chosen(request.dependent, "--dependent")
    independent = chosen(request.independent, "--independent") or []
    door = open_data("structure", request.source, None, request.separator, request.decimal)
    roles = None if dependent is None else Roles(independent, dependent)
    found = find_structure(door, roles)
    if (numbers := chosen(request.accept, "--accept")) is not None:
        found = found.accept(*map(whole, numbers))
    if request.as_json:
        document({"rows": found.rows(), "notes": door.notes})
        return
    for sentence in found.said():
        say(sentence)
    notes(door.notes)
