"""The attack by moments: who is among the records whose sums a method publishes.

A release that preserves the regressions of dependent columns on (1, x) discloses sums over the members. An intruder who has a
record compares its contributions with these sums: the log likelihood ratio of "is in the sum" and "is not". It needs no
training, and no released record is looked at alone. The more sums for each member, the better it succeeds. Sources: Homer et
al. (2008); Sankararaman, Obozinski, Jordan and Halperin (2009).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...numerics.design import with_one
from ...numerics.location import location, scores
from ...types import Array, Codes, Index, Mask
from .attacks import Split

MOMENTS = "preserved sums"
FEWEST = 5  # records of a group, originals and released ones
SMALLEST = 1e-9  # variances below are none


@dataclass(frozen=True)
class PublishedSums:
    """The sums that the releases of an audit preserve."""

    groups: Sequence[Codes]
    """By column, (n,) the group of each original within which sums are preserved."""
    cross: bool
    """Whether sums of products of two dependent columns are preserved too."""
    share: float
    """The share of the records that is protected, and of the sums that are used.

    A protected part has fewer members than the release, and as many sums. With this share of the sums both have as many sums
    for each member.
    """


def moment_scores(split: Split, sums: PublishedSums) -> Array:
    """(n,) log likelihood ratio of each original being in the published sums, added up over its groups.

    With contributions f of a record, of mean a and variances v in the reference, and mean g over the m members of its group,
    the ratio is sum (f - a) (g - a) / v - sum (f - a)^2 / (2 m v). The reference is every second other original, as
    the intruder's own sample is not the file.
    """
    of_originals, of_released = _contributions(split, sums.cross)
    used = _used(of_originals.shape[1], sums.share)
    F = of_originals[:, used]
    R = of_released[:, used]
    result = np.zeros(len(F))
    placed = split.own >= 0
    for codes in sums.groups:
        of_release = np.full(len(R), -1)
        of_release[split.own[placed]] = codes[placed]  # a released record is in the group of its own original
        for group in np.unique(codes):
            rows = np.flatnonzero(codes == group)
            released = R[of_release == group]
            if min(len(rows), len(released)) >= FEWEST:
                result[rows] += _log_ratio(F[rows], released)
    return result


def _contributions(split: Split, cross: bool) -> tuple[Array, Array]:
    """Contributions of originals (n, k) and of released records (N, k) to the sums.

    They are those of residuals e of the regression on (1, x) in all originals: e times each of (1, x), and products of two
    columns of e. X is public, so that these sums are known where those of y times (1, x) are.
    """
    x = location(split.X)
    y = location(split.Y)
    A = with_one(scores(split.X, x))
    B = with_one(scores(split.released, x))
    Y = scores(split.Y, y)
    coef = np.linalg.lstsq(A, Y, rcond=None)[0]
    return _products(Y - A @ coef, A, cross), _products(scores(split.Z, y) - B @ coef, B, cross)


def _products(E: Array, A: Array, cross: bool) -> Array:
    """Products (n, k) of each column of E (n, t) with each of A (n, r), and of each two columns of E."""
    products = [E * a[:, None] for a in A.T]
    if cross:
        i, j = np.triu_indices(E.shape[1])
        products.append(E[:, i] * E[:, j])
    return np.hstack(products)


def _used(k: int, share: float) -> Index:
    """Places of so large a share of k sums, evenly spread."""
    size = max(1, round(share * k))
    return ((np.arange(size) + 0.5) * k / size).astype(np.intp)


def _log_ratio(F: Array, released: Array) -> Array:
    """(b,) log likelihood ratios of the originals of a group with contributions F (b, k). released : (m, k)."""
    reference = _reference(len(F))
    # Each reference mean leaves out the record itself.
    total = F[reference].sum(axis=0)
    others = reference.sum() - reference
    mean = (total - np.where(reference[:, None], F, 0.0)) / others[:, None]
    variance = np.maximum(F.var(axis=0), SMALLEST)
    deviation = F - mean
    shift = released.mean(axis=0) - mean
    return np.asarray((deviation * (shift - deviation / (2 * len(released))) / variance).sum(axis=1))


def _reference(b: int) -> Mask:
    """(b,) every second of b records."""
    return np.arange(b) % 2 == 0
