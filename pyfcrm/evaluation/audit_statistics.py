"""Statistics of the splits of an audit: each attack against chance, its interval, and the alarms.

Chance is what permuted labels give; intervals are normal, with the influence of each record on a value.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from ..errors import Note
from ..measures.detection import area
from ..measures.propensity import Propensity
from ..methods import Method
from ..rstream import RStream
from ..types import Array, Integers, Mask
from .attacks import COPIES, twice_below
from .audit_result import Audit, Line
from .own_record import Statistic, family_p

FALSE_POSITIVES = 0.01
Z95 = float(ndtri(0.975))  # of a 95 per cent interval
PERMUTATIONS = 199
# Of an alarm, over all attacks together. Releases that keep moments exactly disclose a little of who is in a file of 500 records:
# 3.5 per cent of the clean ones in benchmarks/studies/leaks.py have a p-value of .01 or less, 10 per cent one of .03 or less.
ALARM_LEVEL = 0.01
Statistics = dict[tuple[str, str], Array]
"""By what it measures and which attack: (1 + k,), as it is, then under k labellings."""
RARELY = "chance does as much in any attack in {under}{percent:.1f} % of files"
WORDS = {
    "membership": "members look more like the release than others do, AUC {value:.1f}, by chance {control:.1f}",
    "tpr": "{value:.1f} % of members are recognised with 1 % of others taken for members, by chance {control:.1f} %",
}
ATTRIBUTES = "attribute disclosure"
OWN = "{what} are nearer to the record's own than to those of others near in X, by {value:.1f} sd"


@dataclass(frozen=True)
class Detected:
    """A classifier's held-out scores: unseen (n,) originals that were not protected, others (N,); their folds."""

    unseen: Array
    others: Array
    unseen_fold: Integers
    others_fold: Integers

    @property
    def area(self) -> float:
        """The mean over folds of the area under the ROC curve, 0 to 1."""
        return area(Propensity(self.unseen, self.others), self.unseen_fold, self.others_fold)

    @property
    def variance(self) -> float:
        """Of the area, by the influence of each score."""
        total = 0.0
        for fold in (folds := np.unique(self.unseen_fold)):
            parts = self.unseen[self.unseen_fold == fold], self.others[self.others_fold == fold]
            _, influence = influences(np.concatenate(parts), np.arange(sum(map(len, parts))) >= len(parts[0]))
            total += float((influence**2).sum()) / len(folds) ** 2
        return total


@dataclass(frozen=True)
class SplitResult:
    """The results of one split: member (n,); scores : (n,) by attack; hits : by kind, see pyfcrm.evaluation.attacks.hits, with a
    member's own record and without; own-record statistics of the members; the classifiers' scores by attack, and their controls'."""

    member: Mask
    scores: Mapping[str, Array]
    hits: Mapping[str, tuple[Array, Array]]
    attributes: Sequence[Statistic]
    detected: Mapping[str, Detected]
    control: Mapping[str, Detected]


def audit_of_splits(method: Method, evidence: Sequence[SplitResult], stream: RStream, **more: Any) -> Audit:
    """The Audit of some splits; more : its further fields.

    Draws: permutations of the labels of each split.
    """
    statistics = _statistics(evidence, stream)
    attacks = tuple(evidence[0].scores)
    strongest = {key: max(attacks, key=lambda name: statistics[key, name][0]) for key in ("membership", "tpr")}
    lines = [
        *(_detection(attack, evidence) for attack in evidence[0].detected),
        *_largest(evidence, statistics, strongest),
        *(_area(name, f"membership: {name}", evidence, statistics) for name in attacks),
        *_attribute_hits(evidence),
    ]
    adjusted = [adjusted_p_values(np.column_stack(list(statistics.values())))]
    if own := pooled([each.attributes for each in evidence]):
        best, of_own = family_p(own)
        adjusted.append(of_own)
    adjusted = holm(adjusted)
    alarms = _alarms(dict(zip(statistics, map(float, adjusted[0]), strict=True)), statistics, len(adjusted))
    if own and adjusted[1][best] <= ALARM_LEVEL:
        what = f"{own[best].kind} of {own[best].attribute}"
        alarms += (_alarm(ATTRIBUTES, OWN, own[best].standardised, float(adjusted[1][best]), 2, what=what),)
    member = evidence[0].member
    counts = len(member), int(member.sum()), len(evidence)
    p = min(float(family.min()) for family in adjusted)
    return Audit(tuple(lines), method, *counts, strongest, alarms, p_value=p, **more)


