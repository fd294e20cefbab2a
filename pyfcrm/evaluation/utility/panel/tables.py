"""Cells of the tables of confidential categories: by category, and by number in fifths."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ....types import Codes
from .estimand import Estimand, Estimates
from .group_means import by_table
from .grouped import Grouped, share_floors
from .panel_file import PanelColumns, PanelFile, labels_of_cuts

OF_NUMBER = 0
OF_CATEGORY = 1


@dataclass(frozen=True)
class Tables:
    """See Family."""

    columns: PanelColumns
    """The columns of the panel."""
    records: int
    """Number of original records."""

    def estimands(self) -> list[Estimand]:
        """See Family.estimands."""
        # Of each column its kind, its place, its classes, and its name.
        categories = [
            (OF_CATEGORY, j, category.labels, category.name) for j, category in enumerate(self.columns.categories)
        ]
        numbers = [
            (OF_NUMBER, j, labels_of_cuts(number.name, number.fifths.tolist()), number.name)
            for j, number in enumerate(self.columns.numbers)
            if len(number.fifths)
        ]
        pairs = [*combinations(categories, 2), *((a, b) for a in categories for b in numbers)]
        return [
            Estimand(
                family="tables",
                estimate=f"share of {first} and {second}",
                records=self.records,
                variables=(a[3], b[3]),
                kind="tables with other confidential columns",
                columns=(b[1],) if b[0] == OF_NUMBER else (),
                place=(a[1], b[0], b[1], row, column),
            )
            for a, b in pairs
            for row, first in enumerate(a[2])
            for column, second in enumerate(b[2])
        ]

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """See Family.measure. The least standard error is that of half a record."""
        values = np.empty(len(estimands))
        errors = np.empty(len(estimands))
        for (a, kind, b), places in by_table(estimands, 3).items():
            rows = file.C[:, a]
            columns = self._codes(file, kind, b)
            in_table = np.where((rows >= 0) & (columns >= 0), 0, -1)
            groups = Grouped.of(in_table, 1, file.weights, file.clusters, file.design)
            rows = rows[in_table >= 0]
            columns = columns[in_table >= 0]
            for position in places:
                row, column = estimands[position].place[3:]
                cell = ((rows == row) & (columns == column)).astype(float)
                share = groups.means(cell)
                values[position] = share[0]
                errors[position] = np.fmax(groups.errors(cell, share), share_floors(groups.sizes))[0]
        return Estimates(values, errors)

    def _codes(self, file: PanelFile, kind: int, j: int) -> Codes:
        """The column of a table (n,): levels, or fifths of a number; -1 where it is missing."""
        if kind == OF_CATEGORY:
            return file.C[:, j]
        y = file.Y[:, j]
        return np.where(np.isfinite(y), np.searchsorted(self.columns.numbers[j].fifths, y, side="left"), -1)
