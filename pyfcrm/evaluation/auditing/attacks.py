"""The attacks of audit(): scores of how much each record resembles a member, for an intruder who has its values.

A part of the records was protected (the members), the rest was not. Every attack gives each record, member or not, one
score by the same rule, larger for likely members. audit_statistics.py tests whether members have the larger ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...measures.detection import boosted_trees
from ...numerics.design import with_one
from ...numerics.location import location, row_blocks, scores, standardise
from ...numerics.sorting import twice_below
from ...rstream import RStream
from ...types import Array, Index, Integers, Mask

NEAREST = "nearest record"
RELATIVE = "nearest record, relative to other originals"
OUTLIERS = "isolated outliers"
RESIDUALS = "regression residuals"
COPIES = "exact copies"
VERBATIM = "verbatim values"
PAIRS = "verbatim pairs of values"
RATIOS = "verbatim ratios"
SHADOWS = "shadow releases"
MEAN = "mean of the copies"
HITS = {"interval disclosure": tuple(q / 100 for q in range(1, 11)), "within 5 % of a sd": (0.05,)}  # widths in sd
MOST_PAIRS = 66  # of attributes that are compared
RATIO_DECIMALS = 3  # of the natural log of a ratio, by which ratios are equal
ISOLATED = 0.1  # share of the records that count as outliers
SMALLEST = 1e-9  # distances below are none
NEAR = 1e-6  # of a sd: added to distances before their logarithm, and to those in ranks
TREES: Mapping[str, Any] = {"max_iter": 60, "max_leaf_nodes": 8, "l2_regularization": 1.0}
ShadowAttack = Callable[[Array], Array]
"""A release (N, t) to scores (n,) of the originals, larger for members."""
FULL = 1e-6  # 1 - leverage below which the others do not determine a record's residual


@dataclass(frozen=True)
class Split:
    """The originals, which of them were protected, and the release."""

    X: Array
    """(n, s) independent values of all originals."""
    Y: Array
    """(n, t) their dependent values."""
    member: Mask
    """(n,) whether a record was protected."""
    own: Integers
    """(n,) the row of a member's own record in the release, -1 for none."""
    released: Array
    """(N, s) independent values of the release."""
    Z: Array
    """(N, t) its dependent values."""


@dataclass(frozen=True)
class Originals:
    """Ranks and distances of the originals, computed once, whatever is protected."""

    Y: Array
    """(n, t) dependent values."""
    ranks: Array
    """(n, t) their ranks, as shares of n."""
    in_ranks: Array
    """(n,) the distance to the nearest other original, in ranks."""
    in_sd: Array
    """(n,) the distance to the nearest other original, in standard deviations."""

    @classmethod
    def of(cls, Y: Array) -> Originals:
        """The originals with dependent values Y (n, t)."""
        own = np.arange(len(Y))
        ranks = ranked(Y, Y)
        S = standardise(Y)
        in_ranks, _ = nearest(ranks, ranks, own)
        in_sd, _ = nearest(S, S, own)
        return cls(Y=Y, ranks=ranks, in_ranks=in_ranks, in_sd=in_sd)


def attack(split: Split, originals: Originals, shadows: ShadowAttack | None = None) -> Iterator[tuple[str, Array]]:
    """Each attack with its scores (n,), one after the other."""
    Y = split.Y
    Z = split.Z
    n = len(Y)
    # The nearest released record in ranks over the dependent attributes; and relative to the nearest other original, so
    # that records in dense places do not all look like members.
    to_released, _ = nearest(originals.ranks, ranked(Z, Y))
    yield NEAREST, -to_released
    yield RELATIVE, -_relative(to_released, originals.in_ranks)
    # By how many standard deviations a released record is nearer than any other original is: for the tenth of the
    # records that are furthest from others, 0 for the rest.
    where = location(Y)
    to_released, _ = nearest(scores(Y, where), scores(Z, where))
    nearer_by = np.maximum(originals.in_sd - to_released, 0.0)
    isolated = originals.in_sd >= np.quantile(originals.in_sd, 1 - ISOLATED)
    yield OUTLIERS, np.where(isolated, nearer_by, 0.0)
    # The relative distance again, of residuals.
    of_originals, of_release = residuals(split)
    to_released, _ = nearest(of_originals, of_release)
    to_other, _ = nearest(of_originals, of_originals, np.arange(n))
    yield RESIDUALS, -_relative(to_released, to_other)
    yield from _verbatim(np.vstack([Y, Z]) + 0.0, n)  # + 0.0 makes -0.0 equal to 0.0
    if shadows is not None:
        yield SHADOWS, shadows(Z)


def _relative(to_released: Array, to_other: Array) -> Array:
    """Distance (n,) to the nearest released record over that to the nearest other original; 1 where both are 0."""
    return np.asarray((to_released + SMALLEST) / (to_other + SMALLEST))


