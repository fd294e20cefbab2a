"""evaluate(): information loss, disclosure risk and the verdict of a release."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..arguments import names, one_name, whole_number
from ..data import Frame, Roles, open_data
from ..data.check import require_columns
from ..data.record_order import REORDERED, reordered_columns
from ..engine import Engine, chosen
from ..errors import InvalidParameter, Note
from ..files.paths import Path
from ..measures.measure import Parts
from ..methods import Procedure
from ..plans.limits import read_limits
from ..progress import Progress, within
from ..protection.protect import Protected
from ..protection.protected import open_copies
from .auditing.audit_result import Audit
from .auditing.guessed_seed import FOUND, GUESSES, search_seed
from .copies import mean_of, merged
from .evaluate_request import EvaluateRequest, release_request
from .judged_request import judged_request, without_undefined_measures
from .pair import both_files
from .release_measures import measured_release, tables_of
from .report import Report
from .requested_audit import audit_of
from .risk.reference_store import ReferenceStore
from .verdict.decision import Test
from .verdict.examined import examined
from .verdict.examined_release import ExaminedRelease
from .verdict.outcomes import NotExamined
from .verdict.release_tests import run_test

UNPAIRED = (
    "records of {method} do not pair with original records: {measures} are undefined; use pil, pmse, detection of an audit, "
    "and attribute disclosure by keys"
)
UNDEFINED = Parts(math.nan)
WARNINGS = ("unprotected", "sample_uniques", "range")  # tests that need no audit and no measures


def evaluate(
    original: Any,
    protected: Any,
    columns: str | Iterable[str] | None = None,
    measures: str | Iterable[str] | None = None,
    keys: str | Iterable[str] | None = None,
    *,
    strata: str | Iterable[str] | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
    independent: str | Iterable[str] | None = None,
    roles: Roles | None = None,
    targets: str | Iterable[str] | None = None,
    target_groups: int | None = 20,
    key_groups: int | None = None,
    domains: str | Iterable[str] | None = None,
    method: Procedure | None = None,
    guesses: int = GUESSES,
    weights: str | None = None,
    limits: Mapping[str, Any] | Path | None = None,
    audit: Audit | bool | None = None,
) -> Report:
    """Measure information loss and disclosure risk of a release, and give a verdict on it.

    Parameters
    ----------
    original, protected : DataFrame, Table, path or Protected
        A result of `protect` brings its roles, method, seed and copies. Otherwise frames of pandas, polars or arrow, or CSV,
        Excel, Parquet, SPSS, Stata or SAS files, in any pairing. Protected may also be a list or tuple of copies, such
        as `released.frames`: each risk is the largest over copies and their mean, each loss the mean. Every copy's
        value is a part. Records pair as `protect` knows, where its result is given. Otherwise they pair by the pandas index
        of `protected` if it is not 0, 1, 2, ..., else by position. Parquet files may be larger than memory. PIL and ID
        then take a column at a time, linkage two blocks of records. A measure that needs all records at once is refused,
        unless strata fit. Notes report this.
    columns : str or iterable of str, optional
        The attributes to judge, categories by their tables; None for all numeric ones both have, or all where none is numeric.
        Missing values are left out cell by cell, in both files alike; a note describes it. PIL and ID use every
        column's values that both files have. DBRL and PRL use all records, each by the columns it has. Other measures
        mostly use the records complete in both.
    measures : str or iterable of str, optional
        Which measures, by key; None for pil, dbrl, prl, id, dr and score.
    keys : str or iterable of str, optional
        The key attributes, of any type, that `uniques`, `k_anonymity` and attribute disclosure are about; a missing key
        agrees with anything in the first two, and is a value of its own in the others.
    strata : str or iterable of str, optional
        Columns of the original, of any type. Each stratum is judged separately; every value is the average over strata,
        weighted by records. Shares of records (linkage, intervals, uniques) are then shares of the whole file for an
        intruder who knows each record's stratum. Records must pair; k_anonymity is no average and is refused.
    engine : str or Engine
        As in `protect`: a cluster takes PIL's moments, DBRL by blocks of originals and PRL's counts.
    progress : callable, optional
        Called with (done, of how many, what), before each measure at least; where it raises (Cancelled), the work
        stops.
    independent : str or iterable of str, optional
        The unmodified predictors. Each risk then has an inference baseline besides chance: its value for reference
        releases without the record's own values (see `attributable risk` in the glossary). Given by `roles` too.
    roles : Roles, optional
        As in `protect`. Without them no verdict is "pass". The report then has `kept`: the columns released unchanged and
        their sample uniques; the dependent columns are judged where `columns` names none.
    targets : str or iterable of str, optional
        The confidential columns of attribute disclosure (`disco`, `dcap`, `tcap`, `rapid`, `alc`), of any type; the largest
        value over them is reported.
    target_groups, key_groups : int, optional
        The classes, between quantiles of the original, in which numbers are counted; None takes them as they are.
    domains : str or iterable of str, optional
        Columns of any type, within each level of which `pil` is measured too: each level, the mean and the worst are parts of it.
        None takes the categorical columns of at most 20 levels that are not measured; a worst value above 10 is a warning.
    method : Method or Steps, optional
        The method of the release, such as RankSwapping(p=10). Adds method-aware linkage (`linkage_informed`, `certain`,
        `dr_informed`) unless `measures` names some of these. The intruder also has the columns released unchanged: the
        independent ones of `roles`, else `independent`, else all numeric ones that are equal in both files and not judged.
    guesses : int
        How many integers, from 0, are tried as the seed where the method is known and a seed undoes it. The report's
        `guessed_seed` is the one of the release. 0 tries none.
    weights : str, optional
        The original's column of survey weights, above 0. Statistics that PIL compares, and shares of records linked or
        inside intervals, are then estimates for the population. The precision of a statistic is that of its linearised
        form, that of a quantile by the effective number of records (Kish). Notes name the weighted measures.
        Records must pair one to one, in memory; not with strata.
    limits : mapping or path, optional
        Limits of the verdict that differ from the default, by key of a test ("risk") or measure ("dr"). Or a TOML file
        with a table [limits].
    audit : Audit or bool, optional
        A result of `audit` of this file, roles and method; or True, to run it. Without one the verdict on a method that
        replaces every value is "not examined".

    Returns
    -------
    Report
        Every measure with its parts and baselines, per cent where its range ends at 100; `verdict` is the decision.

    Raises
    ------
    InvalidInput
        If the files cannot be judged: a column that is not there, or that no record has in both; records that do not pair.
    InvalidParameter
        If an argument breaks its rule.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> pf.evaluate(frame, released).verdict.status in ("hold", "not examined")
    True
    """
    request = release_request(
        protected, roles, method, strata, measures=measures, limits=read_limits("evaluate", limits)
    )
    most = whole_number("evaluate", "guesses", guesses, low=0, high=2**31 - 1)
    with chosen("evaluate", engine) as runs:
        request = replace(
            request,
            columns=None if columns is None else names("evaluate", "columns", columns),
            keys=names("evaluate", "keys", keys),
            engine=runs,
            progress=progress,
            targets=names("evaluate", "targets", targets),
            target_groups=_groups("target_groups", target_groups),
            key_groups=_groups("key_groups", key_groups),
            domains=None if domains is None else names("evaluate", "domains", domains),
            guesses=most if request.seed is None else 0,
            weights=one_name("evaluate", "weights", weights),
            tables=measures is None,
        )
        if request.roles is None and independent is not None:
            request = replace(request, independent=names("evaluate", "independent", independent))
        request.check()
        original = open_data("evaluate", original)
        require_columns("evaluate, original", original, request.independent or ())
        return _evaluate_copies(original, replace(request, audit=audit_of(audit, original, request)))


def _groups(name: str, value: Any) -> int | None:
    """The number of classes of a numeric column; None for its values as they are."""
    return None if value is None else whole_number("evaluate", name, value, low=2)


def _evaluate_copies(original: Frame, request: EvaluateRequest) -> Report:
    """The report of a release, or of its copies together."""
    several = isinstance(request.release, list | tuple)
    releases = request.release if several else [request.release]
    copies = [open_data("evaluate", copy, several or None) for copy in releases]
    for copy, rows in zip(copies, request.copy_rows, strict=False):  # none of a release that is not from protect()
        copy.rows = rows
    references = ReferenceStore()
    if not copies:
        raise InvalidParameter("evaluate", "protected", "must hold at least one copy", copies)
    if len(copies) == 1:
        return evaluate_release(original, copies[0], request, references)
    mean = mean_of(copies)
    reports = list[Report]()
    for k, frame in enumerate(copies if mean is None else [*copies, mean]):
        part = within(request.progress, k, len(copies) + 1, f"copy {k + 1}")
        # The copies have one seed: it is searched once.
        of_copy = replace(request, progress=part, guesses=0 if k else request.guesses)
        reports.append(evaluate_release(original, frame, of_copy, references))
    return merged(reports[: len(copies)], None if mean is None else reports[-1])


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
    return examined(_completed(report, release), release)


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
    notes += report.notes
    search = release.seed_search
    if isinstance(search, NotExamined) or search.found is None:
        return replace(report, results=results, notes=tuple(notes))
    notes.append(Note.of("risk", FOUND, total=search.tried))
    return replace(report, results=results, notes=tuple(notes), guessed_seed=search.found)


def warnings_of(original: Frame, released: Protected) -> list[Test]:
    """The tests `unprotected`, `sample_uniques` and `range` that fail by the default limits, of copies on the first that fails."""
    failed = dict[str, Test]()
    request, references = release_request(released), ReferenceStore()
    for protected in open_copies("evaluate", released):
        release = ExaminedRelease(request=request, original=original, protected=protected, references=references)
        for test in (run_test(key, release) for key in WARNINGS):
            if test.status == "hold":
                failed.setdefault(test.key, test)
    return list(failed.values())
