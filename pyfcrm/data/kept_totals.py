"""Totals that a release keeps exactly are a published table: which of its cells give a contribution away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput, Note
from ..types import Array, Mask, Rows

EXACT = 1e-9  # of a stratum's sum of magnitudes: a total that moved by less is kept
FEWEST = 3  # contributors
P = 10.0  # per cent of the largest contribution that the second must not come nearer to
DOMINANCE = ((1, 75.0), (2, 85.0))  # so many contributors must not have more than so many per cent
SHOWN = 12


@dataclass(frozen=True)
class UnsafeTotal:
    """One total that is kept exactly and gives a contribution away.

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


def broken_rules(values: Array, p: float = P) -> tuple[str, ...]:
    """Which rules of tables the total of some contributions breaks.

    Parameters
    ----------
    values : ndarray, shape (m,)
        Contributions; of both signs they count by their magnitudes.
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
    sizes = np.sort(np.abs(values))[::-1]
    total, many = float(sizes.sum()), int((sizes > 0).sum())
    if not many:
        return ()
    largest, rest = float(sizes[0]), float(sizes[2:].sum())
    broken = [f"fewer than {FEWEST} contributors"] if many < FEWEST else []
    broken += ["p% rule"] if rest < p / 100 * largest else []
    broken += [f"({k}, {share:g}) dominance" for k, share in DOMINANCE if float(sizes[:k].sum()) > share / 100 * total]
    return tuple(broken)


def unsafe_totals(
    Y: Array,
    Z: Array,
    X: Array,
    *,
    dependent: Sequence[str],
    independent: Sequence[str],
    strata: Sequence[Rows] | None = None,
    p: float = P,
) -> tuple[UnsafeTotal, ...]:
    """The totals that a release keeps exactly and that break a rule.

    Parameters
    ----------
    Y, Z : ndarray, shape (n, t)
        Dependent columns of the original and of the release before rounding, records paired.
    X : ndarray, shape (n, s)
        The columns that leave as they came and explain them. Each that has two values in a stratum makes two domains.
    dependent, independent : sequence of str
        The names of the columns.
    strata : sequence of rows, optional
        The records of each stratum; None for one of all.
    p : float
        Per cent, of the p% rule.

    Returns
    -------
    tuple of UnsafeTotal
        By stratum, domain and column. A total is kept where it moved by no more than 1e-9 of the stratum's sum of
        magnitudes.

    Notes
    -----
    An intruder who knows all contributors but one reads that one from an exact total; so does a contributor, nearly, who
    knows that the others are small. With two totals kept, their difference is kept too: the domains' complements, and what
    a domain has beyond one that lies within it.

    References
    ----------
    Own; the rules of tables applied to invariants. On invariants: Bailie, Gong and Meng (2025).
    """
    parts = [np.arange(len(Y))] if strata is None else strata
    found = []
    for k, rows in enumerate(parts):
        where = "" if strata is None else f"stratum {k + 1} of {len(parts)}"
        A, moved = Y[rows], Z[rows] - Y[rows]
        least = EXACT * np.abs(A).sum(axis=0)
        for cell, inside in _cells(X[rows], independent):
            y, kept = A[inside], np.abs(moved[inside].sum(axis=0)) <= least
            for j in np.flatnonzero(kept).tolist():
                if rules := broken_rules(y[:, j], p):
                    named = ", ".join(word for word in (where, cell) if word) or "all records"
                    found.append(UnsafeTotal(dependent[j], named, int((y[:, j] != 0).sum()), rules))
    return tuple(found)


def _cells(X: Array, names: Sequence[str]) -> Iterator[tuple[str, Mask]]:
    """All records of a stratum (""), each domain, and what each domain has beyond another within it."""
    yield "", np.ones(len(X), dtype=bool)
    labels, columns, source = [], [], []
    for j, name in enumerate(names):
        values = np.unique(X[:, j])
        for value in values if len(values) == 2 else ():
            labels.append(f"{name}={value:g}")
            columns.append(X[:, j] == value)
            source.append(j)
    if not labels:
        return
    D = np.column_stack(columns)
    yield from zip(labels, D.T, strict=True)
    common, size = D.T.astype(np.float64) @ D.astype(np.float64), D.sum(axis=0)
    for a, b in np.argwhere((common == size) & (size < size[:, None])):  # b within a
        if source[a] != source[b]:
            yield f"{labels[a]} without {labels[b]}", D[:, a] & ~D[:, b]


def said_of_totals(found: Sequence[UnsafeTotal], strict: bool) -> list[Note]:
    """The note that names these totals, none where there are none. strict : they are refused, by InvalidInput."""
    if not found:
        return []
    cells = "; ".join(str(one) for one in found[:SHOWN])
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    if strict:
        rule = "with strict_totals no total that is kept exactly may give a contribution away"
        raise InvalidInput("protect", rule, f"{len(found)}: {cells}{more}")
    said = "{count} totals are kept exactly and give a contribution away, as cells of a published table would: {cells}"
    columns = list(dict.fromkeys(one.column for one in found))
    return [Note.of("risk", said, columns, count=len(found), cells=cells + more)]