def holm(families: Sequence[Array]) -> list[Array]:
    """P values of several families at one level, from those adjusted within each family. Source: Holm (1979)."""
    result, least = list(families), 0.0
    for k, place in enumerate(np.argsort([family.min() for family in families], kind="stable")):
        result[place] = np.clip((len(families) - k) * families[place], least, 1.0)
        least = result[place].min()
    return result


def pooled(splits: Sequence[Sequence[Statistic]]) -> list[Statistic]:
    """Own-record statistics of several splits as one: the sum of their standardised values."""
    sums: dict[tuple[str, str, int], Array] = {}
    for statistics in splits:
        number = Counter[tuple[str, str]]()
        for each in statistics:
            key = (each.attribute, each.kind)
            sums[*key, number[key]] = sums.get((*key, number[key]), 0.0) + each.standardised
            number[key] += 1
    return [Statistic(attribute, kind, values) for (attribute, kind, _), values in sums.items()]


def _statistics(evidence: Sequence[SplitResult], stream: RStream) -> Statistics:
    """Each statistic of members against the others, a mean over splits: as it is, and under permuted labels."""
    sums: Statistics = {}
    for each in evidence:
        labels = labellings(each.member, PERMUTATIONS, stream)
        of_split = {("membership", name): areas(scores, labels) for name, scores in each.scores.items()}
        of_split |= {("tpr", name): true_positives(scores, labels) for name, scores in each.scores.items()}
        for key, values in of_split.items():
            sums[key] = sums.get(key, 0.0) + values / len(evidence)
    return sums


def _detection(attack: str, evidence: Sequence[SplitResult]) -> Line:
    """The line of detection by a classifier, which measures utility and raises no alarm."""
    pairs = [(each.detected[attack], each.control[attack]) for each in evidence]
    value, control = np.mean([(detected.area, other.area) for detected, other in pairs], axis=0).tolist()
    return _line(attack, value, control, sum(detected.variance for detected, _ in pairs) / len(evidence) ** 2)


def _line(attack: str, value: float, control: float, variance: float) -> Line:
    """A line in per cent, with a normal interval."""
    half = Z95 * float(np.sqrt(variance))
    return Line(attack, *(100 * share for share in (value, control, value - half, value + half)))


def _largest(evidence: Sequence[SplitResult], statistics: Statistics, strongest: Mapping[str, str]) -> list[Line]:
    """The lines of the strongest attack, by area and by true positives, and of exact copies."""
    controls = {
        key: float(np.mean(np.max([statistics[key, name][1:] for name in evidence[0].scores], axis=0)))
        for key in ("membership", "tpr")
    }
    largest = _area(strongest["membership"], "membership", evidence, statistics)
    attacked = sum(int(each.member.sum()) for each in evidence)
    share = float(statistics["tpr", strongest["tpr"]][0])
    copied, others = (
        float(np.mean([each.scores[COPIES][each.member == which].mean() for each in evidence]))
        for which in (True, False)
    )
    shares = (("tpr", share, controls["tpr"]), ("exact_copies", copied, others))
    return [
        replace(largest, control=100 * controls["membership"]),
        *(
            Line(name, *(100 * part for part in (value, control, *wilson(value, attacked))))
            for name, value, control in shares
        ),
    ]


def _area(name: str, attack: str, evidence: Sequence[SplitResult], statistics: Statistics) -> Line:
    """The line of one attack on membership."""
    values = statistics["membership", name]
    influence = np.mean([influences(each.scores[name], each.member)[1] for each in evidence], axis=0)
    return _line(attack, float(values[0]), float(values[1:].mean()), float((influence**2).sum()))


def _attribute_hits(evidence: Sequence[SplitResult]) -> list[Line]:
    """The lines of attribute hits, the first of them called by the key; the own record does not count in the controls."""
    lines = list[Line]()
    for kind in evidence[0].hits:
        own, others = ([difference(each.hits[kind][k], each.member) for each in evidence] for k in (0, 1))
        value, control = (float(np.mean([found for found, _ in pairs])) for pairs in (own, others))
        variance = float((np.mean([influence for _, influence in own], axis=0) ** 2).sum())
        lines.append(_line(f"attribute_hits: {kind}" if lines else "attribute_hits", value, control, variance))
    return lines


def difference(values: Array, member: Mask) -> tuple[float, Array]:
    """Mean of values (n,) over members less that over the others, and the influence (n,) of each record on it."""
    means = [values[member].mean(), values[~member].mean()]
    sizes = np.where(member, member.sum(), -(~member).sum())
    return float(means[0] - means[1]), (values - np.where(member, *means)) / sizes


