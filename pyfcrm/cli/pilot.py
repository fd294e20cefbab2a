"""pyfcrm pilot: a first trial on a file of one's own: description, roles, three methods with their verdicts, a dossier of the best."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data import Frame, Roles, is_numeric, require_columns
from ..data.describe import describe
from ..errors import InvalidInput, PyfcrmError, one_line
from ..files import write_text
from ..files.atomic import PRIVATE
from ..files.formats import released_as
from ..methods import Method
from ..plans.limits import Limits, read_limits
from ..plans.plan import Input, Output, Plan
from ..progress import within
from ..protection.options import Options
from ..search.candidates import Candidate
from ..search.grid import default_grid
from ..search.recommend import loss
from ..trust.board.dossier import filed_dossier, recorded_filing
from ..trust.run import PlanRun
from ..trust.run import run as run_plan
from ..trust.verify import recorded_release
from .options import Request, check_folder
from .protect import accepted_roles
from .show import document, notes, print_lines, progress, result

METHODS = 3  # how many of those that recommend() tries first
COLUMNS = "columns.toml"
SUMMARY = "summary.txt"
DOSSIER = "dossier.html"
INTERNAL = "internal: everything in this folder but a release that you decide to publish"
ONE_ONLY = "publish at most one of the releases: together they disclose more than one alone"
NONE = "no method passes: nothing is released, and there is no dossier"
REFUSED = "none of the methods can protect this file; {first}"
WITH_PASS = (
    "next: read the dossier, answer its questions, sign it",
    "pyfcrm verify {manifest} --release {release} --dossier {dossier}",
)
WITHOUT_PASS = (
    "next: change roles, variables or method in a plan as the lines above name it, and run it: pyfcrm run {plan}",
    "pyfcrm recommend searches more methods",
)


@dataclass(frozen=True)
class Trial:
    """One method on the file."""

    number: int
    """From 1."""
    method: Method
    """The method."""
    outcome: PlanRun | None
    """What the plan gave; None where the method cannot protect the file."""
    trouble: str = ""
    """Why it cannot."""

    @property
    def passed(self) -> bool:
        """Whether the release passed and was written."""
        return self.outcome is not None and self.outcome.verdict.ok

    @property
    def loss(self) -> tuple[float, float]:
        """The order of the trials that passed, as recommend() has it."""
        report = [] if self.outcome is None else [self.outcome.report]
        return loss(Candidate(self.method, tuple(report), ()))

    def lines(self) -> list[str]:
        """What was held, and why: the verdict, the utility panel, the tests that were not passed, and their next steps."""
        if self.outcome is None:
            return [f"{self.number} {self.method}: not possible: {self.trouble}"]
        report = self.outcome.report
        lines = [f"{self.number} {self.method}: {report.verdict.headline}", *report.utility_lines()[:1]]
        for test in report.verdict.applicable:
            if test.status != "pass":
                found = f" {test.found_text} ({test.limit_text})" if test.found else ""
                lines.append(f"  {test.status}: {test.key}{found}: {test.reason}")
                if test.remedies:
                    lines.append(f"    next step: {test.remedy}")
        return lines


def run(request: Request) -> int:
    """Try three methods on a file of your own: description, roles, verdicts, and a dossier of the best that passes."""
    folder = check_folder(request.output, [COLUMNS, SUMMARY, DOSSIER], [request.source])
    limits = read_limits("pilot", request.limits)
    original = request.opened("pilot", whole=True)
    described = describe(original, variables=request.declared_variables())
    if not request.json:
        notes(original.notes)
        result(described)
    roles = accepted_roles(request, original)
    require_columns("pilot", original, [*roles.independent, *roles.dependent])
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / COLUMNS, described.to_toml(), mode=PRIVATE)
    methods = _methods(original, roles)
    trials = list[Trial]()
    with progress("trying methods") as advance:
        for number, method in enumerate(methods, 1):
            plan = folder / f"plan-{number}.toml"
            write_text(plan, _plan(request, plan, number, method, roles=roles, limits=limits).text(), mode=PRIVATE)
            part = within(advance, number - 1, len(methods), str(method))
            try:
                trials.append(Trial(number, method, run_plan(plan, overwrite=True, progress=part)))
            except PyfcrmError as error:
                trials.append(Trial(number, method, None, one_line(str(error))))
    if all(trial.outcome is None for trial in trials):
        raise InvalidInput(request.source, REFUSED.format(first=trials[0].trouble))
    passed = sorted((trial for trial in trials if trial.passed), key=lambda trial: trial.loss)
    summary = [f"{request.source}: {original.records:,} records, {len(original.names)} columns"]
    summary += [line for trial in trials for line in trial.lines()]
    summary += (
        _best(request, folder, passed[0]) if passed else [NONE, *_filled(WITHOUT_PASS, plan=folder / "plan-1.toml")]
    )
    summary += [ONE_ONLY] * (len(passed) > 1) + [f"folder: {folder}; {INTERNAL}"]
    write_text(folder / SUMMARY, "".join(f"{line}\n" for line in summary), mode=PRIVATE)
    if request.json:
        document(_document(folder, trials, passed))
    else:
        print_lines(*summary)
    return int(not passed)


def _methods(original: Frame, roles: Roles) -> list[Method]:
    """The first methods that recommend() would try on the file."""
    numbers = any(is_numeric(original, name) for name in roles.dependent)
    first, others = default_grid(len(roles.independent), numbers=numbers)
    return [*first, *others][:METHODS]


def _plan(request: Request, path: Path, number: int, method: Method, *, roles: Roles, limits: Limits) -> Plan:
    """The plan of one method, with paths relative to its own; incomplete records are protected unless it is typed otherwise."""
    return Plan(
        input=Input(file=os.path.relpath(request.source, path.parent), **request.reading().table()),
        roles=roles,
        method=method,
        keep=Options(missing=request.missing or "protect"),
        variables=request.declared_variables() or {},
        limits=limits,
        output=Output(
            release=f"release-{number}.{released_as(request.source)}",
            manifest=f"manifest-{number}.json",
            report=f"report-{number}.html",
        ),
    )


def _best(request: Request, folder: Path, best: Trial) -> list[str]:
    """Write the dossier of the trial of which users lose least among those that pass. Returns the next steps."""
    assert best.outcome is not None
    release = best.outcome.plan.output.release
    manifest = str(best.outcome.plan.output.manifest)
    filing = recorded_filing(request.source, [release], manifest)
    released = recorded_release(manifest, [release], request.source)
    texts = {"purpose": request.purpose or "", "recipients": request.recipients or ""}
    board = filed_dossier(
        request.source,
        released,
        best.outcome.report,
        filing,
        title=f"Pilot: {os.path.basename(request.source)}",
        **texts,
    )
    page, _ = board.write(folder / DOSSIER)
    chosen = f"least loss of those that pass: {best.number} {best.method}; dossier: {page}"
    return [chosen, *_filled(WITH_PASS, manifest=manifest, release=release, dossier=page)]


def _filled(lines: Iterable[str], **names: Any) -> list[str]:
    """Lines with the names of files."""
    return [line.format(**names) for line in lines]


def _document(folder: Path, trials: list[Trial], passed: list[Trial]) -> dict[str, Any]:
    """The summary as plain data."""
    rows = []
    for trial in trials:
        judged: dict[str, Any] = {"trouble": trial.trouble}
        if trial.outcome is not None:
            report = trial.outcome.report
            judged = {"verdict": report.verdict.document(), "utility": report.utility_document()}
        rows.append({"number": trial.number, "method": str(trial.method), **judged})
    return {"folder": folder, "trials": rows, "best": passed[0].number if passed else None}
