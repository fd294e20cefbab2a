"""evaluate(): how much information a release lost, and what it discloses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import choice, names
from ..data import Frame, Roles, as_roles, kept_by_roles, key_codes
from ..data.source import open_data
from ..data.strata import strata_names
from ..engine import Engine, chosen
from ..errors import InvalidParameter, unknown_name
from ..measures import DEFAULT, MEASURES
from ..progress import Progress
from ..rstream import RStream, as_stream
from ..types import Codes
from .judge import EvaluateRequest, both_files, independent, key_measures, only_keys, with_inference
from .report import Report, said
from .strata import by_strata


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
    """Judge a protected frame or file against its original.

    Parameters
    ----------
    original, protected : DataFrame, Table or path
        Frames of pandas, polars or arrow, or CSV, Parquet, SPSS, Stata or SAS files, in any pairing. Records pair by a
        pandas index, else by position. A Parquet file, or a folder of them, may be larger than memory, and the notes
        say so: PIL and ID then take a column at a time, linkage two blocks of records, and a measure that needs all
        records at once is refused, unless by strata that fit.
    columns : str or iterable of str, optional
        The attributes to judge; None for all numeric ones both have.
    measures : str or iterable of str, optional
        Which measures, by key; None for pil, dbrl, prl, id, dr and score.
    keys : str or iterable of str, optional
        The key attributes, of any type, that `uniques` and `k_anonymity` are about; a missing key agrees with
        anything.
    missing : {"refuse", "complete"}
        With "complete" the records complete in both are judged (by the keys: always all).
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
        over three draws that `seed` starts; the records are complete in these columns too.
    seed : int or RStream, optional
        Where the draws of the inference baselines start.
    roles : Roles, optional
        As in `protect`: the report then has `kept`, which columns leave as they came and how many records are unique
        on each, on two and on all of them, and judges the dependent columns where `columns` names none.

    Returns
    -------
    Report
        Every measure with its parts and baselines, per cent where its range ends at 100.

    Raises
    ------
    InvalidInput
        If the files cannot be judged: a column that is not there, missing values, records that do not pair.
    InvalidParameter
        If an argument breaks its rule.
    """
    choice("evaluate", "missing", missing, ("refuse", "complete"))
    wanted, by = _measures(measures), strata_names("evaluate", strata)
    given = None if independent is None else names("evaluate", "independent", independent)
    of_keys = names("evaluate", "keys", keys)
    if roles is not None:
        columns = as_roles("evaluate", roles).dependent if columns is None else columns
    with chosen("evaluate", engine) as runs:
        asked = EvaluateRequest(columns, wanted, of_keys, missing, runs, progress, given, as_stream(seed), by)
        before, after = open_data("evaluate", original), open_data("evaluate", protected)
        report = _judged(before, after, asked)
    kept = None if roles is None else kept_by_roles("evaluate", before, after, as_roles("evaluate", roles))
    return replace(report, notes=(*dict.fromkeys((*before.notes, *after.notes)), *report.notes), kept=kept)


def _measures(measures: str | Iterable[str] | None) -> tuple[str, ...]:
    asked = DEFAULT if measures is None else names("evaluate", "measures", measures)
    for key in asked:
        if key not in MEASURES:
            raise unknown_name("evaluate", "measure", key, MEASURES)
    return asked


def _judged(before: Frame, after: Frame, asked: EvaluateRequest) -> Report:
    codes = _codes(before, after, asked)
    if asked.strata:
        return by_strata(before, after, codes, asked)
    of_keys = key_measures(asked, *codes)
    if only_keys(asked):
        return Report(of_keys, (), after.records, said(of_keys))
    both = both_files(before, after, asked)
    try:
        given = independent(before, both, asked)
        return with_inference(both, of_keys, given, asked, asked.progress)
    finally:
        both.pair.close()


def _codes(before: Frame, after: Frame, asked: EvaluateRequest) -> tuple[Codes, Codes]:
    """The key attributes, where a measure is about them."""
    if not asked.of_keys:
        return np.empty((0, 0), dtype=np.int64), np.empty((0, 0), dtype=np.int64)
    if not asked.keys:
        rule = f"must name the key attributes that {', '.join(asked.of_keys)} is about"
        raise InvalidParameter("evaluate", "keys", rule, [])
    return key_codes("evaluate", before, after, asked.keys)
