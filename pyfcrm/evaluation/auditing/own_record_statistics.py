"""Own-record dependence: whether released rows resemble their own original rows more than those of records near in X.

Given X, a release that does not use the record's own values is exchangeable among records with the same X. Released rows
are permuted within blocks of near records, and every statistic is compared with its values under permutation. What X
explains within a block is taken off first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from ...numerics.sorting import normal_scores
from ...numerics.unit_effects import unit_means
from ...rstream import RStream
from ...types import Array, Codes, Index, Rows
from ..risk.reference_releases import spread
from .across_columns import WIDE, Statistics, statistics_across
from .attacks import attribute_pairs, log_ratios
from .boosted_trees import tree_predictions
from .close_values import changes_sign, closeness, moved_values
from .dominated_units import follows_one_record
from .predictor_regression import BLOCK, Conditional, widths

PERMUTATIONS = 199
DECADES = (1.0, 0.1, 0.01, 0.001)  # of a standard deviation: scales of digits
ONE_SD = (0.1587, 0.5, 0.8413)  # quantiles of a normal variable one standard deviation below and above its median
FARTHEST = 4.0  # robust standard deviations of a log ratio from the median, at most
SUSPECT = 1.0  # standard deviations above which a ratio is fitted by trees too
ALL = "all attributes"
NAMED = 0.8  # part of a statistic of all attributes that one of a single attribute must exceed to be named
Feature = tuple[tuple[str, str], Array, Array]
"""A column (n,) of originals and of releases whose covariance given the predictors is a statistic, with its attribute and kind."""


@dataclass(frozen=True)
class OwnRecord:
    """Statistics of own-record dependence, and the sizes of those that count close values."""

    statistics: Statistics
    """By attribute and kind, see own_record_statistics."""
    excess: Mapping[tuple[str, str], float]
    """By attribute and kind of close values, the share of values that are close, less that under permutation."""
    records: int
    """The number of records."""


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
    codes: Array | None = None,
    stratum: Codes | None = None,
    unit: Codes | None = None,
    sampling_unit: Codes | None = None,
    k: int = PERMUTATIONS,
    trees_below: float = 0.0,
) -> OwnRecord:
    """Every statistic of originals Y and released values Z (n, t), NaN for missing, given predictors X (n, s).

    Each under k permutations too; none where no column varies. codes (n, c) : of predictors with many categories, None for
    none. stratum, unit (n,) : of each record, None for one stratum, and for units of one record. sampling_unit (n,) : of each record,
    None for none. A release may follow what its records have in common, as standard errors of the design ask for. Where the least adjusted
    p-value is at most `trees_below`, the statistics are those given the predictions of trees, which take longer.
    """
    smallest = np.nanmin(Y, axis=0, initial=np.inf)
    largest = np.nanmax(Y, axis=0, initial=-np.inf)
    varying = np.flatnonzero(smallest < largest).tolist()
    of_units: Statistics = {}
    if sampling_unit is not None:
        of_units = follows_one_record(X, Y, Z, names, units=sampling_unit, k=k, stream=stream)
        X = np.hstack([X, unit_means(Y, X, sampling_unit)])
    order, known = Conditional.of(X, stream, codes=codes, stratum=stratum, unit=unit)
    places = known.permutations(k, stream)
    if not varying:
        return OwnRecord(statistics={}, excess={}, records=len(X))
    Y = Y[order][:, varying]
    Z = Z[order][:, varying]
    missing = np.isnan(Y) | np.isnan(Z)
    pairs = Pairs(
        Y=np.where(missing, np.nan, Y), Z=np.where(missing, np.nan, Z), names=[names[j] for j in varying], places=places
    )
    found = _statistics(pairs, known, None, of_units)
    if adjusted_p_values(found.statistics).min() > trees_below:
        return found
    suspect = {label for label, values in found.statistics.items() if standardised(values)[0] > SUSPECT}
    additive = known.additive()
    return _statistics(pairs, additive, Trees(additive, stream, suspect), of_units)


@dataclass(frozen=True)
class Pairs:
    """Originals and released values in the order of their blocks."""

    Y: Array
    """(n, t) originals, NaN where one of the two is missing."""
    Z: Array
    """(n, t) released values, NaN where one of the two is missing."""
    names: Sequence[str]
    """The attributes."""
    places: Rows
    """(1 + k, n) the records as they are, then under permutations."""


@dataclass(frozen=True)
class Trees:
    """Predictions of trees, of all ranks and of ratios that look dependent without them."""

    of: Conditional
    """The predictors."""
    stream: RStream
    """For the folds."""
    suspect: Set[tuple[str, str]]
    """Statistics that look dependent without trees."""

    def predictions(self, A: Array) -> Array:
        """Predictions (n, k) of columns A (n, k)."""
        return tree_predictions(A, self.of, self.stream)


def _statistics(records: Pairs, of: Conditional, trees: Trees | None, of_units: Statistics) -> OwnRecord:
    """The statistics given a regression on the predictors, and given the predictions of trees where there are any.

    of_units : further ones, of sampling units.
    """
    Y = records.Y
    Z = records.Z
    names = records.names
    places = records.places
    pairs = attribute_pairs(len(names))
    ratios = [f"{names[i]} / {names[j]}" for i, j in pairs.T]
    # Normal scores (n, t), and what trees leave of them.
    S = normal_scores(Y)
    R = normal_scores(Z)
    if trees is None:
        original_trees = released_trees = np.zeros(S.shape)
    else:
        original_trees = trees.predictions(S)
        released_trees = trees.predictions(R)
    S_left = S - original_trees
    R_left = R - released_trees
    # Values that predictors determine count by their ranks only: they disclose what the predictors do.
    free = np.where(of.determined(Y, S_left), np.nan, Y)
    released = np.where(of.determined(Z, R_left), np.nan, Z)
    width = widths(free, of.residuals(S_left))

    # Covariances given the predictors: of ranks, of digits, and of log ratios.
    features: list[Feature] = [((name, "ranks"), S_left[:, j], R_left[:, j]) for j, name in enumerate(names)]
    features += _digits(free, released, names, width)
    for label, original_ratio, released_ratio in _log_ratios(free, released, ratios, pairs):
        if trees is not None and label in trees.suspect:
            both = np.column_stack([original_ratio, released_ratio])
            left = both - trees.predictions(both)
            features.append((label, left[:, 0], left[:, 1]))
        else:
            features.append((label, original_ratio, released_ratio))
    of_originals = np.column_stack([original for _, original, _ in features])
    of_release = np.column_stack([release for _, _, release in features])
    covariances = of.covariances(of_originals, of_release, places)
    found: Statistics = {}
    for (label, _, _), sums in zip(features, covariances.T, strict=True):
        found[label] = found.get(label, 0.0) + sums  # cosine and sine of one phase are one statistic
    of_ranks = np.sum([standardised(found[name, "ranks"]) for name in names], axis=0)
    found |= statistics_across(free, released, names, scores=(S_left, R_left), width=width, of=of, places=places)

    # Close values. Moved by the mean of what predictors make of the original scores and of the released ones.
    typical = (original_trees + of.typical(S_left) + released_trees + of.typical(R_left)) / 2
    close = closeness(free, moved_values(Z, released, R, typical), pairs, places)
    labels = [(name, "values") for name in names]
    labels += [(name, "ratios") for name in ratios]
    labels += [(ALL, "records of the closest"), (ALL, "records of all"), (ALL, "largest units")]
    labels += [(name, "largest units") for name in names]
    found |= dict(zip(labels, close.statistics.T, strict=True))
    found[ALL, "records of ranks"] = of_ranks
    excess = dict(zip(labels, close.excess.tolist(), strict=True))
    return OwnRecord(statistics=found | of_units, excess=excess, records=len(Y))


def _digits(Y: Array, Z: Array, names: Sequence[str], width: Array) -> Iterator[Feature]:
    """Phases of the digits below some scales: cos and sin of 2 pi y / scale, which depend on the remainder y mod scale only.

    Values count that spread over several scales for given predictors. width (n, t) : how far they spread.
    """
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
    """Log ratios of attributes that nowhere change their sign.

    Not their normal scores: where values are products of powers of predictors, log ratios are linear in logs.
    """
    signed = changes_sign(Y)
    originals = log_ratios(Y.T, pairs)
    released = log_ratios(Z.T, pairs)
    for number, name in enumerate(ratios):
        if not signed[pairs[:, number]].any():
            yield (name, "ratios of logs"), _without_outliers(originals[number]), _without_outliers(released[number])


def _without_outliers(values: Array) -> Array:
    """Values (n,), NaN for missing, in robust standard deviations from the median, at most FARTHEST."""
    known = values[~np.isnan(values)]
    if not len(known):
        return values
    low, median, high = np.quantile(known, ONE_SD)
    scale = (high - low) / 2
    if scale <= 0:
        scale = known.std() or 1.0
    return np.asarray(np.clip((values - median) / scale, -FARTHEST, FARTHEST))


def _scales(y: Array) -> list[float]:
    """Scales of digits: parts of the standard deviation, and powers of ten."""
    sd = float(spread(y)[0])
    if sd <= 0:
        return []
    smallest = np.ceil(np.log10(DECADES[-1] * sd))
    tens = 10.0 ** np.arange(smallest, np.log10(sd))
    return [*(sd * part for part in DECADES), *tens.tolist()]
