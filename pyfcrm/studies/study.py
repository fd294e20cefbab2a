"""A study: settings x seeds -> quantities, measured values beside the printed ones."""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import datasets
from ..data import Roles
from ..methods import Procedure
from ..progress import Progress, report_progress


def printed(table: str) -> dict[str, dict[str, float]]:
    """The printed values of a table of the thesis or of another study, by setting and quantity.

    Table 8 goes on to 19 independent attributes, which a file of 13 columns does not have; those rows are left out. Of
    permutation, U is left out at k=1000, where the slides repeat the value of k=500.
    """
    with open(Path(__file__).parent / "printed.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.pop("table") == table]
    return {row.pop("setting"): {name: float(value) for name, value in row.items() if value} for row in rows}


@dataclass(frozen=True)
class Setting:
    """One row of a study: a method, the splits of columns that its results are averaged over, and the printed values by quantity."""

    label: str
    method: Procedure | None
    cases: tuple[Roles, ...] = ()
    printed: Mapping[str, float] = field(default_factory=dict)


Row = Mapping[str, Any]
"""A measured setting, flat: "setting"; of each quantity its mean over seeds and cases, {quantity}_spread, the standard deviation
over seeds, and {quantity}_printed."""


@dataclass(frozen=True)
class Study:
    """A printed experiment."""

    key: str
    """Its name on the command line and of its files."""
    title: str
    """Its title."""
    data: str | None
    """The file: "census", "example", or None where `measure` simulates."""
    settings: tuple[Setting, ...]
    """The settings, each of which is run with every seed."""
    measure: Callable[[Setting, Any, int], list[dict[str, float]]]
    """A function of (setting, data, seed): the quantities of each case."""
    columns: Mapping[str, str]
    """The heading of each column of the table, "" for a column that is written but not printed.

    A column is a quantity, {quantity}_printed or {quantity}_spread."""
    seeds: tuple[int, ...]
    """The seeds of the runs."""
    remarks: tuple[str, ...]
    """Notes for the reader."""
    targets: tuple[str, ...] = ()
    """Quantities whose means must be within `tolerance` of the printed values."""
    tolerance: float | None = None
    """The largest difference from the printed values."""

    def load(self, census: str | None) -> Any:
        """The data. census : path of the Census file, None to search for it."""
        if self.data is None:
            return None
        return datasets.census(census) if self.data == "census" else datasets.example()

    def run(self, data: Any = None, progress: Progress | None = None) -> list[Row]:
        """Every setting with every seed, on unrounded values."""
        rows = list[Row]()
        for k, setting in enumerate(self.settings):
            report_progress(progress, k, len(self.settings), setting.label)
            by_seed = [self.measure(setting, data, seed) for seed in self.seeds]
            row: dict[str, Any] = {"setting": setting.label}
            for name in by_seed[0][0]:
                values = np.array([[case[name] for case in cases] for cases in by_seed])
                spread = float(values.mean(axis=1).std(ddof=1)) if len(values) > 1 else 0.0
                row |= {name: float(values.mean()), f"{name}_spread": spread}
            rows.append(row | {f"{name}_printed": value for name, value in setting.printed.items()})
        report_progress(progress, len(self.settings), len(self.settings), "done")
        return rows

    def deviation(self, rows: Iterable[Row]) -> float:
        """The largest difference of a target's mean from its printed value."""
        return max(abs(row[name] - row[f"{name}_printed"]) for row in rows for name in self.targets)

    def holds(self, rows: Iterable[Row]) -> bool:
        """Whether the table counts as reproduced."""
        return self.tolerance is None or self.deviation(rows) <= self.tolerance

    def notes(self, rows: list[Row]) -> list[str]:
        """Whether the table counts as reproduced, and the remarks."""
        lines = [f"Means over seeds {', '.join(map(str, self.seeds))}; +- is the standard deviation over them."]
        if self.tolerance is not None:
            words = " and ".join(self.columns[name] for name in self.targets)
            verdict = "within" if self.holds(rows) else "NOT within"
            deviation = f"{self.deviation(rows):.3g} from the printed values"
            lines.append(f"{words}: {deviation}, {verdict} the target of {self.tolerance:g}.")
        return [*lines, *self.remarks]


def columns_of(quantities: Mapping[str, str], settings: Iterable[Setting]) -> dict[str, str]:
    """Columns of printed values, means and spreads for quantities with their headings."""
    columns, printed = {"setting": "setting"}, {name for setting in settings for name in setting.printed}
    for name, words in quantities.items():
        columns |= {
            f"{name}_printed": f"{words} printed" if name in printed else "",
            name: words,
            f"{name}_spread": "+-",
        }
    return columns
