"""pyfcrm protect: a file in, its release out."""

from __future__ import annotations

from ..data import Frame
from ..data.source import open_data
from ..errors import Count, InvalidParameter, Note
from ..evaluation.examine import warnings_of
from ..files.paths import check_new, copy_paths
from ..protection.file import protect_file
from ..protection.protect import Protected
from ..rstream import RStream, as_stream
from .options import Request
from .planning import check_plan, write_plan
from .show import document, notes, print_line, progress

AS_TYPED = (
    "copies",
    "separator",
    "decimal",
    "disarm",
    "overwrite",
    "strict_totals",
    "allow_unprotected",
    "manifest",
    "ledger",
)


def run(request: Request) -> None:
    """Protect the dependent columns of a file."""
    _check(request)
    method = request.chosen_method()
    if method.generates and request.plan is not None:
        raise InvalidParameter("--plan", "file", "must be left out with --external: a plan runs no command", method)
    roles = request.roles()
    options = request.protect_options() | {name: getattr(request, name) for name in AS_TYPED}
    seed = as_stream(None) if request.seed is None and method.privacy is None else request.seed
    in_memory = False if request.by_blocks else None
    original = open_data("protect", request.source, in_memory, request.separator, request.decimal)
    task = f"protecting {original.records} records" if original.source is None else "protecting by blocks"
    with progress(f"{task} with {method}") as advance:
        released = protect_file(original, request.output, method, roles, seed, progress=advance, **options)
    remarks = [*released.notes, *_unrecorded(request, seed, released), *_warnings(original, released)]
    if not request.json:
        notes(remarks)
    write_plan(
        request,
        method,
        roles,
        {},
        release=request.output,
        manifest=request.manifest,
        ledger=request.ledger,
        disarm=request.disarm,
        copies=request.copies,
    )
    outputs = copy_paths(request.output, request.copies)
    if request.json:
        document({"outputs": outputs, "method": str(method), "dependent": roles.dependent, "notes": remarks})
        return
    columns = Count(len(roles.dependent))
    records = f"{len(released.frame)} records, " if original.source is None else ""
    written = request.output if len(outputs) == 1 else f"{outputs[0]} to {outputs[-1]}"
    print_line(f"{written}: {records}{columns} {columns:column|columns} protected with {method}")


def _warnings(original: Frame, released: Protected) -> list[Note]:
    """The tests of the verdict that fail already."""
    return [
        Note.of("risk", "{test} {found} ({limit}): {reason}", test=test.key, found=test.found_text, limit=test.limit_text,
                reason=test.reason)
        for test in warnings_of(original, released)
    ]  # fmt: skip


def _check(request: Request) -> None:
    """Raises InvalidInput or InvalidParameter for a plan that cannot be written, and for options of CSV files by blocks."""
    check_plan(request, request.manifest)
    if request.plan is not None:
        check_new(request.plan, request.overwrite)
    for name in ("separator", "decimal", "disarm") if request.by_blocks else ():
        if getattr(request, name):
            raise InvalidParameter(
                "protect", name, "must be left out with --by-blocks: Parquet", getattr(request, name)
            )


def _unrecorded(request: Request, seed: int | RStream | None, released: Protected) -> list[str]:
    """A note on random numbers from fresh entropy that no manifest records."""
    if request.manifest is not None or not isinstance(seed, RStream):
        return []
    if (seed.to_r_state() == as_stream(released.seed).to_r_state()).all():
        return []  # nothing was drawn
    return ["no record of the random state was kept: this release cannot be reproduced (--manifest FILE keeps one)"]
