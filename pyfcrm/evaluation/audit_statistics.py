"""Statistics of the splits of an audit: each attack against chance, its interval, and the alarms.

Chance is what permuted labels give; intervals are by resampling records.
"""

from __future__ import annotations

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
TAIL = (1 - 0.95) / 2  # on either side of a 95 per cent interval
PERMUTATIONS = 199
RESAMPLES = 199
FALSE_ALARMS = 0.03  # of the files without disclosure, over all attacks together
Statistics = dict[tuple[str, str], Array]
"""By what it measures and which attack: (1 + k,), as it is, then under k labellings."""
RARELY = "chance does as much in any attack in {under}{percent:.1f} % of files"
WORDS = {
    "membership": "members look more like the release than others do, AUC {value:.1f}, by chance {control:.1f}",
    "tpr": "{value:.1f} % of members are recognised with 1 % of others taken for members, by chance {control:.1f} %",
    "hits": "{value:.1f} points more of members' values are hit than of others', by chance {control:.1f}",
}
ATTRIBUTES = "attribute disclosure"
OWN = "{what} are nearer to the record's own than to those of others near in X, by {{value:.1f}} sd"


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

    def resampled(self, unseen: Array, others: Array) -> Array:
        """The area under weights (k, n) and (k, N)."""
        drawn = []
        for fold in np.unique(self.unseen_fold):
            a, b = self.unseen_fold == fold, self.others_fold == fold
            scores, weights = np.concatenate([self.unseen[a], self.others[b]]), np.hstack([unseen[:, a], others[:, b]])
            drawn.append(resampled_areas(scores, np.arange(len(scores)) >= a.sum(), weights))
        return np.asarray(np.mean(drawn, axis=0))


@dataclass(frozen=True)
class SplitResult:
    """The results of one split: member (n,); scores : (n,) by attack; hits by kind, see pyfcrm.evaluation.attacks.hits, a
    member's own excluded, included, and included in the control release; own-record statistics of the members; the
    classifier's scores and its control's."""

    member: Mask
    scores: Mapping[str, Array]
    excluded: Mapping[str, Array]
    included: Mapping[str, Array]
    inferred: Mapping[str, Array]
    attributes: Sequence[Statistic]
    detected: Detected
    control: Detected


def audit_of_splits(method: Method, evidence: Sequence[SplitResult], stream: RStream, **more: Any) -> Audit:
    """The Audit of some splits; more : its further fields.

    Draws: permutations of the labels of each split, then resamples of the records.
    """
    statistics = _statistics(evidence, stream)
    weights = resamples(len(evidence[0].member), RESAMPLES, stream)
    attacks = tuple(evidence[0].scores)
    strongest = {key: max(attacks, key=lambda name: statistics[key, name][0]) for key in ("membership", "tpr")}
    lines = [
        _detection(evidence, stream),
        *_largest(evidence, statistics, strongest, weights),
        *(_area(name, f"membership: {name}", evidence, statistics, weights) for name in attacks),
        *_attribute_hits(evidence, statistics, weights),
    ]
    adjusted = [adjusted_p_values(np.column_stack(list(statistics.values())))]
    if own := pooled([each.attributes for each in evidence]):
        best, of_own = family_p(own)
        adjusted.append(of_own)
    adjusted = holm(adjusted)
    alarms = _alarms(dict(zip(statistics, map(float, adjusted[0]), strict=True)), statistics, len(adjusted))
    if own and adjusted[1][best] <= FALSE_ALARMS:
        words = OWN.format(what=f"{own[best].kind} of {own[best].attribute}".replace("{", "{{").replace("}", "}}"))
        alarms += (_alarm(ATTRIBUTES, words, own[best].standardised, float(adjusted[1][best]), 2),)
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
        of_split |= {("hits", kind): differences(share, labels) for kind, share in each.excluded.items()}
        for key, values in of_split.items():
            sums[key] = sums.get(key, 0.0) + values / len(evidence)
    return sums


def _detection(evidence: Sequence[SplitResult], stream: RStream) -> Line:
    """The line of detection, which measures utility and raises no alarm."""
    value, control = (
        float(np.mean([getattr(each, part).area for each in evidence])) for part in ("detected", "control")
    )
    values = np.zeros(RESAMPLES)
    for each in evidence:
        sizes = (len(each.detected.unseen), len(each.detected.others))
        values += 100 * each.detected.resampled(*(resamples(n, RESAMPLES, stream) for n in sizes)) / len(evidence)
    return Line("detection", 100 * value, 100 * control, *percentiles(values))


def _line(attack: str, value: float, control: float, interval: tuple[float, float]) -> Line:
    """A line in per cent."""
    return Line(attack, *(100 * share for share in (value, control, *interval)))


def _largest(
    evidence: Sequence[SplitResult], statistics: Statistics, strongest: Mapping[str, str], weights: Array
) -> list[Line]:
    """The lines of the strongest attack, by area and by true positives, and of exact copies."""
    controls = {
        key: float(np.mean(np.max([statistics[key, name][1:] for name in evidence[0].scores], axis=0)))
        for key in ("membership", "tpr")
    }
    largest = _area(strongest["membership"], "membership", evidence, statistics, weights)
    attacked = sum(int(each.member.sum()) for each in evidence)
    share = float(statistics["tpr", strongest["tpr"]][0])
    copied, others = (
        float(np.mean([each.scores[COPIES][each.member == which].mean() for each in evidence]))
        for which in (True, False)
    )
    return [
        replace(largest, control=100 * controls["membership"]),
        _line("tpr", share, controls["tpr"], wilson(share, attacked)),
        _line("exact_copies", copied, others, wilson(copied, attacked)),
    ]