def _alarms(adjusted: Mapping[tuple[str, str], float], statistics: Statistics, families: int) -> tuple[Note, ...]:
    """One alarm per attack on membership: its most significant statistic, ordered by adjusted p value."""
    scores = {key: Statistic(*key, statistics[key]).standardised[0] for key in adjusted}
    significant = sorted((p, -scores[key], key) for key, p in adjusted.items() if p <= ALARM_LEVEL)
    alarms = dict[str, Note]()
    for p, _, (statistic, name) in significant:
        values = 100 * statistics[statistic, name]
        alarms.setdefault(name, _alarm(name, WORDS[statistic], values, p, families))
    return tuple(alarms.values())


def _alarm(attack: str, words: str, values: Array, p: float, families: int, **facts: Any) -> Note:
    least = families / (1 + PERMUTATIONS)
    return Note.of(
        "alarm", f"{{attack}}: {words}; {RARELY}", attack=attack, value=float(values[0]), control=float(values[1:].mean()),
        chance=p, under="under " if p <= least else "", percent=100 * max(p, least), **facts,
    )  # fmt: skip


def areas(scores: Array, labels: Mask) -> Array:
    """The chance that a member's score is above a non-member's, ties a half, 0 to 1, under each labelling.

    scores (n,); labels (k, n) : who is a member. Returns (k,).
    """
    n, members = len(scores), labels.astype(np.float64)
    m, ranks = members.sum(axis=1), (twice_below(scores, scores) + 1) / 2
    return np.asarray((members @ ranks - m * (m + 1) / 2) / (m * (n - m)))


def influences(scores: Array, member: Mask) -> tuple[float, Array]:
    """The area of scores (n,), and the influence (n,) of each record on it, whose squares add up to its variance.

    By placements: a member's is the share of others below it, another's that of members above. Source: DeLong, DeLong and
    Clarke-Pearson (1988).
    """
    a, b = scores[member], scores[~member]
    placements = np.empty(len(scores))
    placements[member] = twice_below(a, b) / (2 * len(b))
    placements[~member] = 1.0 - twice_below(b, a) / (2 * len(a))
    area = float(placements[member].mean())
    return area, (placements - area) / np.where(member, len(a), len(b))


def true_positives(scores: Array, labels: Mask) -> Array:
    """The share of members with scores above all but 1 per cent of the non-members', 0 to 1, under each labelling.

    scores (n,); labels (k, n). Below 100 non-members: above all of theirs. If the threshold falls among equal scores,
    members and others count in proportion: the ROC curve is straight there. Returns (k,).
    """
    order = np.argsort(-scores, kind="stable")
    ordered = -scores[order]
    start, end = (np.searchsorted(ordered, ordered, side) for side in ("left", "right"))  # of each score's ties

    others, rows = 1.0 - labels[:, order], np.arange(len(labels))
    allowed = np.floor(FALSE_POSITIVES * others.sum(axis=1) + 1e-9)
    seen = np.hstack([np.zeros((len(rows), 1)), np.cumsum(others, axis=1)])
    at = np.argmax(seen[:, 1:] > allowed[:, None], axis=1)
    first, last = start[at], end[at]
    above, tied = seen[rows, first], seen[rows, last] - seen[rows, first]
    equal = (last - first - tied) * (allowed - above) / tied
    return np.asarray((first - above + equal) / labels.sum(axis=1))


def labellings(member: Mask, k: int, stream: RStream) -> Mask:
    """(1 + k, n): the labels as they are, then k permutations of them. Draws: k times n uniforms, whose ranks permute."""
    return np.array([member, *(member[np.argsort(stream.runif(len(member)))] for _ in range(k))])


def adjusted_p_values(statistics: Array) -> Array:
    """How likely chance makes any of several statistics stand out as much: adjusted p values (m,), single-step.

    statistics (1 + k, m) : with the true labels in the first row, under permuted labels in the others. Each is
    standardised by its mean and sd over all rows. Returns the share of rows whose largest is at least the statistic's.
    Source: Westfall and Young (1993).
    """
    sd = statistics.std(axis=0)
    z = np.where(sd > 0, (statistics - statistics.mean(axis=0)) / np.where(sd > 0, sd, 1.0), 0.0)
    largest = z.max(axis=1)
    return np.asarray((largest[:, None] >= z[0] - 1e-12).mean(axis=0))


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 per cent interval (1927) of a share, 0 to 1, found in n records."""
    z2 = Z95**2 / n
    center, half = share + z2 / 2, np.sqrt(z2 * (share * (1 - share) + z2 / 4))
    return max(0.0, (center - half) / (1 + z2)), min(1.0, (center + half) / (1 + z2))
