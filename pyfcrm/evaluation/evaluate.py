"""evaluate(): how much information a release lost, and what it discloses."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import choice, names
from ..data import Frame, Kept, Roles, as_roles, kept_by_roles, key_codes, open_frame
from ..data.strata import strata_names
from ..engine import Engine, chosen
from ..errors import InvalidParameter, unknown_name
from ..measures import DEFAULT, MEASURES
from ..progress import Progress
from ..rstream import RStream, as_stream
from ..types import Codes
from .judge import EvaluateRequest, both_files, independent, key_measures, only_keys, with_inference
from .report import Report, said


def evaluate(
    original: Any,
    protected: Any,
    columns: str | Iterable[str] | None = None,
    measures: str | Iterable[str] | None = None,
    keys: str | Iterable[str] | None = None,
    *,
    missing: str = "refuse",
    strata: str | Iterable[str] | None = None,
    engine: str | Engine = "local",
    progress: Progress | None = None,
    independent: str | Iterable[str] | None = None,
    seed: int | RStream | None = None,
    roles: Roles | None = None,
) -> Report:
    """Judge a protected frame against its original.

    original, protected : frames; records pair by a pandas index, else by position; columns : the attributes to
    judge, None for all numeric ones both have; measures : which, by key; None for pil, dbrl, prl, id, dr and score;
    keys : the key attributes, of any type, that `uniques` and `k_anonymity` are about; a missing key agrees with
    anything; missing : "refuse", or "complete" to judge the records complete in both (the keys: always all);
    engine : as in protect(): a cluster takes PIL's moments, DBRL by blocks of originals and PRL's counts.
    original, protected : or the paths of two Parquet files or folders, whose records pair by position: PIL and ID take
    a column at a time, the others need both files in memory; progress : called with (done, of how many, what), before
    each measure at least; where it raises (Cancelled), the work stops.
    independent : the columns that explain the judged ones: each risk then has, beside chance, its inference baseline,
    the mean over three draws that `seed` starts; the records are complete in these columns too.
    strata : columns of the original, of any type: each combination of their values is judged by itself, and every value
    is the average of theirs, weighted by records. Of shares of records (linkage, intervals, uniques) that is the share
    in the whole file for an intruder who knows each record's stratum; of other measures the mean of what strata lose by
    themselves. Records must pair; k_anonymity is no average and is refused.
    roles : as in protect(): the report then has `kept`, which columns leave as they came and how many records are unique
    on each, on two and on all of them, and judges the dependent columns where `columns` names none.
    Raises InvalidInput or InvalidParameter. Returns Report.
    """
    choice("evaluate", "missing", missing, ("refuse", "complete"))
    wanted, by = _measures(measures), strata_names("evaluate", strata)
    given = None if independent is None else names("evaluate", "independent", independent)
    paths = [isinstance(one, str | os.PathLike) for one in (original, protected)]
    if any(paths) and not all(paths):
        raise InvalidParameter("evaluate", "protected", "and `original` must be two frames or two paths", "one of each")
    of_keys = names("evaluate", "keys", keys)
    if roles is not None:
        columns = as_roles("evaluate", roles).dependent if columns is None else columns
    with chosen("evaluate", engine) as runs:
        asked = EvaluateRequest(columns, wanted, of_keys, missing, runs, progress, given, as_stream(seed), by)
        report = _files(original, protected, asked) if all(paths) else evaluate_frames(original, protected, asked)
    return report if roles is None else replace(report, kept=_kept(original, protected, as_roles("evaluate", roles)))


def _kept(original: Any, protected: Any, roles: Roles) -> Kept:
    if isinstance(original, str | os.PathLike):
        from ..data.kept_by_blocks import kept_in_files

        return kept_in_files(original, protected, roles)
    return kept_by_roles("evaluate", open_frame("evaluate", original), open_frame("evaluate", protected), roles)


def _measures(measures: str | Iterable[str] | None) -> tuple[str, ...]:
    asked = DEFAULT if measures is None else names("evaluate", "measures", measures)
    for key in asked:
        if key not in MEASURES:
            raise unknown_name("evaluate", "measure", key, MEASURES)
    return asked


def _files(original: Any, protected: Any, asked: EvaluateRequest) -> Report:
    if asked.strata or asked.independent:
        from .strata_by_blocks import evaluate_strata

        return evaluate_strata(original, protected, asked)
    from .evaluate_by_blocks import evaluate_files

    results, columns, records, notes = evaluate_files(
        original, protected, asked.columns, asked.measures, asked.missing, asked.engine, asked.progress
    )
    return Report(results, columns, records, (*notes, *said(results)))


def evaluate_frames(original: Any, protected: Any, asked: EvaluateRequest) -> Report:
    """The Report of two frames. Raises InvalidInput or InvalidParameter."""
    before, after = open_frame("evaluate", original), open_frame("evaluate", protected)
    codes = _codes(before, after, asked)
    if asked.strata:
        from .strata import by_strata

        return by_strata(before, after, codes, asked)
    of_keys = key_measures(asked, *codes)
    if only_keys(asked):
        return Report(of_keys, (), after.records, said(of_keys))
    both = both_files(before, after, asked)
    fewer = both.original is not None and after.records < before.records
    given = independent(before, both, asked) if asked.infers and both.rows is not None else None
    return with_inference(both, of_keys, both.original if fewer else None, given, asked, asked.progress)


def _codes(before: Frame, after: Frame, asked: EvaluateRequest) -> tuple[Codes, Codes]:
    """The key attributes, where a measure is about them."""
    if not asked.of_keys:
        return np.empty((0, 0), dtype=np.int64), np.empty((0, 0), dtype=np.int64)
    if not asked.keys:
        rule = f"must name the key attributes that {', '.join(asked.of_keys)} is about"
        raise InvalidParameter("evaluate", "keys", rule, [])
    return key_codes("evaluate", before, after, asked.keys)
