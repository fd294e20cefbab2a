"""Categorical predictors as columns of a regression design, coded as R's model.matrix does with contr.treatment.

Levels of few records, and levels whose confidential totals disclose a contribution, are pooled. A release with exact
group means preserves the totals of every column of its design.
"""

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
REFERENCE, UNKNOWN = -1, -2  # positions of values without a column
FEW_LEVELS = 20  # of text that may mix numbers and words
CATEGORICAL = ("boolean", "category")  # kinds of columns, beside text
POOLED = (
    "levels of `{columns}` with fewer than {fewest} records, or with a total that discloses a contribution, are one level of the "
    "design, so that their group means change: {levels}"
)
WITHOUT = (
    "`{columns}` explains nothing, so that its group means change: its levels have too few records, or totals that disclose a "
    "contribution"
)


@dataclass(frozen=True)
class Term:
    """A categorical predictor.

    column : its name; names : of its columns in the design; positions : by value, which of these columns is 1, REFERENCE
    for none; None is the missing value.
    """

    column: str
    names: tuple[str, ...]
    positions: Mapping[Hashable, int]

    def codes(self, frame: Frame) -> Codes:
        """(n,) the position of each record's column, REFERENCE, or UNKNOWN for a value that the design has not."""
        places, values = frame.distinct(self.column)
        positions = [self.positions.get(value, UNKNOWN) for value in (*values, None)]
        return np.array(positions, dtype=np.int64)[places]


class CodedFrame(FrameView):
    """A frame with the columns of a design beside its own: 0 and 1, NaN for a value that the design has not.

    levels : categorical columns whose values are the positions of their levels, from 0; a release has a cell of each level.
    """

    def __init__(
        self, original: Frame, terms: Sequence[Term], dates: Sequence[str] = (), levels: Sequence[Term] = ()
    ) -> None:
        super().__init__(original)
        self.terms, self.dates, self.levels = tuple(terms), tuple(dates), {term.column: term for term in levels}
        self._places = {name: (term, j) for term in terms for j, name in enumerate(term.names)}
        self._codes: dict[str, Codes] = {}
        self.names = [*original.names, *self._places]

    def kind(self, name: str) -> str:
        """See Frame.kind: a column of the design and a level are whole numbers, and dates are days."""
        if name in self._places or name in self.levels:
            return "integer"
        return "float" if name in self.dates else self.original.kind(name)

    def values(self, name: str) -> Array:
        """See Frame.values."""
        if name in self.levels:
            codes = self.levels[name].codes(self.original)
            return np.where(codes == UNKNOWN, np.nan, codes)
        if name not in self._places:
            return self.original.days(name) if name in self.dates else self.original.values(name)
        term, j = self._places[name]
        if term.column not in self._codes:
            self._codes[term.column] = term.codes(self.original)
        codes = self._codes[term.column]
        return np.where(codes == UNKNOWN, np.nan, (codes == j).astype(np.float64))

    def stored(self, columns: Sequence[str]) -> list[str]:
        """See Frame.stored."""
        return self.original.stored(
            [self._places[name][0].column if name in self._places else name for name in columns]
        )

    def block(self, part: Frame) -> Frame:
        """See Frame.block."""
        return CodedFrame(self.original.block(part), self.terms, self.dates, tuple(self.levels.values()))

    def unreadable(self, name: str) -> Mask:
        """See Frame.unreadable: columns of the design and levels have no such cell."""
        if name in self._places or name in self.levels:
            return np.zeros(self.records, dtype=bool)
        return self.original.unreadable(name)

    def replaced(
        self, columns: Mapping[str, Array], rows: Mask, drop: Iterable[str], floats: Collection[str] = ()
    ) -> Any:
        """See Frame.replaced: a record receives the cell of a record that has the level, so that cells keep their type."""
        numbers = {name: values for name, values in columns.items() if name not in self.levels}
        released = self.original.replaced(numbers, rows, drop, floats)
        holders = {}
        for name in columns.keys() & self.levels.keys():
            levels, first = np.unique(self.values(name)[rows], return_index=True)
            new = np.searchsorted(levels, columns[name][rows])
            holders[name] = np.arange(self.records)
            holders[name][rows] = np.flatnonzero(rows)[first[new]]
        return open_frame("protect", released).moved(holders) if holders else released


def is_safe(level: Contributions) -> bool:
    """Whether a level has enough records, and no confidential total of its own discloses a contribution."""
    return level.records >= MIN_RECORDS and not any(map(level.violated_rules, range(len(level.total))))


def pooled_levels(totals: Sequence[Contributions]) -> list[int]:
    """The levels that share one column: those with too few records or unsafe totals, and the smallest others while
    their pool is too small or unsafe."""
    pool = [j for j, level in enumerate(totals) if not is_safe(level)]
    others = sorted({*range(len(totals))}.difference(pool), key=lambda j: (totals[j].records, j))
    if pool:
        together = reduce(add, (totals[j] for j in pool))
        while others and not is_safe(together):
            pool.append(others.pop(0))
            together += totals[pool[-1]]
    return sorted(pool)


