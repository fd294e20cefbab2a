"""Linear identities that nobody declared: a column that others and a constant add up to, exactly or but for rounding.

Each column is regressed on the others in several small sets of records, so that a few wrong records spoil only some sets.
The coefficients are rounded, and counted on every record. In wide files the sets are fewer and smaller, and a search ends
where a further column explains little.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..data.structure import Kind, Proposal
from ..numerics.location import evenly
from ..types import Array, Mask, Rows
from .proposal import CONSTANT, coefficients, proposal

MOST_TERMS = 10  # parts of a total
SETS = 6  # of records, evenly spaced
EXTRA_RECORDS = 24  # records of a set, beyond four for each column
MARGIN = 12  # records, beyond two for each term, that must support an identity
NEEDED = 6  # records in which each term must be needed
HOLDS = 0.99  # of the records
EXACT = 1e-9  # of the size of the terms: floats added up
NEAR = 0.02  # of a coefficient, from the whole number it is taken for
WIDE = 60  # columns: of more not all pairs are tried, and the sets are smaller
WIDE_SETS = 2
WIDE_GAIN = 0.08  # of what is left, that a further column of a wide file must explain: twice what the best of 400 does by chance
SUPPORTING_RECORDS = 5_000  # records, evenly spaced, that must support an identity
CLOSE = 1e-3  # of a column's squares: what an identity may leave of them in a set of records
FINE = 1e-7  # of a coefficient, from the decimals it is taken for
MOST_LOST = 0.5  # of the records that have a column: those that may lack another one that is compared with it
COARSE = 4  # tolerances that the spread of each column must have, for one but for rounding


def identities(values: Mapping[str, Array]) -> list[Proposal]:
    """The identities among columns (n,), NaN for missing, without those that follow from others."""
    names = [name for name, v in values.items() if np.isfinite(v).sum() > MARGIN and np.nanstd(v) > 0]
    if len(names) < 2:
        return []
    # The last column is the constant.
    A = np.column_stack([*(values[name] for name in names), np.ones(len(values[names[0]]))])
    units = [unit_of(values[name]) for name in names]
    known = np.isfinite(A)
    found = list[Proposal]()
    for j in range(len(names)):
        columns = _compared(known, j)
        complete = known[:, columns].all(axis=1)
        B = A[np.ix_(complete, columns)]
        place = int(np.searchsorted(columns, j))  # of column j among those that are compared
        units_of_columns = [units[k] for k in columns[:-1]]
        for of_columns in _candidates(B, place, units_of_columns):
            beta = np.zeros(A.shape[1])
            beta[columns] = of_columns
            identity = _verified(A, names, j, beta=beta, units=units)
            if identity is not None:
                found.append(identity)
    return _independent(found)


def _compared(known: Mask, j: int) -> Rows:
    """Positions of the columns that column j is compared with, itself and the constant too, in order.

    Columns with the most gaps are left out where all together leave fewer than half of the records that have column j: a
    question that few are asked would hide the sums of the others. known (n, p + 1) : the observed cells.
    """
    own = known[known[:, j]]
    by_gaps = np.argsort(-own.sum(axis=0), kind="stable")
    records = np.logical_and.accumulate(own[:, by_gaps], axis=1).sum(axis=0)
    return np.sort(by_gaps[records >= MOST_LOST * len(own)])


def unit_of(values: Array) -> float:
    """The unit of which values are multiples: a power of ten from 1000 to 0.001; 0 where of none."""
    known = values[np.isfinite(values)]
    for unit in (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0):
        scaled = known * unit
        if (np.abs(scaled - np.rint(scaled)) <= EXACT * np.maximum(1.0, np.abs(scaled))).all():
            return 1 / unit
    return 0.0


def _candidates(A: Array, j: int, units: Sequence[float]) -> Iterator[Array]:
    """Coefficients (p + 1,) of the other columns and the constant that may give column j, from sets of records where it is not 0."""
    p = A.shape[1] - 1
    wide = p > WIDE
    sets = WIDE_SETS if wide else SETS
    rows = np.flatnonzero(A[:, j] != 0)
    if len(rows) <= MARGIN:
        return
    spaced = evenly(len(rows), 4 * min(p, WIDE) + EXTRA_RECORDS)
    seen = set[tuple[float, ...]]()
    for k in range(sets):
        start = k * len(rows) // (sets * len(spaced))  # sets are shifted against each other
        B = A[rows[(start + spaced) % len(rows)]]
        fitted = list[Array]()
        with_constant = list[Array]()
        if wide or _is_explained(B, j):
            fitted += _matching_pursuit(B, j, constant=False, wide=wide)
            with_constant += _matching_pursuit(B, j, constant=True, wide=wide)
        if not wide:
            fitted += _pairs(B, j, units)
        rounded = list[Array]()
        for coefficients_of_fit in fitted:
            rounded += _rounded_coefficients(coefficients_of_fit)
        for coefficients_of_fit in with_constant:
            rounded += [beta for beta in _with_constant(B, j, coefficients_of_fit) if beta[-1] != 0]
        for beta in rounded:
            if beta.any() and tuple(beta) not in seen:
                seen.add(tuple(beta))
                yield beta
        if len(spaced) == len(rows):  # the first set has all records
            return


def _pairs(B: Array, j: int, units: Sequence[float]) -> Iterator[Array]:
    """Coefficients (p + 1,) of sums and differences of two columns that are column j within two units, in nearly all records."""
    A = B[:, :-1]
    p = A.shape[1]
    # (records, p, p): column j, each column a, and each column b
    total = A[:, [j], None]
    first = A[:, :, None]
    second = A[:, None, :]
    unit = np.maximum(units[j], np.array(units))[:, None]
    limit = 2 * unit + EXACT * (np.abs(total) + np.abs(first) + np.abs(second))
    is_sum = np.abs(total - first - second) <= limit
    is_difference = np.abs(total - first + second) <= limit
    near = np.stack([is_sum, is_difference], axis=2)  # (records, a, sum or difference, b)
    for a, k, b in np.argwhere(near.mean(axis=0) >= HOLDS):
        if len({a, b, j}) < 3:
            continue
        beta = np.zeros(p + 1)
        beta[a] = 1
        beta[b] = 1 if k == 0 else -1
        yield beta


def _weighted(B: Array, j: int) -> Array:
    """B, with the records weighted by the inverse of the size of column j."""
    y = np.abs(B[:, j])
    return np.asarray(B / (y + np.median(y))[:, None])


def _is_explained(B: Array, j: int) -> bool:
    """Whether column j is close to a combination of all others and the constant."""
    W = _weighted(B, j)
    y = W[:, j]
    others = np.delete(W, j, axis=1)
    beta, *_ = np.linalg.lstsq(others, y, rcond=1e-12)
    left = y - others @ beta
    return bool(left @ left < CLOSE * (y @ y))


def _matching_pursuit(B: Array, j: int, *, constant: bool, wide: bool) -> Iterator[Array]:
    """Coefficients (p + 1,) of column j on more and more of the others, each that which explains most of what is left.

    Records are weighted by the inverse of their size. Only coefficients with a close fit are returned.
    constant : whether the constant, the last column of B, is there from the start; wide : whether the search ends early.
    """
    last = B.shape[1] - 1
    W = _weighted(B, j)
    y = W[:, j]
    norm = np.linalg.norm(W, axis=0)
    chosen: list[int] = []
    left = y
    if constant:
        chosen.append(last)
        left = y - W[:, last] * (W[:, last] @ y / norm[last] ** 2)
    whole = float(y @ y)
    square = float(left @ left)
    for _ in range(min(MOST_TERMS, last - 1, len(B) // 2)):
        if square <= 1e-22 * whole:
            return
        gain = np.abs(W.T @ left) / np.where(norm > 0, norm, np.inf)
        gain[[j, last, *chosen]] = -1
        chosen.append(int(gain.argmax()))
        if gain[chosen[-1]] <= 0:
            return
        beta, *_ = np.linalg.lstsq(W[:, chosen], y, rcond=1e-12)
        left = y - W[:, chosen] @ beta
        before = square
        square = float(left @ left)
        if square < CLOSE * whole:
            fitted = np.zeros(B.shape[1])
            fitted[chosen] = beta
            yield fitted
        if wide and square > (1 - WIDE_GAIN) * before:
            return


def _rounded_coefficients(beta: Array) -> Iterator[Array]:
    """The coefficients as whole numbers, and where they are that close as numbers of up to four decimals."""
    for decimals, tolerance in ((0, NEAR), (4, FINE)):
        near = np.round(beta, decimals)
        if (np.abs(beta - near) <= tolerance * np.maximum(1.0, np.abs(near))).all():
            yield near


def _with_constant(B: Array, j: int, beta: Array) -> Iterator[Array]:
    """Rounded coefficients (p + 1,) of column j, the last one the constant, which is any number: that of a centred column is a mean."""
    for near in _rounded_coefficients(beta[:-1]):
        constant = float(np.median(B[:, j] - B[:, :-1] @ near))
        error = EXACT * float(np.median(np.abs(B[:, j]) + np.abs(B[:, :-1]) @ np.abs(near)))  # of floats added up
        decimal = round(constant, 4)
        if abs(constant - decimal) <= max(FINE * max(1.0, abs(decimal)), error):
            constant = decimal
        yield np.append(near, constant)


def _verified(A: Array, names: Sequence[str], j: int, *, beta: Array, units: Sequence[float]) -> Proposal | None:
    """The identity of column j, or None where too many records break it or too few support it.

    One with a constant holds exactly. beta (p + 1,) : the coefficients, that of the constant last.
    """
    constant = float(beta[-1])
    parts = np.flatnonzero(beta[:-1])
    beta = beta[parts]
    if not len(parts):
        return None
    columns = [j, *parts.tolist()]
    B = A[:, columns]
    B = B[np.isfinite(B).all(axis=1)]
    off = np.abs(B[:, 0] - B[:, 1:] @ beta - constant)
    size = np.abs(B[:, 0]) + np.abs(B[:, 1:]) @ np.abs(beta) + abs(constant)
    holds: Mask = off <= EXACT * size
    within = 0.0
    if holds.mean() < HOLDS:
        # Whole-number columns may have been rounded, each by a unit at most.
        coarsest = max(units[k] for k in columns)
        finest = min(units[k] for k in columns)
        whole_factors = bool((np.abs(beta) >= 1).all() and (beta == np.rint(beta)).all())
        if finest == 0 or not whole_factors or constant:
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
    return proposal(
        kind,
        tuple(names[k] for k in columns),
        int(holds.sum()),
        total=len(B),
        terms=terms,
        constant=constant,
        within=within,
    )


def _has_support(B: Array, beta: Array, holds: Mask, within: float) -> bool:
    """Whether more different records than terms support it, and each term is needed in several of them."""
    terms = len(beta)
    supporting = B[holds & (B[:, 0] != 0)]
    supporting = supporting[evenly(len(supporting), SUPPORTING_RECORDS)]
    # Two records of which one is a multiple of the other are one equation. Of an identity with one term each value is one.
    size = np.ones((len(supporting), 1))
    if terms > 1:
        size = np.abs(supporting).max(axis=1, keepdims=True)
    equations = np.round(supporting / np.where(size > 0, size, 1.0), 9)
    if len(np.unique(equations, axis=0)) < 2 * terms + MARGIN:
        return False
    # A term is needed in a record that would break the identity without it.
    without_term = np.abs(supporting[:, 1:] * beta)
    limit = within + EXACT * np.abs(supporting).max(axis=1)
    for k in range(terms):
        values = supporting[without_term[:, k] > limit, k + 1]
        if len(np.unique(values)) < NEEDED:
            return False
    return True


def _factors(identity: Proposal) -> int:
    """Number of terms of an identity that are a multiple of a column, not the column itself."""
    return sum(abs(factor) != 1 for _, factor in identity.terms)


def _independent(found: list[Proposal]) -> list[Proposal]:
    """The identities that are not sums of others: exact ones first, then those of few terms, then sums and differences."""
    chosen: list[Proposal] = []
    names = {name for identity in found for name in identity.columns}
    columns = [CONSTANT, *sorted(names)]
    rows = np.empty((0, len(columns)))  # the coefficients of the chosen ones
    for identity in sorted(found, key=lambda each: (each.within > 0, len(each.terms), _factors(each), -each.count)):
        of_columns = coefficients(identity)
        wider = np.vstack([rows, [of_columns.get(name, 0.0) for name in columns]])
        if np.linalg.matrix_rank(wider) > len(rows):
            rows = wider
            chosen.append(identity)
    return chosen
