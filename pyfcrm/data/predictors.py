"""Categorical predictors as columns of a regression design, coded as R's model.matrix does with contr.treatment.

Levels of few records, and levels whose confidential totals disclose a contribution, are pooled. A release with exact
group means preserves the totals of every column of its design.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from numbers import Real
from operator import add
from typing import Any

import numpy as np

from ..errors import InvalidInput, Note
from ..types import Array, Codes, Mask, Terms
from .check import is_numeric, require_columns
from .codes import MISSING, groups_of
from .frame import Frame, FrameView, open_frame
from .preserved_totals import Contributions
from .roles import Roles, plain_roles

MIN_RECORDS = 10  # of a level with a column of its own
REFERENCE = -1  # position of a value in whose records every column of the term is 0
UNKNOWN = -2  # position of a value that the design does not have
FEW_LEVELS = 20  # most values of a column of text that may mix numbers and words
CATEGORICAL = ("boolean", "category")  # kinds of columns, beside text
POOLED = (
    "levels of `{columns}` with fewer than {fewest} records, or a total that discloses a contribution, are one level of the "
    "design: {levels}; their group means change"
)
POOLED_IN_BRIEF = (
    "rare levels of {columns}, or with a total that discloses a contribution, are one level of the design; their group "
    "means change"
)
WITHOUT = (
    "`{columns}` explains nothing, so that its group means change: its levels have too few records, or totals that disclose a "
    "contribution"
)
WITHOUT_IN_BRIEF = (
    "without effect, so that group means change, as levels have too few records or unsafe totals: {columns}"
)


@dataclass(frozen=True)
class Term:
    """A categorical predictor."""

    column: str
    """Its name."""
    names: tuple[str, ...]
    """The names of its columns in the design."""
    positions: Mapping[Hashable, int]
    """The column that is 1 for each value, None for missing: its position, REFERENCE for none."""

    def codes(self, places: Codes, values: Sequence[Any]) -> Codes:
        """Codes (n,): the position of each record's column, REFERENCE, or UNKNOWN for a value that the design has not.

        places (n,) : of the records' cells among these values, -1 for missing.
        """
        positions = [self.positions.get(value, UNKNOWN) for value in (*values, None)]
        return np.array(positions, dtype=np.int64)[places]

    def values_that_share(self) -> list[Hashable]:
        """The values whose column is that of other values too, or that have none with others."""
        counts = Counter(self.positions.values())
        return [value for value, position in self.positions.items() if counts[position] > 1]


class CodedFrame(FrameView):
    """A frame with the columns of a design beside its own: 0 and 1, NaN for a value that the design has not.

    levels : categorical columns whose values are the positions of their levels, from 0; a release has a cell of each level.
    """

    def __init__(
        self, original: Frame, terms: Sequence[Term], dates: Sequence[str] = (), levels: Sequence[Term] = ()
    ) -> None:
        super().__init__(original)
        self.terms = tuple(terms)
        self.dates = tuple(dates)
        self.levels = {term.column: term for term in levels}
        # Of each column of the design, its term and its position there.
        self._places = {name: (term, j) for term in terms for j, name in enumerate(term.names)}
        self._codes: dict[str, Codes] = {}  # by categorical column, once computed
        self.names = [*original.names, *self._places]

    def kind(self, name: str) -> str:
        """Kind of a column, as Frame has it: columns of the design and levels are whole numbers, dates are days."""
        if name in self._places or name in self.levels:
            return "integer"
        if name in self.dates:
            return "float"
        return self.original.kind(name)

    def values(self, name: str) -> Array:
        """Numbers (n,) of a column: positions of levels, days, 0 and 1 of the design, or the frame's own."""
        if name in self.levels:
            codes = self.levels[name].codes(*self.original.distinct_with_codes(name))
            return np.where(codes == UNKNOWN, np.nan, codes)
        if name in self.dates and name not in self._places:
            return self.original.days(name)
        if name not in self._places:
            return self.original.values(name)
        term, j = self._places[name]
        if term.column not in self._codes:
            self._codes[term.column] = term.codes(*self.original.distinct(term.column))
        codes = self._codes[term.column]
        return np.where(codes == UNKNOWN, np.nan, (codes == j).astype(np.float64))

    def stored(self, columns: Sequence[str]) -> list[str]:
        """The columns of the file in which these columns are stored."""
        own_names = [self._places[name][0].column if name in self._places else name for name in columns]
        return self.original.stored(own_names)

    def block(self, part: Frame) -> Frame:
        """The frame of a part of the records, with the same design."""
        return CodedFrame(self.original.block(part), self.terms, self.dates, tuple(self.levels.values()))

    def unreadable(self, name: str) -> Mask:
        """Mask (n,) as Frame has it: columns of the design and levels have no such cell."""
        if name in self._places or name in self.levels:
            return np.zeros(self.records, dtype=bool)
        return self.original.unreadable(name)

    def replaced(
        self, columns: Mapping[str, Array], rows: Mask, drop: Iterable[str], floats: Collection[str] = ()
    ) -> Any:
        """The frame with released columns, as Frame.replaced has it; levels are decoded.

        A record receives the cell of a record that has the level, so that cells keep their type.
        """
        numbers = {name: values for name, values in columns.items() if name not in self.levels}
        released = self.original.replaced(numbers, rows, drop, floats)
        holders = {}  # of each categorical column, the record whose cell each record receives: (n,)
        for name in columns.keys() & self.levels.keys():
            levels, first = np.unique(self.values(name)[rows], return_index=True)
            level_of_record = np.searchsorted(levels, columns[name][rows])
            holders[name] = np.arange(self.records)
            holders[name][rows] = np.flatnonzero(rows)[first[level_of_record]]
        if not holders:
            return released
        return open_frame("protect", released).moved(holders)


