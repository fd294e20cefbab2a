"""evaluate(): how much information a release lost, and what it discloses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .arguments import choice, names
from .engine import Engine, chosen, is_cluster
from .errors import InvalidParameter, unknown_name
from .inference import inference_baseline
from .measures import DEFAULT, MEASURES
from .measures.measure import Aggregate, Facts, KeyMeasure, Measure, Part, Parts
from .rstream import RStream, as_stream
from .table import Opened, checked, complete_records, key_codes, open_frame
from .two_files import TwoFiles, two_files

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
COLUMNS = ("measure", "part", "value", "baseline", "excess", "lower", "upper", "better")
INFERENCE_DRAWS = 3


@dataclass(frozen=True)
class Report:
    """The measures of one release, per cent where the range ends at 100: report["pil"]; to_frame() has every part.

    results : Parts by key; columns : the attributes judged; records : how many; notes : what was met on the way;
    inference : by key, the risk of a draw from a model of the dependent columns that leaves the record out.
    """

    results: Mapping[str, Parts]
    columns: tuple[str, ...]
    records: int
    notes: tuple[str, ...] = ()
    inference: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, key: str) -> float:
        if key not in self.results:
            raise unknown_name("Report", "measure", key, self.results)
        return self.results[key].total

    def leak(self, key: str) -> float:
        """The risk above the inference baseline: the release's own; below 0, X alone tells as much and more."""
        if key not in self.inference:
            raise unknown_name("Report", "inference baseline", key, self.inference)
        return self[key] - self.inference[key]

    def keys(self) -> list[str]:
        """The measures that were computed."""
        return list(self.results)

    def facts(self, key: str) -> Facts:
        """What to know of a measure: range, direction, source."""
        return MEASURES[key].facts

    def rows(self) -> list[dict[str, Any]]:
        """One row for each measure's total and each of its parts; None where there is no baseline."""
        rows = []
        for key, result in self.results.items():
            facts = MEASURES[key].facts
            inferred = (
                [Part("inference baseline", self.inference[key], result.baseline)] if key in self.inference else []
            )
            for part in (Part("total", result.total, result.baseline), *result.parts, *inferred):
                name = part.name if part.attribute is None else self.columns[part.attribute]
                excess = None if part.baseline is None else part.value - part.baseline
                lower, upper = part.range or (facts.lower, facts.upper)
                row = (key, name, part.value, part.baseline, excess, lower, upper, part.better or facts.better)
                rows.append(dict(zip(COLUMNS, row, strict=True)))
        return rows

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas data frame; NaN where there is no baseline."""
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(COLUMNS))
        return frame.astype({"baseline": "float64", "excess": "float64"})


def evaluate(
    original: Any,
    protected: Any,
    columns: str | Iterable[str] | None = None,
    measures: str | Iterable[str] | None = None,
    keys: str | Iterable[str] | None = None,
    *,
    missing: str = "refuse",
    engine: str | Engine = "local",
    progress: Callable[[int, int, str], None] | None = None,
    independent: str | Iterable[str] | None = None,
    seed: int | RStream | None = None,
) -> Report:
    """Judge a protected frame against its original.

    original, protected : frames; records pair by a pandas index, else by position; columns : the attributes to
    judge, None for all numeric ones both have; measures : which, by key; None for pil, dbrl, prl, id, dr and score;
    keys : the key attributes, of any type, that `uniques` and `k_anonymity` are about; a missing key agrees with
    anything; missing : "refuse", or "complete" to judge the records complete in both (the keys: always all);
    engine : as in protect(): a cluster takes PIL's moments, DBRL by blocks of originals and PRL's counts.
    original, protected : or the paths of two Parquet files or folders, whose records pair by position: PIL and ID take
    a column at a time, the others need both files in memory; progress : called then with (done, of how many, what).
    independent : the columns that explain the judged ones: each risk then has, beside chance, its inference baseline,
    the mean over three draws that `seed` starts; the records are complete in these columns too.
    Raises InvalidInput or InvalidParameter. Returns Report.
    """
    choice("evaluate", "missing", missing, ("refuse", "complete"))
    asked = DEFAULT if measures is None else names("evaluate", "measures", measures)
    for key in asked:
        if key not in MEASURES:
            raise unknown_name("evaluate", "measure", key, MEASURES)
    paths = [isinstance(one, str | os.PathLike) for one in (original, protected)]
    if any(paths) and independent is not None:
        raise InvalidParameter(
            "evaluate", "independent", "must be left out for files", list(names("evaluate", "independent", independent))
        )
    if all(paths):
        from .beyond.evaluating import evaluate_files

        with chosen("evaluate", engine) as runs:
            results, wanted, records, notes = evaluate_files(
                original, protected, columns, asked, missing, runs, progress
            )
        return Report(results, wanted, records, (*notes, *_said(results)))
    if any(paths):
        raise InvalidParameter("evaluate", "protected", "and `original` must be two frames or two paths", "one of each")
    before, after = open_frame("evaluate", original), open_frame("evaluate", protected)
    of_keys = _key_measures(before, after, asked, names("evaluate", "keys", keys))
    if asked and len(of_keys) == len(asked):
        return Report(of_keys, (), after.records, _said(of_keys))
    paired = [key for key in asked if MEASURES[key].facts.paired]
    both = two_files("evaluate", before, after, columns, missing, paired)
    fewer = both.original is not None and after.records < before.records
    known = dict(of_keys)
    with chosen("evaluate", engine) as runs:
        if is_cluster(runs) and not fewer:
            from .beyond.evaluating import on_cluster

            known |= on_cluster(both.X, both.Z, asked, runs)
    report = judge(both.X, both.Z, both.columns, asked, both.notes, known, both.original if fewer else None)
    return report if independent is None else _inferred(report, before, both, independent, missing, as_stream(seed))


def judge(
    X: Array,
    Z: Array,
    columns: Iterable[str],
    keys: Iterable[str] = DEFAULT,
    notes: Iterable[str] = (),
    known: Mapping[str, Parts] | None = None,
    original: Array | None = None,
) -> Report:
    """The Report of two arrays X, Z (n, p), original and protected, whose attributes are called `columns`.

    known : results there are already, by key; original : (M, p) all records of the original, where X holds only those
    that the release has; measures that do not pair records compare with these.
    """
    keys = tuple(keys)
    made = dict(known or {})
    for key in keys:
        _compute(key, X, Z, made, X if original is None else original)
    results = {key: made[key] for key in keys}
    return Report(results, tuple(columns), len(X), (*notes, *_said(results)))


def _inferred(
    report: Report, before: Opened, both: TwoFiles, independent: str | Iterable[str], missing: str, stream: RStream
) -> Report:
    """The report with the inference baseline of its risks."""
    wanted = names("evaluate", "independent", independent)
    if judged := sorted({*wanted} & {*both.columns}):
        raise InvalidParameter("evaluate", "independent", "must not be judged too (name those by `columns`)", judged)
    risks = [key for key in report.keys() if (facts := report.facts(key)).kind == "risk" and facts.paired]  # noqa: SIM118
    if not risks or both.rows is None:
        return report
    X = checked("evaluate, independent", before, wanted)[both.rows[0]]
    whole = complete_records("evaluate, independent", X, wanted, missing)
    X, Y, notes = X[whole], both.X[whole], report.notes
    if not whole.all():
        left_out = int((~whole).sum())
        notes += (f"{left_out} of {len(whole)} records have no inference baseline: missing independent values",)
    draws = [judge(Y, inference_baseline(X, Y, stream), both.columns, risks) for _ in range(INFERENCE_DRAWS)]
    inference = {key: sum(draw[key] for draw in draws) / INFERENCE_DRAWS for key in risks}
    return replace(report, notes=notes, inference=inference)


def _said(results: Mapping[str, Parts]) -> tuple[str, ...]:
    return tuple(text for parts in results.values() for text in parts.notes)


def _key_measures(before: Opened, after: Opened, asked: Iterable[str], keys: tuple[str, ...]) -> dict[str, Parts]:
    """The measures of key attributes among those asked for, computed."""
    wanted = {key: measure for key in asked if isinstance(measure := MEASURES[key], KeyMeasure)}
    if not wanted:
        return {}
    if not keys:
        rule = f"must name the key attributes that {', '.join(wanted)} is about"
        raise InvalidParameter("evaluate", "keys", rule, list(keys))
    K, L = key_codes("evaluate", before, after, keys)
    return {key: measure(K, L) for key, measure in wanted.items()}


def _compute(key: str, X: Array, Z: Array, known: dict[str, Parts], original: Array) -> Parts:
    if key not in known:
        measure = MEASURES[key]
        if isinstance(measure, Aggregate):
            known[key] = measure.combine(*(_compute(part, X, Z, known, original) for part in measure.of))
        elif isinstance(measure, Measure):
            known[key] = measure(X if measure.facts.paired else original, Z)
        else:
            raise InvalidParameter("evaluate", "measures", "must be measures of numeric attributes here", key)
    return known[key]