def _area(name: str, attack: str, evidence: Sequence[SplitResult], statistics: Statistics, weights: Array) -> Line:
    """The line of one attack on membership."""
    values = statistics["membership", name]
    resampled = [resampled_areas(each.scores[name], each.member, weights) for each in evidence]
    return _line(attack, float(values[0]), float(values[1:].mean()), percentiles(np.mean(resampled, axis=0)))


def _attribute_hits(results: Sequence[SplitResult], statistics: Statistics, weights: Array) -> list[Line]:
    """The lines of attribute hits: included, the first of them called by the key, then excluded."""
    lines = []
    for k, kind in enumerate(results[0].included):
        (value, interval), (control, _), (excluded, other) = (
            _difference([getattr(each, part)[kind] for each in results], results, weights)
            for part in ("included", "inferred", "excluded")
        )
        name = f"attribute_hits: {kind}"
        lines.append(_line(name if k else "attribute_hits", value, control, interval))
        chance = float(statistics["hits", kind][1:].mean())
        lines.append(_line(f"{name}, own record excluded", excluded, chance, other))
    return lines


def _difference(
    hits: Sequence[Array], evidence: Sequence[SplitResult], weights: Array
) -> tuple[float, tuple[float, float]]:
    """Members' mean less non-members', with its interval."""
    pairs = [(h, each.member) for h, each in zip(hits, evidence, strict=True)]
    resampled = [weighted_differences(h, weights * member, weights * ~member) for h, member in pairs]
    value = float(np.mean([h[member].mean() - h[~member].mean() for h, member in pairs]))
    return value, percentiles(np.mean(resampled, axis=0))


def _alarms(adjusted: Mapping[tuple[str, str], float], statistics: Statistics, families: int) -> tuple[Note, ...]:
    """One alarm per attack on membership: its most significant statistic, ordered by adjusted p value."""
    scores = {key: Statistic(*key, statistics[key]).standardised[0] for key in adjusted}
    significant = sorted((p, -scores[key], key) for key, p in adjusted.items() if p <= FALSE_ALARMS)
    alarms = dict[str, Note]()
    for p, _, (statistic, name) in significant:
        values = 100 * statistics[statistic, name]
        alarms.setdefault(name, _alarm(name, WORDS[statistic], values, p, families))
    return tuple(alarms.values())


def _alarm(attack: str, words: str, values: Array, p: float, families: int) -> Note:
    least = families / (1 + PERMUTATIONS)
    return Note.of(
        "alarm", f"{{attack}}: {words}; {RARELY}", attack=attack, value=float(values[0]), control=float(values[1:].mean()),
        chance=p, under="under " if p <= least else "", percent=100 * max(p, least),
    )  # fmt: skip


def areas(scores: Array, labels: Mask) -> Array:
    """The chance that a member's score is above a non-member's, ties a half, 0 to 1, under each labelling.

    scores (n,); labels (k, n) : who is a member. Returns (k,).
    """
    n, members = len(scores), labels.astype(np.float64)
    m, ranks = members.sum(axis=1), (twice_below(scores, scores) + 1) / 2
    return np.asarray((members @ ranks - m * (m + 1) / 2) / (m * (n - m)))


def resampled_areas(scores: Array, member: Mask, weights: Array) -> Array:
    """The area where each record counts as often as it is in each of k resamples, weights (k, n): to first order, by placements.

    Returns (k,). A member's placement is the share of others below it, another's that of members above, ties a half: their
    weighted means add up to the area twice, but for terms of order 1/n. Source: DeLong, DeLong and Clarke-Pearson (1988).
    """
    a, b = scores[member], scores[~member]
    above, below = twice_below(a, b) / (2 * len(b)), 1.0 - twice_below(b, a) / (2 * len(a))
    means = []
    for part, x in ((weights[:, member], above), (weights[:, ~member], below)):
        total = part.sum(axis=1)
        means.append(np.where(total > 0, part @ x / np.maximum(total, 1.0), x.mean()))  # plain where none was drawn
    return np.asarray(means[0] + means[1] - float(above.mean()))


def true_positives(scores: Array, labels: Mask) -> Array:
    """The share of members with scores above all but 1 per cent of the non-members', 0 to 1, under each labelling.

    scores (n,); labels (k, n). Below 100 non-members: above all of theirs. Where the threshold falls among equal scores, as many
    of these members count as of the others do, in proportion: the ROC curve is straight there. Returns (k,).
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


def differences(values: Array, labels: Mask) -> Array:
    """Mean over members less mean over the others, under each labelling. values (n,); labels (k, n). Returns (k,)."""
    return weighted_differences(values, labels.astype(np.float64), (~labels).astype(np.float64))


def weighted_differences(values: Array, members: Array, others: Array) -> Array:
    """As `differences`, with weights (k, n) for either side."""
    return np.asarray(members @ values / members.sum(axis=1) - others @ values / others.sum(axis=1))


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


def percentiles(values: Array) -> tuple[float, float]:
    """The 95 per cent interval of a resampled statistic."""
    low, high = np.quantile(values, [TAIL, 1 - TAIL])
    return float(low), float(high)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 per cent interval (1927) of a share, 0 to 1, found in n records."""
    z = float(ndtri(1 - TAIL))
    center, half = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (center - half) / (1 + z * z / n)), min(1.0, (center + half) / (1 + z * z / n))
