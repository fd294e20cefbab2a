"""Judging each stratum by itself: the report is the average of theirs, weighted by records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data import Frame, paired_rows
from ..data.blocks import require_room
from ..data.pairs import Pair, TwoFiles, require_observed, unpaired
from ..data.records import Grouped, Records
from ..data.strata import NoteSummary, Numbering, Strata
from ..errors import InvalidParameter, Note
from ..measures import MEASURES
from ..measures.measure import Part, Parts
from ..progress import within
from ..types import Array, Codes, Rows
from .judge import EvaluateRequest, both_files, judged, key_measures, only_keys
from .report import Report, said

EXTREMES = ("k_anonymity",)  # of a whole file; an average of strata says nothing


def by_strata(before: Frame, after: Frame, keys: tuple[Codes, Codes], asked: EvaluateRequest) -> Report:
    """The Report of two frames by strata of the original's columns. keys : the coded key attributes of either."""
    refuse_extremes(asked.measures)
    codes = Numbering("evaluate, original", asked.strata, "protect").codes(before)
    pairs = paired_rows(before, after)
    if pairs is None:
        raise unpaired("evaluate", "strata", before.records, after.records)
    of_keys = _KeyCodes(*keys, _groups(codes), _groups(codes[pairs[0]], pairs[1])) if asked.of_keys else None
    if only_keys(asked):
        assert of_keys is not None
        strata = Strata.of(asked.strata, codes[pairs[0]])
        known = [of_keys.measured(asked, int(codes[pairs[0][part[0]]])) for part in strata.rows]
        reports = [Report(one, (), len(part), said(one)) for one, part in zip(known, strata.rows, strict=True)]
        return averaged(reports, strata, asked.measures, ())
    both = both_files(before, after, asked)
    try:
        return _numbers(both, codes, of_keys, asked)
    finally:
        both.pair.close()


def refuse_extremes(measures: Sequence[str]) -> None:
    """Raises InvalidParameter for a measure that is no average."""
    if found := [key for key in measures if key in EXTREMES]:
        rule = "must be averages by strata, and the smallest group is none (name the strata among the keys)"
        raise InvalidParameter("evaluate", "measures", rule, found)


@dataclass(frozen=True)
class _KeyCodes:
    """Coded key attributes of either file, and where each stratum's records stand, by its code."""

    K: Codes
    L: Codes
    before: dict[int, Rows]
    after: dict[int, Rows]

    def measured(self, asked: EvaluateRequest, code: int) -> dict[str, Parts]:
        return key_measures(asked, self.K[self.before[code]], self.L[self.after[code]])


def _groups(codes: Codes, rows: Rows | None = None) -> dict[int, Rows]:
    """The rows of each code; rows : what stands for 0, 1, ..."""
    parts = Strata.of((), codes).rows
    return {int(codes[part[0]]): part if rows is None else rows[part] for part in parts}


def _numbers(both: TwoFiles, codes: Codes, of_keys: _KeyCodes | None, asked: EvaluateRequest) -> Report:
    assert both.rows is not None
    of_record = codes[both.rows[0]]
    strata = Strata.of(asked.strata, of_record)
    if not both.pair.in_memory:
        require_room("evaluate", strata, 2 * both.pair.p)
    coded = [int(of_record[part[0]]) for part in strata.rows]
    X, Z = Grouped(both.pair.X, strata.rows), Grouped(both.pair.Z, strata.rows)
    knowledge = both.pair.knowledge
    beside = None if knowledge is None else Grouped(knowledge.given, strata.rows)
    whole = _whole(both, codes, coded)
    reports = []
    for k, (code, part) in enumerate(zip(coded, strata.rows, strict=True)):
        progress = within(asked.progress, k, len(strata), f"stratum {k + 1}")
        told_method = None if knowledge is None or beside is None else replace(knowledge, given=Records(beside.read(k)))
        pair = replace(Pair.of(X.read(k), Z.read(k), None if whole is None else whole.read(k)), knowledge=told_method)
        here = TwoFiles(both.columns, pair, (both.rows[0][part], both.rows[1][part]))
        with strata.naming("evaluate", k):
            require_observed("evaluate", both.columns, pair)
            known = {} if of_keys is None else of_keys.measured(asked, code)
            reports.append(judged(here, known, asked, progress))
    return averaged(reports, strata, asked.measures, both.notes)


def _whole(both: TwoFiles, codes: Codes, coded: Sequence[int]) -> Grouped | None:
    """All records of the original by their stratum, where the release has some of them only."""
    if both.pair.original is None:
        return None
    groups = _groups(codes)
    return Grouped(both.pair.original, [groups[code] for code in coded])


def averaged(reports: Sequence[Report], strata: Strata, keys: Sequence[str], notes: tuple[str, ...]) -> Report:
    """The Report whose values are those of the strata, weighted by their records."""
    weights, heard = np.array([len(rows) for rows in strata.rows], dtype=float), NoteSummary(len(strata))
    for k, report in enumerate(reports):
        for text in report.notes:
            heard.note(k, text)
    results = {key: _mean([report.results[key] for report in reports], weights) for key in keys}
    told = (*notes, strata.said("judged"), meaning(keys), *heard.texts())
    return Report(results, reports[0].columns, sum(report.records for report in reports), told)


def meaning(keys: Sequence[str]) -> Note:
    """What the averages of these measures are."""
    shares = [key for key in keys if (facts := MEASURES[key]).kind == "risk" and facts.upper == 100]
    others = [key for key in keys if key not in shares]
    text = "every value is the average over strata, weighted by records"
    if shares:
        text += "; {shares}: the share in the whole file for an intruder who knows each record's stratum"
    if others:
        text += "; {others}: of each stratum by itself, differences between strata not judged"
    return Note.of("by_strata", text, shares=", ".join(shares), others=", ".join(others))


def _mean(made: Sequence[Parts], weights: Array) -> Parts:
    lines: dict[tuple[str, int | None], list[tuple[Part, float]]] = {}
    for one, weight in zip(made, weights, strict=True):
        for part in one.parts:
            lines.setdefault((part.name, part.attribute), []).append((part, weight))
    parts = tuple(_mean_part(having) for having in lines.values())
    total = float(np.average([one.total for one in made], weights=weights))
    return Parts(total, parts, _mean_baseline([one.baseline for one in made], weights))


def _mean_part(having: Sequence[tuple[Part, float]]) -> Part:
    first, weights = having[0][0], np.array([weight for _, weight in having])
    value = float(np.average([part.value for part, _ in having], weights=weights))
    baseline = _mean_baseline([part.baseline for part, _ in having], weights)
    return Part(first.name, value, baseline, first.attribute, first.range, first.better)


def _mean_baseline(baselines: Sequence[float | None], weights: Array) -> float | None:
    known = [one for one in baselines if one is not None]
    return float(np.average(known, weights=weights)) if len(known) == len(baselines) else None
