"""What the splits of an audit show: each attack against chance, its interval, and which of them are alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    areas,
    differences,
    familywise,
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
FALSE_ALARMS = 0.03  # of the files without a leak, over all attacks together
Statistics = dict[tuple[str, str], Array]
"""By what it measures and which attack: (1 + k,), as it is, then under k labellings."""
WORDS = {
    "membership": "members look more like the release than others do, AUC {value:.1f}, by chance {control:.1f}",
    "tpr": "{value:.1f} % of members are told with 1 % of others taken for members, by chance {control:.1f} %",
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
        found = []
        for fold in np.unique(self.unseen_fold):
            a, b = self.unseen_fold == fold, self.others_fold == fold
            scores, weights = np.concatenate([self.unseen[a], self.others[b]]), np.hstack([unseen[:, a], others[:, b]])
            found.append(resampled_areas(scores, np.arange(len(scores)) >= a.sum(), weights))
        return np.asarray(np.mean(found, axis=0))


@dataclass(frozen=True)
class Evidence:
    """What one split gave: member (n,); scores : (n,) by attack; hits by kind, see pyfcrm.evaluation.attacks.hits, a
    member's own excluded, included, and included in a draw from what X tells; the classifier's scores and its control's."""

    member: Mask
    scores: Mapping[str, Array]
    excluded: Mapping[str, Array]
    included: Mapping[str, Array]
    inferred: Mapping[str, Array]
    detected: Detected
    control: Detected


def concluded(method: Method, evidence: Sequence[Evidence], stream: RStream, **more: Any) -> Audit:
    """The Audit of some splits; more : its further fields.

    Draws: permutations of the labels of each split, then resamples of the records.
    """
    statistics = _statistics(evidence, stream)
    weights = resamples(len(evidence[0].member), RESAMPLES, stream)
    attacks = tuple(evidence[0].scores)
    strongest = {key: max(attacks, key=lambda name: statistics[key, name][0]) for key in ("membership", "tpr")}
    made = [
        _detection(evidence, stream),
        *_largest(evidence, statistics, strongest, weights),
        *(_area(name, f"membership: {name}", evidence, statistics, weights) for name in attacks),
        *_attribute_hits(evidence, statistics, weights),
    ]
    adjusted = dict(zip(statistics, familywise(np.column_stack(list(statistics.values()))), strict=True))
    member = evidence[0].member
    counts = len(member), int(member.sum()), len(evidence)
    p = min(map(float, adjusted.values()))
    return Audit(tuple(made), method, *counts, strongest, _alarms(adjusted, statistics), p_value=p, **more)


def _statistics(evidence: Sequence[Evidence], stream: RStream) -> Statistics:
    """Each statistic of members against the others, a mean over splits: as it is, and under permuted labels."""
    sums: Statistics = {}
    for one in evidence:
        labels = labellings(one.member, PERMUTATIONS, stream)
        here = {("membership", name): areas(scores, labels) for name, scores in one.scores.items()}
        here |= {("tpr", name): true_positives(scores, labels) for name, scores in one.scores.items()}
        here |= {("hits", kind): differences(share, labels) for kind, share in one.excluded.items()}
        for key, values in here.items():
            sums[key] = sums.get(key, 0.0) + values / len(evidence)
    return sums


def _detection(evidence: Sequence[Evidence], stream: RStream) -> Line:
    """The line of detection, which measures utility: no alarm is raised by it."""
    value, control = (
        100 * float(np.mean([getattr(one, part).area for one in evidence])) for part in ("detected", "control")
    )
    values = np.zeros(RESAMPLES)
    for one in evidence:
        unseen, released = (
            resamples(n, RESAMPLES, stream) for n in (len(one.detected.unseen), len(one.detected.others))
        )
        values += 100 * one.detected.resampled(unseen, released) / len(evidence)
    return Line("detection", value, control, *percentiles(values))


