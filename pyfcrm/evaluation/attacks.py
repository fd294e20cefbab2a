"""The attacks of audit(): scores of how much each record resembles a member, for an intruder who has its values.

A part of the records was protected (the members), the rest was not. Every attack gives each record, member or not, one
score by the same rule, larger for what looks more like a member; chance.py asks whether members have the larger ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..numerics.design import with_one
from ..numerics.location import location, row_blocks, scores
from ..types import Array, Integers, Mask

NEAREST = "nearest record"
RELATIVE = "nearest record, relative to other originals"
OUTLIERS = "isolated outliers"
RESIDUALS = "regression residuals"
COPIES = "exact copies"
VERBATIM = "verbatim values"
SHADOWS = "shadow releases"
MEAN = "mean of the copies"
ATTACKS = (NEAREST, RELATIVE, OUTLIERS, RESIDUALS, COPIES, VERBATIM)
HITS = ("interval disclosure", "within 5 % of a sd")
WIDTHS = tuple(q / 100 for q in range(1, 11))  # of a sd: those of interval disclosure
RAPID_WIDTH = 0.05  # of a sd
ISOLATED = 0.1  # share of the records that count as outliers
SMALLEST = 1e-9  # distances below are none
FULL = 1e-6  # 1 - leverage below which the others do not determine a record's residual


@dataclass(frozen=True)
class Split:
    """The originals, which of them were protected, and the release.

    X (n, s), Y (n, t) : independent and dependent values of all originals; member (n,) : the protected ones; own (n,) : where
    the row of a member's own record in the release, -1 for none; released (N, s), Z (N, t) : the release.
    """

    X: Array
    Y: Array
    member: Mask
    own: Integers
    released: Array
    Z: Array


@dataclass(frozen=True)
class Originals:
    """What is computed from the originals once, whatever is protected.

    Y (n, t) dependent values; ranks (n, t) : in shares of n; in_ranks, in_sd (n,) : how far the nearest other original
    is; unique (n,) : whether no other original has the same values.
    """

    Y: Array
    ranks: Array
    in_ranks: Array
    in_sd: Array
    unique: Mask

    @classmethod
    def of(cls, Y: Array) -> Originals:
        """Of dependent values Y (n, t)."""
        ranks, everyone = ranked(Y, Y), np.arange(len(Y))
        S = scores(Y, location(Y))
        _, group, count = np.unique(Y, axis=0, return_inverse=True, return_counts=True)
        unique = count[group.ravel()] == 1
        return cls(Y, ranks, nearest(ranks, ranks, everyone)[0], nearest(S, S, everyone)[0], unique)


def attack(split: Split, originals: Originals) -> Iterator[tuple[str, Array]]:
    """Each of ATTACKS with its scores (n,), one after the other.

    Nearest record: the nearest released one in ranks over the dependent attributes. Relative: the same over the distance to
    the nearest other original, so that records in dense places do not all look like members. Outliers: by how much
    nearer, in standard deviations, a released record is than any other original, of the tenth of the records that are
    furthest from others; 0 of the rest. Residuals: as relative, of what a linear regression on the independent
    attributes, fitted to the members, leaves of originals (of a member: fitted to the others) and of released records.
    Copies: 1 where the release has the record's values and no other original does. Verbatim: how many of the record's values
    occur in the release, by column, each weighted by its rarity, the negative log of its frequency among the originals.
    """
    Y, Z = split.Y, split.Z
    near = nearest(originals.ranks, ranked(Z, Y))[0]
    yield NEAREST, -near
    yield RELATIVE, -(near + SMALLEST) / (originals.in_ranks + SMALLEST)
    where = location(Y)
    followed = originals.in_sd - nearest(scores(Y, where), scores(Z, where))[0]
    yield (
        OUTLIERS,
        np.where(originals.in_sd >= np.quantile(originals.in_sd, 1 - ISOLATED), np.maximum(followed, 0.0), 0.0),
    )
    left, released = residuals(split)
    other = nearest(left, left, np.arange(len(Y)))[0]
    yield RESIDUALS, -(nearest(left, released)[0] + SMALLEST) / (other + SMALLEST)
    group = np.unique(np.vstack([Y, Z]) + 0.0, axis=0, return_inverse=True)[1].ravel()
    yield COPIES, (originals.unique & np.isin(group[: len(Y)], group[len(Y) :])).astype(np.float64)
    columns = zip(Y.T, Z.T, strict=True)
    yield VERBATIM, np.sum([(occurrences(y, z) > 0) * np.log(len(y) / occurrences(y, y)) for y, z in columns], axis=0)


Attack = Callable[[Split, Originals], Iterator[tuple[str, Array]]]
"""Names of attacks with their scores (n,), one after the other."""


def together(
    splits: Sequence[Split], mean: Split | None, originals: Originals, attack: Attack
) -> Iterator[dict[str, Array]]:
    """Each attack on all copies of a release: by name the score (n,) by all of them, and that by their mean.

    By all of them is the mean over the copies; of exact copies, whether any has one. mean : the split
    of the mean of several copies, None where there is none.
    """
    of_copies, of_mean = [attack(split, originals) for split in splits], attack(mean, originals) if mean else None
    for result in zip(*of_copies, strict=True):
        name = result[0][0]
        all_of_them = np.max if name == COPIES else np.mean
        scores = {name: all_of_them([score for _, score in result], axis=0)}
        if of_mean is not None:
            scores[f"{name}, {MEAN}"] = next(of_mean)[1]
        yield scores


def occurrences(y: Array, z: Array) -> Integers:
    """(n,) how often each of the values y (n,) occurs in z (N,)."""
    values = np.sort(z)
    return np.searchsorted(values, y, "right") - np.searchsorted(values, y, "left")


def ranked(A: Array, Y: Array) -> Array:
    """Where the values of A (N, t) stand among those of Y (n, t), by column, as shares of n; ties in their middle."""
    result = np.empty(A.shape)
    for j, (a, y) in enumerate(zip(A.T, np.sort(Y, axis=0).T, strict=True)):
        result[:, j] = (np.searchsorted(y, a, "left") + np.searchsorted(y, a, "right")) / (2 * len(y))
    return result


def nearest(A: Array, B: Array, own: Integers | None = None) -> tuple[Array, Integers]:
    """Euclidean distance (n,) from each row of A (n, p) to the nearest row of B (N, p), and which one that is.

    own (n,) : the row of B that does not count for each row of A, -1 for none. Where no row counts the distance is infinite.
    """
    center = B.mean(axis=0) if len(B) else 0.0
    A, B = A - center, B - center
    size, place = np.einsum("ij,ij->i", B, B), np.zeros(len(A), dtype=np.int64)
    for rows in row_blocks(len(A), len(B)):
        d = size - 2 * (A[rows] @ B.T)  # the own square is the same for all
        if own is not None:
            has = np.flatnonzero(own[rows] >= 0)
            d[has, own[rows][has]] = np.inf
        place[rows] = np.argmin(d, axis=1)
    distance = np.sqrt(((A - B[place]) ** 2).sum(axis=1))
    if own is not None:
        distance[own == place] = np.inf
    return distance, place


def residuals(split: Split) -> tuple[Array, Array]:
    """What a linear regression on (1, X) fitted to the members leaves, in sd of Y: of originals (n, t), of the release (N, t).

    A member's own is by the regression on the other members (in closed form, by leverage), as a non-member's is.
    """
    member, y, x = split.member, location(split.Y), location(split.X)
    A, R = (with_one(scores(A, x)) for A in (split.X, split.released))
    Y, Z = scores(split.Y, y), scores(split.Z, y)
    inverse = np.linalg.pinv(A[member])
    coef = inverse @ Y[member]
    left = Y - A @ coef
    others = 1.0 - np.einsum("ij,ji->i", A[member], inverse)
    left[member] /= np.maximum(others, FULL)[:, None]
    return left, Z - R @ coef


def hits(split: Split, excluded: bool) -> dict[str, Array]:
    """By kind, the values of a record that an intruder who knows its X reads from the released record nearest in X, in ranks.

    excluded : whether a member's own released record does not count. Returns two (n,), shares from 0 to 1 over the dependent
    attributes: within 1 to 10 per cent of a sd of the truth, averaged over the ten widths as in interval disclosure;
    within 5 per cent of a sd, as RAPID's tolerance.
    """
    place = nearest(ranked(split.X, split.X), ranked(split.released, split.X), split.own if excluded else None)[1]
    if not excluded:
        place = np.where(split.own >= 0, split.own, place)
    deviation, sd = np.abs(split.Y - split.Z[place]), location(split.Y).sd
    intervals = np.mean([(deviation <= width * sd).mean(axis=1) for width in WIDTHS], axis=0)
    return dict(zip(HITS, (intervals, (deviation <= RAPID_WIDTH * sd).mean(axis=1)), strict=True))
