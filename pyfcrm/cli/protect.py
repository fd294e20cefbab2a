"""pyfcrm protect: a file in, its release out."""

import sys

import click

from ..data import Frame, Roles
from ..data.roles import LISTS, RESEARCH, SINGLE
from ..data.suggest_roles import suggest_roles
from ..errors import Count, Note, lines
from ..evaluation.evaluate import warnings_of
from ..files.paths import copy_paths
from ..interface import protect_file
from ..methods.method import NO_ROLES
from ..notes import brief_notes
from ..rstream import RStream, as_stream
from .options import MARK_NAMES, Request
from .pipes import PIPE, output_file, refuse_with_pipe
from .show import document, notes, print_lines, progress
from .tables import show_roles

AS_TYPED = ("manifest", "ledger", "disarm", "overwrite", *MARK_NAMES)
FAILED = "{test}. Next step: {remedy}"
UNRECORDED = "no record of the random state was kept: this release cannot be reproduced (--manifest FILE keeps one)"


def run(request: Request) -> None:
    """Protect the dependent columns of a file. Where no role is given, roles are proposed, and a terminal asks for them."""
    refuse_with_pipe(
        "protect",
        request.output,
        json=request.json,
        copies=request.copies != 1 and request.copies,
        ledger=request.ledger,
    )
    method = request.chosen_method()
    original = request.opened("protect")
    roles = accepted_roles(request, original)
    options = request.release_options("protect_file") | {name: getattr(request, name) for name in AS_TYPED}
    seed = as_stream(None) if request.seed is None and method.facts(NO_ROLES).privacy is None else request.seed
    with output_file(request.output, ".csv") as output, progress(f"protecting with {method}") as advance:
        released = protect_file(original, output, method, roles, seed, progress=advance, **options)
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
    done = f"{original.records} records, {columns} {columns:column|columns} protected with {method}"
    to_pipe = request.output == PIPE
    print_lines(done if to_pipe else f"{written}: {done}", stderr=to_pipe)


def accepted_roles(request: Request, original: Frame) -> Roles:
    """The roles that are given; where none is, those that are proposed, once they are accepted. Raises UsageError."""
    return _proposed(request, original) if _without_roles(request) else request.chosen_roles()


def _without_roles(request: Request) -> bool:
    """Whether no role is given."""
    return request.roles is None and not any(getattr(request, role) for role in (*LISTS, *SINGLE))


def _proposed(request: Request, original: Frame) -> Roles:
    """The roles that are proposed for the file, once they are accepted. Raises UsageError where nobody can be asked."""
    suggested = suggest_roles(original, product=request.product or RESEARCH, variables=request.declared_variables())
    show_roles(request.source, original, suggested, stderr=True)
    if not request.yes:
        if not sys.stdin.isatty():
            raise click.UsageError(
                "No roles are given: --yes accepts those above, --roles FILE and --dependent name others."
            )
        click.confirm("Protect the file with these roles?", abort=True, err=True)
    return suggested
