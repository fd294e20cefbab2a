"""Reports of several parts put together: strata, groups within the levels of a column, and copies of a release.

Averaged over strata by records; of copies each risk is the maximum over them and their mean, each loss their mean.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, numeric_names, open_frame, paired_rows
from ..data.attributes import KeysAndTargets
from ..data.blocks import Records
from ..data.levels import levels_of
from ..data.pairs import Pair, require_observed, unchanged_columns, unpaired
from ..data.predictors import is_categorical
from ..data.strata import NoteSummary, Strata, require_room, strata_codes
from ..errors import InvalidInput, InvalidParameter, Note
from ..measures import MEASURES
from ..measures.measure import Part, Parts
from ..progress import within
from ..types import Array, Rows
from .judge import both_files, judged, key_measures
from .report import GroupMean, Report
from .request import EvaluateRequest
from .verdict import Test, worst

FEWEST = 10  # records of a domain with PIL: of fewer, the variances of its statistics are not known
MAX_LEVELS = 20  # of a categorical column whose groups are compared by default
LARGE = 10.0  # PIL within a group, above which a warning is given
WITHIN = "within groups of {columns} PIL is {mean:.1f} on average, and {worst:.1f} in {group}: their estimates change"
SMALL_CHANGE = 0.1  # of a mean within a group, in standard errors
MEANS = "means within {count} groups: largest change {change:.2g} standard errors ({where})"
SMALL_DOMAINS = "{count} of {total} domains {count:has|have} fewer than {fewest} records and {count:is|are} not judged"
MEAN = "their mean"
OF_MEAN = ("unprotected", "risk")  # tests of a verdict on the mean of the copies too
TOGETHER = (
    "{copies} copies are judged together: each risk is the largest over the copies and their mean, each loss the mean over "
    "the copies"
)
NO_MEAN = "the mean of the copies is not judged: their records do not pair with each other"
AVERAGES = (
    "every value is the average over strata, weighted by records. Risks are those of an intruder who knows each record's stratum; "
    "losses compare each stratum separately"
)


def by_strata(original: Frame, protected: Frame, known: KeysAndTargets, request: EvaluateRequest) -> Report:
    """The Report of two frames by strata of the original's columns: values of strata, weighted by their records.

    known : the key attributes.
    """
    if "k_anonymity" in request.measures:
        rule = "must be averages by strata, and the smallest group is none (name the strata among the keys)"
        raise InvalidParameter("evaluate", "measures", rule, ["k_anonymity"])
    codes = strata_codes("evaluate, original", original, request.strata, "protect")
    paired = paired_rows(original, protected)
    if paired is None:
        raise unpaired("evaluate", "strata", original.records, protected.records)
    old, new = paired
    strata = Strata.of(request.strata, codes[old])
    pair, (K, L), reports = both_files(original, protected, request), known.codes, list[Report]()
    if not pair.in_memory:
        require_room("evaluate", strata, 2 * pair.p)
    for k, rows in enumerate(strata.rows):
        whole = np.flatnonzero(codes == codes[old[rows[0]]])  # with originals that have no release
        of_keys = key_measures(request, known, K[whole], L[new[rows]]) if request.of_keys else {}
        progress = within(request.progress, k, len(strata), f"stratum {k + 1}")
        part = _stratum(pair, rows, whole)
        with strata.naming("evaluate", k):
            require_observed("evaluate", part)
            reports.append(judged(part, of_keys, request, progress))
    weights, summary = np.array([len(rows) for rows in strata.rows], dtype=float), NoteSummary(len(strata))
    for k, report in enumerate(reports):
        for text in report.notes:
            summary.note(k, text)
    results = {key: mean_parts([report.results[key] for report in reports], weights) for key in request.measures}
    texts = (*pair.notes, strata.size_note("judged"), Note.of("by_strata", AVERAGES), *summary.texts())
    return Report(results, pair.columns, sum(report.records for report in reports), texts)


def _stratum(pair: Pair, rows: Rows, whole: Rows) -> Pair:
    """The pairs at some rows, in memory. whole : rows of the original, with those without a release."""
    known, original = pair.knowledge, pair.original
    return Pair(
        Records(pair.X.A[rows]),
        Records(pair.Z.A[rows]),
        None if original is None else Records(original.A[whole]),
        None if known is None else replace(known, given=Records(known.given.A[rows])),
        columns=pair.columns,
    )


def mean_parts(results: Sequence[Parts], weights: Array) -> Parts:
    """The mean of one measure's results, each with its weight; each line is the mean over the results that have it."""
    lines = dict[Any, list[tuple[Part, float]]]()
    for result, weight in zip(results, weights, strict=True):
        for part in (Part("", result.total, result.baseline), *result.parts):
            lines.setdefault((part.name, part.attribute), []).append((part, weight))
    total, *parts = (_mean_part(*zip(*pairs, strict=True)) for pairs in lines.values())
    return Parts(total.value, tuple(parts), total.baseline)


