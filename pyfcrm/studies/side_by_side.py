"""A study whose printed table is no risk-utility grid: named quantities, printed and measured, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import datasets
from ..progress import Progress
from .study import Outcome, Sheet, Study


@dataclass(frozen=True)
class Row:
    """One row of the table: measured and spread (standard deviation over seeds) by quantity, and what was printed.

    A quantity that is not in `printed` was not printed, or is no target.
    """

    setting: str
    printed: dict[str, float]
    measured: dict[str, float]
    spread: dict[str, float]


@dataclass(frozen=True)
class SideBySide(Study):
    """A study of rows.

    needs_census : whether `measure` is given the Census file (a mapping from name to values); quantities : what is
    measured, each with the words for its column; targets : quantities whose mean must lie within `tolerance` of the
    printed value for the study to count as reproduced; never_below : pairs of quantities, the first of which is at
    least the second in every row; settings : the rows' labels, in order; printed : by setting and
    quantity; measure : (setting, frame, seed) to the quantities; remarks : what a reader must know.
    """

    needs_census: bool
    quantities: dict[str, str]
    settings: tuple[str, ...]
    printed: dict[str, dict[str, float]]
    measure: Callable[[str, Any, int], dict[str, float]]
    seeds: tuple[int, ...]
    remarks: tuple[str, ...]
    targets: tuple[str, ...] = ()
    tolerance: float = 0.0
    never_below: tuple[tuple[str, str], ...] = ()

    def run(self, frame: Any = None, seeds: Iterable[int] | None = None, progress: Progress | None = None) -> list[Row]:
        """Every setting with every seed; means and standard deviations over the seeds (None: the study's own)."""
        seeds = tuple(self.seeds if seeds is None else seeds)
        rows = []
        for k, setting in enumerate(self.settings):
            if progress is not None:
                progress(k, len(self.settings), setting)
            made = [self.measure(setting, frame, seed) for seed in seeds]
            values = {name: np.array([one[name] for one in made]) for name in self.quantities}
            spread = {name: float(v.std(ddof=1)) if len(v) > 1 else 0.0 for name, v in values.items()}
            mean = {name: float(v.mean()) for name, v in values.items()}
            rows.append(Row(setting, self.printed[setting], mean, spread))
        if progress is not None:
            progress(len(self.settings), len(self.settings), "done")
        return rows

    def farthest(self, rows: Iterable[Row]) -> float:
        """The largest difference of a target's mean from its printed value."""
        return max(abs(row.measured[name] - row.printed[name]) for row in rows for name in self.targets)

    def holds(self, rows: Iterable[Row]) -> bool:
        """Whether the table counts as reproduced."""
        rows = list(rows)
        ordered = all(row.measured[a] >= row.measured[b] for row in rows for a, b in self.never_below)
        return ordered and self.farthest(rows) <= self.tolerance

    def opened(self, census: str | None) -> Any:
        """The Census file as a frame, or None where the study simulates its own."""
        return datasets.census(census) if self.needs_census else None

    def reproduced(self, data: Any, seeds: tuple[int, ...] | None, progress: Progress | None = None) -> Outcome:
        """Printed and measured side by side, quantity by quantity."""
        seeds = self.seeds if seeds is None else seeds
        made = self.run(data, seeds, progress)
        rows = [as_row(self, row) for row in made]
        return Outcome(
            seeds=seeds,
            rows=rows,
            sheets=(_sheet(self, rows),),
            notes=(findings(self, made, seeds), *self.remarks),
            tables={f"{self.key}.csv": rows},
            holds=self.holds(made),
        )


def as_row(study: SideBySide, row: Row) -> dict[str, Any]:
    """One row: setting, and for each quantity its printed value (None where there is none), its mean and spread."""
    flat: dict[str, Any] = {"setting": row.setting}
    for name in study.quantities:
        flat[f"{name}_printed"] = row.printed.get(name)
        flat |= {name: row.measured[name], f"{name}_spread": row.spread[name]}
    return flat


def _sheet(study: SideBySide, rows: list[dict[str, Any]]) -> Sheet:
    """The table, with a printed column for the quantities that were printed."""
    printed = [name for name in study.quantities if any(row[f"{name}_printed"] is not None for row in rows)]
    head, keys = ["setting"], ["setting"]
    for name, words in study.quantities.items():
        if name in printed:
            head, keys = [*head, f"{words} printed"], [*keys, f"{name}_printed"]
        head, keys = [*head, words, "+-"], [*keys, name, f"{name}_spread"]
    return Sheet(study.title, head, [[_figure(study, row[k]) for k in keys] for row in rows])


def _figure(study: SideBySide, value: Any) -> Any:
    """Per cent with two digits as elsewhere, shares of 1 with four."""
    return f"{value:.4f}" if isinstance(value, float) and study.tolerance < 1 else value


def findings(study: SideBySide, rows: list[Row], seeds: tuple[int, ...]) -> str:
    """Whether the table counts as reproduced, from the numbers."""
    words = " and ".join(study.quantities[name] for name in study.targets)
    verdict = "within" if study.holds(rows) else "NOT within"
    return (
        f"Means over {len(seeds)} seeds ({seeds[0]} to {seeds[-1]}), +- their standard deviation. {words} differ from the printed "
        f"values by {study.farthest(rows):.3g} at most, {verdict} the target of {study.tolerance:g}."
    )
