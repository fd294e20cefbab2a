"""pyfcrm protect: a file in, its release out."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from .. import __version__
from ..constraints import parsed
from ..data import Roles
from ..engine import Local
from ..errors import InvalidParameter
from ..files import check_output, read_table
from ..files.manifest import Release, releasing, require_new
from ..methods import Method
from ..methods.text import make_method
from ..protection.file import write_release
from ..protection.protect import Protected
from ..protection.protect import protect as protect_frame
from ..rstream import RStream
from ..rstream.stream import own_copy
from .options import (
    ROLES,
    ByBlocks,
    Constraints,
    Decimal,
    Dependent,
    Identifiers,
    Independent,
    MethodName,
    Missing,
    Seed,
    Separator,
    Settings,
    Source,
    Strata,
    Threads,
    Unknown,
    chosen,
    column_list,
    kept_state,
    started,
)
from .show import notes, printable, progress, say


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for, as it was typed: each option, declared."""

    source: Source
    output: Annotated[str, typer.Option("--output", "-o", help="the protected file")]
    method: MethodName
    dependent: Dependent
    independent: Independent = ""
    settings: Settings = None
    identifiers: Identifiers = None
    seed: Seed = None
    constraints: Constraints = None
    missing: Missing = "refuse"
    threads: Threads = None
    manifest: Annotated[
        str | None, typer.Option(help="a private record of random state, settings and digests, for you alone")
    ] = None
    separator: Separator = None
    decimal: Decimal = None
    strata: Strata = None
    by_blocks: ByBlocks = False
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="replace an output or a manifest that exists; else it is refused")
    ] = False
    state: Annotated[
        str | None,
        typer.Option(metavar="MANIFEST", help="start where the release of this record did: the same file again"),
    ] = None
    unknown: Unknown = None
    disarm: Annotated[
        bool, typer.Option("--disarm", help="CSV: an apostrophe before text that a spreadsheet would run as a formula")
    ] = False


def run(request: Request) -> None:
    """Protect the dependent columns of a file."""
    # Everything that can be wrong with the paths is found before any work is done.
    check_output(request.output, [request.source, request.state])
    if request.manifest is not None:
        check_output(request.manifest, [request.source, request.state, request.output], extensions=None)
    for path in (request.output, request.manifest):
        if path is not None:
            require_new(path, request.overwrite)
    method = make_method(request.method, request.settings or ())
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
        with _releasing(request) as release:
            lost = write_release(released, table, release.output, disarm=request.disarm)
            release.describe(_manifest(request, method, released))
    return f"{len(released.frame)} records, ", [*table.notes, *released.notes, *lost]


def _by_blocks(request: Request, method: Method, roles: Roles, options: dict[str, Any]) -> tuple[str, list[str]]:
    """Parquet to Parquet, never all of it in memory."""
    for name in ("separator", "decimal", "disarm"):
        if getattr(request, name) not in (None, False):
            raise InvalidParameter(
                "protect", name, "must be left out with --by-blocks: Parquet", getattr(request, name)
            )
    with progress(f"protecting by blocks with {method}") as advance, _releasing(request) as release:
        released = protect_frame(
            request.source,
            method,
            roles,
            output=release.output,
            overwrite=True,  # refused already where it must not be
            progress=advance,
            **options,
        )
        release.describe(_manifest(request, method, released))
    return "", released.notes


def _releasing(request: Request) -> AbstractContextManager[Release]:
    """Release and manifest, which appear together."""
    return releasing(request.output, request.manifest, request.source, request.overwrite)


def _unrecorded(request: Request, before: int | RStream, after: int | RStream) -> list[str]:
    """What to say where random numbers were drawn that nobody will be able to draw again."""
    if request.manifest is not None or request.state is not None or isinstance(before, int):
        return []
    assert isinstance(after, RStream)
    if (before.to_r_state() == after.to_r_state()).all():
        return []  # nothing was drawn
    return ["no record of the random state was kept: this release cannot be made again (--manifest FILE keeps one)"]


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
        "disarm": request.disarm,
        "input": printable(request.source),
        "output": printable(request.output),
        "notes": released.notes,
        "warning": "internal: with the seed, a release can be compared with guesses at the original; do not publish",
        "state": kept_state(released.seed),  # last, being long
    }
