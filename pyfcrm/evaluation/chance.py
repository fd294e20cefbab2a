"""Areas and shares under permuted labels, and intervals by resampling records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..numerics.location import row_blocks
from ..rstream import RStream
from ..types import Array, Mask

FALSE_POSITIVES = 0.01
CONFIDENCE = 0.95


def areas(scores: Array, labels: Mask) -> Array:
    """The chance that a member's score is above a non-member's, ties a half, 0 to 1, under each labelling.

    scores (n,); labels (k, n) : who is a member. Returns (k,).
    """
    ordered, n = np.sort(scores), len(scores)
    ranks = (np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right") + 1) / 2

    def statistic(members: Array) -> Array:
        m = members.sum(axis=1)
        return np.asarray((members @ ranks - m * (m + 1) / 2) / (m * (n - m)))

    return _in_turn(statistic, labels)


def resampled_areas(scores: Array, member: Mask, weights: Array) -> Array:
    """The area where each record counts as often as it is in each of k resamples, weights (k, n): to first order, by placements.

    Returns (k,). A member's placement is the share of others below it, another's that of members above, ties a half: their
    weighted means add up to the area twice, but for terms of order 1/n. Source: DeLong, DeLong and Clarke-Pearson (1988).
    """
    a, b = scores[member], scores[~member]
    above, below = _share_below(a, b), 1.0 - _share_below(b, a)
    left, right = weights[:, member], weights[:, ~member]
    return _means(left, above) + _means(right, below) - float(above.mean())


def _means(weights: Array, x: Array) -> Array:
    """(k,) means of x (n,) by weights (k, n), its plain mean where no record was drawn."""
    total = weights.sum(axis=1)
    return np.where(total > 0, weights @ x / np.maximum(total, 1.0), x.mean())


def _share_below(a: Array, b: Array) -> Array:
    ordered = np.sort(b)
    return (np.searchsorted(ordered, a, "left") + np.searchsorted(ordered, a, "right")) / (2 * len(b))


def true_positives(scores: Array, labels: Mask) -> Array:
    """The share of members with scores above all but 1 per cent of the non-members', 0 to 1, under each labelling.

    scores (n,); labels (k, n). Below 100 non-members: above all of theirs. Where the threshold falls among equal scores, as many
    of these members count as of the others do, in proportion: the ROC curve is straight there. Returns (k,).
    """
    order = np.argsort(-scores, kind="stable")
    ordered = -scores[order]
    start, end = (np.searchsorted(ordered, ordered, side) for side in ("left", "right"))  # of each score's ties

    def statistic(members: Array) -> Array:
        others, rows = 1.0 - members[:, order], np.arange(len(members))
        allowed = np.floor(FALSE_POSITIVES * others.sum(axis=1) + 1e-9)
        seen = np.hstack([np.zeros((len(rows), 1)), np.cumsum(others, axis=1)])
        at = np.argmax(seen[:, 1:] > allowed[:, None], axis=1)
        first, last = start[at], end[at]
        above, tied = seen[rows, first], seen[rows, last] - seen[rows, first]
        equal = (last - first - tied) * (allowed - above) / tied
        return np.asarray((first - above + equal) / members.sum(axis=1))

    return _in_turn(statistic, labels)


def differences(values: Array, labels: Mask) -> Array:
    """Mean over members less mean over the others, under each labelling. values (n,); labels (k, n). Returns (k,)."""
    return _in_turn(lambda chosen: weighted_differences(values, chosen, 1.0 - chosen), labels)


def weighted_differences(values: Array, members: Array, others: Array) -> Array:
    """As `differences`, with weights (k, n) for either side."""
    return np.asarray(members @ values / members.sum(axis=1) - others @ values / others.sum(axis=1))


def _in_turn(statistic: Callable[[Array], Array], labels: Mask) -> Array:
    """statistic(labels as weights), some labellings at a time."""
    parts = [statistic(labels[rows].astype(np.float64)) for rows in row_blocks(len(labels), labels.shape[1])]
    return np.concatenate(parts)


def labellings(member: Mask, k: int, stream: RStream) -> Mask:
    """(1 + k, n): the labels as they are, then k permutations of them. Draws: k times n uniforms, whose ranks permute."""
    return np.array([member, *(member[np.argsort(stream.runif(len(member)))] for _ in range(k))])


def resamples(n: int, k: int, stream: RStream) -> Array:
    """(k, n): how often each record is in each of k samples of n with replacement. Draws: k n uniforms."""
    drawn = [np.bincount((n * stream.runif(n)).astype(np.intp), minlength=n) for _ in range(k)]
    return np.array(drawn, dtype=np.float64)


def adjusted_p_values(statistics: Array) -> Array:
    """How likely chance makes any of several statistics stand out as much: adjusted p values (m,), single-step.

    statistics (1 + k, m) : with the true labels in the first row, under permuted labels in the others. Each is taken in
    units of its own mean and sd over all rows; the share of rows whose largest is at least the statistic's is returned.
    Source: Westfall and Young (1993).
    """
    sd = statistics.std(axis=0)
    z = np.where(sd > 0, (statistics - statistics.mean(axis=0)) / np.where(sd > 0, sd, 1.0), 0.0)
    largest = z.max(axis=1)
    return np.asarray((largest[:, None] >= z[0] - 1e-12).mean(axis=0))


def percentiles(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    """The 95 per cent interval of a resampled statistic."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 per cent interval (1927) of a share, 0 to 1, found in n records."""
    z = float(ndtri((1 + CONFIDENCE) / 2))
    center, half = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (center - half) / (1 + z * z / n)), min(1.0, (center + half) / (1 + z * z / n))