def _largest(
    evidence: Sequence[Evidence], statistics: Statistics, strongest: Mapping[str, str], weights: Array
) -> list[Line]:
    """The lines of the strongest attack, by area and by true positives, and of exact copies."""
    controls = {
        key: 100 * float(np.mean(np.max([statistics[key, name][1:] for name in evidence[0].scores], axis=0)))
        for key in ("membership", "tpr")
    }
    largest = _area(strongest["membership"], "membership", evidence, statistics, weights)
    attacked = sum(int(one.member.sum()) for one in evidence)
    share = float(statistics["tpr", strongest["tpr"]][0])
    low, high = wilson(share, attacked)
    tpr = Line("tpr", 100 * share, controls["tpr"], 100 * low, 100 * high)
    copied, others = (
        float(np.mean([one.scores[COPIES][one.member == which].mean() for one in evidence])) for which in (True, False)
    )
    low, high = wilson(copied, attacked)
    copies = Line("exact_copies", 100 * copied, 100 * others, 100 * low, 100 * high)
    return [Line("membership", largest.value, controls["membership"], largest.lower, largest.upper), tpr, copies]


def _area(name: str, attack: str, evidence: Sequence[Evidence], statistics: Statistics, weights: Array) -> Line:
    """The line of one attack on membership."""
    found = statistics["membership", name]
    resampled = [resampled_areas(one.scores[name], one.member, weights) for one in evidence]
    low, high = percentiles(np.mean(resampled, axis=0))
    return Line(attack, 100 * float(found[0]), 100 * float(found[1:].mean()), 100 * low, 100 * high)


def _attribute_hits(evidence: Sequence[Evidence], statistics: Statistics, weights: Array) -> list[Line]:
    """The lines of attribute hits: included, the first of them called by the key, then excluded."""
    made = []
    for k, kind in enumerate(evidence[0].included):
        names = (
            "attribute_hits" if k == 0 else f"attribute_hits: {kind}",
            f"attribute_hits: {kind}, own record excluded",
        )
        value, low, high = _difference([one.included[kind] for one in evidence], evidence, weights)
        control = _difference([one.inferred[kind] for one in evidence], evidence, weights)[0]
        made.append(Line(names[0], value, control, low, high))
        value, low, high = _difference([one.excluded[kind] for one in evidence], evidence, weights)
        control = 100 * float(statistics["hits", kind][1:].mean())
        made.append(Line(names[1], value, control, low, high))
    return made


def _difference(hits: Sequence[Array], evidence: Sequence[Evidence], weights: Array) -> tuple[float, float, float]:
    """Members' mean less non-members', per cent, with its interval."""
    pairs = list(zip(hits, evidence, strict=True))
    value = float(np.mean([h[one.member].mean() - h[~one.member].mean() for h, one in pairs]))
    resampled = [weighted_differences(h, weights * one.member, weights * ~one.member) for h, one in pairs]
    low, high = percentiles(np.mean(resampled, axis=0))
    return 100 * value, 100 * low, 100 * high


def _alarms(adjusted: Mapping[tuple[str, str], float], statistics: Statistics) -> tuple[Note, ...]:
    """One alarm an attack, by the statistic that shows it best, the surest first."""
    found = [(p, -_clear(statistics[key]), key) for key, p in adjusted.items() if p <= FALSE_ALARMS]
    made: dict[str, Note] = {}
    for p, _, (statistic, name) in sorted(found):
        value, control = (
            100 * float(statistics[statistic, name][0]),
            100 * float(statistics[statistic, name][1:].mean()),
        )
        made.setdefault(name, _alarm(name, WORDS[statistic], value, control, p))
    return tuple(made.values())


def _alarm(attack: str, words: str, value: float, control: float, chance: float) -> Note:
    """The sentence; chance : how likely chance alone makes any attack stand out as much."""
    least = 1 / (1 + PERMUTATIONS)
    rarely = "chance does as much in any attack in {under}{percent:.1f} % of files"
    under, percent = "under " if chance <= least else "", 100 * max(chance, least)
    wording = f"{{attack}}: {words}; {rarely}"
    return Note.of(
        "alarm", wording, attack=attack, value=value, control=control, chance=chance, under=under, percent=percent
    )


def _clear(values: Array) -> float:
    """How far the first stands from the rest, in their sd."""
    spread = values[1:].std()
    return float((values[0] - values[1:].mean()) / spread) if spread > 0 else 0.0
