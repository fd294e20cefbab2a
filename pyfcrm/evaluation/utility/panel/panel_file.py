"""Files as the panel reads them: the same classes, levels and predictors for the original and its releases."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ....data import Frame, is_numeric
from ....numerics.sampling_variance.design import SamplingDesign
from ....types import Array, Codes, Rows

FARTHEST = 1e8  # standard deviations
ALL_RECORDS = "all records"  # the class of a file that has no others
NO_CLASS = -1  # the class of a record that is in none, and the level of a missing cell


@dataclass(frozen=True, kw_only=True)
class ClassColumn:
    """A column whose classes are compared."""

    name: str
    """The column."""
    labels: tuple[str, ...]
    """The names of the classes."""
    levels: Mapping[Hashable, int] | None = None
    """The class of each level of a category; None for a number."""
    cuts: Array | None = None
    """The upper ends of the classes of a number but the last, ascending; None for a category, and for all records as one class."""

    def codes(self, frame: Frame) -> Codes:
        """The class (n,) of each record of a frame."""
        if self.levels is not None:
            return level_codes(frame, self.name, self.levels, NO_CLASS)
        if self.cuts is None:
            return np.zeros(frame.records, dtype=np.int64)
        values = frame.values(self.name)
        classes = np.searchsorted(self.cuts, values, side="left")
        return np.where(np.isfinite(values), classes, NO_CLASS)


@dataclass(frozen=True, kw_only=True)
class NumberColumn:
    """A confidential number, as the original has it."""

    name: str
    """The column."""
    sd: float
    """Its standard deviation."""
    unit: float
    """The unit of its last decimal; 0 where it has none."""
    masses: tuple[float, ...]
    """Its point masses, such as zero wages: quantiles are of the other values."""
    common: tuple[float, ...]
    """The values whose shares are estimates: point masses, and of codes those that at least 30 records have."""
    labels: tuple[str, ...]
    """Their names, such as "wage=0"."""
    median: float
    """Its median."""
    fifths: Array
    """Its quantiles at 20, 40, 60 and 80 per cent, each once."""
    positive: bool
    """Whether all values are above 0."""
    has_gaps: bool
    """Whether at least 2 per cent of its cells are missing."""


@dataclass(frozen=True, kw_only=True)
class CategoryColumn:
    """A confidential category, as the original has it."""

    name: str
    """The column."""
    labels: tuple[str, ...]
    """The names of its levels of at least 30 records, at most 20 of them."""
    levels: Mapping[Hashable, int]
    """The place of each of them; any other level has the place after the last."""


@dataclass(frozen=True, kw_only=True)
class PredictorColumn:
    """A column of the regressions: a number, or the indicator of a level."""

    name: str
    """Its name, such as "age" or "sex=Female"."""
    column: str
    """The column of the file."""
    level: Hashable = None
    """The level of a category."""
    of_level: bool = False
    """Whether it is the indicator of a level."""
    mean: float
    """The mean in the original, which takes the place of missing numbers."""
    sd: float
    """The standard deviation in the original."""

    def values(self, frame: Frame) -> Array:
        """The column (n,) of a frame, standardised by the original."""
        if self.of_level:
            indicator = level_codes(frame, self.column, {self.level: 1}, 0)
            values = (indicator == 1).astype(float)
        else:
            values = frame.values(self.column)
            values = np.where(np.isfinite(values), values, self.mean)
        # A released value far from all originals leaves sums finite.
        return np.clip((values - self.mean) / self.sd, -FARTHEST, FARTHEST)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A class of at least 30 original records."""

    column: int
    """The place of its column among the class columns."""
    code: int
    """Its class."""
    label: str
    """Its name, such as "age=15"."""
    records: int
    """Number of its original records."""


@dataclass(frozen=True, kw_only=True)
class PanelColumns:
    """The columns of the panel, as the original has them."""

    predictors: tuple[PredictorColumn, ...]
    """The regressors, none determined by those before it."""
    classes: tuple[ClassColumn, ...]
    """The columns whose classes are compared."""
    cells: tuple[Cell, ...]
    """Their classes, the largest first."""
    numbers: tuple[NumberColumn, ...]
    """The confidential numbers."""
    categories: tuple[CategoryColumn, ...]
    """The confidential categories."""
    weight: str | None
    """The survey weight; None without."""

    def class_column(self, cell: Cell) -> str:
        """The name of the column of a class; empty for the class of all records."""
        name = self.classes[cell.column].name
        return "" if name == ALL_RECORDS else name

    def is_class_of(self, cell: Cell, name: str) -> bool:
        """Whether a class is one of a column itself, whose mean or share in it describes the class only."""
        return self.class_column(cell) == name


