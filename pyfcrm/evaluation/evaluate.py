"""evaluate(): information loss, disclosure risk and the verdict of a release."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..arguments import names, one_name, whole_number
from ..data import Frame, Roles, open_data
from ..data.attributes import KeyCodes, KeysAndTargets, attributes_of
from ..data.check import require_columns
from ..data.column_facts import column_facts
from ..data.pairs import key_codes
from ..data.record_order import REORDERED, reordered_columns
from ..engine import Engine, chosen
from ..errors import InvalidParameter, Note
from ..files.paths import Path
from ..measures import MEASURES
from ..measures.measure import Parts
from ..methods import Method
from ..plans.limits import read_limits
from ..progress import Progress, within
from ..protection.protect import Protected
from .auditing.audit_result import Audit
from .auditing.guessed_seed import FOUND, GUESSES, NOT_TRIED, SeedSearch, search_seed, seeds_are_tried
from .by_strata import by_strata
from .columns import MANY_LEVELS, is_category
from .copies import mean_of, merged
from .domains import with_domains
from .evaluate_request import EvaluateRequest, release_request
from .pair import both_files
from .release_measures import judged, key_measures
from .report import Report
from .requested_audit import audit_of
from .systematic_sample import SAMPLE
from .verdict.decision import Test, test_of, verdict_of
from .verdict.examination import Case
from .verdict.outcomes import NotExamined
from .verdict.release_tests import TESTS, run_test

UNPAIRED = (
    "records of {method} do not pair with original records: {measures} are undefined; use pil, pmse, detection of an audit, "
    "and attribute disclosure by keys"
)
EMPTY = Parts(math.nan)
WARNINGS = ("unprotected", "sample_uniques", "range")  # tests that need no audit and no measures
NEARLY_UNIQUE = "the weight `{columns}` is nearly unique: {count} of {total} records can be recognised by it"
ON_SAMPLE = "inference baselines and attributable risks are of a random sample of {count} of {total} records"


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
    method: Method | None = None,
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
        value is a part. Records pair by a pandas index, else by position. Parquet files may be larger than memory. PIL
        and ID then take a column at a time, linkage two blocks of records. A measure that needs all records at once is
        refused, unless strata fit. Notes report this.
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
        releases without the record's own values (RISK in the documentation). Given by `roles` too.
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
    method : Method, optional
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
            target_groups=None
            if target_groups is None
            else whole_number("evaluate", "target_groups", target_groups, low=2),
            key_groups=None if key_groups is None else whole_number("evaluate", "key_groups", key_groups, low=2),
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


def _evaluate_copies(original: Frame, request: EvaluateRequest) -> Report:
    """The report of a release, or of its copies together."""
    several = isinstance(request.release, list | tuple)
    releases = request.release if several else [request.release]
    copies = [open_data("evaluate", copy, several or None) for copy in releases]
    if not copies:
        raise InvalidParameter("evaluate", "protected", "must hold at least one copy", copies)
    if len(copies) == 1:
        return evaluate_release(original, copies[0], request)
    mean, reports = mean_of(copies), list[Report]()
    for k, frame in enumerate(copies if mean is None else [*copies, mean]):
        part = within(request.progress, k, len(copies) + 1, f"copy {k + 1}")
        copy = replace(request, progress=part, guesses=0 if k else request.guesses)
        reports.append(evaluate_release(original, frame, copy))
    return merged(reports[: len(copies)], None if mean is None else reports[-1])


def evaluate_release(original: Frame, protected: Frame, request: EvaluateRequest) -> Report:
    """The report of one release, with its verdict and the notes of the readers."""
    roles, in_memory = request.roles, original.source is None and protected.source is None
    one_to_one = in_memory and original.records == protected.records and not request.empty
    if roles is not None and one_to_one and not (request.weights or request.strata):
        request = replace(request, weights=roles.weight)
    request, categories = _by_kind(original, protected, request)
    empty, files_request = request.empty, replace(request, progress=within(request.progress, 0, 2))
    if empty:
        measures = tuple(key for key in request.measures if key not in empty)
        files_request = replace(files_request, measures=measures, method=None, independent=None)
    report, seed_search = _evaluate_files(original, protected, files_request)
    results = {key: report.results.get(key, EMPTY) for key in request.measures}
    notes = list[str](dict.fromkeys((*original.notes, *protected.notes)))
    if request.tables and categories and "tables" not in results:
        results["tables"] = _tables(original, protected, categories, () if roles is None else roles.unknown)
    reordered = () if empty else reordered_columns(original, protected)
    if empty:
        notes.append(Note.of("by_definition", UNPAIRED, method=str(request.method), measures=", ".join(empty)))
    if reordered:
        notes.append(Note.of("unreliable", REORDERED, reordered))
    case = Case(
        **vars(replace(request, columns=report.columns, progress=within(request.progress, 1, 2))),
        original=original,
        released=protected,
        reordered=bool(reordered),
        seed_search=seed_search,
    )
    return examined(replace(report, results=results, notes=(*notes, *report.notes)), case)


def _by_kind(original: Frame, protected: Frame, request: EvaluateRequest) -> tuple[EvaluateRequest, list[str]]:
    """The request with the columns to judge that are numbers in both files, and those that are categories.

    Columns are those named, else the dependent ones, else all numbers, or all columns where none is a number. Without a number
    only measures of keys and tables are left, where roles are known or no measure was named; else such measures are refused.
    """
    common = [name for name in original.names if name in protected.names]
    categories = [name for name in common if is_category(original, protected, name)]
    named = request.columns
    if named is None and request.roles is not None:
        named = request.roles.dependent
    elif named is None:
        named = tuple(common) if len(categories) == len(common) else ()
    require_columns("evaluate, original", original, named)
    own, numbers = [name for name in categories if name in named], [name for name in named if name not in categories]
    columns = tuple(name for name in numbers if name in protected.names)
    if not named or (request.columns is not None and len(columns) < len(numbers)):
        return request, own
    if len(columns) < len(named):
        request = replace(request, guesses=0)  # the method drew for categories too
    if columns:
        request = replace(request, columns=columns)
    elif request.roles is not None or request.tables:
        request = replace(request, measures=tuple(request.of_keys), columns=())
    return request, own


def _tables(original: Frame, protected: Frame, categories: Sequence[str], unknown: Sequence[str]) -> Parts:
    """The tables of the judged categories, and of these with other categories of few levels."""
    few = [
        name
        for name in original.names
        if name in protected.names
        and name not in (*categories, *unknown)
        and is_category(original, protected, name)
        and original.codes(name).max(initial=0) < MANY_LEVELS
    ]
    columns = (*categories, *few)
    K, L = key_codes("evaluate", original, protected, columns)
    return MEASURES["tables"](KeyCodes(K, L, columns, judged=len(categories)))


def _evaluate_files(
    original: Frame, protected: Frame, request: EvaluateRequest
) -> tuple[Report, SeedSearch | NotExamined]:
    """The report of two files, and the search for the seed of the release."""
    keys, targets = request.keys if request.of_keys else (), request.targets if request.of_targets else ()
    known = KeysAndTargets(
        attributes_of(original, protected, keys, request.key_groups),
        attributes_of(original, protected, targets, request.target_groups),
    )
    if request.strata:
        return by_strata(original, protected, known, request), NOT_TRIED
    K, L = known.codes
    of_keys = key_measures(request, KeyCodes(K, L, request.keys), known)
    pair = both_files(original, protected, request)
    report = judged(pair, of_keys, request, within(request.progress, 0, 3))
    report = with_domains(report, original, protected, pair, replace(request, progress=within(request.progress, 1, 3)))
    if not seeds_are_tried(pair, request):
        return report, NOT_TRIED
    search = search_seed(pair, request, within(request.progress, 2, 3))
    if search.found is not None:
        notes = (*report.notes, Note.of("risk", FOUND, total=search.tried))
        report = replace(report, guessed_seed=search.found, notes=notes)
    return report, search


def examined(report: Report, case: Case) -> Report:
    """The report with its verdict, attributable risks, and the sample uniques on columns released unchanged."""
    tests = [run_test(key, case) for key in TESTS]
    measures = [key for key in case.limits if key in MEASURES]
    tests += [test_of(key, (report.results.get(key, EMPTY).total,), case.limits, "") for key in measures]
    sample, unmodified = case.sample, case.unmodified
    verdict = verdict_of(tests, case.limits, () if unmodified is None else unmodified.unknown)
    notes = [*report.notes]
    if case.weight in case.released.names:
        weight = column_facts(case.released, case.weight)
        if weight.nearly_unique:  # it is no key variable of the tests
            notes.append(Note.of("risk", NEARLY_UNIQUE, [weight.name], count=weight.unique, total=weight.records))
    if sample is not None and sample.total > SAMPLE:
        notes.append(Note.of("approximated", ON_SAMPLE, count=len(sample.Z), total=sample.total))
    audit = case.audit if isinstance(case.audit, Audit) else None
    return replace(report, verdict=verdict, attributable=case.risk, kept=unmodified, notes=tuple(notes), audit=audit)


def warnings_of(original: Frame, released: Protected) -> list[Test]:
    """The tests `unprotected`, `sample_uniques` and `range` that fail by the default limits, of copies on the first that fails."""
    failed, request = dict[str, Test](), release_request(released)
    for frame in released.frames:
        case = Case(**vars(request), original=original, released=open_data("evaluate", frame))
        for test in (run_test(key, case) for key in WARNINGS):
            if test.status == "hold":
                failed.setdefault(test.key, test)
    return list(failed.values())
