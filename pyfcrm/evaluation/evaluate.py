"""evaluate(): how much information a release lost, and what it discloses."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..arguments import names, one_name, whole_number
from ..data import Frame, Roles, is_numeric
from ..data.attributes import KeysAndTargets, keys_and_targets
from ..data.check import require_columns
from ..data.pairs import unchanged_columns, wanted_columns
from ..data.record_order import REORDERED, reordered_columns
from ..data.source import open_data
from ..data.strata import strata_names
from ..engine import Engine, chosen
from ..errors import InvalidParameter, Note, unknown_name
from ..measures import DEFAULT, INFORMED, MEASURES
from ..measures.measure import Parts
from ..methods import Method
from ..methods.method import require_method
from ..plans.limits import Limits, read_limits
from ..progress import Progress, within
from .audit_result import Audit
from .copies import is_copies, judged_together
from .domains import with_domains
from .examine import examined
from .judge import EvaluateRequest, both_files, judged, key_measures, only_keys, target_measures
from .references import KnownReferences
from .release_facts import ReleaseFacts, audit_of, release_facts
from .report import Report, said
from .seeds import GUESSES, seeds_are_tried, with_guessed_seed
from .strata import by_strata

FilePath = str | os.PathLike[str]
UNPAIRED = (
    "records of {method} do not pair with those that came in: {measures} are empty; pil, pmse, detection in an audit, and "
    "attribute disclosure by keys say what such a release is and tells"
)
EMPTY = Parts(math.nan)


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
    limits: Mapping[str, Any] | FilePath | None = None,
    audit: Audit | bool | None = None,
) -> Report:
    """Measure information loss and disclosure risk of a release, and give a verdict on it.

    Parameters
    ----------
    original, protected : DataFrame, Table, path or Protected
        A result of `protect` brings its roles, method, seed and copies. Otherwise frames of pandas, polars or arrow, or CSV,
        Excel, Parquet, SPSS, Stata or SAS files, in any pairing. As protected also a list or tuple of copies, such as
        `released.frames`, judged together: of each risk the worst over the copies and their mean, of each loss the mean, and
        every copy's value among the parts. Records pair by a pandas index, else by position. A Parquet file, or a folder of
        them, may be larger than memory, and the notes
        say so: PIL and ID then take a column at a time, linkage two blocks of records, and a measure that needs all
        records at once is refused, unless by strata that fit.
    columns : str or iterable of str, optional
        The attributes to judge; None for all numeric ones both have. Missing values are left out cell by cell, in both
        files alike, and notes say what each measure takes: PIL and ID every column's values that both have; DBRL and PRL all
        records, each by the columns it has; other measures mostly the records complete in both.
    measures : str or iterable of str, optional
        Which measures, by key; None for pil, dbrl, prl, id, dr and score.
    keys : str or iterable of str, optional
        The key attributes, of any type, that `uniques`, `k_anonymity` and attribute disclosure are about; a missing key
        agrees with anything in the first two, and is a value of its own in the others.
    strata : str or iterable of str, optional
        Columns of the original, of any type: each combination of their values is judged by itself, and every value is
        the average of theirs, weighted by records. Of shares of records (linkage, intervals, uniques) that is the
        share in the whole file for an intruder who knows each record's stratum; of other measures the mean of what
        strata lose by themselves. Records must pair; k_anonymity is no average and is refused.
    engine : str or Engine
        As in `protect`: a cluster takes PIL's moments, DBRL by blocks of originals and PRL's counts.
    progress : callable, optional
        Called with (done, of how many, what), before each measure at least; where it raises (Cancelled), the work
        stops.
    independent : str or iterable of str, optional
        The unmodified predictors. Each risk then has an inference baseline beside chance: its value for reference
        releases without the record's own values (RISK in the documentation). Given by `roles` too.
    roles : Roles, optional
        As in `protect`. Without them no verdict is "pass". The report then has `kept`: the columns released unchanged and
        their sample uniques; the dependent columns are judged where `columns` names none.
    targets : str or iterable of str, optional
        What attribute disclosure (`disco`, `dcap`, `tcap`, `rapid`, `alc`) says that the keys tell, columns of any type; the largest value
        over them is reported.
    target_groups, key_groups : int, optional
        The classes, between quantiles of the original, in which numbers are counted; None takes them as they are.
    domains : str or iterable of str, optional
        Columns of any type, in each level of which `pil` is judged too: with the mean and the worst, as parts of it.
    method : Method, optional
        What made the release, such as RankSwapping(p=10): adds `linkage_informed`, `certain` and `dr_informed`, what an
        intruder who knows it links, unless `measures` names some of these. The columns it kept come with the release: the
        independent ones of `roles`, else `independent`, else all numeric ones that are equal in both files and not judged.
    guesses : int
        Where the method is known and a seed undoes it, so many integers, from 0, are tried as the seed; `guessed_seed`
        of the report is the one that made the release. 0 tries none.
    weights : str, optional
        The original's column of survey weights, above 0: statistics that PIL compares, and the shares of records linked or
        inside intervals, are then of the population that the records stand for; how surely a statistic is known is told by its
        linearised form, a quantile by as many records as the weighted ones are worth (Kish). Notes say which measures are.
        Records must pair one to one, in memory; not with strata.
    limits : mapping or path, optional
        Limits of the verdict that differ from the default, by test key ("risk", "sample_uniques") or measure key ("dr");
        or a TOML file with a table [limits].
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
    """
    given = release_facts(protected, roles, method, strata)
    if given.method is not None:
        require_method("evaluate", given.method, "RankSwapping(p=10)")
    changed = read_limits("evaluate", limits)
    predictors = None if independent is None else names("evaluate", "independent", independent)
    if given.roles is not None:
        predictors = given.roles.independent
    with chosen("evaluate", engine) as runs:
        request = EvaluateRequest(
            columns=columns,
            measures=_measures(measures, given.method, changed),
            keys=names("evaluate", "keys", keys),
            engine=runs,
            progress=progress,
            independent=predictors,
            strata=strata_names("evaluate", strata),
            method=given.method,
            known=predictors,
            weights=one_name("evaluate", "weights", weights),
            **_about(targets, target_groups, key_groups, domains, guesses if given.seed is None else 0),
        )
        _check(request)
        before = open_data("evaluate", original)
        require_columns("evaluate, original", before, predictors or ())
        given = replace(given, audit=audit_of(audit, before, given, runs, progress), limits=changed)
        if not is_copies(given.release):
            return _whole(before, open_data("evaluate", given.release), request, given)

        def judge(after: Frame, k: int) -> Report:
            part = within(request.progress, k, len(given.release) + 1, f"copy {k + 1}")
            return _whole(before, after, replace(request, progress=part, guesses=0 if k else request.guesses), given)

        return judged_together(given.release, judge)


def evaluate_release(
    original: Frame,
    given: ReleaseFacts,
    engine: Engine,
    progress: Progress | None,
    references: KnownReferences,
    *,
    strata: tuple[str, ...] = (),
) -> Report:
    """As evaluate(), of one of many releases of a file, whose seed is known. references : kept from release to release."""
    assert given.roles is not None
    request = EvaluateRequest(
        columns=None,
        measures=_measures(None, given.method, given.limits),
        keys=(),
        engine=engine,
        progress=progress,
        independent=given.roles.independent,
        strata=strata,
        method=given.method,
        known=given.roles.independent,
    )
    return _whole(original, open_data("evaluate", given.release), request, given, references)


def _whole(
    before: Frame,
    after: Frame,
    request: EvaluateRequest,
    given: ReleaseFacts,
    references: KnownReferences | None = None,
) -> Report:
    """The report of one release, with its verdict and what the readers noted."""
    if request.columns is None and given.roles is not None:
        request = _of_roles(before, after, request, given.roles)
    measuring = replace(request, progress=within(request.progress, 0, 2))
    if request.empty:
        report, tried = _meaningful(before, after, measuring), False
    else:
        report, tried = _judged(before, after, measuring)
    turned = () if request.empty else reordered_columns(before, after)
    said = [Note.of("unreliable", REORDERED, turned)] if turned else []
    report = replace(report, notes=(*dict.fromkeys((*before.notes, *after.notes)), *said, *report.notes))
    case = given.case(before, after, report.columns, request, in_order=not turned and _keeps(before, after, request))
    return examined(
        report,
        case,
        given.limits,
        request.engine,
        within(request.progress, 1, 2),
        by_strata=bool(request.strata),
        seeds_tried=tried,
        references=references,
    )


def _keeps(before: Frame, after: Frame, request: EvaluateRequest) -> bool:
    """Whether every predictor is the same in records that pair; where one is not, records may stand in another order."""
    there = [name for name in request.independent or () if name in before.names and name in after.names]
    return unchanged_columns(before, after, there) == there


def _of_roles(before: Frame, after: Frame, request: EvaluateRequest, roles: Roles) -> EvaluateRequest:
    """The request with the dependent columns that are numbers in both files; without one, measures of keys only."""
    require_columns("evaluate, original", before, roles.dependent)
    columns = [
        name for name in roles.dependent if name in after.names and is_numeric(before, name) and is_numeric(after, name)
    ]
    if columns:
        return replace(request, columns=tuple(columns))
    return replace(request, measures=tuple(request.of_keys), columns=())


def _meaningful(before: Frame, after: Frame, asked: EvaluateRequest) -> Report:
    """The report of a release whose records do not pair: what pairs them is empty, NaN, and a note says so."""
    rest = tuple(key for key in asked.measures if key not in asked.empty)
    note = Note.of("by_definition", UNPAIRED, method=str(asked.method), measures=", ".join(asked.empty))
    if rest:
        report = _judged(before, after, replace(asked, measures=rest, method=None, independent=None))[0]
    else:
        report = Report({}, wanted_columns("evaluate", before, after, asked.columns), after.records)
    results = {key: report.results.get(key, EMPTY) for key in asked.measures}
    return replace(report, results=results, notes=(note, *report.notes))


def _about(targets: Any, target_groups: Any, key_groups: Any, domains: Any, guesses: Any) -> dict[str, Any]:
    return {
        "targets": names("evaluate", "targets", targets),
        "target_groups": _groups("target_groups", target_groups),
        "key_groups": _groups("key_groups", key_groups),
        "domains": names("evaluate", "domains", domains),
        "guesses": whole_number("evaluate", "guesses", guesses, low=0, high=2**31 - 1),
    }


def _measures(measures: str | Iterable[str] | None, method: Method | None, limits: Limits) -> tuple[str, ...]:
    """The measures to compute: those named, those of an intruder who knows the method, and those that have a limit."""
    asked = DEFAULT if measures is None else names("evaluate", "measures", measures)
    asked = (*asked, *(key for key in limits if key in MEASURES and key not in asked))
    if method is not None and not {*asked} & {*INFORMED}:
        asked = (*asked, *INFORMED)
    for key in asked:
        if key not in MEASURES:
            raise unknown_name("evaluate", "measure", key, MEASURES)
    return asked


def _groups(name: str, value: int | None) -> int | None:
    return None if value is None else whole_number("evaluate", name, value, low=2)


def _check(asked: EvaluateRequest) -> None:
    """Raises InvalidParameter where keys, targets, domains and strata do not go together."""
    if asked.of_keys and not asked.keys:
        rule = f"must name the key attributes that {', '.join(asked.of_keys)} is about"
        raise InvalidParameter("evaluate", "keys", rule, [])
    if asked.of_targets and not asked.targets:
        rule = f"must name the columns that {', '.join(asked.of_targets)} is about"
        raise InvalidParameter("evaluate", "targets", rule, [])
    if asked.targets and (twice := sorted({*asked.targets} & {*asked.keys})):
        raise InvalidParameter("evaluate", "targets", "must not be keys too", twice)
    if asked.strata and asked.of_targets:
        rule = f"must be left out for {', '.join(asked.of_targets)} (name the strata among the keys)"
        raise InvalidParameter("evaluate", "strata", rule, list(asked.strata))
    for name, given in (("weights", asked.weights), ("domains", list(asked.domains))):
        if given and asked.strata:
            raise InvalidParameter("evaluate", name, "must be left out where strata are judged", given)
    if asked.weights is not None and asked.empty:
        raise InvalidParameter(
            "evaluate", "weights", f"must be left out: records of {asked.method} do not pair", asked.weights
        )
    if asked.domains and "pil" not in asked.measures:
        raise InvalidParameter("evaluate", "domains", "must come with the measure pil", list(asked.domains))


def _judged(before: Frame, after: Frame, asked: EvaluateRequest) -> tuple[Report, bool]:
    """The report of two files, and whether integers were tried as the seed."""
    known = _known(before, after, asked)
    if asked.strata:
        return by_strata(before, after, known.codes, asked), False
    of_keys = key_measures(asked, *known.codes) | target_measures(asked, known)
    if only_keys(asked) or not asked.measures:
        ordered = {key: of_keys[key] for key in asked.measures}
        return Report(ordered, (), after.records, said(ordered)), False
    both = both_files(before, after, asked)
    try:
        tried = seeds_are_tried(both, asked.method, asked.guesses)
        first, then = (within(asked.progress, part, 2) if tried else asked.progress for part in range(2))
        report = with_domains(judged(both, of_keys, asked, first), before, both, asked)
        return with_guessed_seed(report, both, asked.method, asked.guesses, then) if tried else report, tried
    finally:
        both.pair.close()


def _known(before: Frame, after: Frame, asked: EvaluateRequest) -> KeysAndTargets:
    """The key attributes and the targets, where a measure is about them."""
    if not asked.of_keys:
        return KeysAndTargets(())
    targets = asked.targets if asked.of_targets else ()
    groups = {"key_groups": asked.key_groups, "target_groups": asked.target_groups}
    return keys_and_targets(before, after, asked.keys, targets, **groups)
