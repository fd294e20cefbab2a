"""Statistics of the splits of an audit: each attack against chance, its interval, and the alarms.

Chance is what permuted labels give; intervals are normal, with the influence of each record on a value.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from ...errors import Note
from ...measures.propensity import Propensity
from ...methods import Procedure
from ...numerics.sorting import twice_below
from ...rstream import RStream
from ...types import Array, Integers, Mask
from .across_columns import Statistics
from .attacks import COPIES
from .audit_result import ALARM_LEVEL, Audit, Line
from .labellings import labellings
from .own_record_statistics import PERMUTATIONS, OwnRecord, adjusted_p_values, significance, standardised, word_of

FALSE_POSITIVES = 0.01
Z95 = float(ndtri(0.975))  # of a 95 per cent interval
# Of an alarm beside its level, since any small difference is significant in a large file.
LEAST_AREA = 0.57  # of an attack on membership
LEAST_LOWER_AREA = 0.54  # above which the lower end of its interval lies
LEAST_TRUE_POSITIVES = 0.03  # with 1 per cent of others taken for members
LEAST_EXCESS = 0.02  # of the values that are close to the record's own, beyond chance
RARELY = "chance does as much in any attack in {under}{percent:.1f} % of files"
MEMBERSHIP = "membership"
TPR = "tpr"
WORDS = {
    MEMBERSHIP: "members look more like the release than others do, AUC {value:.1f}, by chance {control:.1f}",
    TPR: "{value:.1f} % of members are recognised with 1 % of others taken for members, by chance {control:.1f} %",
}
ATTRIBUTES = "attribute disclosure"
CLOSE = (
    "{what} are close to the record's own {points:.1f} points more often than to those of others near in X, {value:.1f} sd "
    "above chance"
)
ALIKE = "{what} are nearer to the record's own than to those of others near in X, AUC {area:.1f}, {value:.1f} sd above chance"
Row = tuple[str, float, float, float, float]
"""An attack, its value and control, and the 95 per cent interval of the value; shares, 0 to 1."""
Interval = tuple[float, tuple[float, float]]
"""A value, and the two ends of its 95 per cent interval."""


@dataclass(frozen=True)
class SplitResult:
    """The results of one split."""

    member: Mask
    """(n,) whether a record was protected."""
    scores: Mapping[str, Array]
    """By attack, (n,) scores that are larger for members."""
    hits: Mapping[str, Array]
    """By kind, with a member's own record and without; see `attacks.hits`."""
    attributes: OwnRecord
    """Own-record statistics of the members."""
    detected: Mapping[str, tuple[float, float, float]]
    """By classifier, the area under its ROC curve, that of the control, and the variance of the first."""
    replicated: Array | None = None
    """(k, n) by combination of keys, how far each record is replicated; None without keys."""


def audit_of_splits(method: Procedure, evidence: Sequence[SplitResult], stream: RStream, **more: Any) -> Audit:
    """The Audit of m splits; more : its further fields.

    Statistics of membership are means over the splits. They and those of attributes are two families of tests; within each
    p-values are adjusted by permutations, between them by Holm's method. Draws: permutations of the labels of each split.
    """
    m = len(evidence)
    member = evidence[0].member
    attacks = list(evidence[0].scores)
    membership = _membership_statistics(evidence, stream)
    own_record = added(
        {label: standardised(values) for label, values in split.attributes.statistics.items()} for split in evidence
    )
    families = [family for family in (membership, own_record) if family]
    p_values = holm([adjusted_p_values(family) for family in families])
    strongest = {
        MEMBERSHIP: max(attacks, key=lambda attack: membership[attack, MEMBERSHIP][0]),
        TPR: max(attacks, key=lambda attack: membership[attack, TPR][0]),
    }
    intervals = _intervals(evidence)
    rows = [
        *_detection(evidence),
        *_membership(evidence, membership, strongest, intervals),
        *_attribute_hits(evidence),
    ]
    p = float(np.concatenate(p_values).min())
    return Audit(
        lines=tuple(_in_per_cent(row) for row in rows),
        method=method,
        records=len(member),
        members=int(member.sum()),
        repeats=m,
        strongest=strongest,
        alarms=_alarms(families, p_values, intervals, evidence),
        p_value=p,
        p_of_large=_least_p_of_large(families, p_values, intervals, evidence),
        **more,
    )


