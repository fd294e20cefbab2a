"""Means of each confidential number in each class of each unmodified column."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .estimand import Estimand, Estimates
from .grouped import Grouped
from .panel_file import PanelColumns, PanelFile

FLOOR = 0.01  # standard deviations of the file, in the least standard error of a mean


@dataclass(frozen=True)
class GroupMeans:
    """See Family."""

    columns: PanelColumns
    """The columns of the panel."""

    def estimands(self) -> list[Estimand]:
        """See Family.estimands."""
        return [
            Estimand(
                family="group means",
                estimate=f"mean {number.name}",
                group=cell.label,
                records=cell.records,
                variables=(number.name,),
                kind="means",
                by=self.columns.class_column(cell),
                columns=(j,),
                place=(cell.column, j, cell.code),
            )
            for cell in self.columns.cells
            for j, number in enumerate(self.columns.numbers)
            if not self.columns.is_class_of(cell, number.name)
        ]

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """See Family.measure. The least standard error is .01 sd of the file / sqrt(n of the class)."""
        values = np.empty(len(estimands))
        errors = np.empty(len(estimands))
        for (k, j), places in by_table(estimands).items():
            y = file.Y[:, j]
            observed = np.isfinite(y)
            count = len(self.columns.classes[k].labels)
            codes = np.where(observed, file.classes[:, k], -1)
            groups = Grouped.of(codes, count, file.weights, file.clusters, file.design)
            y = y[codes >= 0]
            means = groups.means(y)
            with np.errstate(divide="ignore"):
                floors = FLOOR * self.columns.numbers[j].sd / np.sqrt(groups.sizes)
            classes = [estimands[e].place[2] for e in places]
            values[places] = means[classes]
            errors[places] = np.fmax(groups.errors(y, means), floors)[classes]
        return Estimates(values, errors)


def by_table(estimands: Sequence[Estimand], parts: int = 2) -> dict[tuple[int, ...], list[int]]:
    """The positions of estimates by the first parts of their places: those that are computed together."""
    tables = dict[tuple[int, ...], list[int]]()
    for position, estimand in enumerate(estimands):
        tables.setdefault(estimand.place[:parts], []).append(position)
    return tables
