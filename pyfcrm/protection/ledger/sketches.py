"""Overlap of two files by combinations of columns, of which each file keeps a sketch: how many records have each cell.

A cell is a combination of values, in any order: columns may have other names in the other file. Those of the same name are compared,
and those whose values are distributed most alike. Two files overlap if more pairs of records, one of each file, agree than chance gives.

Chance: let the files be independent, and let the counts of a cell be Poisson with means a in one file and b in the other. Pairs that
agree are then expected in number sum a b, at most the root of (sum a^2) (sum b^2) by Cauchy and Schwarz. With counts c within a
file, sum c (c - 1) estimates sum a^2 without bias. So pairs of equal records within each file show how often strangers agree; a
record that both files have adds one. The difference of both numbers has the variance 2 sum a b. Own.

Two kinds of columns have no Poisson counts. Classes of r ranks have the same count each, so that sum c (c - 1) is too small by
1 - 1/r. A column may number the records: pairs that agree on it agree on a further column with probability sum p q, at most
the root of (sum p^2) (sum q^2), and as many are added to those expected.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import ceil, floor, log2, sqrt
from typing import Any

import numpy as np
from scipy.special import pdtr, pdtrik

from ...types import Integers, Mask
from .hashed_columns import EXACT, FORMS, RANK, RECORDS_OF_CLASS, HashedColumn, Hashes, mixed

COLUMNS = 7  # those with most different values are combined
MIN_COLUMNS, MAX_COLUMNS = 3, 4  # that must agree, and that are compared at once
CELLS = 1024  # of a sketch, about; where there are more, a part of them that their hashes decide
DIGEST_BYTES = 8  # of a cell
LEVEL_BITS = np.uint64(16)  # the first of a digest: those of the hash, by which the part is chosen
OTHER_BITS = np.uint64(48)
RECORDS_OF_ID = 5  # on average at most, with one value of a column that may number the records
FALSE_ALARM = 1e-3  # probability that two unrelated files overlap, over all combinations
IN_OTHER_UNITS = 3  # numbers of a file at most that are compared by ranks alone
MOST_RECORDS = 0.5  # of those in common, that agree in the ranks of two columns of the same variable
ALIKE = 0.3  # from 0 to 1: the likeness at least of two columns that are compared under different names


@dataclass(frozen=True)
class Sketch:
    """The cells of a combination of columns, or a part of them, and how many records have each."""

    columns: Sequence[str]
    """The columns, in alphabetical order."""
    form: str
    """The form in which numbers are compared."""
    level: int
    """The part of all cells: one in 2^level."""
    digests: str
    """HMACs of the cells, ascending, in base 64."""
    counts: str
    """The number of records in each cell, at most 65,535, in base 64."""

    @classmethod
    def of(cls, group: Sequence[HashedColumn], form: str, key: bytes) -> Sketch:
        """The sketch of some columns in alphabetical order. key : of the ledger."""
        total = np.zeros(len(group[0].forms[EXACT]), dtype=np.uint64)
        for column in group:
            total += column.form(form)
        level, cells, counts = _part_of_cells(mixed(total))
        digests = [hmac.digest(key, cell.tobytes(), "sha256")[:DIGEST_BYTES] for cell in cells]
        values = np.frombuffer(b"".join(digests), dtype=np.uint64) >> LEVEL_BITS
        values |= cells >> OTHER_BITS << OTHER_BITS  # the bits that decide the part
        values, places = np.unique(values, return_index=True)
        few = np.minimum(counts[places], np.iinfo(np.uint16).max).astype(np.uint16)
        return cls(
            columns=[column.name for column in group],
            form=form,
            level=level,
            digests=base64.b64encode(values.tobytes()).decode(),
            counts=base64.b64encode(few.tobytes()).decode(),
        )

    def part(self, level: int) -> tuple[Hashes, Integers]:
        """The HMACs of the cells in a smaller part of all, and the number of records in each. level : at least the sketch's."""
        values = np.frombuffer(base64.b64decode(self.digests), dtype=np.uint64)
        counts = np.frombuffer(base64.b64decode(self.counts), dtype=np.uint16).astype(np.int64)
        inside = _in_part(values, level)
        return values[inside], counts[inside]

    def pairs_within(self, level: int) -> int:
        """The ordered pairs of records that agree, in a part of all cells: sum c (c - 1)."""
        _, counts = self.part(level)
        return int((counts * (counts - 1)).sum())

    def pairs(self, other: Sketch) -> int:
        """The pairs of records, one of each file, that agree, in the part of the cells that both sketches have."""
        level = max(self.level, other.level)
        values, counts = self.part(level)
        others, other_counts = other.part(level)
        _, own_places, places = np.intersect1d(values, others, assume_unique=True, return_indices=True)
        return int(counts[own_places] @ other_counts[places])

    def likeness(self, other: Sketch) -> float:
        """How alike the values are distributed, from 0 to 1: the cosine of the counts."""
        level = max(self.level, other.level)
        squares = [float((each.part(level)[1] ** 2).sum()) for each in (self, other)]
        return self.pairs(other) / sqrt(max(squares[0] * squares[1], 1.0))


