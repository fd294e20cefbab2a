"""Linear identities that nobody declared: a column that others add up to, exactly or but for rounding.

Each column is explained by the others on several small sets of records, so that a few wrong records spoil only some;
coefficients that come out are made whole, and counted on every record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..types import Array, Mask

MOST_TERMS = 10  # parts of a total
SETS = 6  # of records, evenly spaced
BESIDE = 24  # records of a set, beyond four for each column
MARGIN = 12  # records, beyond two for each term, that must support an identity
NEEDED = 6  # records in which each term must be needed
HOLDS = 0.99  # of the records
EXACT = 1e-9  # of the size of the terms: floats added up
NEAR = 0.02  # of a coefficient, from the whole number it is taken for
ALIKE = 1e-3  # less than the cosine 1 of a column and its multiple
MOST_PAIRED = 120  # columns of which all pairs are tried
SUPPORTING_RECORDS = 5_000  # records, evenly spaced, that must support an identity
FINE = 1e-7  # of a coefficient, from the decimals it is taken for
COARSE = 4  # tolerances that the spread of each column must have, for one but for rounding


@dataclass(frozen=True)
class Identity:
    """target == sum of coefficient * part, to `within` (0: exactly), in `count` of `total` records.

    terms : parts with their coefficients, in the order of the columns.
    """

    target: str
    terms: tuple[tuple[str, float], ...]
    within: float
    count: int
    total: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The target, then the parts."""
        return (self.target, *(name for name, _ in self.terms))

    def key(self) -> frozenset[tuple[str, float]]:
        """The same for every way of writing it."""
        whole = {self.target: -1.0, **dict(self.terms)}
        lead = whole[min(whole)]
        return frozenset((name, round(c / lead, 9)) for name, c in whole.items())


def identities(values: Mapping[str, Array]) -> list[Identity]:
    """The identities among columns (n,), NaN for missing; those that follow from others by putting one in are left out."""
    names = [name for name, v in values.items() if np.isfinite(v).sum() > MARGIN and np.nanstd(v) > 0]
    if len(names) < 2:
        return []
    A = np.column_stack([values[name] for name in names])
    units = [unit_of(values[name]) for name in names]
    complete = np.flatnonzero(np.isfinite(A).all(axis=1))
    found: dict[frozenset[tuple[str, float]], Identity] = {}
    for j in range(len(names)):
        for target, beta in _candidates(A[complete], j, units):
            parts = np.flatnonzero(beta)
            made = _counted(A, names, target, parts, beta[parts], units)
            if made is not None:
                found.setdefault(made.key(), made)
    return _independent(list(found.values()))


def unit_of(values: Array) -> float:
    """What the values are multiples of: 1, 0.1, 0.01 or 0.001; 0 where of none."""
    known = values[np.isfinite(values)]
    for unit in (1.0, 10.0, 100.0, 1000.0):
        scaled = known * unit
        if (np.abs(scaled - np.rint(scaled)) <= EXACT * np.maximum(1.0, np.abs(scaled))).all():
            return 1 / unit
    return 0.0


def _candidates(A: Array, j: int, units: Sequence[float]) -> Iterator[tuple[int, Array]]:
    """Column j and coefficients (p,) of the others, whole or of few decimals, from sets of records where it is not 0."""
    p = A.shape[1]
    rows = np.flatnonzero(A[:, j] != 0)
    size = min(len(rows), 4 * p + BESIDE)
    seen = set[tuple[float, ...]]()
    if len(rows) <= MARGIN:
        return
    for k in range(SETS):
        start = k * len(rows) // (SETS * size) if size else 0
        chosen = rows[(start + np.linspace(0, len(rows) - 1, size).astype(np.intp)) % len(rows)]
        made_of = (*_pursued(A[chosen], j, False), *_pursued(A[chosen], j, True), *_pairs(A[chosen], j, units))
        for made in (plain for beta in made_of for plain in _plain(beta)):
            if made.any() and tuple(made) not in seen:
                seen.add(tuple(made))
                yield j, made
        if size == len(rows):
            return


def _pairs(B: Array, j: int, units: Sequence[float]) -> Iterator[Array]:
    """Sums and differences of two columns that are column j within two units, in nearly all records."""
    p = B.shape[1]
    if p > MOST_PAIRED:
        return
    for a in range(p):
        for sign in (1, -1):
            off = np.abs(B[:, j, None] - B[:, a, None] - sign * B)
            near = off <= 2 * max(units[j], units[a]) + EXACT * (
                np.abs(B[:, j, None]) + np.abs(B[:, a, None]) + np.abs(B)
            )
            for b in np.flatnonzero(near.mean(axis=0) >= HOLDS):
                if a != j and b != j and a != b:
                    beta = np.zeros(p)
                    beta[a], beta[b] = 1, sign
                    yield beta