def is_safe(level: Contributions) -> bool:
    """Whether a level has enough records, and no confidential total of its own discloses a contribution."""
    if level.records < MIN_RECORDS:
        return False
    return not any(level.violated_rules(j) for j in range(len(level.total)))


def pooled_levels(totals: Sequence[Contributions]) -> list[int]:
    """The levels that share one column: those with too few records or unsafe totals.

    The smallest others join them while their pool is too small or unsafe.
    """
    pool = [j for j, level in enumerate(totals) if not is_safe(level)]
    safe = [j for j in range(len(totals)) if j not in pool]
    others = sorted(safe, key=lambda j: (totals[j].records, j))
    if pool:
        together = reduce(add, (totals[j] for j in pool))
        while others and not is_safe(together):
            pool.append(others.pop(0))
            together += totals[pool[-1]]
    return sorted(pool)


def design_term(
    column: str, levels: Sequence[tuple[Hashable, str]], totals: Sequence[Contributions]
) -> tuple[Term, list[Note]]:
    """The columns of a categorical predictor, and notes on its pooled levels.

    The first group of levels is the reference (contr.treatment in R): it has no column.
    levels : values and labels in order, as the totals have them.
    """
    values = [value for value, _ in levels]
    labels = [label for _, label in levels]
    pool = pooled_levels(totals)
    groups = [[j] for j in range(len(levels)) if j not in pool]
    if pool:  # in place of a pooled reference level, else last
        groups = [pool, *groups] if 0 in pool else [*groups, pool]
    names = []
    positions = {}
    for g, group in enumerate(groups):
        if g > 0:
            names.append(f"{column}: {' or '.join(labels[j] for j in group)}")
        for j in group:
            positions[values[j]] = g - 1  # -1 is REFERENCE
    notes = []
    if len(groups) == 1:
        notes = [Note.of("pooled", WITHOUT, [column], brief=WITHOUT_IN_BRIEF)]
    elif len(pool) > 1:
        pooled = ", ".join(labels[j] for j in pool)
        notes = [Note.of("pooled", POOLED, [column], fewest=MIN_RECORDS, levels=pooled, brief=POOLED_IN_BRIEF)]
    return Term(column, tuple(names), positions), notes


