"""pyfcrm protect: a file in, its release out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .. import __version__
from ..files import Table, check_output, read_table, write_manifest, write_table
from ..methods import Method
from ..protecting import Protected
from ..protecting import protect as protect_frame
from ..table import Roles
from .show import busy, notes, say
from .words import column_list, make_method


@dataclass(frozen=True)
class Request:
    """What was asked for, as it was typed."""

    source: str
    output: str
    manifest: str | None
    method: str
    settings: tuple[str, ...]
    independent: str
    dependent: str
    identifiers: str | None
    seed: int | None
    missing: str
    separator: str | None
    decimal: str | None


def run(request: Request) -> None:
    """Protect a file. Everything that can be wrong with the paths is found before any work is done."""
    check_output(request.output, [request.source])
    if request.manifest is not None:
        check_output(request.manifest, [request.source, request.output], extensions=None)
    method = make_method(request.method, request.settings)
    roles = Roles(column_list(request.independent), column_list(request.dependent), column_list(request.identifiers))
    table = read_table(request.source, request.separator, request.decimal)
    with busy(f"protecting {len(table.frame)} records with {method}"):
        released = protect_frame(table.frame, method, roles, request.seed, missing=request.missing)
        write_table(released.frame, request.output, table, roles.dependent, _protected_rows(table, roles))
    if request.manifest is not None:
        others = [request.source, request.output]
        write_manifest(request.manifest, _manifest(request, method, released), others)
    notes([*table.notes, *_named(released.notes, roles)])
    say(f"{request.output}: {len(released.frame)} records, {len(roles.dependent)} columns protected with {method}")


def _protected_rows(table: Table, roles: Roles) -> np.ndarray:
    wanted = [*roles.independent, *roles.dependent]
    return table.frame[wanted].notna().all(axis=1).to_numpy(dtype=bool)


def _named(lines: list[str], roles: Roles) -> list[str]:
    """Notes that speak of an attribute by number, with its name instead."""
    named = []
    for line in lines:
        head, colon, tail = line.partition(": ")
        number = head.removeprefix("dependent attribute ")
        is_numbered = colon and number.isdigit()
        named.append(f"dependent attribute {roles.dependent[int(number) - 1]}: {tail}" if is_numbered else line)
    return named


def _manifest(request: Request, method: Method, released: Protected) -> dict[str, Any]:
    return {
        "pyfcrm": __version__,
        "seed": released.seed,
        "method": type(method).__name__,
        "parameters": method.parameters(),
        "roles": asdict(released.roles),
        "missing": request.missing,
        "input": request.source,
        "output": request.output,
        "notes": released.notes,
        "warning": "internal: with the seed, a release can be compared with guesses at the original; do not publish",
    }
