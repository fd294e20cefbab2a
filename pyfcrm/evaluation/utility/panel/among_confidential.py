"""Each confidential number on the predictors and one other confidential column: the slope of that column."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....types import Array, Codes, Mask
from .estimand import MIN_RECORDS, Estimand, Estimates
from .least_squares import FLOOR, Regression, linearised_errors
from .panel_file import PanelColumns, PanelFile
from .regressions import alike, regression_of

OF_NUMBER = 0
OF_LEVEL = 1
DETERMINED = 1e-10  # part of the variance of a column that the predictors must leave


@dataclass(frozen=True)
class AmongConfidential:
    """See Family."""

    columns: PanelColumns
    """The columns of the panel."""
    records: int
    """Number of original records."""

    def estimands(self) -> list[Estimand]:
        """See Family.estimands."""
        # Of each other column its place, its label, its name, and the confidential numbers.
        others: list[tuple[tuple[int, ...], str, str, tuple[int, ...]]] = [
            ((OF_NUMBER, j, 0), number.name, number.name, (j,)) for j, number in enumerate(self.columns.numbers)
        ]
        for j, category in enumerate(self.columns.categories):
            labels = category.labels[:1] if len(category.labels) == 2 else category.labels
            others += [((OF_LEVEL, j, level), label, category.name, ()) for level, label in enumerate(labels)]
        return [
            Estimand(
                family="among confidential",
                estimate=f"slope of {name} in the regression of {number.name}",
                records=self.records,
                variables=(number.name, variable),
                kind="slopes on other confidential columns",
                columns=(j, *columns),
                place=(j, *other),
            )
            for j, number in enumerate(self.columns.numbers)
            for other, name, variable, columns in others
            if other != (OF_NUMBER, j, 0)
        ]

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """See Family.measure.

        With r the residuals of the other column on the predictors and e those of the response, the slope is b = r'e / r'r (Frisch and Waugh
        1933); its standard error is classical, with weights or clusters linearised.
        """
        values = np.full(len(estimands), np.nan)
        errors = np.full(len(estimands), np.nan)
        others = {estimand.place[1:]: self._other(file, *estimand.place[1:]) for estimand in estimands}
        both: dict[tuple[int, ...], Mask] = {
            (position,): np.isfinite(file.Y[:, estimand.place[0]]) & np.isfinite(others[estimand.place[1:]])
            for position, estimand in enumerate(estimands)
        }
        A = np.column_stack([np.ones(file.n), file.X])
        for observed, keys in alike(both):
            if observed.sum() < MIN_RECORDS + A.shape[1]:
                continue
            regression = regression_of(file, A, observed)
            own = [estimands[position] for (position,) in keys]
            numbers = sorted({estimand.place[0] for estimand in own})
            used = sorted({estimand.place[1:] for estimand in own})
            Y = file.Y[observed][:, numbers]
            V = np.column_stack([others[other][observed] for other in used])
            E = regression.residuals(Y)
            R = regression.residuals(V)
            for (position,), estimand in zip(keys, own, strict=True):
                j = numbers.index(estimand.place[0])
                k = used.index(estimand.place[1:])
                if R[:, k].var() <= DETERMINED * V[:, k].var():
                    continue
                weights = np.ones(len(E)) if regression.weights is None else regression.weights
                slope, error = _added(E[:, j], R[:, k], weights)
                freedom = max(len(E) - A.shape[1] - 1, 1)
                floor = FLOOR * Y[:, j].std()
                values[position] = slope
                if regression.design is not None:
                    of_slope = _by_design(regression, E[:, j], R[:, k], slope)
                    errors[position] = max(of_slope, floor / np.linalg.norm(R[:, k]))
                elif regression.weights is None and regression.clusters is None:
                    errors[position] = max(error, floor) * np.sqrt(len(E) / freedom) / np.linalg.norm(R[:, k])
                else:
                    of_slope = _linearised(E[:, j] - slope * R[:, k], R[:, k], weights, regression.clusters)
                    errors[position] = max(of_slope, floor / np.linalg.norm(R[:, k]))
        return Estimates(values, errors)

    def _other(self, file: PanelFile, kind: int, j: int, level: int) -> Array:
        """The other column (n,), a number in standard deviations, or the indicator of a level; NaN where it is missing."""
        if kind == OF_NUMBER:
            number = self.columns.numbers[j]
            return file.Y[:, j] / (number.sd or 1.0)
        codes = file.C[:, j]
        return np.where(codes >= 0, (codes == level).astype(float), np.nan)


def _added(e: Array, r: Array, weights: Array) -> tuple[float, float]:
    """The slope of r (n,) in a regression of e (n,), and the root mean square of its residuals."""
    slope = float((weights * r) @ e / ((weights * r) @ r))
    residuals = e - slope * r
    return slope, float(np.sqrt((residuals * residuals).mean()))


def _by_design(regression: Regression, e: Array, r: Array, slope: float) -> float:
    """The standard error by a sampling design of the slope of r (n,), a residual of the other column.

    e : residuals (n,) of the response. With replicates both columns are regressed on the predictors again.
    """
    assert regression.design is not None
    weights = regression.design.weights
    influences = (weights * r * (e - slope * r) / ((weights * r) @ r))[:, None]

    def estimator(w: Array) -> Array:
        left = Regression.of(regression.A, w, None).residuals(np.column_stack([e, r]))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.array([(w * left[:, 1]) @ left[:, 0] / ((w * left[:, 1]) @ left[:, 1])])

    return float(np.linalg.norm(regression.design.root(influences, estimator)))


def _linearised(residuals: Array, r: Array, weights: Array, clusters: Codes | None) -> float:
    """The linearised standard error of the slope of r (n,)."""
    scores = (weights * r * residuals)[:, None]
    inverse = np.array([[1 / ((weights * r) @ r)]])
    return float(linearised_errors(scores, inverse, clusters)[0])
