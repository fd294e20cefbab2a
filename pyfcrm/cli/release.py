"""What `evaluate` and `report` share: two files, what is known of the release, the verdict's limits, and --check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

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
from ..methods import Method
from ..methods.text import make_method
from ..plans.limits import Limits
from ..plans.plan import MAX_COPIES
from ..progress import Progress
from ..protection.protect import Protected
from ..trust.verify import recorded_release
from .options import (
    ROLES,
    Columns,
    CopiesJudged,
    Decimal,
    Externals,
    LimitOptions,
    LimitsFile,
    Measures,
    Original,
    Release,
    Separator,
    Settings,
    Unknown,
    chosen,
    externals,
    limits_from,
)

RUN = "run"  # of --audit
FROM_MANIFEST = "must be left out with --manifest, which says how the release was made"
NO_FACTS = "run needs --manifest, or --method with --dependent, which say what is audited"
FROM_ELSEWHERE = "a generator from elsewhere is audited by `pyfcrm audit --external`"
NO_DOCUMENT = "--audit takes run, or a file that `pyfcrm audit --json` wrote"


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """Two files and what is known of the second, as it was typed: each option, declared."""

    original: Original
    protected: Release
    columns: Columns = None
    measures: Measures = None
    separator: Separator = None
    decimal: Decimal = None
    copies: CopiesJudged = 1
    manifest: Annotated[
        str | None,
        typer.Option(help="the record that protect --manifest wrote of this very release: roles, method and seed"),
    ] = None
    dependent: Annotated[str | None, typer.Option(help="the confidential variables, for the verdict: c,d")] = None
    independent: Annotated[str | None, typer.Option(help="the unmodified predictors, for attributable risk: a,b")] = (
        None
    )
    identifiers: Annotated[str | None, typer.Option(help="columns that the release has not")] = None
    unknown: Unknown = None
    method: Annotated[
        str | None,
        typer.Option(help="what made the release, such as rankswapping: adds what an intruder who knows it links"),
    ] = None
    settings: Settings = None
    external: Externals = None
    limit: LimitOptions = None
    limits: LimitsFile = None
    audit: Annotated[
        str | None, typer.Option(metavar="run|FILE", help="audit the method, or take what `pyfcrm audit --json` wrote")
    ] = None
    check: Annotated[bool, typer.Option("--check", help="exit status 1 unless the verdict is pass")] = False

    @property
    def releases(self) -> Sequence[Path]:
        """The path of each copy."""
        return copy_paths(self.protected, whole_number("evaluate", "copies", self.copies, low=1, high=MAX_COPIES))

    def all_limits(self) -> Limits:
        """Those of the file, and over them those typed."""
        return limits_from(self.limits, self.limit)

    def check_known(self) -> None:
        """Raises InvalidParameter for what a manifest has already, and for parameters of no method."""
        for name in ("dependent", "independent", "identifiers", "method", "settings"):
            if self.manifest is not None and getattr(self, name):
                raise InvalidParameter("evaluate", f"--{name}", FROM_MANIFEST, getattr(self, name))
        if self.settings and self.method is None:
            raise InvalidParameter("evaluate", "--set", "needs --method, whose parameter it is", self.settings)


@dataclass(frozen=True)
class Evaluation:
    """An evaluation. original : opened; releases : opened, one a copy; recorded : the release as its manifest describes it."""

    original: Frame
    releases: tuple[Frame, ...]
    recorded: Protected | None
    report: Report
    audit: Audit | None


def evaluation(
    request: ReleaseRequest,
    progress: Progress | None,
    in_memory: bool | None = None,
    threads: int | None = None,
    **more: Any,
) -> Evaluation:
    """The report of a release, with its verdict. more : further arguments of evaluate()."""
    request.check_known()
    limits, columns = request.all_limits(), chosen(request.columns, "--columns")
    recorded = (
        None if request.manifest is None else recorded_release(request.manifest, request.releases, request.original)
    )
    before, *after = (
        open_data("evaluate", path, in_memory, request.separator, request.decimal)
        for path in (request.original, *request.releases)
    )
    roles, method = _roles(request, recorded), _method(request)
    independent = chosen(request.independent, "--independent") if roles is None else None
    release: Any = after if len(after) > 1 else after[0]
    if recorded is not None:
        release = replace(recorded, frame=after[0], more=tuple(after[1:]))
    engine = Local(threads)
    facts = release_facts(release, roles, method, more.get("strata"))
    audit = _audit(request, facts, before, engine, progress)
    report = evaluate(
        before, release, columns, chosen(request.measures, "--measures"), roles=roles,
        method=method, independent=independent, limits=limits, audit=audit, engine=engine, progress=progress, **more,
    )  # fmt: skip
    return Evaluation(before, tuple(after), recorded, report, audit)


def _roles(request: ReleaseRequest, recorded: Protected | None) -> Roles | None:
    """Those typed, or those of the manifest with further columns that no intruder knows."""
    given = {role: chosen(getattr(request, role), f"--{role}") or () for role in ROLES}
    if recorded is None:
        return Roles(**given) if given["dependent"] else None
    return replace(recorded.roles, unknown=tuple(dict.fromkeys((*recorded.roles.unknown, *given["unknown"]))))


def _method(request: ReleaseRequest) -> Method | None:
    if request.method is None:
        return None
    return make_method(request.method, request.settings or (), externals(request.external))


def _audit(
    request: ReleaseRequest, facts: ReleaseFacts, original: Frame, engine: Local, progress: Progress | None
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
