"""Totals that a release preserves are a published table: which of its cells disclose a contribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput, Note
from ..types import Array, Codes, Index, Mask
from .blocks import Records
from .codes import groups_of
from .level_domains import Domains, domains_of

MIN_CONTRIBUTORS = 3
P = 10.0  # per cent of the largest contribution: a total that moves by less is preserved, and discloses it to this precision
DOMINANCE = ((1, 75.0), (2, 85.0))  # so many contributors must not have more than so many per cent
RULES = (
    f"fewer than {MIN_CONTRIBUTORS} contributors",
    "p% rule",
    *(f"({k}, {share:g}) dominance" for k, share in DOMINANCE),
)
FEW_LARGEST = 16  # contributions of a domain among which the two largest outside another are looked for first
SHOWN = 12  # totals in a note
LEFT_OUT = "totals of {count} of {total} differences of two domains are not examined: those with most records"
UNSAFE_IN_BRIEF = (
    "{count} preserved {count:total discloses its|totals disclose their} largest contribution to within 10 %, as "
    "{count:a cell|cells} of a published table would"
)
UNSAFE = UNSAFE_IN_BRIEF + ": {cells}"


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

    @classmethod
    def of(cls, column: str, cell: str, sizes: Array) -> UnsafeTotal | None:
        """The total of a cell whose contributions have these magnitudes (n,); None where it violates no rule."""
        contributions = Contributions.of(sizes[:, None])
        rules = contributions.violated_rules(0)
        if not rules:
            return None
        return cls(column=column, cell=cell, contributors=int(contributions.contributors[0]), rules=rules)

    def __str__(self) -> str:
        return f"{self.column} of {self.cell} ({', '.join(self.rules)})"


@dataclass(frozen=True)
class Contributions:
    """Contributions of records to the totals of t columns, by their magnitudes."""

    records: int
    """Number of records."""
    total: Array
    """Sum of the magnitudes in each column (t,)."""
    contributors: Codes
    """Number of records that are not 0 in each column (t,)."""
    largest: Array
    """The largest and the second largest magnitude in each column (2, t)."""

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
        """Names of the rules of tables that the total of column j violates."""
        return _names_of_rules(_violations(self.total, self.contributors, self.largest)[:, j])


def _violations(total: Array, contributors: Codes, largest: Array) -> Mask:
    """Whether each of the RULES is violated (4, ...), by totals of any shape. Contributions of both signs count by magnitude.

    With contributions x1 >= x2 >= ... and total T: fewer than 3 contributors; T - x1 - x2 < 10 % of x1; x1 > 75 % of T;
    x1 + x2 > 85 % of T. None where all are 0. largest : (2, ...). Source: Hundepool et al. (2012), chapter 4.
    """
    first, second = largest
    violated = np.array(
        [
            contributors < MIN_CONTRIBUTORS,
            total - first - second < P / 100 * first,
            first > DOMINANCE[0][1] / 100 * total,
            first + second > DOMINANCE[1][1] / 100 * total,
        ]
    )
    return violated & (contributors > 0)


def _names_of_rules(violated: Mask) -> tuple[str, ...]:
    """Names of the rules that are violated (4,)."""
    return tuple(rule for rule, is_violated in zip(RULES, violated, strict=True) if is_violated)


def _two_largest(sizes: Array) -> Array:
    """The largest and the second largest of magnitudes (b, ...) along the first axis, (2, ...); 0 where b is smaller."""
    padded = np.concatenate([sizes, np.zeros((2, *sizes.shape[1:]))])
    return np.partition(padded, [-2, -1], axis=0)[[-1, -2]]


class _CellTotals:
    """Contributions and changes of the cells of one stratum, summed up block by block.

    A cell is all records, one of the k domains, or one of the d differences of two domains, in this order. The sums of a
    difference follow from those of its domains. Its two largest contributions do not: they are looked up in each block.
    """

    def __init__(self, domains: Domains, t: int) -> None:
        cells = 1 + len(domains.values) + len(domains.differences)
        self.domains = domains
        self.total = np.zeros((cells, t))
        self.contributors = np.zeros((cells, t), dtype=np.int64)
        self.change = np.zeros((cells, t))
        self.largest = np.zeros((2, cells, t))

    def add(self, X: Array, sizes: Array, changes: Array) -> None:
        """Adds the records of a block: X (b, s), and magnitudes and changes (b, t)."""
        parts = [Contributions.of(sizes)]
        part_changes = [changes.sum(axis=0)]
        differences = [np.empty((2, 0, sizes.shape[1]))]
        for a in range(len(self.domains.values)):
            rows = np.flatnonzero(self.domains.members(X, a))
            parts.append(Contributions.of(sizes[rows]))
            part_changes.append(changes[rows].sum(axis=0))
            differences.append(self._largest_outside(X[rows], sizes[rows], self.domains.within(a)))
        self.total = self.total + self._with_differences(np.array([part.total for part in parts]))
        contributors = np.array([part.contributors for part in parts])
        self.contributors = self.contributors + self._with_differences(contributors).astype(np.int64)
        self.change = self.change + self._with_differences(np.array(part_changes))
        largest = np.concatenate([np.stack([part.largest for part in parts], axis=1), *differences], axis=1)
        self.largest = _two_largest(np.concatenate([self.largest, largest]))

    def _with_differences(self, sums: Array) -> Array:
        """Sums of all cells (1 + k + d, t), from those of all records and of the domains (1 + k, t)."""
        of_domains = sums[1:]
        larger, smaller = self.domains.differences.T
        return np.concatenate([sums, of_domains[larger] - of_domains[smaller]])

    def _largest_outside(self, X: Array, sizes: Array, within: Index) -> Array:
        """The two largest magnitudes among the records of a domain that are outside each of d domains within it: (2, d, t).

        X : (b, s) and sizes : (b, t), of the records of the domain; within : (d,), numbers of domains.
        """
        b, t = sizes.shape
        if not len(within) or b == 0:
            return np.zeros((2, len(within), t))
        columns = self.domains.columns[within]
        values = self.domains.values[within]
        # The largest few of a column are enough, unless fewer than two of them are outside.
        few = min(FEW_LARGEST, b)
        top = np.argpartition(sizes, b - few, axis=0)[b - few :]
        top_sizes = np.take_along_axis(sizes, top, axis=0)
        outside = X[top][:, :, columns] != values  # (few, t, d)
        found = _two_largest(np.where(outside, top_sizes[:, :, None], 0.0)).transpose(0, 2, 1)
        undecided = (outside.sum(axis=0) < 2).any(axis=0)
        if few < b:
            for c in np.flatnonzero(undecided):
                found[:, c] = _two_largest(sizes[X[:, columns[c]] != values[c]])
        return found


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
        self._names = (*independent, *levels)
        self._by_strata = stratum is not None
        self._seen = 0
        self._stratum = np.zeros(X.n, dtype=np.int64) if stratum is None else stratum
        domains = domains_of(X, len(self._names), self._stratum)
        self._cells = [_CellTotals(part, len(self._dependent)) for part in domains]

    def add(self, X: Array, Y: Array, Z: Array) -> None:
        """Adds the next records: X (b, s), and dependent columns of the original and of the release before rounding, (b, t)."""
        codes = self._stratum[self._seen : self._seen + len(X)]
        for rows in groups_of(codes):
            k = int(codes[rows[0]])
            self._cells[k].add(X[rows], np.abs(Y[rows]), Z[rows] - Y[rows])
        self._seen += len(X)

    def checked(self) -> tuple[int, tuple[UnsafeTotal, ...]]:
        """Number of totals of all records so far are preserved, and those that disclose a contribution."""
        count = 0
        unsafe = list[UnsafeTotal]()
        for k, cells in enumerate(self._cells):
            preserved = np.abs(cells.change) < P / 100 * cells.largest[0]
            violated = _violations(cells.total, cells.contributors, cells.largest)
            count += int(preserved.sum())
            for c, j in np.argwhere(preserved & violated.any(axis=0)):
                total = UnsafeTotal(
                    column=self._dependent[j],
                    cell=self._label(k, c),
                    contributors=int(cells.contributors[c, j]),
                    rules=_names_of_rules(violated[:, c, j]),
                )
                unsafe.append(total)
        return count, tuple(unsafe)

    def notes(self) -> list[Note]:
        """The note on differences of domains that are not examined, where there are too many."""
        left_out = sum(cells.domains.left_out for cells in self._cells)
        if not left_out:
            return []
        examined = sum(len(cells.domains.differences) for cells in self._cells)
        return [Note.of("risk", LEFT_OUT, count=left_out, total=left_out + examined)]

    def _label(self, k: int, c: int) -> str:
        """The name of cell c of stratum k: all records, a domain, or a difference of two."""
        domains = self._cells[k].domains
        number_of_domains = len(domains.values)
        parts = [f"stratum {k + 1} of {len(self._cells)}"] if self._by_strata else []
        if c > number_of_domains:
            larger, smaller = domains.differences[c - 1 - number_of_domains]
            parts.append(f"{self._domain_label(domains, larger)} without {self._domain_label(domains, smaller)}")
        elif c > 0:
            parts.append(self._domain_label(domains, c - 1))
        return ", ".join(parts) or "all records"

    def _domain_label(self, domains: Domains, a: int) -> str:
        """The name of a domain, such as "flag=1"; of a level its own, or that with "not"."""
        name = self._names[domains.columns[a]]
        value = domains.values[a]
        if name not in self._levels:
            return f"{name}={value:g}"
        return name if value else f"not {name}"


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
    return [Note.of("risk", UNSAFE, columns, count=len(totals), cells=cells, brief=UNSAFE_IN_BRIEF)]
