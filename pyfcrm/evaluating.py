"""evaluate(): how much information a release lost, and what it discloses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .arguments import choice, names
from .errors import InvalidInput, unknown_name
from .measures import DEFAULT, MEASURES
from .measures.measure import Aggregate, Facts, Parts
from .table import Opened, checked, complete_records, numeric_names, open_frame, paired_rows

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
COLUMNS = ("measure", "part", "value", "baseline", "excess", "lower", "upper", "better")


@dataclass(frozen=True)
class Report:
    """The measures of one release, in per cent: report["pil"] is a number, report.to_frame() has every part.

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
            lines = [("total", result.total, result.baseline)]
            for part in result.parts:
                name = part.name if part.attribute is None else self.columns[part.attribute]
                lines.append((name, part.value, part.baseline))
            for name, value, baseline in lines:
                excess = None if baseline is None else value - baseline
                row = (key, name, value, baseline, excess, facts.lower, facts.upper, facts.better)
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
    *,
    missing: str = "refuse",
) -> Report:
    """Judge a protected frame against its original.

    original, protected : frames; records pair by a pandas index, else by position; columns : the attributes to
    judge, None for all numeric ones both have; measures : keys, None for pil, dbrl, prl, id, dr and score;
    missing : "refuse", or "complete" to judge the records complete in both.
    Raises InvalidInput or InvalidParameter. Returns Report.
    """
    choice("evaluate", "missing", missing, ("refuse", "complete"))
    keys = DEFAULT if measures is None else names("evaluate", "measures", measures)
    for key in keys:
        if key not in MEASURES:
            raise unknown_name("evaluate", "measure", key, MEASURES)
    before, after = open_frame("evaluate", original), open_frame("evaluate", protected)
    wanted = _columns(before, after, columns)
    X, Z, notes = _arrays(before, after, wanted, keys, missing)
    return judge(X, Z, wanted, keys, notes)


def judge(
    X: Array, Z: Array, columns: Iterable[str], keys: Iterable[str] = DEFAULT, notes: Iterable[str] = ()
) -> Report:
    """The Report of two arrays X, Z (n, p), original and protected, whose attributes are called `columns`."""
    keys = tuple(keys)
    known: dict[str, Parts] = {}
    for key in keys:
        _compute(key, X, Z, known)
    results = {key: known[key] for key in keys}
    said = [text for parts in results.values() for text in parts.notes]
    return Report(results, tuple(columns), len(X), (*notes, *said))


def _compute(key: str, X: Array, Z: Array, known: dict[str, Parts]) -> Parts:
    if key not in known:
        measure = MEASURES[key]
        if isinstance(measure, Aggregate):
            known[key] = measure.combine(*(_compute(part, X, Z, known) for part in measure.of))
        else:
            known[key] = measure.compute(X, Z)
    return known[key]


def _columns(before: Opened, after: Opened, columns: str | Iterable[str] | None) -> tuple[str, ...]:
    if columns is not None:
        wanted = names("evaluate", "columns", columns)
    else:
        there = set(numeric_names(after))
        wanted = tuple(n for n in numeric_names(before) if n in there)
    if not wanted:
        raise InvalidInput("evaluate", "needs at least one numeric column that both files have", "none")
    return wanted


def _arrays(
    before: Opened, after: Opened, wanted: tuple[str, ...], keys: Iterable[str], missing: str
) -> tuple[Array, Array, list[str]]:
    X = checked("evaluate, original", before, wanted)
    Z = checked("evaluate, protected", after, wanted)
    rows = paired_rows(before, after)
    if rows is None:
        paired = [key for key in keys if MEASURES[key].facts.paired]
        if paired:
            rule = f"records must pair, by index or by position, for {', '.join(paired)}"
            raise InvalidInput("evaluate", rule, f"{len(X)} original and {len(Z)} protected records that do not")
        x_whole = complete_records("evaluate, original", X, wanted, missing)
        return X[x_whole], Z[complete_records("evaluate, protected", Z, wanted, missing)], []
    X, Z = X[rows[0]], Z[rows[1]]
    whole = complete_records("evaluate, original", X, wanted, missing)
    whole = whole & complete_records("evaluate, protected", Z, wanted, missing)
    left_out = int((~whole).sum())
    notes = [f"{left_out} of {len(X)} records have missing values and are not judged"] if left_out else []
    if left_out == len(X):
        raise InvalidInput("evaluate", "no record is complete in both files", "none")
    return X[whole], Z[whole], notes
