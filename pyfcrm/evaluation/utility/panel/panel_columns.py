"""The columns of the panel: classes, levels, point masses and predictors, read from the original."""

from collections.abc import Hashable, Sequence

import numpy as np

from ....data import Frame, is_numeric
from ....methods.semicontinuous import is_scale
from ....numerics.decimals import decimals
from ....numerics.factor import independent, triangle
from ....types import Array
from .estimand import MIN_RECORDS
from .panel_file import (
    ALL_RECORDS,
    CategoryColumn,
    Cell,
    ClassColumn,
    NumberColumn,
    PanelColumns,
    PredictorColumn,
    label_of,
    labels_of_cuts,
)

MAX_CLASSES = 20  # distinct values of a number, or levels of a category, that are classes of their own
FIFTHS = (0.2, 0.4, 0.6, 0.8)
MASS = 0.05  # share of the cells that a point mass has at least
DISTINCT_MASS = 5.0  # times as many cells as the next value that a point mass other than zero has at least
GAPS = 0.02  # share of missing cells from which a column has gaps
ALIASED = 1e-7  # part of a regressor that those before it must leave, as in R's lm


def panel_columns(
    original: Frame,
    predictors: Sequence[str],
    unmodified: Sequence[str],
    numbers: Sequence[str],
    categories: Sequence[str],
    *,
    weight: str | None,
) -> PanelColumns:
    """The columns of the panel of a file.

    predictors : the unmodified predictors; unmodified : all columns that are released unchanged; numbers, categories : the
    confidential columns. Without unmodified columns of few classes the confidential ones give the classes.
    """
    classes = [_class_column(original, name) for name in unmodified]
    if not any(column is not None for column in classes):
        few = [name for name in (*categories, *numbers) if _is_coded(original, name)]
        classes = [_class_column(original, name) for name in few]
    used = tuple(column for column in classes if column is not None and len(column.labels) > 1)
    if not used:
        used = (ClassColumn(name=ALL_RECORDS, labels=(ALL_RECORDS,)),)
    return PanelColumns(
        predictors=_predictor_columns(original, predictors),
        classes=used,
        cells=_cells(original, used),
        numbers=tuple(_number_column(original, name) for name in numbers),
        categories=tuple(_category_column(original, name) for name in categories),
        weight=weight,
    )


def _is_coded(frame: Frame, name: str) -> bool:
    """Whether a column is a category, or a number of at most 20 values."""
    return not is_numeric(frame, name) or len(np.unique(_observed(frame, name))) <= MAX_CLASSES


def _observed(frame: Frame, name: str) -> Array:
    """The finite values (m,) of a number."""
    values = frame.values(name)
    return values[np.isfinite(values)]


def _class_column(frame: Frame, name: str) -> ClassColumn | None:
    """The classes of a column: levels of a category, values of a number or its fifths; None for a column without."""
    if not is_numeric(frame, name):
        levels = _large_levels(frame, name)
        labels = tuple(label_of(frame, name, level) for level in levels)
        return ClassColumn(name=name, labels=labels, levels={level: k for k, level in enumerate(levels)})
    return classes_of_number(frame, name)


def classes_of_number(frame: Frame, name: str) -> ClassColumn | None:
    """The classes of a number: its values where there are at most 20, else its fifths; None for a constant."""
    values = np.unique(_observed(frame, name))
    if len(values) < 2:
        return None
    if len(values) <= MAX_CLASSES:
        labels = tuple(label_of(frame, name, value) for value in values.tolist())
        return ClassColumn(name=name, labels=labels, cuts=values[:-1])
    cuts = _fifths(_observed(frame, name))
    if not len(cuts):
        return None
    return ClassColumn(name=name, labels=labels_of_cuts(name, cuts.tolist()), cuts=cuts)


def _fifths(values: Array) -> Array:
    """The quantiles of type 1 at 20, 40, 60 and 80 per cent that are below the maximum, each once."""
    quantiles = np.unique(np.quantile(values, FIFTHS, method="inverted_cdf"))
    return quantiles[quantiles < values.max()]


def _large_levels(frame: Frame, name: str) -> list[Hashable]:
    """The levels of a category of at least 30 records, the largest 20, in the order of their names."""
    codes, values = frame.distinct(name)
    sizes = np.bincount(codes[codes >= 0], minlength=len(values))
    largest = np.argsort(-sizes, kind="stable")[:MAX_CLASSES]
    levels = [values[k] for k in largest if sizes[k] >= MIN_RECORDS]
    return sorted(levels, key=str)


