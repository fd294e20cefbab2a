"""Totals that a release preserves are a published table: which of its cells disclose a contribution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np

from ..engine import row_blocks
from ..errors import InvalidInput, Note
from ..types import Array, Codes, Mask, Rows
from .records import Records

FEWEST = 3  # contributors
P = 10.0  # per cent of the largest contribution: to this precision it must not be known, and a total that moves is not kept
DOMINANCE = ((1, 75.0), (2, 85.0))  # so many contributors must not have more than so many per cent
SHOWN = 12


@dataclass(frozen=True)
class UnsafeTotal:
    """One total that is preserved and discloses a contribution.

    Parameters
    ----------
    column : str
        Of what.
    cell : str
        Of which records: "all records", a stratum by its number, a domain as "column=value", or what one domain has beyond
        another, the difference of two totals.
    contributors : int
        Records of the cell that are not 0.
    rules : tuple of str
        What it breaks: "fewer than 3 contributors", "p% rule", "(1, 75) dominance", "(2, 85) dominance".
    """

    column: str
    cell: str
    contributors: int
    rules: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column} of {self.cell} ({', '.join(self.rules)})"


def broken_rules(largest: Sequence[float], total: float, many: int, p: float = P) -> tuple[str, ...]:
    """Which rules of tables a total breaks. Contributions of both signs count by their magnitudes.

    Parameters
    ----------
    largest : sequence of float
        The two largest contributions, the larger first; 0 where there is none.
    total : float
        The sum of all.
    many : int
        How many are not 0.
    p : float
        Per cent, of the p% rule.

    Returns
    -------
    tuple of str
        With contributions x1 >= x2 >= ... and total T: fewer than 3 contributors; T - x1 - x2 < p/100 x1; x1 > 75 % of T;
        x1 + x2 > 85 % of T. Nothing where all are 0.

    References
    ----------
    Hundepool et al. (2012), chapter 4.
    """
    if not many:
        return ()
    first, second = largest
    broken = [f"fewer than {FEWEST} contributors"] if many < FEWEST else []
    broken += ["p% rule"] if total - first - second < p / 100 * first else []
    most = dict(enumerate((first, first + second), start=1))
    broken += [f"({k}, {share:g}) dominance" for k, share in DOMINANCE if most[k] > share / 100 * total]
    return tuple(broken)


@dataclass(frozen=True)
class TotalsChecked:
    """How many totals a release preserves, and those of them that disclose a contribution."""

    preserved: int
    unsafe: tuple[UnsafeTotal, ...]


@dataclass(frozen=True)
class Cell:
    """Records of a stratum: all of them, those with a value in a column, or of these those without one in another.

    label : of the cell, "" for all records; inside, without : column and value.
    """

    label: str = ""
    inside: tuple[int, float] | None = None
    without: tuple[int, float] | None = None

    def of(self, X: Array) -> Mask:
        """(n,) which records of X (n, s) are in it."""
        chosen: Mask = np.ones(len(X), dtype=bool)
        if self.inside is not None:
            chosen = X[:, self.inside[0]] == self.inside[1]
        return chosen if self.without is None else chosen & (X[:, self.without[0]] != self.without[1])


class KeptTotals:
    """The totals of a release that comes in blocks, beside those of its original, by stratum and cell.

    X : the columns that leave as they came and explain the others, (n, s) and perhaps more to their right; each that has
    two values in a stratum makes two domains. levels : what columns of 0 and 1 right of the independent ones are called.
    strata : the records of each; None for one of all. A total is preserved where it moves by less than p per cent of its
    largest contribution.

    An intruder who knows all contributors but one reads that one from a preserved total; so does a contributor, nearly, who
    knows that the others are small. With two totals kept, their difference is kept too: the domains' complements, and what
    a domain has beyond one that lies within it. Own; the rules of tables applied to invariants. On invariants: Bailie, Gong
    and Meng (2025).
    """

    def __init__(
        self,
        X: Records,
        dependent: Sequence[str],
        independent: Sequence[str],
        strata: Sequence[Rows] | None,
        *,
        levels: Sequence[str] = (),
    ) -> None:
        self._dependent, self._strata, self._seen = tuple(dependent), strata, 0
        self._codes: Codes | None = None
        if strata is not None:
            self._codes = np.empty(X.n, dtype=np.int64)
            for k, rows in enumerate(strata):
                self._codes[rows] = k
        self._cells = self._found(X, (*independent, *levels), set(levels))
        t = len(self._dependent)
        self._sums = [[_Sums(t) for _ in cells] for cells in self._cells]

    def add(self, X: Array, Y: Array, Z: Array) -> None:
        """The next records: X (b, s), and dependent columns of the original and of the release before rounding, (b, t)."""
        for k, rows in self._by_stratum(len(X)):
            x, y, moved = X[rows], np.abs(Y[rows]), Z[rows] - Y[rows]
            for cell, sums in zip(self._cells[k], self._sums[k], strict=True):
                inside = cell.of(x)
                sums.add(y[inside], moved[inside])
        self._seen += len(X)

    def unsafe(self, p: float = P) -> tuple[UnsafeTotal, ...]:
        """The preserved totals that break a rule."""
        return self.checked(p).unsafe

    def checked(self, p: float = P) -> TotalsChecked:
        """The preserved totals of all records so far; the unsafe ones by stratum, domain and column. p : per cent, of the
        p% rule and of what a preserved total moves."""
        found, preserved = [], 0
        for k, (cells, of_cells) in enumerate(zip(self._cells, self._sums, strict=True)):
            where = "" if self._strata is None else f"stratum {k + 1} of {len(self._cells)}"
            for cell, sums in zip(cells, of_cells, strict=True):
                kept = np.flatnonzero(np.abs(sums.moved) < p / 100 * sums.largest[0]).tolist()
                preserved += len(kept)
                for j in kept:
                    if rules := broken_rules(sums.largest[:, j].tolist(), float(sums.size[j]), int(sums.many[j]), p):
                        named = ", ".join(word for word in (where, cell.label) if word) or "all records"
                        found.append(UnsafeTotal(self._dependent[j], named, int(sums.many[j]), rules))
        return TotalsChecked(preserved, tuple(found))

    def _by_stratum(self, b: int) -> Iterator[tuple[int, Rows]]:
        """The strata that the next b records are of, each with these records."""
        if self._codes is None:
            yield 0, np.arange(b)
            return
        codes = self._codes[self._seen : self._seen + b]
        order = np.argsort(codes, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
            if len(rows):
                yield int(codes[rows[0]]), rows

    def _passed(self, X: Records, s: int) -> Iterator[tuple[int, Array]]:
        """All records, (b, s) at a time, by stratum."""
        for where in row_blocks(X.n) if X.n else ():
            self._seen, block = where.start, X.read(where)[:, :s]
            for k, rows in self._by_stratum(len(block)):
                yield k, block[rows]
        self._seen = 0

    def _found(self, X: Records, names: tuple[str, ...], levels: Set[str]) -> list[list[Cell]]:
        """The cells of each stratum: all of it, each domain, and what each has beyond another within it."""
        s, many = len(names), 1 if self._strata is None else len(self._strata)
        low, high = np.full((many, s), np.inf), np.full((many, s), -np.inf)
        for k, x in self._passed(X, s):
            low[k], high[k] = np.minimum(low[k], x.min(axis=0)), np.maximum(high[k], x.max(axis=0))
        two = low < high
        for k, x in self._passed(X, s):
            two[k] &= ((x == low[k]) | (x == high[k])).all(axis=0)
        columns = [np.flatnonzero(row) for row in two]

        def called(j: int, value: float) -> str:
            return f"{names[j]}={value:g}" if names[j] not in levels else names[j] if value else f"not {names[j]}"

        common = [np.zeros((2 * len(js), 2 * len(js))) for js in columns]
        for k, x in self._passed(X, s):
            D = _members(x[:, columns[k]], low[k, columns[k]], high[k, columns[k]])
            common[k] += D.T @ D
        return [
            [
                Cell(),
                *_domains([(j, float(v)) for j in js.tolist() for v in (low[k, j], high[k, j])], common[k], called),
            ]
            for k, js in enumerate(columns)
        ]


class _Sums:
    """Of a cell, by column (t,): sums of magnitudes and of what the release moved, how many are not 0, the two largest."""

    def __init__(self, t: int) -> None:
        self.size, self.moved, self.many = np.zeros(t), np.zeros(t), np.zeros(t, dtype=np.int64)
        self.largest = np.zeros((2, t))

    def add(self, sizes: Array, moved: Array) -> None:
        """More records, (b, t) each."""
        self.size += sizes.sum(axis=0)
        self.moved += moved.sum(axis=0)
        self.many += (sizes > 0).sum(axis=0)
        together = np.vstack([self.largest, sizes])
        self.largest = -np.sort(np.partition(-together, 1, axis=0)[:2], axis=0)


def _members(x: Array, low: Array, high: Array) -> Array:
    """(b, 2k) whether the values of each of k columns are its lower, and whether its upper one."""
    return np.stack([x == low, x == high], axis=2).reshape(len(x), -1).astype(np.float64)


def _domains(values: Sequence[tuple[int, float]], common: Array, called: Callable[[int, float], str]) -> Iterator[Cell]:
    """The domains of columns with two values, then the differences. common : how many records two domains share."""
    labels = [called(j, value) for j, value in values]
    yield from (Cell(label, value) for label, value in zip(labels, values, strict=True))
    size = np.diag(common)
    for a, b in np.argwhere((common == size) & (size < size[:, None])):  # b within a
        if values[a][0] != values[b][0]:
            yield Cell(f"{labels[a]} without {labels[b]}", values[a], values[b])


def preserved_unsafe_totals(
    X: Array,
    independent: Sequence[str],
    Y: Array,
    Z: Array,
    dependent: Sequence[str],
    *,
    strata: Sequence[Rows] | None = None,
    levels: Sequence[str] = (),
) -> TotalsChecked:
    """The preserved totals of two paired files. X (n, s), columns of 0 and 1 for `levels` at its right; Y, Z : (n, t)."""
    totals = KeptTotals(Records(X), dependent, independent, strata, levels=levels)
    for rows in row_blocks(len(X)):
        totals.add(X[rows], Y[rows], Z[rows])
    return totals.checked()


def said_of_totals(found: Sequence[UnsafeTotal], strict: bool) -> list[Note]:
    """The note that names these totals, none where there are none. strict : they are refused, by InvalidInput."""
    if not found:
        return []
    cells = "; ".join(str(one) for one in found[:SHOWN])
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    if strict:
        rule = "with strict_totals no preserved total may disclose a contribution"
        raise InvalidInput("protect", rule, f"{len(found)}: {cells}{more}")
    said = (
        "{count} {count:total is|totals are} preserved to less than 10 % of {count:its|their} largest contribution and "
        "{count:discloses|disclose} it, as {count:a cell|cells} of a published table would: {cells}"
    )
    columns = list(dict.fromkeys(one.column for one in found))
    return [Note.of("risk", said, columns, count=len(found), cells=cells + more)]


def unsafe_in(notes: Iterable[Note]) -> int:
    """How many totals the notes of a release name."""
    return sum(note.count or 0 for note in notes if note.kind == "risk" and "cells" in note.facts)
