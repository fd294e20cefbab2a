"""Point masses of confidential columns, and which released records have them, drawn given X by logistic regressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.tally import NEARLY_ALL
from ..numerics.location import evenly
from ..numerics.logistic import score_and_information
from ..rstream import RStream
from ..types import Array, Codes, Integers, Mask, Rows, Terms
from .basis import MOST_VALUES
from .margins import FEWEST, point_masses
from .smooth_draws import smooth_draws
from .support import SHARED_SHARE

MASS_SHARE = 0.05  # of the records that a point mass has at least
MAX_MASSES = 2  # of a column; where more values are frequent they are distinguished by rank
LOGISTIC_RECORDS = 20_000  # evenly spaced, that the probabilities are fitted to
RULE_RECORDS = 30  # of one pattern, from which on a member that none or few of them are is a rule
EXCEPTIONS = 0.1  # of the exceptions that the share in the file lets expect, and fewer than 10 and 1 per cent of all records, are few
RIDGE, STEPS = 1.0, 25
LARGEST_STEP = 2.0  # of a logit, in a step of Newton's method
LEAST_VARIANCE = 1e-6  # of a member in the information of a logistic regression
FEWEST_CODES = 3  # that ten records share, of a scale
PROPOSED = 5.0  # added to the logit of a record that another method made a member


@dataclass(frozen=True)
class PointMasses:
    """The k point masses of t columns, and the records that have them."""

    values: Array
    """The point masses (k,)."""
    columns: Integers
    """The column (k,) of each."""
    members: Mask
    """Mask (n, k): which records have which."""
    t: int
    """Number of columns."""

    def of(self, j: int) -> Integers:
        """The point masses of column j."""
        return np.flatnonzero(self.columns == j)

    def free(self, members: Mask) -> Mask:
        """Mask (n, t): whether a value is no point mass of its column, by these members (n, k)."""
        return ~(members @ (self.columns[:, None] == np.arange(self.t)))


def masses_of(Y: Array, least: int | None = None, *, scales: Mask | None = None) -> PointMasses:
    """The point masses of Y (n, t): at most two a column, each of a twentieth of the records at least.

    least : records of a point mass, see point_masses. Where fewer than ten records have another value, these become members of
    the nearest point mass. scales : the columns (t,) of scales, see is_scale, which have none here: who has 12 years of school is
    decided with who has 11 or 13.
    """
    found = [_frequent(y, least) for y in Y.T]
    if scales is not None:
        found = [values[:0] if is_one else values for values, is_one in zip(found, scales, strict=True)]
    t = Y.shape[1]
    values, columns = np.concatenate(found), np.repeat(np.arange(t), [len(frequent) for frequent in found])
    members = Y[:, columns] == values
    masses = PointMasses(values, columns, members, t)
    for j, free in enumerate(masses.free(members).T):
        own = masses.of(j)
        if len(own) and free.sum() < FEWEST:
            for record in np.flatnonzero(free):
                members[record, own[np.abs(values[own] - Y[record, j]).argmin()]] = True
    return masses


def _frequent(y: Array, least: int | None) -> Array:
    """Point masses (at most 2,) of y (n,), ascending."""
    values, counts = point_masses(y, least)
    order = np.argsort(-counts, kind="stable")[:MAX_MASSES]
    return np.sort(values[order[counts[order] >= MASS_SHARE * len(y)]])


def is_scale(y: Array) -> bool:
    """Whether y (n,) has 3 to 20 different values: codes, or steps of a scale."""
    return 2 < len(np.unique(y)) <= MOST_VALUES


def has_shared_codes(y: Array) -> bool:
    """Whether y (n,) is a scale of codes: ten records share at least 3 of them, and nearly all records have one of these.

    Other numbers of few values are amounts of few records, beside a point mass or not.
    """
    if not is_scale(y):
        return False
    counts = np.unique(y, return_counts=True)[1]
    is_shared = counts >= FEWEST
    return bool(is_shared.sum() >= FEWEST_CODES and counts[is_shared].sum() >= SHARED_SHARE * len(y))


def groups_of_codes(y: Array) -> tuple[Array, Integers]:
    """The codes (k,) of y (n,), ascending, and the group (k,) of each: codes that follow each other, until 10 records have one.

    The last group has those that are left too.
    """
    codes, counts = np.unique(y, return_counts=True)
    group = np.zeros(len(codes), dtype=np.int64)
    size = 0
    for k in range(1, len(codes)):
        size += counts[k - 1]
        is_full = size >= FEWEST and counts[k:].sum() >= FEWEST
        group[k] = group[k - 1] + is_full
        if is_full:
            size = 0
    return codes, group


@dataclass(frozen=True)
class Known:
    """What is known of the members of k point masses among n released records, beside X."""

    classes: Mask
    """Masks (n, q) of unmodified classes, within which a point mass may be a rule: hours of 0 have a wage of 0."""
    proposed: Mask
    """Mask (n, k): the members that another method drew, whose log odds are larger by 5."""
    forced: Mask
    """Mask (n, k): records that are members by a rule."""
    groups: Codes
    """Codes (n,) of groups that have as many members as in the original, where the predictors allow."""
    apart: Mask | None = None
    """Mask (n, k): cells that are not released; their members are counted apart from those of the other records."""

    @classmethod
    def nothing(cls, n: int, k: int) -> Known:
        """No class, no proposal, no rule, and one group."""
        nobody = np.zeros((n, k), dtype=bool)
        return cls(
            classes=np.zeros((n, 0), dtype=bool), proposed=nobody, forced=nobody, groups=np.zeros(n, dtype=np.int64)
        )

    def parts(self, k: int) -> list[Mask]:
        """The records (n,) whose members of point mass k are counted together: all, or those with and those without a gap."""
        if self.apart is None:
            return [np.ones(len(self.groups), dtype=bool)]
        return [self.apart[:, k], ~self.apart[:, k]]


def levels_of(y: Array, codes: Array) -> Mask:
    """Masks (m, k) of the codes (m,) that are each of the k different ones of y (n,)."""
    levels: Mask = codes[:, None] == np.unique(y)
    return levels


def levels_of_predictors(X: Array, terms: Terms) -> Mask:
    """Masks (n, q) of the levels of categories among the columns of X (n, s), by the positions of each one's columns."""
    found: list[Mask] = [np.zeros((len(X), 0), dtype=bool)]
    for term in terms:
        levels: Mask = X[:, list(term)] != 0
        found += [levels, np.logical_not(levels.any(axis=1, keepdims=True))]
    return np.hstack(found)


