"""Evaluation by strata, averaged by records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, paired_rows
from ..data.attributes import KeysAndTargets
from ..data.pairs import Pair, require_observed, unpaired
from ..data.records import Records
from ..data.strata import NoteSummary, Strata, require_room, strata_codes
from ..errors import InvalidParameter, Note
from ..measures.measure import Part, Parts
from ..progress import within
from ..types import Array, Rows
from .judge import both_files, judged, key_measures
from .report import Report
from .request import EvaluateRequest

EXTREMES = ("k_anonymity",)  # of a whole file; an average of strata has no meaning
AVERAGES = (
    "every value is the average over strata, weighted by records. Risks are those of an intruder who knows each record's stratum; "
    "losses compare each stratum separately"
)


def by_strata(original: Frame, protected: Frame, known: KeysAndTargets, request: EvaluateRequest) -> Report:
    """The Report of two frames by strata of the original's columns. known : the key attributes."""
    if extreme := [key for key in request.measures if key in EXTREMES]:
        rule = "must be averages by strata, and the smallest group is none (name the strata among the keys)"
        raise InvalidParameter("evaluate", "measures", rule, extreme)
    codes = strata_codes("evaluate, original", original, request.strata, "protect")
    pairs_of = paired_rows(original, protected)
    if pairs_of is None:
        raise unpaired("evaluate", "strata", original.records, protected.records)
    strata = Strata.of(request.strata, codes[pairs_of[0]])
    groups = {int(codes[rows[0]]): rows for rows in Strata.of((), codes).rows}
    files, (K, L), reports = both_files(original, protected, request), known.codes, list[Report]()
    try:
        if not files.pair.in_memory:
            require_room("evaluate", strata, 2 * files.pair.p)
        for k, rows in enumerate(strata.rows):
            whole = groups[int(codes[pairs_of[0][rows[0]]])]  # with originals that have no release
            of_keys = key_measures(request, known, K[whole], L[pairs_of[1][rows]]) if request.of_keys else {}
            progress = within(request.progress, k, len(strata), f"stratum {k + 1}")
            pair = _stratum(files.pair, rows, whole)
            with strata.naming("evaluate", k):
                require_observed("evaluate", files.columns, pair)
                reports.append(judged(replace(files, pair=pair, notes=()), of_keys, request, progress))
        return averaged(reports, strata, request.measures, files.notes)
    finally:
        files.pair.close()


def _stratum(pair: Pair, rows: Rows, whole: Rows) -> Pair:
    """The pairs at some rows, in memory. whole : rows of the original, with those without a release."""

    def loaded(table: Records, places: Rows = rows) -> Records:
        return Records(np.array(table.A[places]))

    known, original = pair.knowledge, pair.original
    return Pair(
        loaded(pair.X),
        loaded(pair.Z),
        None if original is None else loaded(original, whole),
        None if known is None else replace(known, given=loaded(known.given)),
    )


def averaged(reports: Sequence[Report], strata: Strata, keys: Sequence[str], notes: tuple[str, ...]) -> Report:
    """The Report whose values are those of the strata, weighted by their records."""
    weights, summary = np.array([len(rows) for rows in strata.rows], dtype=float), NoteSummary(len(strata))
    for k, report in enumerate(reports):
        for text in report.notes:
            summary.note(k, text)
    results = {key: mean_parts([report.results[key] for report in reports], weights) for key in keys}
    texts = (*notes, strata.size_note("judged"), Note.of("by_strata", AVERAGES), *summary.texts())
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
