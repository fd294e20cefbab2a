"""Columns of a file as the evaluation needs them: categories, predictors, what an intruder knows."""

from collections.abc import Sequence

import numpy as np

from ..data import Frame, Roles, is_numeric
from ..data.blocks import Records
from ..data.pairs import Knowledge
from ..data.predictors import coded_predictors, is_categorical, value_labels
from ..methods import Procedure
from ..types import Array, Rows, Terms

MANY_LEVELS = 20  # levels of a categorical predictor beyond which it explains nothing here


def is_category(original: Frame, protected: Frame, name: str) -> bool:
    """Whether a column of both files is judged as categories: one that is not numeric, and labelled codes that stay codes."""
    if not (is_numeric(original, name) and is_numeric(protected, name)):
        return True
    codes = value_labels(original, name)
    return bool(codes) and all(value != value or value in codes for value in np.unique(protected.values(name)))


def knowledge_of(
    method: Procedure, frame: Frame, names: Sequence[str], columns: tuple[str, ...], rows: Rows
) -> Knowledge:
    """The attacks of a method, and the numeric ones of its unmodified columns `names` at some rows of a frame."""
    known = [name for name in names if name in frame.names and (is_numeric(frame, name) or is_categorical(frame, name))]
    design = coded_predictors("evaluate", frame, Roles(known, [name for name in columns if name in frame.names]))
    X, _ = predictors(design.frame(frame), design.roles.independent, rows)
    attacks = method.facts(Roles(dependent=columns)).known_attacks
    return Knowledge(attacks, Records(X), design.places)


def predictors(frame: Frame, names: Sequence[str], rows: Rows) -> tuple[Array, Terms]:
    """Predictors (n, s) as numbers without gaps, and the positions of the columns of each category.

    A gap becomes the column's mean; a category has a 0/1 column for each level.
    """
    columns, terms = list[Array](), list[Sequence[int]]()
    for name in names:
        if is_numeric(frame, name):
            values = frame.values(name)[rows]
            known = np.isfinite(values)
            columns.append(np.where(known, values, values[known].mean() if known.any() else 0.0))
            continue
        codes = frame.codes(name)[rows]
        levels = np.unique(codes)
        if len(levels) <= MANY_LEVELS:
            terms.append(range(len(columns), len(columns) + len(levels)))
            columns += [(codes == level).astype(float) for level in levels]
    return np.column_stack([np.empty((len(rows), 0)), *columns]), terms


def many_level_codes(frame: Frame, names: Sequence[str], rows: Rows) -> Array:
    """Codes (n, c) of the categories among the predictors that have too many levels for `predictors`."""
    columns = list[Array]()
    for name in names:
        if not is_numeric(frame, name):
            codes = frame.codes(name)[rows]
            if len(np.unique(codes)) > MANY_LEVELS:
                columns.append(codes.astype(np.float64))
    return np.column_stack([np.empty((len(rows), 0)), *columns])