def _verbatim(A: Array, n: int) -> Iterator[tuple[str, Array]]:
    """The attacks by records, values, pairs and ratios that occur in the release.

    A (n + N, t) : the n originals, then the release.
    """
    # 1 if the release has the record's values and all other originals differ.
    record = np.unique(A, axis=0, return_inverse=True)[1]
    original = record[:n]
    unique = occurrences(original, original) == 1
    released = np.isin(original, record[n:])
    yield COPIES, (unique & released).astype(np.float64)
    # How many of the record's values, pairs of values, and ratios occur in the release, each weighted by its rarity.
    codes = [np.unique(a, return_inverse=True)[1] for a in A.T]
    pairs = attribute_pairs(A.shape[1])
    compared: dict[str, Sequence[Array | Integers]] = {
        VERBATIM: codes,
        PAIRS: [
            codes[i] * len(A) + codes[j] for i, j in pairs.T
        ],  # one number for each pair of codes, which are below len(A)
        RATIOS: list(np.round(log_ratios(A.T, pairs), RATIO_DECIMALS)),
    }
    for name, columns in compared.items():
        score = np.zeros(n)
        for column in columns:
            score += rarity(column[:n], column[n:])
        yield name, score


def attribute_pairs(t: int) -> Index:
    """Pairs (2, r) of t attributes that are compared."""
    return np.array(np.triu_indices(t, 1))[:, :MOST_PAIRS]


def log_ratios(A: Array, pairs: Index) -> Array:
    """Differences (r, n) of the log magnitudes of attributes A (t, n) by pair, NaN where one is 0."""
    size = np.abs(A)
    L = np.log(np.where(size > 0, size, np.nan))
    return np.asarray(L[pairs[0]] - L[pairs[1]])


def together(
    splits: Sequence[Split], mean: Split | None, scores_of: Callable[[Split], Mapping[str, Array]]
) -> dict[str, Array]:
    """Scores (n,) of each attack on all copies of a release, and of the same attack on the mean of the copies.

    The score on all copies is the mean over them; for exact copies whether any of them has one. mean : the split with the mean
    of several copies, None where there is one copy. scores_of : the attacks on one release.
    """
    tables = [scores_of(split) for split in splits]
    of_mean = {} if mean is None else scores_of(mean)
    result = dict[str, Array]()
    for name in tables[0]:
        of_copies = [table[name] for table in tables]
        result[name] = np.max(of_copies, axis=0) if name == COPIES else np.mean(of_copies, axis=0)
        if of_mean:
            result[f"{name}, {MEAN}"] = of_mean[name]
    return result


def occurrences(y: Array | Integers, z: Array | Integers) -> Integers:
    """Number of times that each of the values y (n,) occurs in z (N,): (n,)."""
    values = np.sort(z)
    return np.searchsorted(values, y, "right") - np.searchsorted(values, y, "left")


def rarity(y: Array | Integers, z: Array | Integers) -> Array:
    """Rarity (n,) of each value y (n,) that occurs in z (N,), 0 for the others: the negative log of its frequency in y."""
    occurs = occurrences(y, z) > 0
    return np.asarray(occurs * np.log(len(y) / occurrences(y, y)))


def ranked(A: Array, Y: Array) -> Array:
    """Ranks (N, t) of the values of A (N, t) among those of Y (n, t), by column, as shares of n; ties in their middle."""
    twice = [twice_below(a, y) for a, y in zip(A.T, Y.T, strict=True)]
    return np.column_stack(twice) / (2 * len(Y))


def nearest(A: Array, B: Array, own: Integers | None = None) -> tuple[Array, Integers]:
    """Euclidean distance (n,) from each row of A (n, p) to the nearest row of B (N, p), N > 1, and which one that is.

    own (n,) : the row of B that does not count for each row of A, -1 for none.
    """
    if own is None:
        own = np.full(len(A), -1)
    # |a - b|^2 = a'a - 2 a'b + b'b. Values are centred, so that little is lost by rounding.
    center = B.mean(axis=0)
    A = A - center
    B = B - center
    squares = np.einsum("ij,ij->i", B, B)
    place = np.zeros(len(A), dtype=np.int64)
    for rows in row_blocks(len(A), len(B)):
        d = squares - 2 * (A[rows] @ B.T)  # a'a does not change which row is nearest
        with_own = np.flatnonzero(own[rows] >= 0)
        d[with_own, own[rows][with_own]] = np.inf
        place[rows] = np.argmin(d, axis=1)
    return np.sqrt(((A - B[place]) ** 2).sum(axis=1)), place


