"""Totals that a release preserves are a published table: which of its cells disclose a contribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..engine import row_blocks
from ..errors import InvalidInput, Note
from ..types import Array, Codes, Mask, Rows
from .blocks import Records
from .codes import groups_of

MIN_CONTRIBUTORS = 3
P = 10.0  # per cent of the largest contribution: a total that moves by less is preserved, and discloses it to this precision
DOMINANCE = ((1, 75.0), (2, 85.0))  # so many contributors must not have more than so many per cent
SHOWN = 12  # totals in a note
UNSAFE = (
    "{count} {count:total is|totals are} preserved to less than 10 % of {count:its|their} largest contribution and "
    "{count:discloses|disclose} it, as {count:a cell|cells} of a published table would: {cells}"
)


@dataclass(frozen=True)
class UnsafeTotal:
    """A preserved total that discloses a contribution.

    Parameters
    ----------
    column : str
        The column that is added up.
    cell : str
        The records: "all records", a stratum by its number, a domain as "column=value", or the difference of two domains.
    contributors : int
        Records of the cell that are not 0.
    rules : tuple of str
        The violated rules: "fewer than 3 contributors", "p% rule", "(1, 75) dominance", "(2, 85) dominance".
    """

    column: str
    cell: str
    contributors: int
    rules: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column} of {self.cell} ({', '.join(self.rules)})"


@dataclass(frozen=True)
class Contributions:
    """Contributions to the totals of t columns."""

    records: int
    """Number of records."""
    total: Array
    """The sum of the magnitudes of each column (t,)."""
    contributors: Codes
    """The number of magnitudes above 0 of each column (t,)."""
    largest: Array
    """The two largest magnitudes of each column (2, t), the largest first."""

    @classmethod
    def of(cls, sizes: Array) -> Contributions:
        """The contributions of records with these magnitudes (b, t)."""
        return cls(
            records=len(sizes),
            total=sizes.sum(axis=0),
            contributors=(sizes > 0).sum(axis=0),
            largest=_two_largest(sizes),
        )

    def __add__(self, other: Contributions) -> Contributions:
        return Contributions(
            records=self.records + other.records,
            total=self.total + other.total,
            contributors=self.contributors + other.contributors,
            largest=_two_largest(np.vstack([self.largest, other.largest])),
        )

    def violated_rules(self, j: int) -> tuple[str, ...]:
        """The rules of tables that the total of column j violates. Contributions of both signs count by their magnitudes.

        With contributions x1 >= x2 >= ... and total T: fewer than 3 contributors; T - x1 - x2 < 10 % of x1; x1 > 75 % of T;
        x1 + x2 > 85 % of T. None where all are 0. Source: Hundepool et al. (2012), chapter 4.
        """
        if self.contributors[j] == 0:
            return ()
        first, second = self.largest[:, j]
        total = self.total[j]
        violated = []
        if self.contributors[j] < MIN_CONTRIBUTORS:
            violated.append(f"fewer than {MIN_CONTRIBUTORS} contributors")
        if total - first - second < P / 100 * first:
            violated.append("p% rule")
        of_largest = {1: first, 2: first + second}  # sums of the k largest
        for k, share in DOMINANCE:
            if of_largest[k] > share / 100 * total:
                violated.append(f"({k}, {share:g}) dominance")
        return tuple(violated)


def _two_largest(sizes: Array) -> Array:
    """The two largest magnitudes (2, t) of each column of sizes (b, t), the largest first; 0 where there are fewer."""
    padded = np.vstack([sizes, np.zeros((2, sizes.shape[1]))])
    return np.partition(padded, [-2, -1], axis=0)[[-1, -2]]


class Cell:
    """Records of a stratum that meet some conditions, such as all of them, or those with a value in a column.

    label : of the cell, "" for all records; conditions : column, value, and whether the records have it. values :
    contributions to the t dependent columns; change : (t,) the sums of changes.
    """

    def __init__(self, t: int, label: str = "", *conditions: tuple[int, float, bool]) -> None:
        self.label = label
        self.conditions = conditions
        self.values = Contributions.of(np.empty((0, t)))
        self.change = np.zeros(t)

    def add(self, X: Array, sizes: Array, changes: Array) -> None:
        """Add records: X (b, s), and magnitudes and changes (b, t)."""
        rows: Mask = np.ones(len(X), dtype=bool)
        for j, value, has_value in self.conditions:
            rows &= (X[:, j] == value) == has_value
        self.values += Contributions.of(sizes[rows])
        self.change += changes[rows].sum(axis=0)


class PreservedTotals:
    """The totals of a release that comes in blocks, and those of its original, by stratum and cell.

    X : the unmodified predictors (n, s), perhaps with more columns to their right; each column with two values in a
    stratum makes two domains. levels : names of the columns of 0 and 1 right of the independent ones. stratum (n,) :
    its number by record, from 0; None for one of all. A total is preserved where it changes by less than P per cent of its largest
    contribution.

    An intruder who knows all contributors but one computes that one from a preserved total. A contributor who knows
    that the others are small does so nearly. With two totals their difference is preserved: of a domain and its
    complement, and of a domain and one within it. Own; the rules of tables applied to invariants. On invariants:
    Bailie, Gong and Meng (2025).
    """

    def __init__(
        self,
        X: Records,
        dependent: Sequence[str],
        independent: Sequence[str],
        stratum: Codes | None,
        *,
        levels: Sequence[str] = (),
    ) -> None:
        self._dependent = tuple(dependent)
        self._levels = levels
        self._by_strata = stratum is not None
        self._stratum = np.zeros(X.n, dtype=np.int64) if stratum is None else stratum
        self._seen = 0  # records of earlier blocks
        self._cells = self._find_cells(X, (*independent, *levels))

    def add(self, X: Array, Y: Array, Z: Array) -> None:
        """Add the next records: X (b, s), and dependent columns of original and release before rounding, (b, t)."""
        for k, rows in self._parts(slice(self._seen, self._seen + len(X))):
            sizes = np.abs(Y[rows])
            changes = Z[rows] - Y[rows]
            for cell in self._cells[k]:
                cell.add(X[rows], sizes, changes)
        self._seen += len(X)

    def checked(self) -> tuple[int, tuple[UnsafeTotal, ...]]:
        """Number of totals of all records so far that are preserved, and those that disclose a contribution."""
        unsafe = []
        preserved = 0
        for k, cells in enumerate(self._cells):
            stratum = f"stratum {k + 1} of {len(self._cells)}" if self._by_strata else ""
            for cell in cells:
                values = cell.values
                columns = np.flatnonzero(np.abs(cell.change) < P / 100 * values.largest[0]).tolist()
                preserved += len(columns)
                label = ", ".join(text for text in (stratum, cell.label) if text) or "all records"
                for j in columns:
                    rules = values.violated_rules(j)
                    if rules:
                        unsafe.append(UnsafeTotal(self._dependent[j], label, int(values.contributors[j]), rules))
        return preserved, tuple(unsafe)

    def _parts(self, block: slice) -> Iterator[tuple[int, Rows]]:
        """The strata of a block's records, each with the positions of these in the block."""
        codes = self._stratum[block]
        return ((int(codes[rows[0]]), rows) for rows in groups_of(codes))

    def _find_cells(self, X: Records, names: tuple[str, ...]) -> list[list[Cell]]:
        """The cells of each stratum: all of it, each domain, and what each domain has beyond another within it."""
        t = len(self._dependent)
        strata = groups_of(self._stratum)
        domains: list[list[tuple[int, float]]] = [[] for _ in strata]  # of each stratum: column and value
        for j in range(len(names)):
            column = X.column(j)[:, 0]
            for rows, of_stratum in zip(strata, domains, strict=True):
                values = np.unique(column[rows]).tolist()
                if len(values) == 2:
                    of_stratum += [(j, value) for value in values]
        common = [
            np.zeros((len(of_stratum), len(of_stratum))) for of_stratum in domains
        ]  # records that two domains share
        for block in row_blocks(X.n):
            A = X.read(block)
            for k, rows in self._parts(block):
                members = [A[rows, j] == value for j, value in domains[k]]
                D = np.array(members, dtype=np.float64).reshape(-1, len(rows))  # (domains, records): 1 for a member
                common[k] += D @ D.T
        cells = []
        for of_stratum, shared in zip(domains, common, strict=True):
            cells.append([Cell(t), *self._domain_cells(names, of_stratum, shared)])
        return cells

    def _domain_cells(
        self, names: Sequence[str], domains: Sequence[tuple[int, float]], common: Array
    ) -> Iterator[Cell]:
        """The cells of d domains of a stratum: each, and what is left of it without another domain within it.

        domains : column and value; common : (d, d), the numbers of records that two domains share.
        """
        labels = []
        for j, value in domains:
            name = names[j]
            level = name if value else f"not {name}"
            labels.append(level if name in self._levels else f"{name}={value:g}")
        t = len(self._dependent)
        for label, domain in zip(labels, domains, strict=True):
            yield Cell(t, label, (*domain, True))
        size = np.diag(common)
        is_within = (common == size) & (size < size[:, None])  # [a, b]: all records of b are in a, which has more
        for a, b in np.argwhere(is_within):
            if domains[a][0] != domains[b][0]:
                yield Cell(t, f"{labels[a]} without {labels[b]}", (*domains[a], True), (*domains[b], False))


def totals_note(totals: Sequence[UnsafeTotal], strict: bool) -> list[Note]:
    """The note on unsafe totals, where there are any. strict : raises InvalidInput instead."""
    if not totals:
        return []
    cells = "; ".join(map(str, totals[:SHOWN]))
    if len(totals) > SHOWN:
        cells += f"; and {len(totals) - SHOWN} more"
    if strict:
        rule = "with strict_totals no preserved total may disclose a contribution"
        raise InvalidInput("protect", rule, f"{len(totals)}: {cells}")
    columns = list(dict.fromkeys(total.column for total in totals))
    return [Note.of("risk", UNSAFE, columns, count=len(totals), cells=cells)]
