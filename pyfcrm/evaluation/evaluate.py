"""evaluate(): information loss, disclosure risk and the verdict of a release."""

from dataclasses import replace
from typing import Any

from ..data import Frame, Roles, open_data
from ..data.check import require_columns
from ..data.record_order import REORDERED, reordered_columns
from ..data.variable import declared_variables
from ..engine import Engine, chosen
from ..errors import InvalidParameter, Note
from ..methods import Procedure
from ..progress import Progress, within
from ..protection.protect import Protected
from ..protection.protected import open_copies
from .auditing.audit_result import Audit
from .auditing.guessed_seed import FOUND, search_seed
from .copies import mean_of, merged
from .encoded_files import encoded_original, encoded_release
from .evaluate_request import EvaluateRequest, release_request
from .fresh_releases import not_as_made
from .judged_request import judged_request, without_undefined_measures
from .measured_pair import UNDEFINED
from .options import EvaluateOptions
from .pair import both_files
from .release_measures import measured_release, tables_of
from .report import Report
from .requested_audit import audit_of
from .risk.reference_store import ReferenceStore
from .utility.panel.measured_utility import measured_utility
from .verdict.decision import Test
from .verdict.examined import examined
from .verdict.examined_release import ExaminedRelease
from .verdict.outcomes import NotExamined
from .verdict.release_tests import run_test

UNPAIRED = (
    "records of {method} do not pair with original records: {measures} are undefined; use pil, pmse, detection of an audit, "
    "and attribute disclosure by keys"
)
WARNINGS = ("unprotected", "sample_uniques", "edits")  # tests that need no audit and no measures


def run_evaluate(
    original: Any,
    protected: Any,
    options: EvaluateOptions,
    *,
    roles: Roles | None = None,
    method: Procedure | None = None,
    audit: Audit | bool | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
) -> Report:
    """The report of a release, as evaluate() has it. Raises InvalidInput or InvalidParameter."""
    request = release_request(
        protected,
        roles,
        method,
        options.strata,
        measures=options.measures,
        limits=options.limits,
    )
    checked = options.values("evaluate")
    with chosen("evaluate", engine) as runs:
        request = replace(
            request,
            columns=None if options.columns is None else checked["columns"],
            keys=checked["keys"],
            engine=runs,
            progress=progress,
            targets=checked["targets"],
            target_groups=checked["target_groups"],
            key_groups=checked["key_groups"],
            domains=None if options.domains is None else checked["domains"],
            guesses=checked["guesses"] if request.seed is None else 0,
            weights=checked["weights"],
            tables=options.measures is None,
            paired=request.paired or checked["paired"],
        )
        if options.variables is not None:
            declared = declared_variables("evaluate", options.variables)
            request = replace(request, options=request.options.changed(variables=declared))
        if request.roles is None and options.independent is not None:
            request = replace(request, independent=checked["independent"])
        request.check()
        original = encoded_original("evaluate", open_data("evaluate", original), request.variables)
        require_columns("evaluate, original", original, request.independent or ())
        return _evaluate_copies(original, replace(request, audit=audit_of(audit, original, request)))


def _evaluate_copies(original: Frame, request: EvaluateRequest) -> Report:
    """The report of a release, or of its copies together."""
    several = isinstance(request.release, list | tuple)
    releases = request.release if several else [request.release]
    copies = [open_data("evaluate", copy, several or None) for copy in releases]
    for copy, rows in zip(copies, request.copy_rows, strict=False):  # none of a release that is not from protect()
        copy.rows = rows
    copies = [encoded_release(original, copy) for copy in copies]
    if not copies:
        raise InvalidParameter("evaluate", "protected", "must hold at least one copy", copies)
    request = replace(request, not_as_made=not_as_made(original, copies, request))
    references = ReferenceStore()
    if len(copies) == 1:
        return evaluate_release(original, copies[0], request, references)
    mean = mean_of(copies)
    reports = list[Report]()
    for k, frame in enumerate(copies if mean is None else [*copies, mean]):
        part = within(request.progress, k, len(copies) + 1, f"copy {k + 1}")
        # The copies have one seed: it is searched once.
        of_copy = replace(request, progress=part, guesses=0 if k else request.guesses)
        reports.append(evaluate_release(original, frame, of_copy, references))
    return merged(reports[: len(copies)], None if mean is None else reports[-1], request.limits)


def evaluate_release(original: Frame, protected: Frame, request: EvaluateRequest, references: ReferenceStore) -> Report:
    """The report of one release: the pair of files, its measures, and the verdict.

    references : of other releases of the same original.
    """
    request = judged_request(original, protected, request)
    defined = without_undefined_measures(replace(request, progress=within(request.progress, 0, 2)))
    pair = both_files(original, protected, defined)
    report = measured_release(original, protected, pair, defined)
    search = search_seed(pair, defined, within(defined.progress, 2, 3))
    release = ExaminedRelease(
        request=replace(request, columns=report.columns, progress=within(request.progress, 1, 2)),
        original=original,
        protected=protected,
        reordered=() if request.empty else reordered_columns(original, protected),
        seed_search=search,
        references=references,
    )
    completed = replace(_completed(report, release), utility=measured_utility(release))
    return examined(completed, release)


def _completed(report: Report, release: ExaminedRelease) -> Report:
    """The report with the measures in the order of the request, tables of categories, and notes on files and seed."""
    request = release.request
    results = {key: report.results.get(key, UNDEFINED) for key in request.measures}
    if request.tables and request.categories and "tables" not in results:
        results["tables"] = tables_of(release.original, release.protected, request)
    notes = list[str](dict.fromkeys((*release.original.notes, *release.protected.notes)))
    if request.empty:
        undefined = ", ".join(request.empty)
        notes.append(Note.of("by_definition", UNPAIRED, method=str(request.method), measures=undefined))
    if release.reordered:
        notes.append(Note.of("unreliable", REORDERED, release.reordered))
    notes += report.all_notes
    search = release.seed_search
    if isinstance(search, NotExamined) or search.found is None:
        return replace(report, results=results, all_notes=tuple(notes))
    notes.append(Note.of("risk", FOUND, total=search.tried))
    return replace(report, results=results, all_notes=tuple(notes), guessed_seed=search.found)


def warnings_of(original: Frame, released: Protected) -> list[Test]:
    """The tests `unprotected`, `sample_uniques` and `edits` that fail by the default limits, of copies on the first that fails."""
    failed = dict[str, Test]()
    request, references = release_request(released), ReferenceStore()
    encoded = encoded_original("evaluate", original, request.variables)
    for copy in open_copies("evaluate", released):
        protected = encoded_release(encoded, copy)
        release = ExaminedRelease(request=request, original=encoded, protected=protected, references=references)
        for test in (run_test(key, release) for key in WARNINGS):
            if test.status == "hold":
                failed.setdefault(test.key, test)
    return list(failed.values())
