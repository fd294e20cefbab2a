"""The attack by moments: who is among the records whose sums a method publishes.

A release that preserves the regressions of dependent columns on (1, x) discloses sums over the members. An intruder who has a
record compares its contributions with these sums: the log likelihood ratio of "is in the sum" and "is not". It needs no
training, and no released record is looked at alone. The more sums for each member, the better it succeeds. Sources: Homer et
al. (2008); Sankararaman, Obozinski, Jordan and Halperin (2009).
"""

from __future__ import annotations

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
class PublishedGroups:
    """Groups of records within which sums are preserved: strata, or the levels of a column."""

    codes: Codes
    """(n,) the group of each original, from 0."""
    means_only: Mask
    """(k,) by group, whether only the sums of the dependent columns are preserved in it."""
    cross: bool
    """Whether sums of products of two dependent columns are preserved in the others too."""

    @classmethod
    def whole(cls, codes: Codes, *, cross: bool) -> PublishedGroups:
        """Groups in each of which all sums are preserved."""
        return cls(codes, np.zeros(int(codes.max(initial=-1)) + 1, dtype=bool), cross)


@dataclass(frozen=True)
class PublishedSums:
    """The sums that the releases of an audit preserve."""

    groups: Sequence[PublishedGroups]
    """The strata, and the levels of each column in them."""
    share: float
    """The share of the records that is protected, and of the sums that are used.

    A protected part has fewer members than the release, and as many sums. With this share of the sums both have as many sums
    for each member.
    """


def moment_scores(split: Split, sums: PublishedSums) -> Array:
    """(n,) log likelihood ratio of each original being in the published sums, added up over its groups.

    With contributions f of a record, of mean a and variances v in the reference, and mean g over the m members of its group,
    the ratio is sum (f - a) (g - a) / v - sum (f - a)^2 / (2 m v). The reference is every second other original, as
    the intruder's own sample is not the file. Sums that a group does not preserve would only add noise.
    """
    F, R = _contributions(split, cross=any(of_column.cross for of_column in sums.groups))
    t = split.Y.shape[1]
    on_x = t * (1 + split.X.shape[1])  # without cross sums
    result = np.zeros(len(F))
    placed = split.own >= 0
    for of_column in sums.groups:
        of_release = np.full(len(R), -1)
        of_release[split.own[placed]] = of_column.codes[placed]  # a released record is in its own original's group
        all_sums = F.shape[1] if of_column.cross else on_x
        kept = [t if only else all_sums for only in of_column.means_only]
        for group, used in enumerate(_used(kept, sums.share)):
            rows = np.flatnonzero(of_column.codes == group)
            released = R[of_release == group]
            if len(used) and min(len(rows), len(released)) >= FEWEST:
                result[rows] += _log_ratio(F[np.ix_(rows, used)], released[:, used])
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


def _used(kept: Sequence[int], share: float) -> list[Index]:
    """By group, the places of so large a share of its sums, evenly spread. kept : by group, the number of its sums.

    What is less than one sum is left to the next group, so that the share holds over all groups.
    """
    due = 0.0
    found = list[Index]()
    for group, sums in enumerate(kept):
        due += share * sums
        size = min(round(due), sums)
        if group == 0:
            size = max(size, 1)
        due -= size
        # Groups begin at different sums: none is left out everywhere.
        found.append(((np.arange(size) + 0.5) * sums / max(size, 1) + group).astype(np.intp) % sums)
    return found


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
