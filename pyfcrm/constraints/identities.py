"""Linear identities that nobody declared: a column that others add up to, exactly or but for rounding.

Each column is regressed on the others in several small sets of records, so that a few wrong records spoil only some sets.
The coefficients are rounded, and counted on every record.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..data.structure import Kind, Proposal
from ..numerics.location import evenly
from ..types import Array, Mask
from .proposal import coefficients, proposal

MOST_TERMS = 10  # parts of a total
SETS = 6  # of records, evenly spaced
EXTRA_RECORDS = 24  # records of a set, beyond four for each column
MARGIN = 12  # records, beyond two for each term, that must support an identity
NEEDED = 6  # records in which each term must be needed
HOLDS = 0.99  # of the records
EXACT = 1e-9  # of the size of the terms: floats added up
NEAR = 0.02  # of a coefficient, from the whole number it is taken for
MOST_PAIRED = 120  # columns of which all pairs are tried
SUPPORTING_RECORDS = 5_000  # records, evenly spaced, that must support an identity
FINE = 1e-7  # of a coefficient, from the decimals it is taken for
COARSE = 4  # tolerances that the spread of each column must have, for one but for rounding


def identities(values: Mapping[str, Array]) -> list[Proposal]:
    """The identities among columns (n,), NaN for missing, without those that follow from others."""
    names = [name for name, v in values.items() if np.isfinite(v).sum() > MARGIN and np.nanstd(v) > 0]
    if len(names) < 2:
        return []
    A = np.column_stack([values[name] for name in names])
    units = [unit_of(values[name]) for name in names]
    complete = np.flatnonzero(np.isfinite(A).all(axis=1))
    found = list[Proposal]()
    for j in range(len(names)):
        for beta in _candidates(A[complete], j, units):
            parts = np.flatnonzero(beta)
            one = _verified(A, names, j, parts=parts, beta=beta[parts], units=units)
            if one is not None:
                found.append(one)
    return _independent(found)


def unit_of(values: Array) -> float:
    """What the values are multiples of: a power of ten from 1000 to 0.001; 0 where of none."""
    known = values[np.isfinite(values)]
    for unit in (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0):
        scaled = known * unit
        if (np.abs(scaled - np.rint(scaled)) <= EXACT * np.maximum(1.0, np.abs(scaled))).all():
            return 1 / unit
    return 0.0


def _candidates(A: Array, j: int, units: Sequence[float]) -> Iterator[Array]:
    """Coefficients (p,) of the other columns that may give column j, from sets of records where it is not 0."""
    p = A.shape[1]
    rows = np.flatnonzero(A[:, j] != 0)
    if len(rows) <= MARGIN:
        return
    spaced = evenly(len(rows), 4 * p + EXTRA_RECORDS)
    seen = set[tuple[float, ...]]()
    for k in range(SETS):
        start = k * len(rows) // (SETS * len(spaced))
        B = A[rows[(start + spaced) % len(rows)]]
        fitted = (*_matching_pursuit(B, j), *_pairs(B, j, units))
        rounded = [beta for one in fitted for beta in _rounded_coefficients(one)]
        for beta in rounded:
            if beta.any() and tuple(beta) not in seen:
                seen.add(tuple(beta))
                yield beta
        if len(spaced) == len(rows):
            return


def _pairs(B: Array, j: int, units: Sequence[float]) -> Iterator[Array]:
    """Sums and differences of two columns that are column j within two units, in nearly all records."""
    p = B.shape[1]
    if p > MOST_PAIRED:
        return
    total, size = B[:, [j]], np.abs(B)
    for a, sign in product(range(p), (1, -1)):
        limit = 2 * max(units[j], units[a]) + EXACT * (size[:, [j]] + size[:, [a]] + size)
        near = np.abs(total - B[:, [a]] - sign * B) <= limit
        for b in np.flatnonzero(near.mean(axis=0) >= HOLDS):
            if len({a, b, j}) == 3:
                beta = np.zeros(p)
                beta[a], beta[b] = 1, sign
                yield beta


def _matching_pursuit(B: Array, j: int) -> Iterator[Array]:
    """Coefficients (p,) of column j on more and more of the others, each that which explains most of what is left.

    Records are weighted by the inverse of their size. Only coefficients with a close fit are returned.
    """
    y = B[:, j]
    weight = 1 / (np.abs(y) + np.median(np.abs(y)))
    W, y = B * weight[:, None], y * weight
    norm = np.linalg.norm(W, axis=0)
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
            fitted = np.zeros(B.shape[1])
            fitted[chosen] = beta
            yield fitted
        if left @ left <= 1e-22 * whole:
            return


def _rounded_coefficients(beta: Array) -> Iterator[Array]:
    """The coefficients as whole numbers, and where they are that close as numbers of up to four decimals."""
    for decimals, tolerance in ((0, NEAR), (4, FINE)):
        near = np.round(beta, decimals)
        if (np.abs(beta - near) <= tolerance * np.maximum(1.0, np.abs(near))).all():
            yield near


def _verified(
    A: Array, names: Sequence[str], j: int, *, parts: NDArray[np.intp], beta: Array, units: Sequence[float]
) -> Proposal | None:
    """The identity of column j, or None where too many records break it or too few support it."""
    columns = [j, *parts.tolist()]
    B = A[:, columns]
    B = B[np.isfinite(B).all(axis=1)]
    off = np.abs(B[:, 0] - B[:, 1:] @ beta)
    size = np.abs(B[:, 0]) + np.abs(B[:, 1:]) @ np.abs(beta)
    holds: Mask = off <= EXACT * size
    within = 0.0
    if holds.mean() < HOLDS:
        # Whole-number columns may have been rounded, each by a unit at most.
        coarsest = max(units[k] for k in columns)
        finest = min(units[k] for k in columns)
        whole_factors = bool((np.abs(beta) >= 1).all() and (beta == np.rint(beta)).all())
        if finest == 0 or not whole_factors:
            return None
        holds = off <= len(parts) * coarsest + EXACT * size
        if holds.mean() < HOLDS:
            return None
        within = float(np.ceil(off[holds].max() / finest - NEAR) * finest)
        if (B.std(axis=0) < COARSE * within).any():
            return None
    if not _has_support(B, beta, holds, within):
        return None
    terms = tuple((names[k], float(c)) for k, c in zip(parts.tolist(), beta.tolist(), strict=True))
    kind: Kind = "rounded" if within else "identity"
    return proposal(kind, tuple(names[k] for k in columns), int(holds.sum()), total=len(B), terms=terms, within=within)


def _has_support(B: Array, beta: Array, holds: Mask, within: float) -> bool:
    """Whether more different records than terms support it, and each term is needed in several of them."""
    terms = len(beta)
    supporting = B[holds & (B[:, 0] != 0)]
    supporting = supporting[evenly(len(supporting), SUPPORTING_RECORDS)]
    # Two records of which one is a multiple of the other are one equation; of a multiple each value is one.
    size = np.abs(supporting).max(axis=1, keepdims=True) if terms > 1 else np.ones((len(supporting), 1))
    if len(np.unique(np.round(supporting / np.where(size > 0, size, 1.0), 9), axis=0)) < 2 * terms + MARGIN:
        return False
    moved = np.abs(supporting[:, 1:] * beta)
    limit = within + EXACT * np.abs(supporting).max(axis=1)
    return all(len(np.unique(supporting[moved[:, k] > limit, k + 1])) >= NEEDED for k in range(terms))


def _independent(found: list[Proposal]) -> list[Proposal]:
    """Those that are not sums of others: exact ones first, then those of few terms."""
    chosen: list[Proposal] = []
    columns = sorted({name for one in found for name in one.columns})
    rows = np.empty((0, len(columns)))
    for one in sorted(found, key=lambda each: (each.within > 0, len(each.terms), -each.count)):
        whole = coefficients(one)
        wider = np.vstack([rows, [whole.get(name, 0.0) for name in columns]])
        if np.linalg.matrix_rank(wider) > len(rows):
            rows = wider
            chosen.append(one)
    return chosen