@dataclass(frozen=True)
class Common:
    """What two files have in common."""

    records: int
    """How many records agree beyond chance; 0 where the files do not overlap."""
    names: Mapping[str, str]
    """Columns of the earlier file that are columns of the other one under another name, and this name."""


@dataclass(frozen=True)
class Sketches:
    """What a ledger keeps of the columns of a file."""

    agreement: Mapping[str, Mapping[str, float]]
    """By form and column, the probability that two records have the same value: sum p^2."""
    rank_columns: Sequence[str]
    """The columns of numbers, which have ranks."""
    singles: Sequence[Sketch]
    """The sketches of single columns, but for ranks."""
    numbering: Sequence[str]
    """The columns that may number the records."""
    combinations: Sequence[Sketch]
    """The sketches of two to four columns."""
    identifiers: Sequence[str]
    """The columns that identify persons or units."""

    @classmethod
    def of(cls, columns: Iterable[HashedColumn], identifiers: Collection[str], key: bytes) -> Sketches:
        """The sketches of the columns with most different values, identifiers first. key : of the ledger."""
        chosen = list[HashedColumn]()
        for column in columns:
            chosen.append(column)
            chosen.sort(key=lambda each: (each.name not in identifiers, -each.distinct, each.name))
            del chosen[COLUMNS:]
        chosen.sort(key=lambda each: each.name)
        singles = [Sketch.of([column], form, key) for column in chosen for form in column.forms if form != RANK]
        sketches = list[Sketch]()
        for size in range(2, MAX_COLUMNS + 1):
            for group in combinations(chosen, size):
                for form in FORMS:
                    if form == EXACT or any(form in column.forms for column in group):
                        sketches.append(Sketch.of(group, form, key))
        result = cls(
            agreement={form: {each.name: _agreement(each.form(form)) for each in chosen} for form in FORMS},
            rank_columns=[each.name for each in chosen if RANK in each.forms],
            singles=singles,
            numbering=[each.name for each in chosen if len(each.forms[EXACT]) <= RECORDS_OF_ID * each.distinct],
            combinations=sketches,
            identifiers=[each.name for each in chosen if each.name in identifiers],
        )
        # A combination that does not recognise its own file is of no use.
        itself = Pairing(result, result, {each.name: each.name for each in chosen}, {})
        return replace(result, combinations=[each for each in sketches if itself.excess(each, each, 1)])

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Sketches:
        """The sketches as a ledger has them."""
        parts = {part: [Sketch(**each) for each in document[part]] for part in ("singles", "combinations")}
        return cls(**{**document, **parts})

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        return list(self.agreement[EXACT])

    def common(self, earlier: Sketches) -> Common:
        """The records and columns that an earlier file has, too.

        At least three columns must agree; both where there are two. Columns are compared with those of the same name, then with
        those whose values are distributed most alike. Numbers that are left may have another unit: their ranks are compared.
        """
        of_same_name = {name: name for name in self.names if name in earlier.names}
        most_alike = self._most_alike(earlier)
        pairings = [Pairing.of(self, earlier, of_same_name, min(MIN_COLUMNS, len(of_same_name)))]
        least = min(MIN_COLUMNS, len(self.names), len(earlier.names))
        if most_alike != of_same_name:
            pairings.append(Pairing.of(self, earlier, most_alike, least))
        by_ranks = [
            Pairing.of(self, earlier, most_alike | others, least).of_ranks(others)
            for others in self._in_other_units(earlier, most_alike)
        ]
        tried = sum(len(pairing.compared) for pairing in (*pairings, *by_ranks))
        excesses = [pairing.largest_excess(tried) for pairing in by_ranks]
        records = max([*(pairing.largest_excess(tried) for pairing in pairings), *excesses])
        names: Mapping[str, str] = most_alike
        # Of the same records most agree in the ranks of the right column, and few in those of another one.
        if excesses and max(excesses) > MOST_RECORDS * records:
            names = by_ranks[int(np.argmax(excesses))].names
        return Common(records, {theirs: own for own, theirs in names.items() if records and own != theirs})

    def _in_other_units(self, earlier: Sketches, names: Mapping[str, str]) -> Iterator[dict[str, str]]:
        """The ways to pair the numbers that are left, one to one: another unit changes their values, and leaves their ranks.

        names : columns that are compared already, and those of the earlier file.
        """
        own = [name for name in self.rank_columns if name not in names][:IN_OTHER_UNITS]
        theirs = [name for name in earlier.rank_columns if name not in names.values()][:IN_OTHER_UNITS]
        fewer = min(len(own), len(theirs))
        if not fewer:
            return
        for chosen in combinations(own, fewer):
            for partners in permutations(theirs, fewer):
                yield dict(zip(chosen, partners, strict=True))

    def _most_alike(self, earlier: Sketches) -> dict[str, str]:
        """The columns and those of an earlier file, one to one, whose values are distributed most alike, or which have the same name."""
        from scipy.optimize import linear_sum_assignment  # slow to import

        likeness = np.array([[self._likeness(earlier, own, theirs) for theirs in earlier.names] for own in self.names])
        rows, columns = linear_sum_assignment(likeness, maximize=True)
        chosen = zip(rows.tolist(), columns.tolist(), strict=True)
        return {self.names[i]: earlier.names[j] for i, j in chosen if likeness[i, j] >= ALIKE}

    def _likeness(self, earlier: Sketches, own: str, theirs: str) -> float:
        """How alike two columns are, on average over their values and two digits of these; more if their names are the same."""
        found = [
            one.likeness(other)
            for one in self._singles_of(own)
            for other in earlier._singles_of(theirs)
            if one.form == other.form
        ]
        forms = max(len(self._singles_of(own)), len(earlier._singles_of(theirs)))
        return sum(found) / forms + (ALIKE if own == theirs else 0.0)

    def _singles_of(self, name: str) -> list[Sketch]:
        """The sketches of one column."""
        return [each for each in self.singles if each.columns[0] == name]


