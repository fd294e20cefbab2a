"""Shares of the levels of confidential categories, of codes, and of point masses such as zero wages, in each class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....types import Array, Mask
from .estimand import Estimand, Estimates
from .group_means import by_table
from .grouped import Grouped, share_floors
from .panel_file import Cell, PanelColumns, PanelFile

OF_NUMBER = 0
OF_CATEGORY = 1


@dataclass(frozen=True)
class GroupShares:
    """See Family."""

    columns: PanelColumns
    """The columns of the panel."""

    def estimands(self) -> list[Estimand]:
        """See Family.estimands; of a category of two levels the share of the second is left out."""
        estimands = list[Estimand]()
        for cell in self.columns.cells:
            for j, number in enumerate(self.columns.numbers):
                if self.columns.is_class_of(cell, number.name):
                    continue
                for value, label in enumerate(number.labels):
                    estimands.append(self._estimand(label, cell, (OF_NUMBER, j, value), number.name))
            for j, category in enumerate(self.columns.categories):
                if self.columns.is_class_of(cell, category.name):
                    continue
                labels = category.labels[:1] if len(category.labels) == 2 else category.labels
                for level, label in enumerate(labels):
                    estimands.append(self._estimand(label, cell, (OF_CATEGORY, j, level), category.name))
        return estimands

    def _estimand(self, label: str, cell: Cell, of: tuple[int, int, int], variable: str) -> Estimand:
        """The share of a level or value in a class. of : kind, column and level."""
        of_number = of[0] == OF_NUMBER
        return Estimand(
            family="group shares",
            estimate=f"share of {label}",
            group=cell.label,
            records=cell.records,
            variables=(variable,),
            kind=f"shares of {label}" if of_number else "shares of its levels",
            by=self.columns.class_column(cell),
            columns=(of[1],) if of_number else (),
            place=(cell.column, *of, cell.code),
        )

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """See Family.measure. The least standard error is that of half a record."""
        values = np.empty(len(estimands))
        errors = np.empty(len(estimands))
        for (k, kind, j, level), places in by_table(estimands, 4).items():
            observed, indicator = self._indicator(file, kind, j, level)
            count = len(self.columns.classes[k].labels)
            codes = np.where(observed, file.classes[:, k], -1)
            groups = Grouped.of(codes, count, file.weights, file.clusters, file.design)
            y = indicator[codes >= 0]
            shares = groups.means(y)
            classes = [estimands[e].place[4] for e in places]
            values[places] = shares[classes]
            errors[places] = np.fmax(groups.errors(y, shares), share_floors(groups.sizes))[classes]
        return Estimates(values, errors)

    def _indicator(self, file: PanelFile, kind: int, j: int, level: int) -> tuple[Mask, Array]:
        """The records (n,) that have the column, and 1 (n,) where it has the level or the value."""
        if kind == OF_NUMBER:
            y = file.Y[:, j]
            return np.isfinite(y), (y == self.columns.numbers[j].common[level]).astype(float)
        codes = file.C[:, j]
        return codes >= 0, (codes == level).astype(float)