@dataclass(frozen=True)
class Predictors:
    """The design of a file's predictors."""

    roles: Roles
    """Roles whose independent columns are those of the design."""
    terms: tuple[Term, ...]
    """The categorical predictors."""
    dates: tuple[str, ...] = ()
    """The predictors that are dates, which become days."""
    notes: tuple[Note, ...] = ()
    """Notes on pooled levels."""
    levels: tuple[Term, ...] = ()
    """The categorical dependent columns, where the method takes them."""

    @property
    def places(self) -> Terms:
        """The positions in the design of the columns of each categorical predictor."""
        return [[self.roles.independent.index(name) for name in term.names] for term in self.terms]

    def frame(self, frame: Frame) -> Frame:
        """A frame with the columns of the design."""
        return CodedFrame(frame, self.terms, self.dates, self.levels)


def is_categorical(frame: Frame, name: str) -> bool:
    """Whether a column holds categories: text, yes or no, categories, or codes that all have value labels."""
    kind = frame.kind(name)
    if kind == "text":
        return not _numbers_with_text(frame, name)
    return kind in CATEGORICAL or bool(value_labels(frame, name))


def _numbers_with_text(frame: Frame, name: str) -> bool:
    """Whether a column of text in memory has many values, most of them numbers: a measurement with a remark in some cells."""
    import pandas as pd

    if frame.source is not None:
        return False
    values = pd.Series(frame.distinct(name)[1], dtype=object)
    if len(values) <= FEW_LEVELS:
        return False
    share_of_numbers = float(pd.to_numeric(values, errors="coerce").notna().mean())
    return 0.5 < share_of_numbers < 1


def value_labels(frame: Frame, name: str) -> Mapping[Any, str]:
    """The value labels of a numeric column of which every value has one, as SPSS and Stata files have them; else empty."""
    labels = frame.value_labels.get(name, {})
    if not labels or not (is_numeric(frame, name) or frame.kind(name) == "category"):
        return {}
    every_value_has_one = labels.keys() >= {*frame.distinct(name)[1]}
    return labels if every_value_has_one else {}


def ordered_levels(
    frame: Frame, name: str, values: Sequence[Any], *, as_declared: bool = False
) -> list[tuple[Hashable, str]]:
    """The values of a column in order, with their labels; None, the missing value, is the last.

    as_declared : in the order that a column of categories declares, as a regression's reference level needs. Else the order
    is that of the same values in a file of text: what a method draws does not depend on how a frame orders its categories.
    """
    labels = value_labels(frame, name)
    observed = [value for value in values if value is not None]
    if frame.kind(name) != "category":
        observed.sort(key=lambda value: (isinstance(value, str), value))  # text after the rest in a column of both
    elif as_declared:
        places = {value: place for place, value in enumerate(frame.categories(name))}
        observed.sort(key=places.__getitem__)
    elif all(isinstance(value, Real) for value in observed):
        observed.sort()
    else:
        observed.sort(key=str)
    levels: list[tuple[Hashable, str]] = [(value, labels.get(value, str(value))) for value in observed]
    if None in values:
        levels.append((None, "missing"))
    return levels


def coded_predictors(
    owner: str, frame: Frame, roles: Roles, missing: str = "protect", *, by_counts: bool = False
) -> Predictors:
    """The design of the independent columns of a frame, or of a file that is read by blocks.

    missing : as in protect(). A missing category is a level where its record is protected; else incomplete records have no
    part in the design; by_counts : levels are pooled by their numbers of records, without confidential totals. Raises
    InvalidInput.
    """
    require_columns(owner, frame, [*roles.independent, *roles.dependent])
    dates = tuple(name for name in roles.independent if frame.kind(name) == "date")
    columns = [name for name in roles.independent if is_categorical(frame, name)]
    if not columns:
        return Predictors(roles, (), dates)

    terms = []
    notes = []
    totals = _totals_of_levels(owner, frame, roles, columns, incomplete=missing == "protect", by_counts=by_counts)
    for name, by_value in totals.items():
        levels = ordered_levels(frame, name, list(by_value))
        term, notes_of_term = design_term(name, levels, [by_value[value] for value, _ in levels])
        terms.append(term)
        notes += notes_of_term

    names = {term.column: term.names for term in terms}
    independent = [column for name in roles.independent for column in names.get(name, (name,))]
    roles = replace(plain_roles(roles), independent=tuple(independent))
    return Predictors(roles=roles, terms=tuple(terms), dates=dates, notes=tuple(notes))