@dataclass(frozen=True)
class Pairing:
    """Columns of two files, one to one, whose combinations are compared."""

    own: Sketches
    """The sketches of one file."""
    earlier: Sketches
    """Those of the other, earlier one."""
    names: Mapping[str, str]
    """Columns of the first file, and those of the other one that they are compared with."""
    numbering: Mapping[tuple[str, str], float]
    """By form and column, the pairs of records that agree on a column that may number the records."""
    compared: Sequence[tuple[Sketch, Sketch]] = ()
    """The sketches that are compared."""

    @classmethod
    def of(cls, own: Sketches, earlier: Sketches, names: Mapping[str, str], least: int) -> Pairing:
        """The combinations of columns that both files have. least : columns that must agree."""
        singles = {(each.form, each.columns[0]): each for each in earlier.singles}
        numbering = {}
        for each in own.singles:
            name = each.columns[0]
            other = singles.get((each.form, names.get(name, "")))
            if other is not None and name in own.numbering and names[name] in earlier.numbering:
                numbering[each.form, name] = each.pairs(other) * 2.0 ** max(each.level, other.level)
        theirs = {(each.form, *each.columns): each for each in earlier.combinations}
        compared = []
        for each in own.combinations:
            if len(each.columns) >= max(least, 2) and all(name in names for name in each.columns):
                other = theirs.get((each.form, *sorted(names[name] for name in each.columns)))
                if other is not None:
                    compared.append((each, other))
        return cls(own, earlier, names, numbering, compared)

    def of_ranks(self, names: Collection[str]) -> Pairing:
        """The combinations by ranks with one of some columns of the first file."""
        compared = [
            (own, other) for own, other in self.compared if own.form == RANK and not {*names}.isdisjoint(own.columns)
        ]
        return replace(self, compared=compared)

    def largest_excess(self, tried: int) -> int:
        """The largest number of records that agree beyond chance in a combination. tried : number of combinations compared."""
        return max((self.excess(own, other, tried) for own, other in self.compared), default=0)

    def excess(self, own: Sketch, other: Sketch, tried: int) -> int:
        """The pairs of records that agree beyond chance, where chance does not explain them; else 0.

        own, other : sketches of the same columns; tried : number of combinations compared.
        """
        level = max(own.level, other.level)
        part = 2.0**-level
        numbered = 0.0
        identified = False
        form = own.form
        for name in own.columns:
            others = [column for column in own.columns if column != name]
            agreement = self.own.agreement[form], self.earlier.agreement[form]
            chances = [sqrt(agreement[0][x] * agreement[1][self.names[x]]) for x in others]
            equal = self.numbering.get((form if name in self.own.rank_columns else EXACT, name))
            if equal is not None:
                is_known = name in self.own.identifiers and self.names[name] in self.earlier.identifiers
                identified = identified or is_known
                numbered = max(numbered, equal * min(chances))
        expected = variance = part * numbered
        if not identified:
            # The root of a count has the standard error 1/2: two of them are added.
            within = [2 * (sqrt(each.pairs_within(level) / 2) + 1) ** 2 for each in (own, other)]
            expected += sqrt(within[0] * within[1]) / self._rank_factor(own)
            variance = 2 * expected
        found = own.pairs(other)
        if found <= expected:
            return 0
        threshold = _poisson_quantile(1 - FALSE_ALARM / tried, variance) - variance
        return ceil((found - expected) / part) if found - expected > threshold else 0

    def _rank_factor(self, sketch: Sketch) -> float:
        """The factor by which classes of ranks make pairs within a file too rare."""
        ranks = [name for name in sketch.columns if name in self.own.rank_columns]
        return (1 - 1 / RECORDS_OF_CLASS) ** len(ranks) if sketch.form == RANK else 1.0


def _agreement(hashes: Hashes) -> float:
    """The probability that two records have the same value."""
    _, counts = np.unique(hashes, return_counts=True)
    return float(((counts / max(len(hashes), 1)) ** 2).sum())


def _poisson_quantile(probability: float, mean: float) -> float:
    """The quantile of a Poisson distribution."""
    if pdtr(0, mean) >= probability:
        return 0.0
    return float(ceil(pdtrik(probability, mean)))


def _in_part(hashes: Hashes, level: int) -> Mask:
    """Whether each hash is in the part of its level: its first bits are 0."""
    return hashes >> np.uint64(64 - level) == 0 if level else np.ones(len(hashes), dtype=np.bool_)


def _part_of_cells(hashes: Hashes) -> tuple[int, Hashes, Integers]:
    """A level, the different hashes in this part of all, about 1,024, and the number of records with each."""
    level = min(max(0, ceil(log2(max(len(hashes), 1) / CELLS))), int(LEVEL_BITS))
    while True:
        cells, counts = np.unique(hashes[_in_part(hashes, level)], return_counts=True)
        if not level or 2 * len(cells) > CELLS:
            return level, cells, counts
        level = max(0, level - max(1, floor(log2(CELLS / max(len(cells), 1)))))
