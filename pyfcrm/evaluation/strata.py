"""Evaluation by strata, averaged by records, and PIL by domain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, paired_rows
from ..data.blocks import require_room
from ..data.check import require_columns
from ..data.codes import Coding, single_values
from ..data.pairs import Pair, TwoFiles, require_observed, unpaired
from ..data.predictors import is_categorical
from ..data.records import Grouped, Records
from ..data.strata import NoteSummary, Numbering, Strata
from ..errors import InvalidInput, InvalidParameter, Note
from ..measures import MEASURES
from ..measures.measure import Part, Parts
from ..progress import within
from ..types import Array, Codes, Rows
from .judge import EvaluateRequest, both_files, judged, key_measures, only_keys
from .report import Report, measure_notes

EXTREMES = ("k_anonymity",)  # of a whole file; an average of strata says nothing
FEWEST = 10  # records of a domain with PIL: of fewer, the variances of its statistics are not known
AVERAGES = "every value is the average over strata, weighted by records"
SHARES = "; {shares}: the share in the whole file for an intruder who knows each record's stratum"
OTHERS = "; {others}: of each stratum by itself, differences between strata not judged"
MAX_LEVELS = 20  # of a categorical column whose groups are compared by default
LARGE = 10.0  # PIL within a group, above which a warning is given
WITHIN = "within groups of {columns} PIL is {mean:.1f} on average, and {worst:.1f} in {group}: their estimates change"
SMALL_DOMAINS = "{count} of {total} domains {count:has|have} fewer than {fewest} records and {count:is|are} not judged"


def by_strata(original: Frame, protected: Frame, keys: tuple[Codes, Codes], request: EvaluateRequest) -> Report:
    """The Report of two frames by strata of the original's columns. keys : the coded key attributes of either."""
    if extreme := [key for key in request.measures if key in EXTREMES]:
        rule = "must be averages by strata, and the smallest group is none (name the strata among the keys)"
        raise InvalidParameter("evaluate", "measures", rule, extreme)
    codes = Numbering("evaluate, original", request.strata, "protect").codes(original)
    pairs_of = paired_rows(original, protected)
    if pairs_of is None:
        raise unpaired("evaluate", "strata", original.records, protected.records)
    strata = Strata.of(request.strata, codes[pairs_of[0]])
    groups = {int(codes[rows[0]]): rows for rows in Strata.of((), codes).rows}
    whole = [groups[int(codes[pairs_of[0][rows[0]]])] for rows in strata.rows]  # with originals that have no release

    files = None if only_keys(request) else both_files(original, protected, request)
    try:
        if files is not None and not files.pair.in_memory:
            require_room("evaluate", strata, 2 * files.pair.p)
        pairs = [None] * len(strata) if files is None else _pairs(files.pair, strata, whole)
        reports = []
        for k, pair in enumerate(pairs):
            rows = strata.rows[k]
            known = key_measures(request, keys[0][whole[k]], keys[1][pairs_of[1][rows]]) if request.of_keys else {}
            if files is None or pair is None:
                reports.append(Report(known, (), len(rows), measure_notes(known)))
                continue
            progress = within(request.progress, k, len(strata), f"stratum {k + 1}")
            with strata.naming("evaluate", k):
                require_observed("evaluate", files.columns, pair)
                reports.append(judged(replace(files, pair=pair, notes=()), known, request, progress))
        return averaged(reports, strata, request.measures, () if files is None else files.notes)
    finally:
        if files is not None:
            files.pair.close()


def _pairs(pair: Pair, strata: Strata, whole: Sequence[Rows]) -> Iterator[Pair]:
    """The pairs of each stratum, in memory. whole : each stratum's rows of the original, with those without a release."""
    X, Z, known = Grouped(pair.X, strata.rows), Grouped(pair.Z, strata.rows), pair.knowledge
    every = None if pair.original is None else Grouped(pair.original, whole)
    given = None if known is None else Grouped(known.given, strata.rows)
    for k in range(len(strata)):
        knowledge = None if known is None or given is None else replace(known, given=Records(given.read(k)))
        original = None if every is None else every.read(k)
        yield replace(Pair.of(X.read(k), Z.read(k), original), knowledge=knowledge)


def averaged(reports: Sequence[Report], strata: Strata, keys: Sequence[str], notes: tuple[str, ...]) -> Report:
    """The Report whose values are those of the strata, weighted by their records."""
    weights, summary = np.array([len(rows) for rows in strata.rows], dtype=float), NoteSummary(len(strata))
    for k, report in enumerate(reports):
        for text in report.notes:
            summary.note(k, text)
    results = {key: mean_parts([report.results[key] for report in reports], weights) for key in keys}
    shares = [key for key in keys if (facts := MEASURES[key]).kind == "risk" and facts.upper == 100]
    others = [key for key in keys if key not in shares]
    text = AVERAGES + SHARES * bool(shares) + OTHERS * bool(others)
    meaning = Note.of("by_strata", text, shares=", ".join(shares), others=", ".join(others))
    texts = (*notes, strata.size_note("judged"), meaning, *summary.texts())
    return Report(results, reports[0].columns, sum(report.records for report in reports), texts)