def _membership_statistics(evidence: Sequence[SplitResult], stream: RStream) -> Statistics:
    """The areas and true positives of every attack on members, each the mean over the splits. Draws: see audit_of_splits."""
    of_splits = list[Statistics]()
    for split in evidence:
        labels = labellings(split.member, PERMUTATIONS, stream)
        found: Statistics = {}
        for attack, scores in split.scores.items():
            found[attack, MEMBERSHIP] = areas(scores, labels) / len(evidence)
        for attack, scores in split.scores.items():
            found[attack, TPR] = true_positives(scores, labels) / len(evidence)
        of_splits.append(found)
    return added(of_splits)


def _in_per_cent(row: Row) -> Line:
    """The line of a row."""
    attack, value, control, lower, upper = row
    return Line(
        attack=attack,
        value=100 * float(value),
        control=100 * float(control),
        lower=100 * float(lower),
        upper=100 * float(upper),
    )


def added(splits: Iterable[Statistics]) -> Statistics:
    """The sums of the statistics of several splits."""
    sums: Statistics = {}
    for statistics in splits:
        for label, values in statistics.items():
            sums[label] = sums.get(label, 0.0) + values
    return sums


def holm(families: Sequence[Array]) -> list[Array]:
    """P-values of several families at one level, from those adjusted within each family. Source: Holm (1979)."""
    result = list(families)
    # In the order of their least p-values the families' p-values are multiplied by F, F - 1, ..., 1, and do not decrease.
    by_least = np.argsort([family.min() for family in families], kind="stable")
    least = 0.0
    for k, place in enumerate(by_least):
        families_left = len(families) - k
        result[place] = np.clip(families_left * families[place], least, 1.0)
        least = result[place].min()
    return result


def _detection(evidence: Sequence[SplitResult]) -> Iterator[Row]:
    """The rows of detection by classifiers, which measures utility and raises no alarm."""
    for key in evidence[0].detected:
        value, control, variance = np.mean([split.detected[key] for split in evidence], axis=0).tolist()
        yield key, value, control, *_normal(value, variance / len(evidence))


def _normal(value: float, variance: float) -> tuple[float, float]:
    """The normal 95 per cent interval of a value."""
    half = Z95 * float(np.sqrt(variance))
    return value - half, value + half


def _of_records(splits: Iterable[tuple[float, Array]]) -> tuple[float, tuple[float, float]]:
    """The mean over splits of values, each with the influence (n,) of every record on it, and its interval.

    The variance is the sum over records of the squared mean influence: splits of one file are not independent.
    """
    values, influences = zip(*splits, strict=True)
    value = float(np.mean(values))
    mean_influence = np.mean(influences, axis=0)
    return value, _normal(value, float((mean_influence**2).sum()))


def _intervals(evidence: Sequence[SplitResult]) -> dict[str, Interval]:
    """The area of each attack on membership, with its 95 per cent interval."""
    return {
        name: _of_records(influences(split.scores[name], split.member) for split in evidence)
        for name in evidence[0].scores
    }