def class_levels(X: Array, terms: Terms, Y: Array, Z: Array, categories: Sequence[int]) -> tuple[Mask, Mask]:
    """Masks (n, q) and (m, q) of the levels of predictors X (n, s) and of some columns of Y (n, t), and of those as Z (m, t) has them."""
    of_predictors = levels_of_predictors(X, terms)
    original = [levels_of(Y[:, j], Y[:, j]) for j in categories]
    released = [levels_of(Y[:, j], Z[:, j]) for j in categories]
    return np.hstack([of_predictors, *original]), np.hstack([of_predictors, *released])


def classes_of(X: Array, terms: Terms = ()) -> Mask:
    """Masks (n, q) of the records with each value of the columns of X (n, s) with at most 20 values.

    terms : the positions of each category's columns, whose first level has none.
    """
    found: list[Mask] = [np.zeros((len(X), 0), dtype=bool)]
    for x in X.T:
        values = np.unique(x)
        if 1 < len(values) <= MOST_VALUES:
            found.append(np.equal(x[:, None], values))
    for term in terms:
        if len(term) > 1:
            found.append(np.logical_not(X[:, list(term)].any(axis=1, keepdims=True)))
    return np.hstack(found)


def states(masses: PointMasses, members: Mask) -> Integers:
    """The state (n, t) of each value: 0 for an amount, k for the k-th point mass of its column. members : (n, masses)."""
    found = np.zeros((len(members), masses.t), dtype=np.int64)
    for j in range(masses.t):
        for k, mass in enumerate(masses.of(j), 1):
            found[members[:, mass], j] = k
    return found


