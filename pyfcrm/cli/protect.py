"""pyfcrm protect: a file in, its release out; and the request as a plan, which `pyfcrm run` repeats."""

import os
from typing import Any

from ..data import Frame, Roles
from ..data.source import open_data
from ..errors import Count, InvalidParameter, Note
from ..evaluation.examine import warnings_of
from ..files import check_output, write_text
from ..files.paths import check_new, copy_paths
from ..methods import Method
from ..plans.limits import Limits, all_limits
from ..plans.plan import Input, Keep, Output, Plan, read_structure
from ..plans.tables import NONE
from ..protection.file import protect_file
from ..protection.protect import Protected
from ..rstream import RStream, as_stream
from .options import Request
from .show import document, notes, print_lines, progress

OUTPUT = ("manifest", "ledger", "disarm", "copies")  # of a plan
AS_TYPED = (*OUTPUT, "separator", "decimal", "overwrite", "strict_totals", "allow_unprotected")
KEPT = ("strata", "missing", "strict_totals", "allow_unprotected", "preserve")


def run(request: Request) -> None:
    """Protect the dependent columns of a file."""
    _check(request)
    method, roles = request.chosen_method(), request.roles()
    if method.generates and request.plan is not None:
        raise InvalidParameter("--plan", "file", "must be left out with --external: a plan runs no command", method)
    options = request.protect_options() | {name: getattr(request, name) for name in AS_TYPED}
    seed = as_stream(None) if request.seed is None and method.privacy is None else request.seed
    in_memory = False if request.by_blocks else None
    original = open_data("protect", request.source, in_memory, request.separator, request.decimal)
    with progress(f"protecting with {method}") as advance:
        released = protect_file(original, request.output, method, roles, seed, progress=advance, **options)
    remarks = [*released.notes, *_unrecorded(request, seed, released), *_warnings(original, released)]
    if not request.json:
        notes(remarks)
    output = {name: getattr(request, name) for name in OUTPUT}
    write_plan(request, method, roles, {}, release=request.output, **output)
    outputs = copy_paths(request.output, request.copies)
    if request.json:
        document({"outputs": outputs, "method": str(method), "dependent": roles.dependent, "notes": remarks})
        return
    written = request.output if len(outputs) == 1 else f"{outputs[0]} to {outputs[-1]}"
    columns = Count(len(roles.dependent))
    print_lines(f"{written}: {original.records} records, {columns} {columns:column|columns} protected with {method}")


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
    for name in ("separator", "decimal", "disarm", "plan") if request.by_blocks else ():
        if value := getattr(request, name):
            raise InvalidParameter("protect", name, "must be left out with --by-blocks", value)


def _unrecorded(request: Request, seed: int | RStream | None, released: Protected) -> list[str]:
    """A note on random numbers from fresh entropy that no manifest records."""
    if request.manifest is not None or not isinstance(seed, RStream):
        return []
    if (seed.to_r_state() == as_stream(released.seed).to_r_state()).all():
        return []  # nothing was drawn
    return ["no record of the random state was kept: this release cannot be reproduced (--manifest FILE keeps one)"]


def check_plan(request: Request, manifest: str | None = None) -> None:
    """Raises InvalidInput or InvalidParameter, before any work is done, if the plan cannot be written."""
    if request.plan is not None:
        check_output(request.plan, [manifest], extensions=("toml",))


def write_plan(request: Request, method: Method, roles: Roles, limits: Limits, **output: Any) -> None:
    """Write the plan of a request. output : as in a plan, its paths as they were typed."""
    if request.plan is None:
        return
    kept = {name: getattr(request, name) for name in KEPT if hasattr(request, name)}
    for name in ("bounds", "decimals"):
        value = getattr(request, name)
        kept[name] = NONE if value is None else value
    paths = {key: _from_plan(request.plan, value) if isinstance(value, str) else value for key, value in output.items()}
    source = _from_plan(request.plan, request.source)
    plan = Plan(
        input=Input(file=source, separator=request.separator, decimal=request.decimal),
        roles=roles,
        method=method,
        keep=Keep(
            constraints=request.constraints and [request.constraints],
            structure=read_structure(request.structure),
            **kept,
        ),
        limits=all_limits(limits),
        output=Output(**paths),
    )
    write_text(request.plan, plan.text())
    if not request.json:
        print_lines(f"plan: {request.plan}")


def _from_plan(plan: str, path: str) -> str:
    """A path relative to the folder of the plan."""
    return os.path.relpath(os.path.abspath(path), os.path.dirname(os.path.abspath(plan)))
