"""What `evaluate` and `report` share: two files, what is known of the release, the verdict's limits, and --check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..arguments import whole_number
from ..data import Frame, Roles
from ..data.source import open_data
from ..engine import Local
from ..errors import InvalidInput, InvalidParameter
from ..evaluation.audit_result import Audit, audit_from
from ..evaluation.case import ReleaseFacts, audit_of, release_facts
from ..evaluation.evaluate import evaluate
from ..evaluation.report import Report
from ..files.manifest import read_json
from ..files.paths import Path, copy_paths
from ..plans.plan import MAX_COPIES
from ..progress import Progress
from ..protection.protect import Protected
from ..trust.verify import recorded_release
from .options import ROLES, Request, limits_from

RUN = "run"  # of --audit
FROM_MANIFEST = "must be left out with --manifest, which says how the release was made"
NO_FACTS = "run needs --manifest, or --method with --dependent, which state what is audited"
FROM_ELSEWHERE = "a third-party synthesizer is audited by `pyfcrm audit --external`"
NO_DOCUMENT = "--audit takes run, or a file that `pyfcrm audit --json` wrote"


def release_paths(request: Request) -> Sequence[Path]:
    """The path of each copy."""
    return copy_paths(request.protected, whole_number("evaluate", "copies", request.copies, low=1, high=MAX_COPIES))


def check_known(request: Request) -> None:
    """Raises InvalidParameter for what a manifest has already, and for parameters without a method."""
    for name in ("dependent", "independent", "identifiers", "method", "set"):
        if request.manifest is not None and getattr(request, name):
            raise InvalidParameter("evaluate", f"--{name}", FROM_MANIFEST, getattr(request, name))
    if request.set and request.method is None:
        raise InvalidParameter("evaluate", "--set", "needs --method, whose parameter it is", request.set)


@dataclass(frozen=True)
class Evaluation:
    """An evaluation. original : opened; releases : opened, one a copy; recorded : the release as its manifest describes it."""

    original: Frame
    releases: tuple[Frame, ...]
    recorded: Protected | None
    report: Report
    audit: Audit | None


def evaluation(
    request: Request,
    progress: Progress | None,
    in_memory: bool | None = None,
    threads: int | None = None,
    **more: Any,
) -> Evaluation:
    """The report of a release, with its verdict. more : further arguments of evaluate()."""
    check_known(request)
    limits, paths = limits_from(request.limits, request.limit), release_paths(request)
    recorded = None if request.manifest is None else recorded_release(request.manifest, paths, request.original)
    before, *after = (
        open_data("evaluate", path, in_memory, request.separator, request.decimal)
        for path in (request.original, *paths)
    )
    roles = _roles(request, recorded)
    method = None if request.method is None else request.chosen_method()
    independent = request.independent if roles is None else None
    release: Any = after if len(after) > 1 else after[0]
    if recorded is not None:
        release = replace(recorded, frame=after[0], more=tuple(after[1:]))
    engine = Local(threads)
    facts = release_facts(release, roles, method, more.get("strata"))
    audit = _audit(request, facts, before, engine, progress)
    report = evaluate(
        before, release, request.columns, request.measures, roles=roles,
        method=method, independent=independent, limits=limits, audit=audit, engine=engine, progress=progress, **more,
    )  # fmt: skip
    return Evaluation(before, tuple(after), recorded, report, audit)


def _roles(request: Request, recorded: Protected | None) -> Roles | None:
    """Those typed, or those of the manifest with further columns that no intruder knows."""
    given: dict[str, Any] = {role: getattr(request, role) or () for role in ROLES}
    if recorded is None:
        return Roles(**given) if given["dependent"] else None
    return replace(recorded.roles, unknown=tuple(dict.fromkeys((*recorded.roles.unknown, *given["unknown"]))))


def _audit(
    request: Request, facts: ReleaseFacts, original: Frame, engine: Local, progress: Progress | None
) -> Audit | None:
    """The audit that --audit names: run now, or read from a file."""
    if request.audit is None:
        return None
    if request.audit != RUN:
        return audit_from(read_json(request.audit, "audit", NO_DOCUMENT))
    if facts.roles is None or facts.method is None:
        raise InvalidParameter("evaluate", "--audit", NO_FACTS, request.audit)
    if facts.method.generates and request.method is None:
        raise InvalidInput("evaluate", FROM_ELSEWHERE, str(facts.method))
    return audit_of(True, original, facts, engine, progress)