def residuals(split: Split) -> tuple[Array, Array]:
    """Residuals, in sd of Y, of a linear regression on (1, X) that is fitted to the members: of originals (n, t), of the release (N, t).

    A member's own residual is of the regression on the other members, as a non-member's is. Source: Cook and Weisberg
    (1982), deleted residual e_i / (1 - h_ii).
    """
    member = split.member
    x = location(split.X)
    y = location(split.Y)
    A = with_one(scores(split.X, x))
    R = with_one(scores(split.released, x))
    Y = scores(split.Y, y)
    Z = scores(split.Z, y)
    inverse = np.linalg.pinv(A[member])
    coef = inverse @ Y[member]
    left = Y - A @ coef
    leverage = np.einsum("ij,ji->i", A[member], inverse)  # h_ii of the hat matrix A A^+
    left[member] /= np.maximum(1.0 - leverage, FULL)[:, None]
    return left, Z - R @ coef


def hits(split: Split) -> dict[str, Array]:
    """Shares of values that an intruder who knows X learns from the released record nearest in X, in ranks; none without X.

    By kind, shares (2, n) from 0 to 1 of the dependent attributes: from a member's own released record, then from the
    nearest other one. A value is learned within 1 to 10 per cent of a sd, averaged over widths as in interval
    disclosure; or within 5 per cent of a sd, RAPID's tolerance.
    """
    if not split.X.shape[1]:
        return {}
    _, other = nearest(ranked(split.X, split.X), ranked(split.released, split.X), split.own)
    own_or_other = np.where(split.own >= 0, split.own, other)
    sd = location(split.Y).sd
    deviations = np.abs(split.Y - split.Z[[own_or_other, other]])  # (2, n, t)
    shares = dict[str, Array]()
    for kind, widths in HITS.items():
        by_width = [(deviations <= width * sd).mean(axis=2) for width in widths]
        shares[kind] = np.mean(by_width, axis=0)
    return shares


def shadow_attack(splits: Sequence[Split], originals: Originals, stream: RStream) -> ShadowAttack:
    """Membership inference with shadow releases: classifiers of members, trained on releases of random halves.

    The method is public, so an intruder with a reference file protects random parts of it, sees which records are members,
    and trains. Half of the records train the classifier that attacks the other half, in releases of other parts.
    Records and splits of the training are not attacked. splits : one for each shadow release. A score is the rank of a
    record in its half, as a share. Draws: a permutation of the records, for the halves. Source: Shokri, Stronati, Song and
    Shmatikov (2017); Stadler, Oprisanu and Troncoso (2022).
    """
    fold = stream.sample_int(len(originals.Y)) % 2
    table = np.array([features(originals, split.Z) for split in splits])  # (shadows, n, features)
    label = np.array([split.member for split in splits])  # (shadows, n)
    classifiers = []
    for k in (0, 1):
        A = table[:, fold != k]
        is_member = label[:, fold != k]
        classifiers.append(boosted_trees(A.reshape(-1, A.shape[2]), is_member.ravel(), **TREES))

    def scores_of(Z: Array) -> Array:
        """Scores (n,) of the originals for a release Z (N, t)."""
        attacked = features(originals, Z)
        ranks = np.empty(len(fold))
        for k, classifier in enumerate(classifiers):
            score = classifier(attacked[fold == k])
            ranks[fold == k] = twice_below(score, score) / (2 * len(score))
        return ranks

    return scores_of


def features(originals: Originals, Z: Array) -> Array:
    """(n, 5 t + 2) what a release Z (N, t) shows of each original.

    By column five: whether its value occurs, weighted by its rarity; log count of the value against its expectation; log
    distance to the nearest released value, and this against the distance to the nearest other original; log frequency
    among the originals. Two of the whole record: log distance in ranks, and this against the distance to the nearest
    other original.
    """
    from scipy.spatial import cKDTree

    Y = originals.Y
    sd = location(Y).sd
    columns = list[Array]()
    for y, z, unit in zip(Y.T, Z.T, np.where(sd > 0, sd, 1.0), strict=True):
        usual = occurrences(y, y)
        count = occurrences(y, z)
        released_tree: Any = cKDTree(z[:, None])
        original_tree: Any = cKDTree(y[:, None])
        to_released = released_tree.query(y[:, None])[0]
        to_other = original_tree.query(y[:, None], k=2)[0][:, 1]  # the nearest original is the value itself
        near = np.log(NEAR + to_released / unit)
        other = np.log(NEAR + to_other / unit)
        expected = np.log1p(usual * len(z) / len(y))
        columns += [rarity(y, z), np.log1p(count) - expected, near, near - other, np.log(usual)]
    whole = np.log(NEAR + nearest(originals.ranks, ranked(Z, Y))[0])
    return np.column_stack([*columns, whole, whole - np.log(NEAR + originals.in_ranks)])