def _pursued(B: Array, j: int, apart: bool) -> Iterator[Array]:
    """Coefficients (p,) of column j on more and more of the others, each that which explains most of what is left.

    Records count by the inverse of their size, so that no giant decides. Those whose fit is close are given.
    apart : without the columns that are nearly a multiple of j, behind which its parts do not show.
    """
    y = B[:, j]
    weight = 1 / (np.abs(y) + np.median(np.abs(y)))
    W, y = B * weight[:, None], y * weight
    norm = np.linalg.norm(W, axis=0)
    if apart:
        norm[np.abs(W.T @ y) > (1 - ALIKE) * norm * np.linalg.norm(y)] = 0
    chosen: list[int] = []
    left, whole = y, float(y @ y)
    for _ in range(min(MOST_TERMS, B.shape[1] - 1, len(B) // 2)):
        gain = np.abs(W.T @ left) / np.where(norm > 0, norm, np.inf)
        gain[[j, *chosen]] = -1
        chosen.append(int(gain.argmax()))
        if gain[chosen[-1]] <= 0:
            return
        beta, *_ = np.linalg.lstsq(W[:, chosen], y, rcond=1e-12)
        left = y - W[:, chosen] @ beta
        if left @ left < 1e-3 * whole:
            made = np.zeros(B.shape[1])
            made[chosen] = beta
            yield made
        if left @ left <= 1e-22 * whole:
            return


def _plain(beta: Array) -> Iterator[Array]:
    """The coefficients as whole numbers, and where they are that close as numbers of up to four decimals."""
    whole = np.rint(beta)
    if (np.abs(beta - whole) <= NEAR * np.maximum(1.0, np.abs(whole))).all():
        yield whole
    for decimals in (1, 2, 4):
        made = np.round(beta, decimals)
        if (np.abs(beta - made) <= FINE * np.maximum(1.0, np.abs(made))).all() and (made != whole).any():
            yield made
            return


def _counted(
    A: Array, names: Sequence[str], j: int, parts: NDArray[np.intp], beta: Array, units: Sequence[float]
) -> Identity | None:
    """The identity of column j, where the records bear it out; None where they do not, or are too few to tell."""
    columns = [j, *parts.tolist()]
    B = A[:, columns]
    B = B[np.isfinite(B).all(axis=1)]
    off, size = np.abs(B[:, 0] - B[:, 1:] @ beta), np.abs(B[:, 0]) + np.abs(B[:, 1:]) @ np.abs(beta)
    exact = off <= EXACT * size
    unit, finest = max(units[k] for k in columns), min(units[k] for k in columns)
    rounded = exact if finest == 0 else off <= len(parts) * unit + EXACT * size
    plain = bool((np.abs(beta) >= 1).all() and (beta == np.rint(beta)).all())
    if exact.mean() >= HOLDS:
        holds, within = exact, 0.0
    elif plain and rounded.mean() >= HOLDS:
        holds, within = rounded, float(np.ceil(off[rounded].max() / finest - NEAR) * finest)
        if (B.std(axis=0) < COARSE * within).any():
            return None
    else:
        return None
    if not _borne_out(B, beta, holds, within):
        return None
    terms = sorted(zip(parts.tolist(), beta.tolist(), strict=True))
    named = tuple((names[k], float(c)) for k, c in terms)
    return Identity(names[j], named, within, int(holds.sum()), len(B))


def _borne_out(B: Array, beta: Array, holds: Mask, within: float) -> bool:
    """Whether more records of different values than terms say it, and each term is needed in several of them."""
    terms = len(beta)
    supporting = B[holds & (B[:, 0] != 0)]
    supporting = (
        supporting[np.linspace(0, len(supporting) - 1, min(len(supporting), SUPPORTING_RECORDS)).astype(np.intp)]
        if len(supporting)
        else supporting
    )
    # Two records of which one is a multiple of the other are one equation; of a multiple each value is one.
    size = np.abs(supporting).max(axis=1, keepdims=True) if terms > 1 else np.ones((len(supporting), 1))
    if len(np.unique(np.round(supporting / np.where(size > 0, size, 1.0), 9), axis=0)) < 2 * terms + MARGIN:
        return False
    moved = np.abs(supporting[:, 1:] * beta)
    limit = within + EXACT * np.abs(supporting).max(axis=1)
    return all(len(np.unique(supporting[moved[:, k] > limit, k + 1])) >= NEEDED for k in range(terms))


def _independent(found: list[Identity]) -> list[Identity]:
    """Those that are not sums of others: exact ones first, then those of few terms. A column is a target once."""
    chosen: list[Identity] = []
    columns = sorted({name for one in found for name in one.columns})
    rows = np.empty((0, len(columns)))
    for one in sorted(found, key=lambda each: (each.within > 0, len(each.terms), -each.count)):
        row = np.zeros((1, len(columns)))
        row[0, columns.index(one.target)] = -1
        for name, c in one.terms:
            row[0, columns.index(name)] = c
        wider = np.vstack([rows, row])
        if np.linalg.matrix_rank(wider) > len(rows):
            rows = wider
            chosen.append(one)
    return chosen
