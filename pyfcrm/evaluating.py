"""evaluate(): how much information a release lost, and what it discloses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .arguments import choice, names
from .errors import InvalidParameter, unknown_name
from .measures import DEFAULT, MEASURES
from .measures.measure import Aggregate, Facts, KeyMeasure, Measure, Part, Parts
from .table import Opened, key_codes, open_frame
from .two_files import two_files

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
COLUMNS = ("measure", "part", "value", "baseline", "excess", "lower", "upper", "better")


@dataclass(frozen=True)
class Report:
    """The measures of one release, per cent where the range ends at 100: report["pil"]; to_frame() has every part.

    results : Parts by key; columns : the attributes judged; records : how many; notes : what was met on the way.
    """

    results: Mapping[str, Parts]
    columns: tuple[str, ...]
    records: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> float:
        if key not in self.results:
            raise unknown_name("Report", "measure", key, self.results)
        return self.results[key].total

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
            for part in (Part("total", result.total, result.baseline), *result.parts):
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
) -> Report:
    """Judge a protected frame against its original.

    original, protected : frames; records pair by a pandas index, else by position; columns : the attributes to
    judge, None for all numeric ones both have; measures : which, by key; None for pil, dbrl, prl, id, dr and score;
    keys : the key attributes, of any type, that `uniques` and `k_anonymity` are about; a missing key agrees with
    anything; missing : "refuse", or "complete" to judge the records complete in both (the keys: always all).
    Raises InvalidInput or InvalidParameter. Returns Report.
    """
    choice("evaluate", "missing", missing, ("refuse", "complete"))
    asked = DEFAULT if measures is None else names("evaluate", "measures", measures)
    for key in asked:
        if key not in MEASURES:
            raise unknown_name("evaluate", "measure", key, MEASURES)
    before, after = open_frame("evaluate", original), open_frame("evaluate", protected)
    of_keys = _key_measures(before, after, asked, names("evaluate", "keys", keys))
    if asked and len(of_keys) == len(asked):
        return Report(of_keys, (), after.records, _said(of_keys))
    paired = [key for key in asked if MEASURES[key].facts.paired]
    both = two_files("evaluate", before, after, columns, missing, paired)
    fewer = both.original is not None and after.records < before.records
    return judge(both.X, both.Z, both.columns, asked, both.notes, of_keys, both.original if fewer else None)


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
    return {key: measure.compute(K, L) for key, measure in wanted.items()}


def _compute(key: str, X: Array, Z: Array, known: dict[str, Parts], original: Array) -> Parts:
    if key not in known:
        measure = MEASURES[key]
        if isinstance(measure, Aggregate):
            known[key] = measure.combine(*(_compute(part, X, Z, known, original) for part in measure.of))
        elif isinstance(measure, Measure):
            known[key] = measure.compute(X if measure.facts.paired else original, Z)
        else:
            raise InvalidParameter("evaluate", "measures", "must be measures of numeric attributes here", key)
    return known[key]