def _mean_part(parts: tuple[Part, ...], weights: tuple[float, ...]) -> Part:
    value = float(np.average([part.value for part in parts], weights=weights))
    baselines = [part.baseline for part in parts]
    baseline = None if None in baselines else float(np.average(baselines, weights=weights))  # type: ignore[arg-type]
    return replace(parts[0], value=value, baseline=baseline)


def with_domains(report: Report, original: Frame, protected: Frame, both: Pair, request: EvaluateRequest) -> Report:
    """The report with PIL by level of the request's domains as parts of `pil`: mean, worst, and each. Each level's
    means are added.

    original, protected, both : the frames, and their measured columns. A level is taken from the original; its records
    are those that pair. Levels of fewer than 10 records, in any column, are left out, and counted in a note. Source:
    Domingo-Ferrer, Mateo-Sanz and Sebé, subdomain-level probabilistic measures. Raises InvalidInput where records do not
    pair.
    """
    domains = request.domains or ()
    if request.domains is None and "pil" in report.results and both.places is not None:
        domains = _categorical(original, protected, both.columns)
    if not domains:
        return report
    if both.places is None:
        raise InvalidInput("evaluate", "records must pair, by index or by position, for domains", "they do not")
    coded = [levels_of("evaluate, domains", original, name, both.places[0]) for name in domains]
    levels = [(domain, code, level) for domain in coded for code, level in enumerate(domain.labels)]
    parts, means = list[Part](), list[GroupMean]()
    for k, (domain, code, level) in enumerate(levels):
        progress, w = within(request.progress, k, len(levels), "judging domains"), both.weights
        rows = np.flatnonzero(domain.codes == code)
        pair = Pair(both.X.taken(rows), both.Z.taken(rows), weights=None if w is None else w[rows])
        if pair.cells.min() >= FEWEST:
            loss = MEASURES["pil"].result(pair, {}, request.engine, progress).total
            parts.append(Part(f"{domain.name}={level}", loss))
            means += [_mean(pair, j, name, domain.name, level) for j, name in enumerate(both.columns)]
    results, few, notes = dict(report.results), len(levels) - len(parts), list(report.notes)
    if few:
        notes.append(Note.of("left_out", SMALL_DOMAINS, domains, count=few, total=len(levels), fewest=FEWEST))
    if parts:
        worst, mean = max(parts, key=lambda part: part.value), float(np.mean([part.value for part in parts]))
        lines = (Part("domains, mean", mean), Part(f"domains, worst: {worst.name}", worst.value), *parts)
        results["pil"] = replace(results["pil"], parts=(*results["pil"].parts, *lines))
        if worst.value > LARGE:
            notes.append(Note.of("unreliable", WITHIN, domains, mean=mean, worst=worst.value, group=worst.name))
        notes += _note_on_means(means, domains, len(parts))
    return replace(report, results=results, groups=tuple(means), notes=tuple(notes))