def _membership(
    evidence: Sequence[SplitResult],
    statistics: Statistics,
    strongest: Mapping[str, str],
    of_attacks: Mapping[str, Interval],
) -> Iterator[Row]:
    """The rows of the strongest attack, by area and by true positives, of exact copies, and of each attack.

    of_attacks : as _intervals() gives it.
    """
    by_chance = dict[str, float]()
    for kind in (MEMBERSHIP, TPR):
        # The strongest attack is chosen under each permutation too.
        permuted = [statistics[name, kind][1:] for name in of_attacks]
        by_chance[kind] = float(np.max(permuted, axis=0).mean())
    value, interval = of_attacks[strongest[MEMBERSHIP]]
    yield MEMBERSHIP, value, by_chance[MEMBERSHIP], *interval
    attacked = sum(int(split.member.sum()) for split in evidence)
    of_members = np.mean([split.scores[COPIES][split.member].mean() for split in evidence])
    of_others = np.mean([split.scores[COPIES][~split.member].mean() for split in evidence])
    shares = {
        TPR: (statistics[strongest[TPR], TPR][0], by_chance[TPR]),
        "exact_copies": (of_members, of_others),
    }
    for key, (value, control) in shares.items():
        yield key, value, control, *wilson(value, attacked)
    for name, (value, interval) in of_attacks.items():
        yield f"membership: {name}", value, statistics[name, MEMBERSHIP][1:].mean(), *interval


def _attribute_hits(evidence: Sequence[SplitResult]) -> Iterator[Row]:
    """The rows of attribute hits, the first of them called by the key; the own record does not count in the controls."""
    for number, kind in enumerate(evidence[0].hits):
        with_own = []
        without_own = []
        for split in evidence:
            shares, shares_without = split.hits[kind]
            with_own.append(difference(shares, split.member))
            without_own.append(difference(shares_without, split.member))
        value, interval = _of_records(with_own)
        control, _ = _of_records(without_own)
        name = "attribute_hits" if number == 0 else f"attribute_hits: {kind}"
        yield name, value, control, *interval


def difference(values: Array, member: Mask) -> tuple[float, Array]:
    """Mean of values (n,) over members less that over the others, and the influence (n,) of each record on it."""
    of_members = values[member].mean()
    of_others = values[~member].mean()
    sizes = np.where(member, member.sum(), -(~member).sum())
    influence = (values - np.where(member, of_members, of_others)) / sizes
    return float(of_members - of_others), influence


def _least_p_of_large(
    families: Sequence[Statistics],
    p_values: Sequence[Array],
    intervals: Mapping[str, Interval],
    evidence: Sequence[SplitResult],
) -> float:
    """The least p-value of a statistic that is large enough for an alarm; 1 where none is. intervals : of areas, by attack."""
    own_records = [split.attributes for split in evidence]

    def has_size(name: str, kind: str, value: float) -> bool:
        """Whether a statistic of this value is large enough."""
        if kind in WORDS:
            return is_large(kind, value, intervals[name])
        return own_record_size(name, kind, own_records).is_large

    of_large = [
        float(p)
        for statistics, adjusted in zip(families, p_values, strict=True)
        for ((name, kind), values), p in zip(statistics.items(), adjusted, strict=True)
        if has_size(name, kind, values[0])
    ]
    return min(of_large, default=1.0)


def _alarms(
    families: Sequence[Statistics],
    p_values: Sequence[Array],
    intervals: Mapping[str, Interval],
    evidence: Sequence[SplitResult],
) -> tuple[Note, ...]:
    """One alarm for each attack on membership, and one for attributes: of the most significant statistic of each that is large.

    intervals : of areas, by attack.
    """
    alarms = dict[str, Note]()  # by attack, the first that is added
    least = len(families) / (1 + PERMUTATIONS)  # the smallest possible p-value after Holm's adjustment
    for statistics, adjusted in zip(families, p_values, strict=True):
        p_of = {label: float(p) for label, p in zip(statistics, adjusted, strict=True) if p <= ALARM_LEVEL}
        surest_first = sorted(p_of, key=lambda label: -significance(label[0], statistics[label]))
        for name, kind in surest_first:
            if kind in WORDS:
                attack = name
                wording = WORDS[kind]
                values = 100 * statistics[name, kind]
                facts = dict[str, Any]()
                large = is_large(kind, statistics[name, kind][0], intervals[name])
            else:
                attack = ATTRIBUTES
                values = standardised(statistics[name, kind])
                size = own_record_size(name, kind, [split.attributes for split in evidence])
                wording = size.wording
                facts = {"what": f"{word_of(kind)} of {name}", **size.facts}
                large = size.is_large
            if attack in alarms or not large:
                continue
            p = p_of[name, kind]
            alarms[attack] = Note.of(
                "alarm",
                f"{{attack}}: {wording}; {RARELY}",
                attack=attack,
                value=float(values[0]),
                control=float(values[1:].mean()),
                chance=p,
                under="under " if p <= least else "",
                percent=100 * p,
                **facts,
            )
    return tuple(alarms.values())