def sampled_members(F: Array, masses: PointMasses, stream: RStream, known: Known | None = None) -> Mask:
    """Members (n, k) of the point masses among the released records, one after another.

    Each is drawn by a logistic regression on F (n, q) and the point masses before, with larger log odds where another method drew
    a member. It is fitted so that the members expected have the original members' sums of these columns: as many in each class.
    Each has as many members as in the original. A record has at most one of a column, and exactly one where all originals
    have. If few of 30 or more records that are alike in an earlier point mass, or in all of them, are members, none is; nor if
    few are not. Few is fewer than 10, than 1 per cent of all records, and than a tenth of those that the share of members in the file
    lets expect, which are at least 10. Of 10 to 29 such records of which all are members, or none, the share is shrunk, as they may
    be so by chance. Draws: n uniforms a point mass.
    known : what is known beside X, and groups that each have as many members as in the original; records that are alike may
    be those of a class too.
    Source: order sampling, Rosén (1997).
    """
    members = masses.members
    n, k = members.shape
    released = np.zeros((n, k), dtype=bool)
    pattern = np.zeros(2 * n, dtype=np.int64)  # of the point masses so far, of originals and then of released records
    rows = evenly(n, LOGISTIC_RECORDS)
    if known is None:
        known = Known.nothing(n, k)
    for b in range(k):
        u, own = stream.runif(n), masses.of(int(masses.columns[b]))
        original_columns = np.hstack([F, members[:, :b]])
        released_columns = np.hstack([F, released[:, :b]])
        offset = np.where(known.proposed[:, b], PROPOSED, 0.0)
        beta = _balanced(original_columns[rows], members[rows, b], released_columns[rows], offset[rows])
        logits = offset + beta[0] + released_columns @ beta[1:]
        before = np.hstack([known.classes, members[:, :b]])
        released_before = np.hstack([known.classes, released[:, :b]])
        rule, own_logits = _rules(before, members[:, b], released_before, pattern)
        logits = np.where(np.isnan(own_logits), logits, own_logits + offset)
        rule[known.forced[:, b]] = 1
        if b == own[-1] and members[:, own].any(axis=1).all():
            rule[:] = 1
        rule[released[:, own].any(axis=1)] = 0
        # Each has about its own probability; all are moved so that they add up to the size, which changes no order.
        place = np.log(u / (1 - u)) - logits
        released[:, b] = rule == 1
        # Members that others must be: negative where the predictors make more of them.
        further = members[:, b].astype(np.float64) - (rule == 1)
        for part in known.parts(b):
            undecided = np.flatnonzero(part & (rule < 0))
            by_chance = undecided[np.argsort(place[undecided], kind="stable")]
            sizes = np.bincount(known.groups, weights=further * part).astype(np.float64)
            size = int(np.clip(further[part].sum(), 0, len(undecided)))
            released[_first(by_chance, known.groups, sizes, size), b] = True
        pattern = np.unique(2 * pattern + np.concatenate([members[:, b], released[:, b]]), return_inverse=True)[1]
    return released


def _first(ordered: Rows, groups: Codes, sizes: Array, size: int) -> Rows:
    """So many of the ordered records: in each group its size of the first ones, then the first of the others as far as needed.

    groups : (n,) of all records; sizes : of each group, which need not add up to `size`.
    """
    place = np.empty(len(ordered), dtype=np.int64)  # within its group
    of_ordered = groups[ordered]
    for group in np.unique(of_ordered):
        rows = of_ordered == group
        place[rows] = np.arange(rows.sum())
    is_own = place < sizes[of_ordered]
    return np.concatenate([ordered[is_own], ordered[~is_own]])[:size]


def _rules(before: Mask, member: Mask, released: Mask, pattern: Integers) -> tuple[Integers, Array]:
    """Membership (n,), 1 or 0 where the point masses before decide whether a released record is a member, -1 where they do not;
    and logits (n,) of membership in small classes, NaN elsewhere."""
    n = len(member)
    share = float(member.mean())
    inside, outside = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    logits = np.full(n, np.nan)
    for group in (*np.vstack([before, released]).T.astype(np.int64), pattern):
        sizes = np.bincount(group[:n], minlength=group.max() + 1)
        hits = np.bincount(group[:n], weights=member, minlength=group.max() + 1)
        all_are, none_is = _decides(sizes, hits, n, share)
        inside |= all_are[group[n:]]
        outside |= none_is[group[n:]]
        # Of m records k = 0 or k = m are members: the share (k + 1/2) / (m + 1).
        small = (sizes >= FEWEST) & (sizes < RULE_RECORDS) & ((hits == 0) | (hits == sizes))
        shrunk = np.where(small, np.log((hits + 0.5) / (sizes - hits + 0.5)), np.nan)[group[n:]]
        logits = np.where(np.isnan(shrunk), logits, shrunk)
    return np.where(inside == outside, -1, inside).astype(np.int64), logits


