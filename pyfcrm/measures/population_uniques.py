"""Population uniques: the risk of sample uniques by a model of how often their combination of keys occurs in the population.

The individual risk knows the weights of the records that agree. Where nearly all records are unique it takes each for one of many,
as many as its weight; the model knows that a combination of many rare values occurs once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.codes import combinations
from ..types import Array, Codes, Rows

MANY_VALUES = 50  # different numbers above which shares are of fifths
FIFTHS = 5
MOST_CELLS = 1_000_000  # of the table of all keys, in which two-way effects are fitted
ROUNDS = 20  # of iterative proportional fitting
CLOSE = 1e-3  # largest change of a round, relative, that ends the fitting


def risk_of_uniques(keys: Sequence[Codes], weights: Array, strata: Sequence[Rows], smoothed: Sequence[Codes]) -> Array:
    """E(1/F | f = 1) of each record that is unique on its keys, 0 of the others: (n,).

    Parameters
    ----------
    keys : sequence of ndarray of int, shape (n,)
        Codes of the key variables, from -1; missing counts as a value.
    weights : ndarray, shape (n,)
        Survey weights, not negative.
    strata : sequence of ndarray of int
        The rows of each stratum, of which the sampling fraction is estimated.
    smoothed : sequence of ndarray of int, shape (n,)
        The same keys, numbers of many values by the fifth they are in.

    Notes
    -----
    F is Poisson with mean lambda = N prod p_j, N the sum of weights and p_j the weighted share of the record's value of key j, or
    with two-way effects where the table of all keys is small. A fifth's share is spread evenly over its values. Given a sample
    unique drawn with fraction pi, F - 1 is Poisson with mean m = lambda (1 - pi): P(F = 1) = exp(-m), and
    E(1/F) = (1 - exp(-m)) / m.

    References
    ----------
    Skinner and Shlomo (2008), Assessing identification risk in survey microdata using log-linear models, JASA 103, 989-1001.
    """
    K = np.column_stack(keys) + 1
    counts = np.bincount(combinations(K - 1))
    unique = counts[combinations(K - 1)] == 1
    lambdas = expected_frequencies(K, np.column_stack(smoothed) + 1, weights)
    fraction = np.ones(len(K))
    for rows in strata:
        total = float(weights[rows].sum())
        fraction[rows] = min(len(rows) / total, 1.0) if total > 0 else 1.0
    m = lambdas * (1.0 - fraction)
    with np.errstate(invalid="ignore", divide="ignore"):
        risk = np.where(m > 0, -np.expm1(-m) / m, 1.0)
    return np.where(unique, risk, 0.0)


def expected_frequencies(K: Codes, smoothed: Codes, weights: Array) -> Array:
    """The expected number lambda (n,) of the records in the population with each record's combination of keys.

    K, smoothed (n, q) : codes from 0 of the keys, and of the same keys with numbers of many values by fifths; weights (n,).
    """
    total = float(weights.sum())
    if total <= 0:
        return np.ones(len(K))
    within = np.ones(len(K))  # the part of its fifth that each record's values have
    for values, groups in zip(K.T, smoothed.T, strict=True):
        distinct_of_group = np.zeros(int(groups.max()) + 1)
        pairs = np.unique(np.column_stack([groups, values]), axis=0)
        np.add.at(distinct_of_group, pairs[:, 0], 1.0)
        within /= distinct_of_group[groups]
    shape = smoothed.max(axis=0) + 1
    if K.shape[1] > 2 and float(np.prod(shape.astype(float))) <= MOST_CELLS:
        return _two_way(smoothed, weights, tuple(int(size) for size in shape)) * within
    lambdas = total * within
    for groups in smoothed.T:
        lambdas = lambdas * (np.bincount(groups, weights=weights) / total)[groups]
    return lambdas


def _two_way(S: Codes, weights: Array, shape: tuple[int, ...]) -> Array:
    """The fitted cells (n,) of the log-linear model with all two-way effects, by iterative proportional fitting.

    S (n, q) : codes from 0, below `shape`; weights (n,), whose two-way sums the table has.
    """
    q = len(shape)
    pairs = [(a, b) for a in range(q) for b in range(a + 1, q)]
    sums = {}
    for a, b in pairs:
        flat = S[:, a] * shape[b] + S[:, b]
        sums[a, b] = np.bincount(flat, weights=weights, minlength=shape[a] * shape[b]).reshape(shape[a], shape[b])
    table = np.full(shape, weights.sum() / np.prod(shape))
    for _ in range(ROUNDS):
        change = 0.0
        for a, b in pairs:
            others = tuple(axis for axis in range(q) if axis not in (a, b))
            current = table.sum(axis=others)
            ratio = np.divide(sums[a, b], current, out=np.zeros_like(current), where=current > 0)
            used = sums[a, b] > 0
            change = max(change, float(np.abs(ratio[used] - 1.0).max()))
            table *= np.expand_dims(ratio, others)
        if change < CLOSE:
            break
    return np.asarray(table[tuple(S.T)])


def by_fifths(values: Array) -> Codes:
    """Codes (n,) from -1 of the fifths of numbers of many values, of the values themselves where they are few; -1 is missing."""
    known = np.isfinite(values)
    distinct = np.unique(values[known])
    if len(distinct) <= MANY_VALUES:
        return np.where(known, np.searchsorted(distinct, values), -1)
    bounds = np.quantile(values[known], np.arange(1, FIFTHS) / FIFTHS)
    return np.where(known, np.searchsorted(bounds, values, side="right"), -1)
