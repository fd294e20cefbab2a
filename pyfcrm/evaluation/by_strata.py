"""The report of a release by strata: values of strata, averaged by their records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, paired_rows
from ..data.attributes import KeyCodes, KeysAndTargets
from ..data.blocks import Records
from ..data.pairs import Pair, require_observed, unpaired
from ..data.strata import NoteSummary, Strata, require_room, strata_codes
from ..errors import InvalidParameter, Note
from ..measures.measure import Part, Parts
from ..progress import within
from ..types import Array, Rows
from .evaluate_request import EvaluateRequest
from .measured_pair import key_measures, measured_pair
from .report import Report

AVERAGES = (
    "every value is the average over strata, weighted by records; risks are of an intruder who knows each record's stratum; "
    "losses compare each stratum"
)


def by_strata(original: Frame, protected: Frame, pair: Pair, known: KeysAndTargets, request: EvaluateRequest) -> Report:
    """The Report of two frames by strata of the original's columns: values of strata, weighted by their records.

    pair : the judged columns; known : the key attributes.
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
    if not pair.in_memory:
        require_room("evaluate", strata, 2 * pair.p)
    K, L = known.codes
    reports = list[Report]()
    for k, rows in enumerate(strata.rows):
        progress = within(request.progress, k, len(strata), f"stratum {k + 1}")
        whole = np.flatnonzero(codes == codes[old[rows[0]]])  # with originals that have no release
        of_keys = dict[str, Parts]()
        if request.of_keys:
            of_keys = key_measures(request, KeyCodes(K[whole], L[new[rows]], request.keys), known)
        part = _stratum(pair, rows, whole)
        with strata.naming("evaluate", k):
            require_observed("evaluate", part)
            reports.append(measured_pair(part, of_keys, request, progress))
    summary = NoteSummary(len(strata))
    for k, report in enumerate(reports):
        for text in report.all_notes:
            summary.note(k, text)
    weights = np.array([len(rows) for rows in strata.rows], dtype=float)
    return Report(
        results={key: mean_parts([report.results[key] for report in reports], weights) for key in request.measures},
        columns=pair.columns,
        records=sum(report.records for report in reports),
        all_notes=(*pair.notes, strata.size_note("judged"), Note.of("by_strata", AVERAGES), *summary.texts()),
    )


def _stratum(pair: Pair, rows: Rows, whole: Rows) -> Pair:
    """The pairs at some rows, in memory. whole : rows of the original, with those without a release."""
    known, original = pair.knowledge, pair.original
    return Pair(
        Records(pair.X.A[rows]),
        Records(pair.Z.A[rows]),
        None if original is None else Records(original.A[whole]),
        None if known is None else replace(known, given=Records(known.given.A[rows])),
        units=None if pair.units is None else pair.units[rows if original is None else whole],
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
