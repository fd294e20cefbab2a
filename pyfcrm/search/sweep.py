"""sweep(): candidates on one file, measured in the same way: the risk-utility map."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from ..data import Frame, Roles, as_roles, open_data, require_columns
from ..engine import Engine, chosen
from ..evaluation.auditing.audit_result import Audit
from ..evaluation.evaluate import evaluate_release
from ..evaluation.evaluate_request import EvaluateRequest, release_request
from ..evaluation.report import Report
from ..evaluation.requested_audit import audit_of
from ..evaluation.risk.reference_store import ReferenceStore
from ..evaluation.verdict.decision import Test
from ..evaluation.verdict.release_tests import alarms_of, test_from
from ..methods import Procedure
from ..progress import Progress, report_progress, within
from ..protection.protect import protect
from ..protection.protected import open_release
from ..protection.request import ReleaseOptions, release_options, require_suitable, seed_for
from ..rstream import R_INTEGER, RStream, as_stream
from ..rstream.stream import own_copy
from .candidates import Candidate, Frontier
from .grid import checked_methods


def sweep(
    frame: Any,
    roles: Roles,
    methods: Iterable[Procedure],
    seed: int | RStream | None = None,
    *,
    constraints: Any = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
    **options: Unpack[ReleaseOptions],
) -> Frontier:
    """Protect a frame with each method and judge each release over the dependent columns.

    Parameters
    ----------
    frame : DataFrame, Table or path
        As in `protect`; a file is read once, and methods must work block by block where it is larger than memory.
    roles : Roles
        As in `protect`.
    methods : iterable of Method
        The candidates.
    seed : int or RStream, optional
        The start of every candidate; None is one state of the system's entropy for all. So `protect` with the
        frontier's seed gives the same release, and `sweep` the same frontier. A stream given as seed is advanced by one
        integer. That is the seed if the stream began from an integer; else the stream's state is.
    constraints : str or iterable of str, optional
        Kept in every release, as in `protect`.
    engine : str or Engine
        As in `protect` and `evaluate`.
    progress : callable, optional
        Called with (done, of how many, what) on the way through each candidate; where it raises (Cancelled), the work
        stops.
    missing : {"refuse", "protect", "drop"}
        As in `protect`. Every record of a release is judged if possible.
    round_integers : bool
        As in `protect`.
    strata : str or iterable of str, optional
        Each stratum is protected and judged separately, as in `protect` and `evaluate`.
    structure, weights, preserve, bounds, decimals : optional
        Kept in every release, as in `protect`.

    Returns
    -------
    Frontier
        Every candidate with how it was judged.

    Raises
    ------
    InvalidInput
        If the frame cannot be protected or judged.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> frontier = pf.sweep(frame, roles, [pf.IPSO("C"), pf.RankSwapping(15)])
    >>> "dr" in frontier.to_frame()
    True
    """
    roles = as_roles("sweep", roles)
    listed = checked_methods("sweep", "methods", methods)
    start = _one_start(seed)
    checked = release_options("sweep", roles, constraints, options)
    with chosen("sweep", engine) as runs:
        original = open_data("sweep", frame)
        require_suitable("sweep", listed, original, runs, by_strata=bool(checked["strata"]))
        require_columns("sweep", original, roles.dependent)
        task = Task(original, EvaluateRequest(roles=roles, options=checked | {"allow_unprotected": True}, engine=runs))
        candidates = tuple(
            task.candidate(method, (start,), within(progress, k, len(listed), str(method)))
            for k, method in enumerate(listed)
        )
    report_progress(progress, len(listed), len(listed), "done")
    return Frontier(candidates, start)


@dataclass(frozen=True)
class Task:
    """What is the same for every candidate."""

    original: Frame
    """The opened file."""
    request: EvaluateRequest
    """Its roles, options of protect(), limits and engine."""
    references: ReferenceStore = field(default_factory=ReferenceStore)
    """The references of the file."""

    def candidate(self, method: Procedure, starts: Sequence[int | RStream], progress: Progress | None) -> Candidate:
        """A method with the reports of its releases, one from each start."""
        results = (self.report(method, start, within(progress, k, len(starts))) for k, start in enumerate(starts))
        reports, notes = zip(*results, strict=True)
        return Candidate(method, _at_one_level(reports), notes[0])

    def audited(self, candidate: Candidate, progress: Progress | None) -> Candidate:
        """The candidate with the audit of its method in the verdicts of its releases."""
        request = replace(self.request, method=candidate.method, progress=progress)
        result = audit_of(True, self.original, request)
        test = test_from("audit", alarms_of(result), request.limits)
        reports = tuple(with_test(report, test) for report in candidate.reports)
        return replace(candidate, reports=reports, audit=result if isinstance(result, Audit) else None)

    def report(
        self, method: Procedure, start: int | RStream, progress: Progress | None
    ) -> tuple[Report, tuple[str, ...]]:
        """The report of a release, and its notes; a file that is read by blocks is released into a temporary folder."""
        known, in_memory = self.request, self.original.source is None
        with nullcontext("") if in_memory else tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
            output = None if in_memory else os.path.join(folder, "release.parquet")
            released = protect(
                self.original, method, known.roles, seed_for(method, own_copy(start)), engine=known.engine,
                progress=within(progress, 0, 2), output=output, overwrite=True, **known.options,
            )  # fmt: skip
            request = release_request(released, strata=known.options["strata"], limits=known.limits)
            request = replace(request, progress=within(progress, 1, 2), engine=known.engine)
            report = evaluate_release(self.original, open_release("evaluate", released), request, self.references)
        return report, tuple(released.notes)


def with_test(report: Report, test: Test) -> Report:
    """The report with another outcome of one test."""
    tests = tuple(test if old.key == test.key else old for old in report.verdict.tests)
    return replace(report, verdict=replace(report.verdict, tests=tests))


def _at_one_level(reports: Sequence[Report]) -> tuple[Report, ...]:
    """The reports of several releases of one method. Of several, one dependence by chance is no hold: two are."""
    held = [test for r in reports for test in r.verdict.tests if (test.key, test.status) == ("dependence", "hold")]
    if len(reports) == 1 or len(held) != 1:
        return tuple(reports)
    return tuple(with_test(r, replace(held[0], status="pass")) if held[0] in r.verdict.tests else r for r in reports)


def _one_start(seed: int | RStream | None) -> int | RStream:
    stream = as_stream(seed)
    if stream is seed:  # the owner's, who goes on with it
        whole = stream.copy()
        drawn = int(stream.sample_int(R_INTEGER, 1)[0])
        return whole if whole.seed is None else drawn
    return stream if stream.seed is None else stream.seed