def _note_on_means(means: Sequence[GroupMean], domains: Sequence[str], count: int) -> list[Note]:
    known = [mean for mean in means if not np.isnan(mean.difference)]
    if not known:
        return []
    worst = max(known, key=lambda mean: abs(mean.difference))
    change, where = abs(worst.difference), f"{worst.column} in {worst.domain}={worst.level}"
    severity = "warning" if change > SMALL_CHANGE else "info"
    return [Note.of("answers", MEANS, domains, count=count, severity=severity, change=change, where=where)]


def _mean(pair: Pair, j: int, column: str, domain: str, level: str) -> GroupMean:
    """The mean of column j in both files, over the records of a group that have it."""
    known = pair.observed([j])
    n, (x, z) = known.n, (A[:, 0] for A in known.arrays())
    w = np.ones(n) if known.weights is None else known.weights
    before, after = known.share(x), known.share(z)
    # The standard error of a weighted mean, linearised; with equal weights sd / sqrt(n).
    error = float(np.sqrt(n / (n - 1) * np.square(w * (x - before)).sum()) / w.sum())
    return GroupMean(domain, level, n, column, before, after, (after - before) / error if error else np.nan)


def _categorical(original: Frame, protected: Frame, measured: Sequence[str]) -> tuple[str, ...]:
    """The categorical columns of at most 20 levels that are released unchanged, and not measured."""
    few = [
        name
        for name in original.names
        if name not in measured and is_categorical(original, name) and len(original.distinct(name)[1]) <= MAX_LEVELS
    ]
    return tuple(unchanged_columns(original, protected, few))


def mean_of(frames: Sequence[Frame]) -> Frame | None:
    """The first copy with the mean over the copies in every numeric column that they all have; None where records do not pair."""
    first, values = frames[0], list[Array]()
    names = [name for name in first.names if all(name in numeric_names(frame) for frame in frames)]
    for frame in frames:
        rows = paired_rows(first, frame)
        if rows is None or frame.records != first.records:
            return None
        values.append(frame.matrix(names)[np.argsort(rows[0])])
    same = np.all([copy == values[0] for copy in values], axis=0)  # where all have one value the mean is that
    means = np.where(same, values[0], np.mean(values, axis=0))
    everyone = np.ones(first.records, dtype=bool)
    return open_frame("evaluate", first.replaced(dict(zip(names, means.T, strict=True)), everyone, (), floats=True))


def merged(reports: Sequence[Report], mean: Report | None) -> Report:
    """One report of copies: of each risk the worst, of each loss the mean. mean : of the copies' mean, None without one."""
    first, together = reports[0], dict[str, Parts]()
    notes = [Note.of("risk", TOGETHER, copies=len(reports))]
    if mean is None:
        notes.append(Note.of("unreliable", NO_MEAN))
    for key in first.results:
        measure = MEASURES[key]
        if measure.components and all(part in together for part in measure.components):
            together[key] = measure(*(together[part] for part in measure.components))
            continue
        copies = {f"copy {k}": report.results[key] for k, report in enumerate(reports, 1)}
        if measure.kind == "loss":
            result = mean_parts([*copies.values()], np.ones(len(copies)))
        else:
            if mean is not None and not measure.needs_keys:
                copies[MEAN] = mean.results[key]
            sign = 1 if measure.better == "lower" else -1
            result = max(
                copies.values(), key=lambda parts: -math.inf if math.isnan(parts.total) else sign * parts.total
            )
        lines = (Part(name, parts.total, parts.baseline) for name, parts in copies.items())
        together[key] = replace(result, parts=(*result.parts, *lines))
    texts = dict.fromkeys(note for report in reports for note in report.notes)
    verdicts = [report.verdict for report in reports]
    if mean is not None:
        tests = (t if t.key in OF_MEAN else Test(t.key, "not applicable") for t in mean.verdict.tests)
        verdicts.append(replace(mean.verdict, tests=tuple(tests)))
    return replace(first, results=together, notes=(*notes, *texts), verdict=worst(verdicts))
