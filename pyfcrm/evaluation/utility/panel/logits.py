"""Logistic regressions of two-valued confidential columns, and of being above the median, on the predictors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from ....numerics.logistic import score_and_information
from ....numerics.sampling_variance.design import SamplingDesign
from ....numerics.sampling_variance.regression import logistic_coefficients
from ....types import Array, Codes
from .estimand import MIN_RECORDS, Estimand, Estimates
from .group_means import by_table
from .least_squares import linearised_errors
from .panel_file import PanelColumns, PanelFile

ABOVE_MEDIAN = 0
OF_CATEGORY = 1
STEPS = 25
CONVERGED = 1e-8  # largest change of a coefficient on standardised predictors
SEPARATED = 15.0  # a larger coefficient means that the predictors separate the outcomes
RIDGE = 1e-8  # relative: keeps the equations regular where outcomes are separated


@dataclass(frozen=True)
class Logits:
    """See Family."""

    columns: PanelColumns
    """The columns of the panel."""
    records: int
    """Number of original records."""

    def estimands(self) -> list[Estimand]:
        """See Family.estimands."""
        # Of each outcome its place, its label, the column, and the confidential numbers.
        outcomes: list[tuple[tuple[int, int], str, str, tuple[int, ...]]] = [
            ((ABOVE_MEDIAN, j), f"{number.name}>{number.median:g}", number.name, (j,))
            for j, number in enumerate(self.columns.numbers)
            if np.isfinite(number.median)
        ]
        for j, category in enumerate(self.columns.categories):
            if len(category.labels) == 2:
                outcomes.append(((OF_CATEGORY, j), category.labels[0], category.name, ()))
        return [
            Estimand(
                family="logits",
                estimate=f"slope of {predictor.name} in the logit of {name}",
                records=self.records,
                variables=(variable,),
                kind="logits on the predictors",
                columns=columns,
                place=(*outcome, 1 + k),
            )
            for outcome, name, variable, columns in outcomes
            for k, predictor in enumerate(self.columns.predictors)
        ]

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """See Family.measure; NaN where an outcome has fewer than 30 records."""
        values = np.full(len(estimands), np.nan)
        errors = np.full(len(estimands), np.nan)
        A = np.column_stack([np.ones(file.n), file.X])
        for (kind, j), places in by_table(estimands).items():
            outcome = self._outcome(file, kind, j)
            observed = np.isfinite(outcome)
            y = outcome[observed]
            if min((y == 0).sum(), (y == 1).sum()) < MIN_RECORDS:
                continue
            weights = None if file.weights is None else file.weights[observed]
            clusters = None if file.clusters is None else file.clusters[observed]
            design = None if file.design is None else file.design.taken(observed)
            coefficients, of_coefficients = logistic(A[observed], y, weights, clusters, design)
            terms = [estimands[e].place[2] for e in places]
            values[places] = coefficients[terms]
            errors[places] = of_coefficients[terms]
        return Estimates(values, errors)

    def _outcome(self, file: PanelFile, kind: int, j: int) -> Array:
        """An outcome 0 or 1 (n,), NaN where the column is missing."""
        if kind == ABOVE_MEDIAN:
            y = file.Y[:, j]
            return np.where(np.isfinite(y), (y > self.columns.numbers[j].median).astype(float), np.nan)
        codes = file.C[:, j]
        return np.where(codes >= 0, (codes == 0).astype(float), np.nan)


def logistic(
    A: Array, y: Array, weights: Array | None, clusters: Codes | None, design: SamplingDesign | None = None
) -> tuple[Array, Array]:
    """Coefficients and standard errors (k,) of a logistic regression of y (n,) on A (n, k) by Newton's method.

    Standard errors are by the information, with weights or clusters linearised (Binder 1983), and with a sampling design the design's.
    Outcomes that the predictors separate have NaN.
    """
    w = np.ones(len(y)) if weights is None else weights
    k = A.shape[1]
    b = np.zeros(k)
    information = np.eye(k)
    for _ in range(STEPS):
        score, information = score_and_information(A, y, b, w)
        regular = information + RIDGE * np.trace(information) / k * np.eye(k)
        step = np.linalg.solve(regular, score)
        b = np.clip(b + step, -2 * SEPARATED, 2 * SEPARATED)
        if np.abs(step).max() < CONVERGED:
            break
    if np.abs(b[1:]).max(initial=0.0) > SEPARATED:
        return np.full(k, np.nan), np.full(k, np.nan)
    inverse = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)
    if weights is None and clusters is None and design is None:
        return b, np.sqrt(np.maximum(np.diag(inverse), 0.0))
    scores = A * (w * (y - expit(A @ b)))[:, None]
    if design is not None:
        root = design.root(scores @ inverse, partial(logistic_coefficients, A, y, b))
        return b, np.asarray(np.linalg.norm(root, axis=1))
    return b, linearised_errors(scores, inverse, clusters)