def _cells(frame: Frame, columns: Sequence[ClassColumn]) -> tuple[Cell, ...]:
    """The classes of at least 30 records, the largest first."""
    cells = list[Cell]()
    for k, column in enumerate(columns):
        codes = column.codes(frame)
        sizes = np.bincount(codes[codes >= 0], minlength=len(column.labels))
        for code, label in enumerate(column.labels):
            if sizes[code] >= MIN_RECORDS:
                cells.append(Cell(column=k, code=code, label=label, records=int(sizes[code])))
    return tuple(sorted(cells, key=lambda cell: -cell.records))


def _number_column(frame: Frame, name: str) -> NumberColumn:
    """A confidential number."""
    y = _observed(frame, name)
    masses = point_masses(y)
    common = sorted({*masses, *_codes(y)})
    places = decimals(y) if len(y) else None
    return NumberColumn(
        name=name,
        sd=float(y.std(ddof=1)) if len(y) > 1 else 0.0,
        unit=0.0 if places is None else 10.0**-places,
        masses=masses,
        common=tuple(common),
        labels=tuple(label_of(frame, name, value) for value in common),
        median=float(np.quantile(y, 0.5, method="inverted_cdf")) if len(y) else np.nan,
        fifths=_fifths(y) if len(y) else y,
        positive=bool((y > 0).all()) and len(y) > 0,
        has_gaps=1 - len(y) / max(frame.records, 1) >= GAPS,
    )


def point_masses(y: Array) -> tuple[float, ...]:
    """The point masses of the values (n,): zero, and values that stand out, of at least 5 per cent of the cells each.

    A value stands out if it has five times as many cells as any value that is no point mass: the levels of a count are none.
    """
    values, counts = np.unique(y, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    frequent = counts[order] >= MASS * len(y)
    next_counts = np.append(counts[order][1:], 0)
    stands_out = frequent & (counts[order] >= DISTINCT_MASS * next_counts) & (next_counts > 0)
    last = int(np.flatnonzero(stands_out & np.cumprod(frequent).astype(bool)).max(initial=-1))
    masses = {float(value) for value in values[order[: last + 1]]}
    zero = values == 0
    if len(values) > 1 and zero.any() and counts[zero][0] >= MASS * len(y):
        masses.add(0.0)
    return tuple(sorted(masses))


def _codes(y: Array) -> list[float]:
    """The values (k,) that at least 30 records have, of numbers (n,) of 3 to 20 different values; the shares of two are means."""
    if not is_scale(y):
        return []
    values, counts = np.unique(y, return_counts=True)
    codes: list[float] = values[counts >= MIN_RECORDS].tolist()
    return codes


def _category_column(frame: Frame, name: str) -> CategoryColumn:
    """A confidential category."""
    if is_numeric(frame, name):  # labelled codes
        values, sizes = np.unique(_observed(frame, name), return_counts=True)
        largest = np.argsort(-sizes, kind="stable")[:MAX_CLASSES]
        levels: list[Hashable] = sorted(values[largest[sizes[largest] >= MIN_RECORDS]].tolist())
    else:
        levels = _large_levels(frame, name)
    labels = tuple(label_of(frame, name, level) for level in levels)
    return CategoryColumn(name=name, labels=labels, levels={level: k for k, level in enumerate(levels)})


def _predictor_columns(frame: Frame, names: Sequence[str]) -> tuple[PredictorColumn, ...]:
    """The regressors: numbers, and the levels of categories but the first of each; none that those before it determine."""
    columns = list[PredictorColumn]()
    for name in names:
        if is_numeric(frame, name):
            observed = _observed(frame, name)
            if len(observed) > 1 and observed.std() > 0:
                mean = float(observed.mean())
                columns.append(PredictorColumn(name=name, column=name, mean=mean, sd=float(observed.std())))
            continue
        if len(frame.distinct(name)[1]) > MAX_CLASSES:
            continue
        for level in _large_levels(frame, name)[1:]:
            label = label_of(frame, name, level)
            raw = PredictorColumn(name=label, column=name, level=level, of_level=True, mean=0.0, sd=1.0)
            indicator = raw.values(frame)
            if indicator.std() > 0:
                mean = float(indicator.mean())
                sd = float(indicator.std())
                columns.append(PredictorColumn(name=label, column=name, level=level, of_level=True, mean=mean, sd=sd))
    if not columns:
        return ()
    S = np.column_stack([column.values(frame) for column in columns])
    size = np.linalg.norm(S, axis=0)
    used = independent(triangle(S / np.where(size > 0, size, 1.0)), ALIASED)
    return tuple(columns[k] for k in used)