def mean_parts(results: Sequence[Parts], weights: Array | None = None) -> Parts:
    """The mean of one measure's results, each with its weight; each line is the mean over the results that have it."""
    weights, lines = np.ones(len(results)) if weights is None else weights, dict[Any, list[tuple[Part, float]]]()
    for result, weight in zip(results, weights, strict=True):
        for part in (Part("", result.total, result.baseline), *result.parts):
            lines.setdefault((part.name, part.attribute), []).append((part, weight))
    total, *parts = (_mean_part(*zip(*pairs, strict=True)) for pairs in lines.values())
    return Parts(total.value, tuple(parts), total.baseline)


def _mean_part(parts: tuple[Part, ...], weights: tuple[float, ...]) -> Part:
    value, baselines = float(np.average([part.value for part in parts], weights=weights)), [p.baseline for p in parts]
    mean = None if None in baselines else float(np.average(np.array(baselines, dtype=float), weights=weights))
    return replace(parts[0], value=value, baseline=mean)


def with_domains(report: Report, original: Frame, files: TwoFiles, request: EvaluateRequest) -> Report:
    """The report with PIL of every level of the request's domains as parts of `pil`: their mean, the worst, and each.

    original, files : the original and the measured columns of both files. A level is taken from the original; its records
    are those that pair. Levels of fewer than 10 records, in any column, are left out, and counted in a note. Source:
    Domingo-Ferrer, Mateo-Sanz and Sebé, subdomain-level probabilistic measures. Raises InvalidInput where records do not
    pair.
    """
    default, domains = request.domains is None, request.domains or ()
    if default and "pil" in report.results and files.rows is not None:
        domains = _categorical(original, files)
    if not domains:
        return report
    if files.rows is None:
        raise InvalidInput("evaluate", "records must pair, by index or by position, for domains", "they do not")
    levels, most, parts = list(_levels(original, files, domains)), 0, list[Part]()
    for k, (name, rows) in enumerate(levels):
        progress, w = within(request.progress, k, len(levels), "judging domains"), files.pair.weights
        pair = Pair(files.pair.X.taken(rows), files.pair.Z.taken(rows), weights=None if w is None else w[rows])
        least = int(pair.cells.min())
        most = max(most, least)
        if least >= FEWEST:
            parts.append(Part(name, MEASURES["pil"].result(pair, {}, request.engine, progress).total))
    if not parts and default:
        return report
    if not parts:
        rule = f"a domain must have at least {FEWEST} records"
        raise InvalidInput("evaluate", rule, f"at most {most}")
    worst = max(parts, key=lambda part: part.value)
    mean = float(np.mean([part.value for part in parts]))
    lines = (Part("domains, mean", mean), Part(f"domains, worst: {worst.name}", worst.value), *parts)
    pil, few = report.results["pil"], len(levels) - len(parts)
    notes = [Note.of("left_out", SMALL_DOMAINS, domains, count=few, total=len(levels), fewest=FEWEST)] * bool(few)
    if worst.value > LARGE:
        notes.append(Note.of("unreliable", WITHIN, domains, mean=mean, worst=worst.value, group=worst.name))
    results = {**report.results, "pil": replace(pil, parts=(*pil.parts, *lines))}
    return replace(report, results=results, notes=(*report.notes, *notes))


def _categorical(original: Frame, files: TwoFiles) -> tuple[str, ...]:
    """The categorical columns of at most 20 levels that are not measured."""
    names = [name for name in original.names if name not in files.columns and is_categorical(original, name)]
    return tuple(name for name in names if len(original.distinct(name)[1]) <= MAX_LEVELS)


def _levels(original: Frame, files: TwoFiles, domains: Sequence[str]) -> Iterator[tuple[str, Rows]]:
    """Each level by its name, as column=value, and the rows of its records in the pair."""
    assert files.rows is not None
    require_columns("evaluate, domains", original, domains)
    for name in domains:
        places, values = original.distinct(name)
        with single_values("evaluate", f"domain column `{name}`"):
            codes = Coding().codes(places, values)[files.rows[0]]
        paired = places[files.rows[0]]
        for code in np.unique(codes):
            rows = np.flatnonzero(codes == code)
            label = "missing" if code < 0 else values[paired[rows[0]]]
            yield f"{name}={label}", rows
