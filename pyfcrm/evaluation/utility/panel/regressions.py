"""Regressions of each confidential number, and of its log, on all predictors; curves have squares and interactions too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ....types import Array, Mask
from .estimand import Estimand, Estimates
from .least_squares import Regression
from .panel_file import PanelColumns, PanelFile, PredictorColumn

OF_NUMBER = 0
OF_LOG = 1
LINEAR = "regressions"
CURVES = "curves"
KINDS = {LINEAR: "slopes on the predictors", CURVES: "squares and interactions of the predictors"}
RECORDS_PER_COLUMN = 5  # records that a curve has at least for each column
MAX_CURVE_COLUMNS = 60  # of a curve: squares, then interactions in the order of the predictors


@dataclass(frozen=True)
class Term:
    """A column of a curve."""

    name: str
    """Its name, such as "age^2"."""
    factors: tuple[int, ...]
    """The predictors that are multiplied."""


@dataclass(frozen=True)
class Regressions:
    """See Family: coefficients of linear regressions, or of curves."""

    columns: PanelColumns
    """The columns of the panel."""
    terms: tuple[Term, ...]
    """The columns of the regressions, besides the constant."""
    records: int
    """Number of original records."""
    family: str
    """The name of the family."""

    @classmethod
    def linear(cls, columns: PanelColumns, records: int) -> Regressions:
        """Regressions on the predictors."""
        terms = tuple(Term(column.name, (k,)) for k, column in enumerate(columns.predictors))
        return cls(columns, terms, records, LINEAR)

    @classmethod
    def curves(cls, columns: PanelColumns, records: int) -> Regressions:
        """Regressions on the predictors, their squares and two-way interactions."""
        return cls(columns, curve_terms(columns.predictors, records), records, CURVES)

    def estimands(self) -> list[Estimand]:
        """See Family.estimands: the slopes; those of a curve that the linear regression has too are left out."""
        words = "curve" if self.family == CURVES else "regression"
        estimands = list[Estimand]()
        for j, number in enumerate(self.columns.numbers):
            responses = [(OF_NUMBER, number.name)]
            if number.positive:
                responses.append((OF_LOG, f"log({number.name})"))
            for form, response in responses:
                for position, term in enumerate(self.terms):
                    if self.family == CURVES and len(term.factors) == 1:
                        continue
                    estimands.append(
                        Estimand(
                            family=self.family,
                            estimate=f"slope of {term.name} in the {words} of {response}",
                            records=self.records,
                            variables=(number.name,),
                            kind=f"{KINDS[self.family]} of its log" if form == OF_LOG else KINDS[self.family],
                            columns=(j,),
                            place=(form, j, 1 + position),
                        )
                    )
        return estimands

    def measure(self, file: PanelFile, estimands: Sequence[Estimand]) -> Estimates:
        """See Family.measure. By the records that have the response."""
        values = np.full(len(estimands), np.nan)
        errors = np.full(len(estimands), np.nan)
        used = sorted({estimand.place[:2] for estimand in estimands})
        responses = {response: self._response(file, *response) for response in used}
        A = self._design(file)
        for observed, keys in alike({key: np.isfinite(y) for key, y in responses.items()}):
            if observed.sum() <= A.shape[1]:
                continue
            regression = regression_of(file, A, observed)
            Y = np.column_stack([responses[key][observed] for key in keys])
            coefficients = regression.coefficients(Y)
            of_coefficients = regression.errors(Y - regression.A @ coefficients, Y.std(axis=0))
            column_of = {key: column for column, key in enumerate(keys)}
            for position, estimand in enumerate(estimands):
                column = column_of.get(estimand.place[:2])
                if column is not None:
                    values[position] = coefficients[estimand.place[2], column]
                    errors[position] = of_coefficients[estimand.place[2], column]
        return Estimates(values, errors)

    def _design(self, file: PanelFile) -> Array:
        """The constant and the terms (n, 1 + k)."""
        products = [np.prod(file.X[:, list(term.factors)], axis=1) for term in self.terms]
        return np.column_stack([np.ones(file.n), *products])

    def _response(self, file: PanelFile, form: int, j: int) -> Array:
        """A response (n,), NaN where it is missing or has no log."""
        y = file.Y[:, j]
        if form == OF_NUMBER:
            return y
        return np.log(np.where(y > 0, y, np.nan))


def curve_terms(predictors: Sequence[PredictorColumn], records: int) -> tuple[Term, ...]:
    """The predictors, squares of numbers and products of predictors of different columns, as many as the records allow.

    None where there are not 5 records for each predictor and a square or an interaction.
    """
    terms = [Term(column.name, (k,)) for k, column in enumerate(predictors)]
    room = min(records // RECORDS_PER_COLUMN, MAX_CURVE_COLUMNS) - len(terms) - 1
    squares = [Term(f"{column.name}^2", (k, k)) for k, column in enumerate(predictors) if not column.of_level]
    products = [
        Term(f"{a.name}*{b.name}", (j, k))
        for (j, a), (k, b) in combinations(enumerate(predictors), 2)
        if a.column != b.column
    ]
    further = [*squares, *products][: max(room, 0)]
    return (*terms, *further) if further else ()


def regression_of(file: PanelFile, A: Array, rows: Mask) -> Regression:
    """The regression on a design A (n, k) by some records of a file."""
    weights = None if file.weights is None else file.weights[rows]
    clusters = None if file.clusters is None else file.clusters[rows]
    design = None if file.design is None else file.design.taken(rows)
    return Regression.of(A[rows], weights, clusters, design)


def alike(masks: dict[tuple[int, ...], Mask]) -> list[tuple[Mask, list[tuple[int, ...]]]]:
    """The different masks (n,) among these, each with the keys that have it."""
    groups = dict[bytes, tuple[Mask, list[tuple[int, ...]]]]()
    for key, mask in masks.items():
        groups.setdefault(mask.tobytes(), (mask, []))[1].append(key)
    return list(groups.values())