def design_term(
    column: str, levels: Sequence[tuple[Hashable, str]], totals: Sequence[Contributions]
) -> tuple[Term, list[Note]]:
    """The columns of a categorical predictor. levels : values and labels in order, as the totals have them."""
    pool = pooled_levels(totals)
    groups = [[j] for j in range(len(levels)) if j not in pool]
    if pool:  # in place of a pooled reference level, else last
        groups = [pool, *groups] if 0 in pool else [*groups, pool]
    names = tuple(f"{column}: {' or '.join(levels[j][1] for j in group)}" for group in groups[1:])
    positions = {levels[j][0]: g - 1 for g, group in enumerate(groups) for j in group}
    notes = []
    if len(groups) == 1:
        notes = [Note.of("pooled", WITHOUT, [column])]
    elif len(pool) > 1:
        text = ", ".join(levels[j][1] for j in pool)
        notes = [Note.of("pooled", POOLED, [column], fewest=MIN_RECORDS, levels=text)]
    return Term(column, names, positions), notes


@dataclass(frozen=True)
class Predictors:
    """The design of a file's predictors.

    roles : the independent columns are those of the design; terms : the categorical ones; dates : which are in days; notes :
    on pooled levels; levels : the categorical dependent columns, where the method takes them.
    """

    roles: Roles
    terms: tuple[Term, ...]
    dates: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    levels: tuple[Term, ...] = ()

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
    return len(values) > FEW_LEVELS and 0.5 < float(pd.to_numeric(values, errors="coerce").notna().mean()) < 1


def value_labels(frame: Frame, name: str) -> Mapping[Any, str]:
    """The value labels of a numeric column of which every value has one, as SPSS and Stata files have them; else empty."""
    of_column = frame.value_labels.get(name, {})
    if not of_column or not is_numeric(frame, name):
        return {}
    return of_column if of_column.keys() >= {*frame.distinct(name)[1]} else {}


def ordered_levels(
    frame: Frame, name: str, values: Sequence[Any], *, as_declared: bool = False
) -> list[tuple[Hashable, str]]:
    """The values of a column in order, with their labels; None, the missing value, is the last.

    as_declared : in the order that a column of categories declares, as a regression's reference level needs. Else the order
    is that of the same values in a file of text: what a method draws does not depend on how a frame orders its categories.
    """
    labels = value_labels(frame, name)
    known = [v for v in values if v is not None]
    if frame.kind(name) != "category":
        known.sort(key=lambda value: (isinstance(value, str), value))  # text after the rest in a column of both
    elif as_declared:
        places = {value: place for place, value in enumerate(frame.categories(name))}
        known.sort(key=places.__getitem__)
    elif all(isinstance(value, Real) for value in known):
        known.sort()
    else:
        known.sort(key=str)
    missing = [(None, "missing")] if None in values else []
    return [*((value, labels.get(value, str(value))) for value in known), *missing]


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
    numeric = [
        name for name in [*roles.independent, *roles.dependent] if is_numeric(frame, name) and name not in columns
    ]
    confidential = [] if by_counts else [numeric.index(name) for name in roles.dependent if name in numeric]
    totals: dict[str, dict[Hashable, Contributions]] = {name: {} for name in columns}
    for part in frame.parts([*columns, *numeric]):
        A, cells = part.matrix(numeric), [part.distinct(name, owner) for name in columns]
        rows: Mask = np.ones(part.records, dtype=bool)
        if missing != "protect":
            rows = np.logical_and.reduce([~np.isnan(A).any(axis=1), *(codes != MISSING for codes, _ in cells)])
        sizes = np.abs(np.nan_to_num(A[rows][:, confidential]))
        for by_value, (codes, values) in zip(totals.values(), cells, strict=True):
            codes, values = codes[rows], [*values, None]
            for records in groups_of(codes):
                value, own = values[codes[records[0]]], Contributions.of(sizes[records])
                by_value[value] = by_value[value] + own if value in by_value else own
    terms, notes = list[Term](), list[Note]()
    for name, by_value in totals.items():
        levels = ordered_levels(frame, name, list(by_value))
        term, pooled = design_term(name, levels, [by_value[value] for value, _ in levels])
        terms, notes = [*terms, term], [*notes, *pooled]
    names = {term.column: term.names for term in terms}
    independent = [column for name in roles.independent for column in names.get(name, (name,))]
    return Predictors(replace(plain_roles(roles), independent=tuple(independent)), tuple(terms), dates, tuple(notes))


def column_levels(owner: str, frame: Frame, names: Iterable[str], missing: str) -> tuple[Term, ...]:
    """The categorical ones of some columns of a frame in memory, with the positions of their levels in order.

    missing : as in protect(); a missing category is a level where its record is protected. Raises InvalidInput.
    """
    terms = list[Term]()
    for name in names:
        if name not in frame.names or not is_categorical(frame, name):
            continue
        if frame.source is not None:
            raise InvalidInput(owner, f"the file must fit in memory, as column `{name}` holds categories")
        places, values = frame.distinct(name)
        if missing == "protect" and (places == MISSING).any():
            values.append(None)
        levels = ordered_levels(frame, name, values)
        terms.append(Term(name, (), {value: place for place, (value, _) in enumerate(levels)}))
    return tuple(terms)
