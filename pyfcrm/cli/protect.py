"""pyfcrm protect: a file in, its release out."""

from ..errors import Count, Note, lines
from ..evaluation.evaluate import warnings_of
from ..files.paths import copy_paths
from ..interface import protect_file
from ..methods.method import NO_ROLES
from ..notes import brief_notes
from ..rstream import RStream, as_stream
from .options import MARK_NAMES, Request
from .show import document, notes, print_lines, progress

AS_TYPED = ("manifest", "ledger", "disarm", "overwrite", *MARK_NAMES)
FAILED = "{test}. Next step: {remedy}"
UNRECORDED = "no record of the random state was kept: this release cannot be reproduced (--manifest FILE keeps one)"


def run(request: Request) -> None:
    """Protect the dependent columns of a file."""
    method, roles = request.chosen_method(), request.chosen_roles()
    options = request.release_options("protect_file") | {name: getattr(request, name) for name in AS_TYPED}
    seed = as_stream(None) if request.seed is None and method.facts(NO_ROLES).privacy is None else request.seed
    original = request.opened("protect")
    with progress(f"protecting with {method}") as advance:
        released = protect_file(original, request.output, method, roles, seed, progress=advance, **options)
    drawn = isinstance(seed, RStream) and (seed.to_r_state() != as_stream(released.seed).to_r_state()).any()
    failed = [
        Note.of(
            "risk", FAILED, test=f"{test.key} {test.found_text} ({test.limit_text}): {test.reason}", remedy=test.remedy
        )
        for test in warnings_of(original, released)
    ]
    remarks = [*released.all_notes, *([UNRECORDED] if drawn and request.manifest is None else [])]
    brief = [*failed, *brief_notes(remarks)]  # failed tests are not joined: each is named
    outputs = copy_paths(request.output, request.copies)
    if request.json:
        facts = {"outputs": outputs, "method": str(method), "dependent": roles.dependent}
        document({**facts, "notes": lines(brief), "all_notes": lines([*failed, *remarks])})
        return
    notes(brief)
    written = request.output if len(outputs) == 1 else f"{outputs[0]} to {outputs[-1]}"
    columns = Count(len(roles.dependent))
    print_lines(f"{written}: {original.records} records, {columns} {columns:column|columns} protected with {method}")
