"""protect_file(): a file in, its release out, in any format, with a private record of how it was made if one is requested."""

from contextlib import ExitStack
from dataclasses import replace
from typing import Any, cast

from ..arguments import flag
from ..data import Frame, Roles, Variables, open_data
from ..engine import Engine, Local
from ..errors import one_line
from ..files import check_output
from ..files.manifest import releasing
from ..files.paths import Path, check_ledger, check_new, copy_paths, path_text
from ..files.reading import AS_DETECTED, Reading
from ..methods import Procedure
from ..progress import Progress
from ..protection.options import Options
from ..protection.protect import Protected, recording, run_request
from ..protection.request import Destination, protect_request, require_output
from ..rstream import RStream
from ..types import Rows
from .plan import Input, Output, Plan, Random

WARNING = "internal: with the seed, a release can be compared with guesses at the original; do not publish"


def run_protect_file(
    source: Path | Frame,
    output: Path,
    method: Procedure,
    roles: Roles | None,
    seed: int | RStream | None,
    *,
    options: Options,
    reading: Reading = AS_DETECTED,
    disarm: bool = False,
    overwrite: bool = False,
    manifest: Path | None = None,
    ledger: Path | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Protected:
    """The release of a file, as protect_file() writes it. Raises InvalidInput or InvalidParameter."""
    request = protect_request(method, roles, seed, options, progress)
    to = Destination(
        outputs=copy_paths(output, request.options.copies),
        overwrite=flag("protect_file", "overwrite", overwrite),
        disarm=flag("protect_file", "disarm", disarm),
        ledger=ledger,
    )
    require_output(source, to)
    if manifest is not None:
        others = [source.path if isinstance(source, Frame) else source, *to.outputs]
        check_new(check_output(manifest, others), to.overwrite)
        if ledger is not None:
            check_ledger(ledger, [manifest])
    frame = open_data("protect", source, None, reading)
    path = cast(str, frame.path)
    with (
        ExitStack() as recorded,
        releasing(
            output, manifest, path, overwrite=to.overwrite, copies=request.options.copies, before=frame.stamp
        ) as (files, contents),
    ):
        released = run_request(frame, request, engine, replace(to, outputs=tuple(files), overwrite=True))
        released = recorded.enter_context(recording(released, files))
        plan = Plan(
            input=Input(file=one_line(path), **reading.table()),
            roles=released.roles,
            method=method,
            keep=released.options,
            variables=released.options.variables or {},
            output=Output(
                release=one_line(path_text("output", output)), disarm=to.disarm, copies=request.options.copies
            ),
        )
        contents |= manifest_contents(plan, released, frame.source is not None, engine)
    return released


def described_rows(variables: Variables) -> list[dict[str, Any]]:
    """What was inferred or declared of each column, without its smallest and largest value."""
    rows = variables.rows()
    return [{key: value for key, value in row.items() if key not in ("low", "high")} for row in rows]


def _as_text(rows: Rows | None) -> str:
    """Positions as a text, so that they are one line of a manifest; "" for all in order."""
    return "" if rows is None else " ".join(map(str, rows.tolist()))


def manifest_contents(
    plan: Plan, released: Protected, by_blocks: bool, engine: str | Engine = "local"
) -> dict[str, Any]:
    """The provenance record of a release, for its owner alone: the plan's tables and where the random numbers started.

    Digests, versions, platform and time are added with the files.
    """
    from .. import __version__

    return {
        "pyfcrm": __version__,
        **plan.model_copy(update={"random": Random.of(released.seed)}).tables(),
        "by_blocks": by_blocks,
        "threads": engine.most if isinstance(engine, Local) else Local().most,
        "notes": released.notes,
        "all_notes": released.all_notes,
        "described": [] if released.variables is None else described_rows(released.variables),
        **({} if all(rows is None for rows in released.rows) else {"rows": [_as_text(rows) for rows in released.rows]}),
        **({} if released.registration is None else {"ledger": released.registration.facts()}),
        **(
            {"warning": WARNING}
            if released.privacy is None
            else {"privacy": vars(released.privacy), "guarantee": str(released.privacy)}
        ),
    }
