"""sweep(): candidates on one file, measured in the same way: the risk-utility map."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..data import Frame, Roles, as_roles, open_data, require_columns
from ..engine import Engine, chosen
from ..evaluation.auditing.audit_result import Audit
from ..evaluation.encoded_files import encoded_original, encoded_release
from ..evaluation.evaluate import evaluate_release
from ..evaluation.evaluate_request import EvaluateRequest, release_request
from ..evaluation.report import Report
from ..evaluation.requested_audit import audit_of
from ..evaluation.risk.reference_store import ReferenceStore
from ..evaluation.verdict.attack_tests import OF_AUDIT
from ..evaluation.verdict.decision import Test
from ..evaluation.verdict.release_tests import test_from
from ..methods import Procedure
from ..plans.limits import read_limits
from ..progress import Progress, report_progress, within
from ..protection.options import Options
from ..protection.protect import run_protect
from ..protection.protected import open_release
from ..protection.request import release_options, require_suitable, seed_for
from ..rstream import R_INTEGER, RStream, as_stream
from ..rstream.stream import own_copy
from .candidates import Candidate, Frontier
from .grid import checked_methods


def run_sweep(
    frame: Any,
    roles: Roles,
    methods: Iterable[Procedure],
    seed: int | RStream | None,
    options: Options,
    *,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Frontier:
    """The frontier of methods on a file, as sweep() has it. Raises InvalidInput or InvalidParameter."""
    roles = as_roles("sweep", roles)
    listed = checked_methods("sweep", "methods", methods)
    start = _one_start(seed)
    checked = release_options("sweep", roles, options)
    with chosen("sweep", engine) as runs:
        original = open_data("sweep", frame)
        require_suitable("sweep", listed, original, runs, by_strata=bool(checked.strata))
        require_columns("sweep", original, roles.dependent)
        measured = checked.changed(allow_unprotected=True)  # these releases are not published
        limits = read_limits("sweep", None, roles.product)
        task = Task(original, EvaluateRequest(roles=roles, options=measured, limits=limits, engine=runs))
        candidates = tuple(
            task.candidate(method, (start,), within(progress, k, len(listed), str(method)))
            for k, method in enumerate(listed)
        )
    report_progress(progress, len(listed), len(listed), "done")
    return Frontier(candidates, start)


@dataclass(frozen=True)
class Task:
    """The inputs that every candidate has in common."""

    original: Frame
    """The opened file."""
    request: EvaluateRequest
    """Its roles, options of protect(), limits and engine."""
    references: ReferenceStore = field(default_factory=ReferenceStore)
    """The references of the file."""

    @cached_property
    def encoded(self) -> Frame:
        """The file by its variables."""
        return encoded_original("evaluate", self.original, self.request.variables)

    def candidate(self, method: Procedure, starts: Sequence[int | RStream], progress: Progress | None) -> Candidate:
        """A method with the reports of its releases, one from each start."""
        results = (self.report(method, start, within(progress, k, len(starts))) for k, start in enumerate(starts))
        reports, notes = zip(*results, strict=True)
        return Candidate(method, _at_one_level(reports), notes[0])

    def audited(self, candidate: Candidate, progress: Progress | None) -> Candidate:
        """The candidate with the audit of its method in the verdicts of its releases."""
        request = replace(self.request, method=candidate.method, progress=progress)
        result = audit_of(True, self.original, request)
        decided = [test_from(key, outcome(result), request.limits) for key, outcome in OF_AUDIT.items()]
        reports = tuple(_decided(report, decided) for report in candidate.reports)
        return replace(candidate, reports=reports, audit=result if isinstance(result, Audit) else None)

    def report(
        self, method: Procedure, start: int | RStream, progress: Progress | None
    ) -> tuple[Report, tuple[str, ...]]:
        """The report of a release, and its notes; a file that is read by blocks is released into a temporary folder."""
        task_request = self.request
        in_memory = self.original.source is None
        with nullcontext("") if in_memory else tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
            output = None if in_memory else os.path.join(folder, "release.parquet")
            released = run_protect(
                self.original,
                method,
                task_request.roles,
                seed_for(method, own_copy(start)),
                task_request.options,
                engine=task_request.engine,
                output=output,
                overwrite=True,
                progress=within(progress, 0, 2),
            )
            request = release_request(released, strata=task_request.options.strata, limits=task_request.limits)
            request = replace(request, progress=within(progress, 1, 2), engine=task_request.engine)
            release = encoded_release(self.encoded, open_release("evaluate", released))
            report = evaluate_release(self.encoded, release, request, self.references)
        return report, tuple(released.notes)


def with_test(report: Report, test: Test) -> Report:
    """The report with another outcome of one test."""
    tests = tuple(test if old.key == test.key else old for old in report.verdict.tests)
    return replace(report, verdict=replace(report.verdict, tests=tests))


def _decided(report: Report, decided: Iterable[Test]) -> Report:
    """The report with the outcomes of tests that it had not examined."""
    open_tests = {test.key for test in report.verdict.tests if test.status == "not examined"}
    for test in decided:
        if test.key in open_tests:
            report = with_test(report, test)
    return report


def _at_one_level(reports: Sequence[Report]) -> tuple[Report, ...]:
    """The reports of several releases of one method, as one test of dependence.

    The test is made once for each release, so that one hold among several is expected by chance: it becomes a pass. Two
    or more remain.
    """
    held = [test for r in reports for test in r.verdict.tests if (test.key, test.status) == ("dependence", "hold")]
    if len(reports) == 1 or len(held) != 1:
        return tuple(reports)
    by_chance = held[0]
    passed = replace(by_chance, status="pass", remedies=())
    return tuple(with_test(r, passed) if by_chance in r.verdict.tests else r for r in reports)


def _one_start(seed: int | RStream | None) -> int | RStream:
    """The start of all releases: an integer where one repeats the stream, else the stream at its present state."""
    stream = as_stream(seed)
    if stream is seed:  # the caller's own stream, from which later calls draw
        before = stream.copy()
        drawn = int(stream.sample_int(R_INTEGER, 1)[0])
        return before if before.seed is None else drawn
    return stream if stream.seed is None else stream.seed
