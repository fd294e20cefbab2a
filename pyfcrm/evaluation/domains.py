"""PIL and means within the levels of categorical columns, the domains of a report."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data import Frame
from ..data.levels import levels_of
from ..data.pairs import Pair, unchanged_columns
from ..data.predictors import is_categorical
from ..errors import InvalidInput, Note
from ..measures import MEASURES
from ..measures.measure import Part
from ..progress import within
from ..types import Rows
from .evaluate_request import EvaluateRequest
from .report import GroupMean, Report

FEWEST = 10  # records of a domain with PIL: of fewer, the variances of its statistics are not known
MAX_LEVELS = 20  # of a categorical column whose groups are compared by default
# PIL of another sample of the same group: the difference of two estimates has twice the variance of one, and a normal of
# variance 1 lies within that of variance 2 with probability 2 / pi arctan(sqrt(2)).
PIL_OF_A_SAMPLE = 200 / np.pi * float(np.arctan(np.sqrt(2.0)))
WITHIN = (
    "within groups of {columns} PIL is {mean:.1f} on average, and {worst:.1f} in {group}: its estimates change more than "
    "those of another sample"
)
SMALL_CHANGE = 1.0  # of a mean within a group, in standard errors: about what the original itself leaves open
MEANS = "means within {count} groups: largest change {change:.2g} standard errors ({where})"
SMALL_DOMAINS = "{count} of {total} domains {count:has|have} fewer than {fewest} records and {count:is|are} not judged"


def with_domains(report: Report, original: Frame, protected: Frame, both: Pair, request: EvaluateRequest) -> Report:
    """The report with PIL by level of the request's domains as parts of `pil`: mean, worst, and each; and each level's means.

    original, protected, both : the frames, and their measured columns. A level is taken from the original; its records
    are those that pair. Levels of fewer than 10 records, in any column, are left out, and counted in a note. Source:
    Domingo-Ferrer, Mateo-Sanz and Sebé, subdomain-level probabilistic measures. Raises InvalidInput where records do not
    pair.
    """
    domains = request.domains or ()
    if request.domains is None and "pil" in report.results and both.places is not None:
        domains = _categorical(original, protected, both.columns)
    if not domains:
        return report
    if both.places is None:
        raise InvalidInput("evaluate", "records must pair, by index or by position, for domains", "they do not")
    old, _ = both.places
    levels = list[tuple[str, str, Rows]]()  # a domain, a level, and its records among those that pair
    for name in domains:
        domain = levels_of("evaluate, domains", original, name, old)
        levels += [(name, level, np.flatnonzero(domain.codes == code)) for code, level in enumerate(domain.labels)]

    parts = list[Part]()
    means = list[GroupMean]()
    for k, (name, level, rows) in enumerate(levels):
        progress = within(request.progress, k, len(levels), "judging domains")
        weights = None if both.weights is None else both.weights[rows]
        pair = Pair(both.X.taken(rows), both.Z.taken(rows), weights=weights)
        if pair.cells.min() < FEWEST:
            continue
        loss = MEASURES["pil"].result(pair, {}, request.engine, progress).total
        parts.append(Part(f"{name}={level}", loss))
        means += [_mean(pair, j, column, domain=name, level=level) for j, column in enumerate(both.columns)]

    results = dict(report.results)
    notes = list(report.all_notes)
    left_out = len(levels) - len(parts)
    if left_out:
        notes.append(Note.of("left_out", SMALL_DOMAINS, domains, count=left_out, total=len(levels), fewest=FEWEST))
    if parts:
        mean = float(np.mean([part.value for part in parts]))
        worst = max(parts, key=lambda part: part.value)
        summary = [Part("domains, mean", mean), Part(f"domains, worst: {worst.name}", worst.value)]
        of_all = results["pil"]
        results["pil"] = replace(of_all, parts=(*of_all.parts, *summary, *parts))
        if worst.value > PIL_OF_A_SAMPLE:
            # By chance the worst of some groups is above the mean of another sample: a warning is about their own mean.
            severity = "warning" if mean > PIL_OF_A_SAMPLE else "info"
            note = Note.of(
                "unreliable", WITHIN, domains, severity=severity, mean=mean, worst=worst.value, group=worst.name
            )
            notes.append(note)
        notes += _note_on_means(means, domains, len(parts))
    return replace(report, results=results, groups=tuple(means), all_notes=tuple(notes))


def _note_on_means(means: Sequence[GroupMean], domains: Sequence[str], count: int) -> list[Note]:
    """The note of the largest change of a mean in `count` groups; none where no change is known."""
    known = [mean for mean in means if not np.isnan(mean.difference)]
    if not known:
        return []
    worst = max(known, key=lambda mean: abs(mean.difference))
    change = abs(worst.difference)
    where = f"{worst.column} in {worst.domain}={worst.level}"
    severity = "warning" if change > SMALL_CHANGE else "info"
    return [Note.of("answers", MEANS, domains, count=count, severity=severity, change=change, where=where)]


def _mean(pair: Pair, j: int, column: str, *, domain: str, level: str) -> GroupMean:
    """The mean of column j in both files, over the records of a group that have it."""
    known = pair.observed([j])
    n = known.n
    X, Z = known.arrays()
    x = X[:, 0]
    z = Z[:, 0]
    w = np.ones(n) if known.weights is None else known.weights
    before = known.share(x)
    after = known.share(z)
    # The standard error of a weighted mean, linearised; with equal weights sd / sqrt(n).
    error = float(np.sqrt(n / (n - 1) * np.square(w * (x - before)).sum()) / w.sum())
    return GroupMean(
        domain=domain,
        level=level,
        records=n,
        column=column,
        original=before,
        released=after,
        difference=(after - before) / error if error else np.nan,
    )


def _categorical(original: Frame, protected: Frame, measured: Sequence[str]) -> tuple[str, ...]:
    """The categorical columns of at most 20 levels that are released unchanged, and not measured."""
    few = [
        name
        for name in original.names
        if name not in measured and is_categorical(original, name) and len(original.distinct(name)[1]) <= MAX_LEVELS
    ]
    return tuple(unchanged_columns(original, protected, few))
