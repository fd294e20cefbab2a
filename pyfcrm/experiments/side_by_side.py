"""A study whose printed table is no risk-utility grid: named quantities, printed and measured, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .study import Progress


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
class SideBySide:
    """A study of rows.

    needs_census : whether `measure` is given the Census file (a mapping from name to values); quantities : what is
    measured, each with the words for its column; targets : quantities whose mean must lie within `tolerance` of the
    printed value for the study to count as reproduced; never_below : pairs of quantities, the first of which is at
    least the second in every row; settings : the rows' labels, in order; printed : by setting and
    quantity; measure : (setting, frame, seed) to the quantities; remarks : what a reader must know.
    """

    key: str
    title: str
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