@dataclass(frozen=True)
class OwnRecordSize:
    """How much an own-record statistic discloses."""

    is_large: bool
    """Whether it is enough for an alarm."""
    wording: str
    """What stands out, in words with the facts to be filled in."""
    facts: Mapping[str, float]
    """The size, in points or as an area in per cent, with the lower bound of its 95 per cent interval."""


def own_record_size(attribute: str, kind: str, splits: Sequence[OwnRecord]) -> OwnRecordSize:
    """The size of a statistic, by the mean over the splits.

    Of close values it is the share of them beyond chance. Of a covariance it is the chance that of two records near in X the
    released value of one is the larger where its own is: 1/2 + arcsin(r) / pi, with r the correlation given X. Source: Kendall
    (1948), for normal values. A statistic in standard deviations under permutation of n records is r sqrt(n).
    """
    label = (attribute, kind)
    shares = [split.excess[label] for split in splits if label in split.excess]
    if shares:
        share = float(np.mean(shares))
        n = min(split.records for split in splits if label in split.excess)
        lower_share = share - Z95 * np.sqrt(max(share * (1 - share), 0.0) / n)
        return OwnRecordSize(
            is_large=share >= LEAST_EXCESS, wording=CLOSE, facts={"points": 100 * share, "lower": 100 * lower_share}
        )
    found = [split for split in splits if label in split.statistics]
    n = min(split.records for split in found)
    correlation = float(np.mean([_above_chance(split.statistics[label]) for split in found])) / np.sqrt(n)
    area = _concordance(correlation)
    # Splits share records, so that their mean is taken to be as uncertain as one of them.
    interval = _concordance(correlation - Z95 / np.sqrt(n)), _concordance(correlation + Z95 / np.sqrt(n))
    return OwnRecordSize(
        is_large=is_large(MEMBERSHIP, area, (area, interval)),
        wording=ALIKE,
        facts={"area": 100 * area, "lower": 100 * interval[0]},
    )


def _above_chance(values: Array) -> float:
    """A statistic (1 + k,) in standard deviations of its values under permutation alone: with itself it is at most sqrt(k)."""
    permuted = values[1:]
    sd = permuted.std()
    if sd <= 1e-9 * np.abs(values).max(initial=0.0):
        return 0.0
    return float((values[0] - permuted.mean()) / sd)


def _concordance(correlation: float) -> float:
    """The chance that two records with normal values have the same order in both columns. Sums of statistics may exceed 1."""
    return 0.5 + float(np.arcsin(np.clip(correlation, -1.0, 1.0))) / np.pi


def is_large(kind: str, value: float, area: Interval) -> bool:
    """Whether an attack on members achieves enough for an alarm, by its area or by its true positives."""
    if kind == TPR:
        return value >= LEAST_TRUE_POSITIVES
    lower, _ = area[1]
    return value >= LEAST_AREA and lower > LEAST_LOWER_AREA


