"""pyfcrm protect: a file in, its release out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import __version__
from ..constraints import parsed
from ..engine import Local
from ..errors import InvalidParameter
from ..files import check_output, read_table, write_bytes, write_manifest
from ..methods import Method
from ..protecting import Protected
from ..protecting import protect as protect_frame
from ..releasing import write_release
from ..rstream import RStream, own_copy
from ..table import Roles
from .options import chosen, column_list
from .show import notes, progress, say
from .starting import kept_state, started
from .text import printable
from .words import make_method

ROLES = ("independent", "dependent", "identifiers")


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
    constraints: str | None = None
    threads: int | None = None
    strata: str | None = None
    by_blocks: bool = False
    state: str | None = None


def run(request: Request) -> None:
    """Protect a file. Everything that can be wrong with the paths is found before any work is done."""
    check_output(request.output, [request.source, request.state])
    if request.manifest is not None:
        check_output(request.manifest, [request.source, request.state, request.output], extensions=None)
    method = make_method(request.method, request.settings)
    roles = Roles(*(column_list(getattr(request, role), f"--{role}") for role in ROLES))
    options: dict[str, Any] = {
        "constraints": parsed("protect", request.constraints),
        "missing": request.missing,
        "strata": chosen(request.strata, "--strata"),
        "engine": Local(request.threads),
        "seed": started(request.seed, request.state),
    }
    before = own_copy(options["seed"])
    made = _by_blocks if request.by_blocks else _in_memory
    records, said = made(request, method, roles, options)
    notes([*said, *_unrecorded(request, before, options["seed"])])
    count = "1 column" if len(roles.dependent) == 1 else f"{len(roles.dependent)} columns"
    say(f"{request.output}: {records}{count} protected with {method}")


def _in_memory(request: Request, method: Method, roles: Roles, options: dict[str, Any]) -> tuple[str, list[str]]:
    table = read_table(request.source, request.separator, request.decimal)
    with progress(f"protecting {len(table.frame)} records with {method}") as advance:
        released = protect_frame(table.frame, method, roles, progress=advance, **options)
        with _manifest_first(request, method, released):
            lost = write_release(released, table, request.output)
    return f"{len(released.frame)} records, ", [*table.notes, *released.notes, *lost]


def _by_blocks(request: Request, method: Method, roles: Roles, options: dict[str, Any]) -> tuple[str, list[str]]:
    """Parquet to Parquet, never all of it in memory."""
    for name in ("separator", "decimal"):
        if getattr(request, name) is not None:
            raise InvalidParameter(
                "protect", name, "must be left out with --by-blocks: Parquet", getattr(request, name)
            )
    with progress(f"protecting by blocks with {method}") as advance:
        released = protect_frame(request.source, method, roles, output=request.output, progress=advance, **options)
    try:
        _write_manifest(request, method, released)
    except BaseException:  # a release whose drawn seed nobody knows is of no use to its owner
        os.unlink(released.frame)
        raise
    return "", released.notes


def _unrecorded(request: Request, before: int | RStream, after: int | RStream) -> list[str]:
    """What to say where random numbers were drawn that nobody will be able to draw again."""
    if request.manifest is not None or request.state is not None or isinstance(before, int):
        return []
    assert isinstance(after, RStream)
    if (before.to_r_state() == after.to_r_state()).all():
        return []  # nothing was drawn
    return ["no record of the random state was kept: this release cannot be made again (--manifest FILE keeps one)"]


@contextmanager
def _manifest_first(request: Request, method: Method, released: Protected) -> Iterator[None]:
    """Write the manifest, then let the release be written; where that fails, put back what stood at the manifest's path.

    So a seed that was drawn is never lost, and no manifest speaks of a release that is not there.
    """
    if request.manifest is None:
        yield
        return
    target = os.path.realpath(os.path.expanduser(request.manifest))
    before = Path(target).read_bytes() if os.path.exists(target) else None
    _write_manifest(request, method, released)
    try:
        yield
    except BaseException:
        if before is None:
            os.unlink(target)
        else:
            write_bytes(target, before, mode=0o600)
        raise


def _write_manifest(request: Request, method: Method, released: Protected) -> None:
    if request.manifest is not None:
        write_manifest(request.manifest, _manifest(request, method, released), [request.source, request.output])


def _manifest(request: Request, method: Method, released: Protected) -> dict[str, Any]:
    return {
        "pyfcrm": __version__,
        "seed": None if isinstance(released.seed, RStream) else released.seed,
        "method": type(method).__name__,
        "parameters": method.parameters(),
        "roles": asdict(released.roles),
        "constraints": request.constraints,
        "missing": request.missing,
        "strata": chosen(request.strata, "--strata"),
        "input": printable(request.source),
        "output": printable(request.output),
        "notes": released.notes,
        "warning": "internal: with the seed, a release can be compared with guesses at the original; do not publish",
        "state": kept_state(released.seed),  # last, being long
    }
