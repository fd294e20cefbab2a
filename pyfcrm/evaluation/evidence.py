"""Statistics of the splits of an audit: each attack against chance, its interval, and the alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import Note
from ..measures.detection import area
from ..measures.propensity import Propensity
from ..methods import Method
from ..rstream import RStream
from ..types import Array, Integers, Mask
from .attacks import COPIES
from .audit_result import Audit, Line
from .chance import (
    adjusted_p_values,
    areas,
    differences,
    labellings,
    percentiles,
    resampled_areas,
    resamples,
    true_positives,
    weighted_differences,
    wilson,
)

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
class Evidence:
    """The results of one split: member (n,); scores : (n,) by attack; hits by kind, see pyfcrm.evaluation.attacks.hits, a
    member's own excluded, included, and included in the control release; the classifier's scores and its control's."""

    member: Mask
    scores: Mapping[str, Array]
    excluded: Mapping[str, Array]
    included: Mapping[str, Array]
    inferred: Mapping[str, Array]
    detected: Detected
    control: Detected


def audit_of_splits(method: Method, evidence: Sequence[Evidence], stream: RStream, **more: Any) -> Audit:
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
    adjusted = dict(zip(statistics, adjusted_p_values(np.column_stack(list(statistics.values()))), strict=True))
    member = evidence[0].member
    counts = len(member), int(member.sum()), len(evidence)
    p = min(map(float, adjusted.values()))
    return Audit(tuple(lines), method, *counts, strongest, _alarms(adjusted, statistics), p_value=p, **more)


def _statistics(evidence: Sequence[Evidence], stream: RStream) -> Statistics:
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


def _detection(evidence: Sequence[Evidence], stream: RStream) -> Line:
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
    evidence: Sequence[Evidence], statistics: Statistics, strongest: Mapping[str, str], weights: Array
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


def _area(name: str, attack: str, evidence: Sequence[Evidence], statistics: Statistics, weights: Array) -> Line:
    """The line of one attack on membership."""
    values = statistics["membership", name]
    resampled = [resampled_areas(each.scores[name], each.member, weights) for each in evidence]
    return _line(attack, float(values[0]), float(values[1:].mean()), percentiles(np.mean(resampled, axis=0)))


def _attribute_hits(evidence: Sequence[Evidence], statistics: Statistics, weights: Array) -> list[Line]:
    """The lines of attribute hits: included, the first of them called by the key, then excluded."""
    lines = []
    for k, kind in enumerate(evidence[0].included):
        name = f"attribute_hits: {kind}"
        value, interval = _difference([each.included[kind] for each in evidence], evidence, weights)
        control = _difference([each.inferred[kind] for each in evidence], evidence, weights)[0]
        lines.append(_line(name if k else "attribute_hits", value, control, interval))
        value, interval = _difference([each.excluded[kind] for each in evidence], evidence, weights)
        control = float(statistics["hits", kind][1:].mean())
        lines.append(_line(f"{name}, own record excluded", value, control, interval))
    return lines


def _difference(
    hits: Sequence[Array], evidence: Sequence[Evidence], weights: Array
) -> tuple[float, tuple[float, float]]:
    """Members' mean less non-members', with its interval."""
    pairs = [(h, each.member) for h, each in zip(hits, evidence, strict=True)]
    resampled = [weighted_differences(h, weights * member, weights * ~member) for h, member in pairs]
    value = float(np.mean([h[member].mean() - h[~member].mean() for h, member in pairs]))
    return value, percentiles(np.mean(resampled, axis=0))


def _alarms(adjusted: Mapping[tuple[str, str], float], statistics: Statistics) -> tuple[Note, ...]:
    """One alarm per attack: its most significant statistic, ordered by adjusted p value."""

    def standardised(values: Array) -> float:
        spread = values[1:].std()
        return float((values[0] - values[1:].mean()) / spread) if spread > 0 else 0.0

    significant = [(p, -standardised(statistics[key]), key) for key, p in adjusted.items() if p <= FALSE_ALARMS]
    alarms, least = dict[str, Note](), 1 / (1 + PERMUTATIONS)
    for p, _, (statistic, name) in sorted(significant):
        values = statistics[statistic, name]
        note = Note.of(
            "alarm", f"{{attack}}: {WORDS[statistic]}; {RARELY}", attack=name, value=100 * float(values[0]),
            control=100 * float(values[1:].mean()), chance=p, under="under " if p <= least else "",
            percent=100 * max(p, least),
        )  # fmt: skip
        alarms.setdefault(name, note)
    return tuple(alarms.values())
