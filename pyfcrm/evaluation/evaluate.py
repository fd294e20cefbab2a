"""evaluate(): how much information a release lost, and what it discloses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..arguments import names, one_name, whole_number
from ..data import Frame, Roles, as_roles, kept_by_roles, kept_of
from ..data.attributes import KeysAndTargets, keys_and_targets
from ..data.pairs import wanted_columns
from ..data.source import open_data
from ..data.strata import strata_names
from ..data.turned import turned_note
from ..engine import Engine, chosen
from ..errors import InvalidParameter, Note, unknown_name
from ..measures import DEFAULT, INFORMED, MEASURES
from ..measures.measure import Parts
from ..methods import Method
from ..methods.method import require_method
from ..progress import Progress, within
from ..rstream import RStream, as_stream
from .copies import is_copies, judged_together
from .domains import with_domains
from .judge import EvaluateRequest, both_files, independent, key_measures, only_keys, target_measures, with_inference
from .report import Report, said
from .seeds import GUESSES, seeds_are_tried, with_guessed_seed
from .strata import by_strata

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
    seed: int | RStream | None = None,
    roles: Roles | None = None,
    targets: str | Iterable[str] | None = None,
    target_groups: int | None = 20,
    key_groups: int | None = None,
    domains: str | Iterable[str] | None = None,
    method: Method | None = None,
    guesses: int = GUESSES,
    weights: str | None = None,
) -> Report:
    """Judge a protected frame or file against its original.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames of pandas, polars or arrow, or CSV, Excel, Parquet, SPSS, Stata or SAS files, in any pairing; as protected also a
        list or tuple of copies, such as `released.frames`, judged together: of each risk the worst over the copies and their
        mean, of each loss the mean, and every copy's value among the parts. Records pair by a
        pandas index, else by position. A Parquet file, or a folder of them, may be larger than memory, and the notes
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
        The columns that explain the judged ones: each risk then has, beside chance, its inference baseline, the mean
        over three draws that `seed` starts, by the records complete in all of these.
    seed : int or RStream, optional
        Where the draws of the inference baselines start.
    roles : Roles, optional
        As in `protect`: the report then has `kept`, which columns leave as they came and how many records are unique
        on each, on two and on all of them, and judges the dependent columns where `columns` names none.
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

    Returns
    -------
    Report
        Every measure with its parts and baselines, per cent where its range ends at 100.

    Raises
    ------
    InvalidInput
        If the files cannot be judged: a column that is not there, or that no record has in both; records that do not pair.
    InvalidParameter
        If an argument breaks its rule.
    """
    if method is not None:
        require_method("evaluate", method, "RankSwapping(p=10)")
    wanted, by = _measures(measures, method), strata_names("evaluate", strata)
    given = None if independent is None else names("evaluate", "independent", independent)
    about = {
        "method": method,
        "known": given,
        "weights": one_name("evaluate", "weights", weights),
        **_about(targets, target_groups, key_groups, domains, guesses),
    }
    of_keys = names("evaluate", "keys", keys)
    if roles is not None:
        roles = as_roles("evaluate", roles)
        columns, about["known"] = roles.dependent if columns is None else columns, roles.independent
    with chosen("evaluate", engine) as runs:
        stream = as_stream(seed)
        asked = EvaluateRequest(columns, wanted, of_keys, runs, progress, given, stream, by, **about)
        _check(asked)
        before = open_data("evaluate", original)
        if not is_copies(protected):
            return _whole(before, open_data("evaluate", protected), asked, roles)

        def judge(after: Frame, k: int) -> Report:
            here = replace(asked, progress=within(asked.progress, k, len(protected) + 1, f"copy {k + 1}"))
            here = replace(here, independent=None, guesses=0) if k else here
            return _whole(before, after, here, roles)

        return judged_together(protected, judge)


def _whole(before: Frame, after: Frame, asked: EvaluateRequest, roles: Roles | None) -> Report:
    """The report of one release, with what leaves as it came and what the readers noted."""
    report = _meaningful(before, after, asked) if asked.empty else _judged(before, after, asked)
    kept = None
    if roles is not None:
        new = asked.method is not None and asked.method.generates  # no column leaves as it came
        kept = kept_of(after, ()) if new else kept_by_roles("evaluate", before, after, roles)
    turned = [] if asked.empty else turned_note(before, after)
    return replace(report, notes=(*dict.fromkeys((*before.notes, *after.notes)), *turned, *report.notes), kept=kept)


def _meaningful(before: Frame, after: Frame, asked: EvaluateRequest) -> Report:
    """The report of a release whose records do not pair: what pairs them is empty, NaN, and a note says so."""
    rest = tuple(key for key in asked.measures if key not in asked.empty)
    note = Note.of("by_definition", UNPAIRED, method=str(asked.method), measures=", ".join(asked.empty))
    if rest:
        report = _judged(before, after, replace(asked, measures=rest, method=None, independent=None))
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


def _measures(measures: str | Iterable[str] | None, method: Method | None) -> tuple[str, ...]:
    asked = DEFAULT if measures is None else names("evaluate", "measures", measures)
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


def _judged(before: Frame, after: Frame, asked: EvaluateRequest) -> Report:
    known = _known(before, after, asked)
    if asked.strata:
        return by_strata(before, after, known.codes, asked)
    of_keys = key_measures(asked, *known.codes) | target_measures(asked, known)
    if only_keys(asked):
        ordered = {key: of_keys[key] for key in asked.measures}
        return Report(ordered, (), after.records, said(ordered))
    both = both_files(before, after, asked)
    try:
        given = independent(before, both, asked)
        tried = seeds_are_tried(both, asked.method, asked.guesses)
        first, then = (within(asked.progress, part, 2) if tried else asked.progress for part in range(2))
        report = with_domains(with_inference(both, of_keys, given, asked, first), before, both, asked)
        return with_guessed_seed(report, both, asked.method, asked.guesses, then) if tried else report
    finally:
        both.pair.close()


def _known(before: Frame, after: Frame, asked: EvaluateRequest) -> KeysAndTargets:
    """The key attributes and the targets, where a measure is about them."""
    if not asked.of_keys:
        return KeysAndTargets(())
    targets = asked.targets if asked.of_targets else ()
    groups = {"key_groups": asked.key_groups, "target_groups": asked.target_groups}
    return keys_and_targets(before, after, asked.keys, targets, **groups)