def keep_class_rules(y: Array, z: Array, classes: Mask, released: Mask, stream: RStream) -> None:
    """Make values z (m,) a point mass of y (n,), or no point mass, where their class decides it. z is changed.

    A class, or the records outside it, decides where 30 or more of its originals are alike but for few, see sampled_members.
    A value that must not be a point mass is drawn between smoothed quantiles of the other values of the class.
    classes, released : masks (n, q) and (m, q) of the originals and of the records of z in each class. Draws: one uniform for each
    value that is drawn again.
    """
    masses = masses_of(y[:, None])
    both = _with_others(classes)
    both_released = _with_others(released)
    for value, member in zip(masses.values, masses.members.T, strict=True):
        all_are, none_is = _decided(member, both)
        must = both_released[:, all_are].any(axis=1)
        must_not = both_released[:, none_is].any(axis=1)
        z[must & ~must_not] = value
        for k in np.flatnonzero(none_is):
            rows = np.flatnonzero(both_released[:, k] & ~must & (z == value))
            if len(rows):
                others = y[both[:, k] & ~member]
                z[rows] = smooth_draws(
                    y[~member], [others], np.zeros(len(rows), dtype=np.int64), stream.runif(len(rows))
                )


def zeros_by_class(y: Array, classes: Mask, released: Mask) -> Mask:
    """(m,) whether a record must have a zero, as nearly all originals y (n,) of its class do. See keep_class_rules."""
    both_released = _with_others(released)
    all_are, none_is = _decided(y == 0, _with_others(classes))
    excluded: Mask = np.logical_not(both_released[:, none_is].any(axis=1))
    zeros: Mask = both_released[:, all_are].any(axis=1) & excluded
    return zeros


def _with_others(classes: Mask) -> Mask:
    """Masks (n, 2 q) of the records in each of the classes (n, q), and then of the others."""
    return np.hstack([classes, ~classes])


def _decided(member: Mask, classes: Mask) -> tuple[Mask, Mask]:
    """The classes (q,) of which all but few originals are members (n,), and those of which few are. classes : masks (n, q)."""
    return _decides(classes.sum(axis=0), classes[member].sum(axis=0), len(member), float(member.mean()))


def _decides(sizes: Array | Integers, hits: Array | Integers, n: int, share: float) -> tuple[Mask, Mask]:
    """The classes (q,) that decide: those of which all but few records are members, and those of which few are.

    sizes, hits : records and members (q,) of each, of n records in the file, of which this share are members.
    """
    large = sizes >= RULE_RECORDS
    all_are: Mask = large & (sizes - hits < _few(n, sizes, 1 - share))
    none_is: Mask = large & (hits < _few(n, sizes, share))
    return all_are, none_is


def _few(n: int, sizes: Array | Integers, chance: float) -> Array:
    """How many exceptions (k,) a rule of classes of these sizes must have fewer than, of n records; 0 where there is no rule.

    chance : the share of exceptions in the file. Where it lets expect fewer than 10 in a class, none may be by chance.
    """
    expected = chance * sizes
    few = np.minimum(min(FEWEST, (1 - NEARLY_ALL) * n), EXCEPTIONS * expected)
    return np.where(expected >= FEWEST, few, 0.0)


def balanced_logits(F: Array, member: Mask, released: Array, offset: Array) -> Array:
    """Logits (m,) of membership of released records (m, q), moved from `offset` (m,): expected sums are the members' in F (n, q)."""
    rows = evenly(len(F), LOGISTIC_RECORDS)
    of_released = evenly(len(released), LOGISTIC_RECORDS)
    beta = _balanced(F[rows], member[rows], released[of_released], offset[of_released])
    return offset + beta[0] + released @ beta[1:]


def _balanced(F: Array, member: Mask, released: Array, offset: Array) -> Array:
    """Coefficients (1 + q,) of the logits of membership, offset + (1, released) beta, by Newton's method with a ridge.

    The expected members have as large a sum of each column of `released` (n, q) as the original members have of F (n, q): so many
    of each class. Without an offset, and with the same columns, this is the logistic regression of `member` (n,) on F.
    """
    sums = np.concatenate([[member.sum()], F.T @ member])
    A = np.hstack([np.ones((len(F), 1)), released])
    ridge = np.diag(np.r_[1e-6, np.full(F.shape[1], RIDGE)])
    beta = np.zeros(A.shape[1])
    nobody = np.zeros(len(A))
    for _ in range(STEPS):
        score, information = score_and_information(A, nobody, beta, offset=offset, least_variance=LEAST_VARIANCE)
        step = np.linalg.solve(information + ridge, sums + score - ridge @ beta)
        beta += step / max(1.0, float(np.abs(A @ step).max()) / LARGEST_STEP)
    return beta