@dataclass(frozen=True, kw_only=True)
class PanelFile:
    """One file by the columns of the panel."""

    X: Array
    """The regressors (n, s), standardised by the original."""
    classes: Codes
    """The class (n, k) of each record by each class column."""
    Y: Array
    """The confidential numbers (n, t), NaN for missing."""
    C: Codes
    """The levels (n, q) of the confidential categories."""
    weights: Array | None
    """The survey weights (n,); None without."""
    clusters: Codes | None
    """The household or unit (n,) of each record, from 0; None without."""
    design: SamplingDesign | None = None
    """The sampling design, which goes before clusters in standard errors; None where none is known."""
    only_values: bool = False
    """Whether standard errors are not needed. Those of quantiles, which take most time, are NaN then."""

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.Y)

    def taken(self, rows: Rows) -> PanelFile:
        """The file of some records."""
        clusters = None
        if self.clusters is not None:
            clusters = np.unique(self.clusters[rows], return_inverse=True)[1]
        return PanelFile(
            X=self.X[rows],
            classes=self.classes[rows],
            Y=self.Y[rows],
            C=self.C[rows],
            weights=None if self.weights is None else self.weights[rows],
            clusters=clusters,
            design=None if self.design is None else self.design.taken(rows),
            only_values=self.only_values,
        )

    def with_confidential_of(self, donors: Rows, *, own_classes: bool) -> PanelFile:
        """The file with the confidential values of other records. donors : (n,); own_classes : whether classes are unmodified."""
        classes = self.classes if own_classes else self.classes[donors]
        return replace(self, Y=self.Y[donors], C=self.C[donors], classes=classes)


def panel_file(
    frame: Frame, columns: PanelColumns, rows: Rows, clusters: Codes | None, design: SamplingDesign | None = None
) -> PanelFile:
    """Some records of a frame by the columns of the panel. clusters : (n,) of these records; design : theirs."""
    # A column at a time, so that of a long file only the chosen records are in memory.
    no_values = np.empty((len(rows), 0))
    no_codes = np.empty((len(rows), 0), dtype=np.int64)
    X = [column.values(frame)[rows] for column in columns.predictors]
    classes = [column.codes(frame)[rows] for column in columns.classes]
    Y = [frame.values(column.name)[rows] for column in columns.numbers]
    C = [level_codes(frame, column.name, column.levels, len(column.labels))[rows] for column in columns.categories]
    return PanelFile(
        X=np.column_stack([no_values, *X]),
        classes=np.column_stack([no_codes, *classes]),
        Y=np.column_stack([no_values, *Y]),
        C=np.column_stack([no_codes, *C]),
        weights=None if columns.weight is None else frame.values(columns.weight)[rows],
        clusters=clusters,
        design=design,
    )


def level_codes(frame: Frame, name: str, levels: Mapping[Hashable, int], other: int) -> Codes:
    """The place (n,) of each cell's level; `other` for a level that has none, -1 for a missing cell of any column."""
    if is_numeric(frame, name):
        values, codes = np.unique(frame.values(name), return_inverse=True)  # NaN is the last
        of_values = [NO_CLASS if value != value else levels.get(value, other) for value in values.tolist()]
        return np.array(of_values, dtype=np.int64)[codes]
    codes, found = frame.distinct(name)
    places = [levels.get(value, other) for value in found]
    return np.array([*places, NO_CLASS], dtype=np.int64)[codes]  # the code of a missing cell is -1, the last


def label_of(frame: Frame, name: str, value: Hashable) -> str:
    """The name of a level, such as "age=15", or "sex=female" where the value has a label that no other value has."""
    of_values = frame.value_labels.get(name, {})
    label = of_values.get(value, "").strip()
    shared = [other for other in of_values.values() if other.strip() == label]
    if label and len(shared) == 1:
        return f"{name}={label}"
    return f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"


def labels_of_cuts(name: str, cuts: Sequence[float]) -> tuple[str, ...]:
    """The names of the classes between some cuts, such as "hours<=20" and "hours>40"."""
    names = [f"{name}<={cuts[0]:g}"]
    names += [f"{low:g}<{name}<={high:g}" for low, high in pairwise(cuts)]
    return (*names, f"{name}>{cuts[-1]:g}")
