"""Quantiles of a response in the classes that a formula names, with intervals as the utility panel has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data import Frame, Roles, checked, complete_records, is_numeric
from ...data.formula import Formula, response_numbers
from ...data.levels import weights_of
from ...data.predictors import ordered_levels
from ...errors import InvalidInput
from ...numerics.decimals import decimals
from ...numerics.least_squares import Fit
from ...numerics.sampling_variance.design import SamplingDesign
from ...types import Array, Codes, Mask
from .panel.group_quantiles import Distribution, quantile_floors
from .panel.grouped import Grouped
from .panel.panel_columns import classes_of_number
from .panel.panel_file import NO_CLASS, ClassColumn, label_of
from .sampling import sampling_design

ALL_RECORDS = "all records"
MAX_CLASSES = 1_000  # of a formula, so that the table can be read


@dataclass(frozen=True)
class FormulaClasses:
    """The classes of a formula: for each term the combinations of the levels of its columns, as the original has them."""

    formula: Formula
    columns: dict[str, ClassColumn]

    @classmethod
    def of(cls, owner: str, frame: Frame, formula: Formula) -> FormulaClasses:
        """The classes with the levels of a frame: levels of a category, values of a number, or its fifths where it has more than 20.

        Raises InvalidInput for a function of a column, a constant, or more than 1,000 classes.
        """
        columns = {}
        for factor in (factor for term in formula.terms for factor in term):
            if factor.function:
                raise InvalidInput(owner, "quantiles are by classes of columns, such as region * sex", str(factor))
            if factor.column not in columns:
                columns[factor.column] = _class_column(owner, frame, factor.column)
        classes = cls(formula, columns)
        if len(classes.terms) > MAX_CLASSES:
            raise InvalidInput(owner, f"a formula may have at most {MAX_CLASSES:,} classes", len(classes.terms))
        return classes

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the classes, such as "region=north, sex=male"; of a term the last column varies fastest.

        Without terms, all records are one class.
        """
        if not self.formula.terms:
            return (ALL_RECORDS,)
        names = list[str]()
        for term in self.formula.terms:
            combined = [""]
            for factor in term:
                labels = self.columns[factor.column].labels
                combined = [f"{before}, {label}" if before else label for before in combined for label in labels]
            names += combined
        return tuple(names)

    def codes(self, frame: Frame) -> list[tuple[Codes, int]]:
        """For each term the class (n,) of each record, NO_CLASS for none, and the number of its classes."""
        if not self.formula.terms:
            return [(np.zeros(frame.records, dtype=np.int64), 1)]
        of_terms = []
        for term in self.formula.terms:
            codes = np.zeros(frame.records, dtype=np.int64)
            count = 1
            for factor in term:
                column = self.columns[factor.column]
                own = column.codes(frame)
                size = len(column.labels)
                codes = np.where((codes == NO_CLASS) | (own == NO_CLASS), NO_CLASS, codes * size + own)
                count *= size
            of_terms.append((codes, count))
        return of_terms


def _class_column(owner: str, frame: Frame, name: str) -> ClassColumn:
    """The classes of one column. Raises InvalidInput for a constant number, and for a column that is none of either."""
    if name in frame.names and not is_numeric(frame, name):
        known = ordered_levels(frame, name, frame.distinct(name)[1], as_declared=True)
        levels = [value for value, _ in known if value is not None]
        labels = tuple(label_of(frame, name, value) for value in levels)
        return ClassColumn(name=name, labels=labels, levels={value: k for k, value in enumerate(levels)})
    checked(owner, frame, [name])
    column = classes_of_number(frame, name)
    if column is None:
        raise InvalidInput(owner, f"`{name}` must have two values or more, to give classes", "a constant")
    return column


@dataclass(frozen=True)
class FileQuantiles:
    """Quantiles of one file."""

    fit: Fit
    """The quantiles."""
    sizes: Array
    """Number of records (k,) of each class."""
    complete: Mask
    """Mask (n,) of the records that have all columns of the formula."""
    sample: SamplingDesign | None = None
    """The sampling design of these records; None where none is used."""


def fit_quantiles(
    owner: str,
    frame: Frame,
    classes: FormulaClasses,
    quantile: float,
    weights: str | None = None,
    *,
    roles: Roles | None = None,
) -> FileQuantiles:
    """Quantiles of type 1 by the complete records of a file, with Woodruff's intervals.

    roles : whose sampling design gives standard errors, with the weight of the roles; None for those of independent records.

    The least standard error is that of the panel: half a unit of the last decimal, and .01 sd sqrt(q (1 - q) / n). NaN for an
    empty class, and for the interval of one record. Covariances between classes of different terms are NaN: they share records.
    """
    weights = weights if roles is None else roles.weight
    y = response_numbers(owner, frame, classes.formula.response)
    of_terms = classes.codes(frame)
    missing = np.column_stack([np.isnan(y), *(codes == NO_CLASS for codes, _ in of_terms)])
    names = [
        str(classes.formula.response),
        *(":".join(map(str, term)) for term in classes.formula.terms or [(ALL_RECORDS,)]),
    ]
    if weights is not None:
        missing = np.column_stack([missing, np.isnan(checked(owner, frame, [weights]))])
        names.append(weights)
    complete, _ = complete_records(owner, missing, names, "drop")
    w = None if weights is None else weights_of(owner, frame, weights, complete)
    sample = None if roles is None else sampling_design(owner, frame, roles, complete)
    y = y[complete]
    places = decimals(y)
    unit = 0.0 if places is None else 10.0**-places
    sd = float(y.std(ddof=1)) if len(y) > 1 else 0.0

    parts = []
    for codes, count in of_terms:
        groups = Grouped.of(codes[complete], count, w, None, sample)
        distribution = Distribution.of(groups, y)
        coef = distribution.quantiles(np.full(count, quantile))
        low, high = distribution.intervals(coef)
        errors = np.maximum(distribution.errors(coef), quantile_floors(quantile, groups.sizes, sd, unit))
        parts.append(np.column_stack([coef, errors, low, high, groups.sizes]))
    coef, se, low, high, sizes = np.vstack(parts).T
    fit = Fit(
        coef=coef,
        se=se,
        low=low,
        high=high,
        records=len(y),
        freedom=0 if sample is None else sample.freedom,
        cov=_covariances(se, [count for _, count in of_terms] if sample is None else [1] * len(se)),
    )
    return FileQuantiles(fit, sizes, complete, sample)


def _covariances(se: Array, counts: Sequence[int]) -> Array:
    """Covariances (k, k): 0 between classes of one term, which share no records; NaN between those of different terms.

    counts : the classes of each term; 1 for each class of a sample of clusters, which classes may share.
    """
    term_of = np.repeat(np.arange(len(counts)), counts)
    cov = np.where(term_of[:, None] == term_of, 0.0, np.nan)
    np.fill_diagonal(cov, se**2)
    return cov
