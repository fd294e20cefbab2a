"""Means, standard deviations and slopes on the observed cells of columns with missing values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .estimand import MIN_RECORDS, Estimand, Estimates
from .group_means import FLOOR, by_table
from .grouped import Grouped
from .panel_file import PanelColumns, PanelFile
from .regressions import regression_of

MEAN = 0
DEVIATION = 1
FIRST_SLOPE = 2


@dataclass(frozen=True)
class ObservedCells:
    """See Family."""

    columns: PanelColumns
    """The columns of the panel."""
    records: int
    """Number of original records."""

    def estimands(self) -> list[Estimand]:
        """See Family.estimands; the slopes are those of one predictor at a time."""
        names = ["mean of observed {0}", "standard deviation of observed {0}"]
        names += [f"slope of observed {{0}} on {predictor.name}" for predictor in self.columns.predictors]
        return [
            Estimand(
                family="observed cells",
                estimate=name.format(number.name),
                records=self.records,
                variables=(number.name,),
                kind="mean, standard deviation and slopes of observed cells",
                columns=(j,),
                place=(j, kind),
            )
            for j, number in enumerate(self.columns.numbers)
            if number.has_gaps
            for kind, name in enumerate(names)
        ]

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """See Family.measure.

        The standard deviation is s, the root of the mean m2 of squared deviations; its standard error is that of m2 over 2 s.
        """
        values = np.full(len(estimands), np.nan)
        errors = np.full(len(estimands), np.nan)
        for (j,), places in by_table(estimands, 1).items():
            observed = np.isfinite(file.Y[:, j])
            if observed.sum() < MIN_RECORDS:
                continue
            y = file.Y[observed, j]
            groups = Grouped.of(np.where(observed, 0, -1), 1, file.weights, file.clusters, file.design)
            mean = groups.means(y)
            squares = (y - mean[0]) ** 2
            variance = groups.means(squares)
            deviation = float(np.sqrt(variance[0]))
            floor = FLOOR * self.columns.numbers[j].sd / np.sqrt(len(y))
            for position in places:
                kind = estimands[position].place[1]
                if kind == MEAN:
                    values[position] = mean[0]
                    errors[position] = max(groups.errors(y, mean)[0], floor)
                elif kind == DEVIATION:
                    values[position] = deviation
                    errors[position] = max(groups.errors(squares, variance)[0] / (2 * deviation or 1.0), floor)
                else:
                    predictor = file.X[:, kind - FIRST_SLOPE]
                    A = np.column_stack([np.ones(file.n), predictor])
                    regression = regression_of(file, A, observed)
                    coefficients = regression.coefficients(y[:, None])
                    residuals = y[:, None] - regression.A @ coefficients
                    values[position] = coefficients[1, 0]
                    errors[position] = regression.errors(residuals, np.array([y.std()]))[1, 0]
        return Estimates(values, errors)