def is_sure(found: Audit) -> bool:
    """Whether an attack that raised an alarm is above its limit with its whole interval.

    An attack on members is so by its area or by its true positives, one on attributes by its points or by its area.
    """
    lower = {line.attack: line.lower for line in found.lines}
    for alarm in found.alarms:
        attack = alarm.facts["attack"]
        if attack == ATTRIBUTES:
            limit = LEAST_EXCESS if "points" in alarm.facts else LEAST_AREA
            sure = alarm.facts["lower"] > 100 * limit
        else:
            by_area = lower[f"{MEMBERSHIP}: {attack}"] > 100 * LEAST_AREA
            sure = by_area or (attack == found.strongest[TPR] and lower[TPR] > 100 * LEAST_TRUE_POSITIVES)
        if sure:
            return True
    return False


def areas(scores: Array, labels: Mask) -> Array:
    """The chance that a member's score is above a non-member's, ties a half, 0 to 1, under each labelling.

    scores (n,); labels (k, n) : who is a member. Returns (k,). Source: Mann and Whitney (1947).
    """
    n = len(scores)
    members = labels.astype(np.float64)
    m = members.sum(axis=1)
    ranks = (twice_below(scores, scores) + 1) / 2  # from 1, tied scores in their middle
    # U = sum of the members' ranks - m (m + 1) / 2, over the m (n - m) pairs of a member and another.
    return np.asarray((members @ ranks - m * (m + 1) / 2) / (m * (n - m)))


def area_variance(scores: Propensity, unseen_fold: Integers, others_fold: Integers) -> float:
    """Variance of the mean over folds of the area under the ROC curve, by the influence of each score."""
    total = 0.0
    folds = np.unique(unseen_fold)
    for fold in folds:
        unseen = scores.original[unseen_fold == fold]
        others = scores.protected[others_fold == fold]
        is_other = np.repeat([False, True], [len(unseen), len(others)])
        _, influence = influences(np.concatenate([unseen, others]), is_other)
        total += float((influence**2).sum()) / len(folds) ** 2
    return total


def influences(scores: Array, member: Mask) -> tuple[float, Array]:
    """The area of scores (n,), and the influence (n,) of each record on it, whose squares add up to its variance.

    By placements: a member's is the share of others below it, another's that of members above. Source: DeLong, DeLong and
    Clarke-Pearson (1988).
    """
    of_members = scores[member]
    of_others = scores[~member]
    placements = np.empty(len(scores))
    placements[member] = twice_below(of_members, of_others) / (2 * len(of_others))
    placements[~member] = 1.0 - twice_below(of_others, of_members) / (2 * len(of_members))
    area = float(placements[member].mean())
    sizes = np.where(member, len(of_members), len(of_others))
    return area, (placements - area) / sizes


def true_positives(scores: Array, labels: Mask) -> Array:
    """The share of members with scores above all but 1 per cent of the non-members', 0 to 1, under each labelling.

    scores (n,); labels (k, n). Below 100 non-members: above all of theirs. If the threshold falls among equal scores,
    members and others count in proportion: the ROC curve is straight there. Returns (k,).
    """
    values, place = np.unique(-scores, return_inverse=True)
    # Points of each ROC curve: counts of others and of members at or above each value, from the largest down, after 0.
    members = np.array([np.bincount(place, row, len(values)) for row in labels])
    others = np.bincount(place) - members
    shares = list[float]()
    for members_at, others_at in zip(members, others, strict=True):
        true = np.append(0, members_at.cumsum())
        false = np.append(0, others_at.cumsum())
        allowed = np.floor(FALSE_POSITIVES * false[-1] + 1e-9)
        shares.append(np.interp(allowed, false, true) / true[-1])
    return np.array(shares)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 per cent interval (1927) of a share, 0 to 1, found in n records.

    With p the share and z = 1.96: (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).
    """
    z2 = Z95**2 / n  # z^2 / n
    center = share + z2 / 2
    half = np.sqrt(z2 * (share * (1 - share) + z2 / 4))
    return max(0.0, (center - half) / (1 + z2)), min(1.0, (center + half) / (1 + z2))