def _totals_of_levels(
    owner: str, frame: Frame, roles: Roles, columns: Sequence[str], *, incomplete: bool, by_counts: bool
) -> dict[str, dict[Hashable, Contributions]]:
    """Contributions to the confidential totals of each level, by categorical column and value (None for missing).

    incomplete : whether records with a missing cell count; by_counts : the contributions are to no total, only counted.
    """
    used = [*roles.independent, *roles.dependent]
    numeric = [name for name in used if is_numeric(frame, name) and name not in columns]
    confidential = [] if by_counts else [numeric.index(name) for name in roles.dependent if name in numeric]
    totals: dict[str, dict[Hashable, Contributions]] = {name: {} for name in columns}
    for part in frame.parts([*columns, *numeric]):
        A = part.matrix(numeric)
        coded = [part.distinct(name, owner) for name in columns]
        rows: Mask = np.ones(part.records, dtype=bool)
        if not incomplete:
            rows &= ~np.isnan(A).any(axis=1)
            for codes, _ in coded:
                rows &= codes != MISSING
        sizes = np.abs(np.nan_to_num(A[rows][:, confidential]))
        for by_value, (codes, values) in zip(totals.values(), coded, strict=True):
            values_and_missing = [*values, None]  # MISSING is -1, the last
            codes_of_rows = codes[rows]
            for records in groups_of(codes_of_rows):
                value = values_and_missing[codes_of_rows[records[0]]]
                contributions = Contributions.of(sizes[records])
                if value in by_value:
                    contributions = by_value[value] + contributions
                by_value[value] = contributions
    return totals


def levels_in_pools(owner: str, frame: Frame, terms: Sequence[Term]) -> Mask | None:
    """Masks (n, q): the records of each level that shares a column of the design with others; None where no levels are pooled.

    A method that keeps no totals may tell these levels apart.
    """
    shared = {term.column: term.values_that_share() for term in terms}
    pooled = {name: values for name, values in shared.items() if values}
    if not pooled:
        return None
    parts = []
    for part in frame.parts([*pooled]):
        masks = []
        for name, values in pooled.items():
            codes, distinct = part.distinct(name, owner)
            code_of = {None: MISSING} | {value: code for code, value in enumerate(distinct)}
            masks += [codes == code_of.get(value, UNKNOWN) for value in values]
        parts.append(np.column_stack(masks))
    return np.vstack(parts)


def column_levels(owner: str, frame: Frame, names: Iterable[str], missing: str) -> tuple[Term, ...]:
    """The categorical columns among these of a frame in memory, with the positions of their levels in order.

    missing : as in protect(); a missing category is a level where its record is protected, and so is each code of missing values,
    which is drawn like any other. Raises InvalidInput.
    """
    terms = []
    for name in names:
        if name not in frame.names or not is_categorical(frame, name):
            continue
        if frame.source is not None:
            raise InvalidInput(owner, f"the file must fit in memory, as column `{name}` holds categories")
        if missing != "protect":
            values = frame.distinct(name)[1]
        else:
            places, values = frame.distinct_with_codes(name)
            values = [*values, None] if (places == MISSING).any() else values
        levels = ordered_levels(frame, name, values)
        positions = {value: place for place, (value, _) in enumerate(levels)}
        terms.append(Term(name, (), positions))
    return tuple(terms)
