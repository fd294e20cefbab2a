"""Own-record dependence: whether released rows resemble their own original rows more than those of records near in X.

Given X, a release that does not use the record's own values is exchangeable among records with the same X. Released rows
are permuted within blocks of near records, and every statistic is compared with its values under permutation. What X
explains within a block is taken off first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...numerics.sorting import normal_scores
from ...rstream import RStream
from ...types import Array, Codes, Index, Rows
from ..risk.reference_releases import spread
from .attacks import attribute_pairs, log_ratios
from .close_values import closeness, moved_values
from .predictor_regression import BLOCK, Conditional, widths

PERMUTATIONS = 199
DECADES = (1.0, 0.1, 0.01, 0.001)  # of a standard deviation: scales of digits
WIDE = 3.0  # scales of digits that values spread given the predictors
ALL = "all attributes"
NAMED = 0.8  # part of a statistic of all attributes that one of a single attribute must exceed to be named
Feature = tuple[tuple[str, str], Array, Array]
"""A column (n,) of originals and of releases whose covariance given the predictors is a statistic, with its attribute and kind."""
Statistics = dict[tuple[str, str], Array]
"""By attribute (or attack) and kind, the values (1 + k,) of a statistic: as it is, then under k permutations."""


def standardised(values: Array) -> Array:
    """Values (1 + k,) less their mean, in their standard deviation; zeros if they do not vary."""
    sd = values.std()
    floor = 1e-9 * np.abs(values).max(initial=0.0)
    if sd <= floor:
        return np.zeros(len(values))
    return np.asarray((values - values.mean()) / sd)


def adjusted_p_values(statistics: Statistics) -> Array:
    """Family-wise p-values (m,): the share of permutations in which the largest standardised statistic reaches each.

    Source: Westfall and Young (1993), single-step.
    """
    z = np.column_stack([standardised(values) for values in statistics.values()])
    largest = z.max(axis=1)
    return np.asarray((largest[:, None] >= z[0] - 1e-12).mean(axis=0))


def significance(attribute: str, values: Array) -> float:
    """The standardised statistic, by which one of an attribute comes before a similar one of all attributes."""
    weight = NAMED if attribute == ALL else 1.0
    return float(standardised(values)[0]) * weight


def word_of(kind: str) -> str:
    """A kind of statistic in words: "digits" of "digits of 2"."""
    return kind.partition(" of ")[0]


def own_record_statistics(
    X: Array,
    Y: Array,
    Z: Array,
    names: Sequence[str],
    stream: RStream,
    *,
    stratum: Codes | None = None,
    unit: Codes | None = None,
    k: int = PERMUTATIONS,
) -> Statistics:
    """Every statistic of originals Y and released values Z (n, t), NaN for missing, given predictors X (n, s).

    Each under k permutations too; none where no column varies. stratum, unit (n,) : of each record, None
    for one stratum, and for units of one record.
    """
    smallest = np.nanmin(Y, axis=0, initial=np.inf)
    largest = np.nanmax(Y, axis=0, initial=-np.inf)
    varying = np.flatnonzero(smallest < largest).tolist()
    order, known = Conditional.of(X, stream, stratum, unit)
    places = known.permutations(k, stream)
    if not varying:
        return {}
    Y = Y[order][:, varying]
    Z = Z[order][:, varying]
    missing = np.isnan(Y) | np.isnan(Z)
    Y = np.where(missing, np.nan, Y)
    Z = np.where(missing, np.nan, Z)
    return _statistics(Y, Z, [names[j] for j in varying], known, places)


def _statistics(Y: Array, Z: Array, names: Sequence[str], of: Conditional, places: Rows) -> Statistics:
    """The statistics of the records in the order of their blocks. places (1 + k, n) : their permutations."""
    pairs = attribute_pairs(len(names))
    ratios = [f"{names[i]} / {names[j]}" for i, j in pairs.T]
    S = normal_scores(Y)
    R = normal_scores(Z)
    free = np.where(of.determined(Y, S), np.nan, Y)
    released = np.where(of.determined(Z, R), np.nan, Z)

    features = [((name, "ranks"), S[:, j], R[:, j]) for j, name in enumerate(names)]
    features += _digits(free, released, names, widths(free, of.residuals(S)))
    features += _log_ratios(free, released, ratios, pairs)
    labels, A, B = zip(*features, strict=True)
    covariances = of.covariances(np.column_stack(A), np.column_stack(B), places)
    found: Statistics = {}
    for label, sums in zip(labels, covariances.T, strict=True):
        found[label] = found.get(label, 0.0) + sums  # cosine and sine of one phase
    ranks = np.sum([standardised(found[name, "ranks"]) for name in names], axis=0)

    values = closeness(free, moved_values(Z, released, (S, R), of), pairs, places)
    close = [(name, "values") for name in names]
    close += [(name, "ratios") for name in ratios]
    close += [(ALL, "records of the closest"), (ALL, "records of all"), (ALL, "largest units")]
    return found | dict(zip(close, values.T, strict=True)) | {(ALL, "records of ranks"): ranks}


def _digits(Y: Array, Z: Array, names: Sequence[str], width: Array) -> Iterator[Feature]:
    """Phases of the digits below some scales. width (n, t) : how far values spread for given predictors."""
    for j, name in enumerate(names):
        number = 0
        for scale in _scales(Y[:, j]):
            spread_widely = width[:, j] >= WIDE * scale
            if spread_widely.sum() < BLOCK:
                continue
            y = 2 * np.pi * np.where(spread_widely, Y[:, j], np.nan) / scale
            z = 2 * np.pi * Z[:, j] / scale
            label = (name, f"digits of {number}")
            yield label, np.cos(y), np.cos(z)
            yield label, np.sin(y), np.sin(z)
            number += 1


def _log_ratios(Y: Array, Z: Array, ratios: Sequence[str], pairs: Index) -> Iterator[Feature]:
    """Normal scores of the ratios of attributes that nowhere change their sign."""
    signed = np.any(Y < 0, axis=0) & np.any(Y > 0, axis=0)
    originals = normal_scores(log_ratios(Y.T, pairs).T)
    released = normal_scores(log_ratios(Z.T, pairs).T)
    for number, name in enumerate(ratios):
        if not signed[pairs[:, number]].any():
            yield (name, "ratios of scores"), originals[:, number], released[:, number]


def _scales(y: Array) -> list[float]:
    """Scales of digits: parts of the standard deviation, and powers of ten."""
    sd = float(spread(y)[0])
    if sd <= 0:
        return []
    smallest = np.ceil(np.log10(DECADES[-1] * sd))
    tens = 10.0 ** np.arange(smallest, np.log10(sd))
    return [*(sd * part for part in DECADES), *tens.tolist()]
