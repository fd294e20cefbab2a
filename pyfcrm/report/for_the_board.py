"""What a board reads first: what leaves, what was tested, what remains, what users lose. Each sentence is a fact of this release."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import Count
from ..evaluation.report import Report
from ..evaluation.verdict.decision import Verdict
from ..evaluation.verdict.examined_release import MISSING_CELLS
from ..protection.protect import Protected
from .context import TITLES, with_unit

SHOWN = 3  # names in a sentence
REMAINING = ("sample_uniques", "key_risk", "risk", "linkage")  # tests with a figure of the risk that remains
FIGURES = {"key_risk": ("of the records have a risk above one in ten", "are expected to be found")}
"""By test of several figures, what each share is of."""
LEAST = 2.5  # per cent that is rounded to 5
RECOGNISED = "who knows the unchanged columns of a person may recognise a record"
DRAWN = {
    "values": "confidential values are drawn from a model and are not that person's",
    "perturb": "confidential values are changed, but depend on that person's",
    "keys": "confidential values are that person's own where they are not coarsened or left out",
}
DIFFER = "differ by more than 3 standard errors"


@dataclass(frozen=True)
class BoardSentence:
    """A sentence that answers one question of a board."""

    question: str
    """The question."""
    answer: str
    """The answer, without the full stop."""


def board_sentences(
    report: Report, released: Protected | None, form: str, *, tests: Sequence[dict[str, Any]], compared: bool
) -> list[BoardSentence]:
    """The sentences of one form; a question without an answer is left out.

    tests : as test_rows() gives them; compared : whether the original's confidential values may count.
    """
    inside = form == "internal"
    answers = {
        "What leaves": _what_leaves(report, released),
        "What was tested": _what_was_tested(tests),
        "What remains": _what_remains(report.verdict) if inside else _what_remains_outside(report, released),
    }
    if compared:
        answers["What users lose"] = _what_users_lose(report) if inside else _what_users_lose_outside(report)
    return [BoardSentence(question, answer) for question, answer in answers.items() if answer]


def _what_leaves(report: Report, released: Protected | None) -> str:
    """The columns by what becomes of them."""
    parts = list[str]()
    method = ""
    replaced = report.columns
    if released is not None:
        method = f", protected by {released.method.citation}"
        replaced = released.roles.dependent
    if replaced:
        count = Count(len(replaced))
        parts.append(f"{count} confidential {count:column is|columns are} replaced")
    if report.kept is not None:
        kept = [*report.kept.columns, *report.kept.unknown]
        unchanged = sum(name != MISSING_CELLS for name in kept)
        weights = " and the survey weights" if released is not None and released.roles.weight is not None else ""
        parts.append(f"{unchanged or 'none'}{weights} released unchanged")
        if MISSING_CELLS in kept:
            parts.append("which confidential cells are missing stays as it is")
    if released is not None and released.roles.ids:
        parts.append(f"the ids of {' and '.join(released.roles.ids)} replaced by new numbers")
    if released is not None and released.roles.identifiers:
        parts.append(f"{len(released.roles.identifiers)} removed")
    columns = f": {', '.join(parts)}" if parts else ""
    return f"a file of {report.records:,} records{method}{columns}"


def _what_was_tested(tests: Sequence[dict[str, Any]]) -> str:
    """How many tests were passed, and the names of the others."""
    if not tests:
        return ""
    passed = sum(row["status"] == "pass" for row in tests)
    text = f"{passed} of {len(tests)} tests that apply were passed"
    for status in ("hold", "not examined"):
        names = [row["title"].lower() for row in tests if row["status"] == status]
        if names:
            text += f"; {'not passed' if status == 'hold' else status}: {', '.join(names)}"
    return text


def _what_remains(verdict: Verdict) -> str:
    """The figures of risk with their limits, and the test whose figure is nearest to its limit."""
    parts = list[str]()
    shares = dict[str, float]()
    for test in verdict.applicable:
        if test.key not in REMAINING or not test.found:
            continue
        title = TITLES[test.key].lower()
        figures = list[str]()
        words = FIGURES.get(test.key, ("",) * len(test.found))
        for value, limit, unit, word in zip(test.found, test.limit, test.unit, words, strict=True):
            figures.append(" ".join(filter(None, [with_unit(value, unit), word, f"(limit {with_unit(limit, unit)})"])))
            if limit > 0 and value > 0:
                shares[title] = max(shares.get(title, 0.0), value / limit)
        parts.append(f"{title}: {', '.join(figures)}")
    if shares and len(parts) > 1:
        parts.append(f"nearest to its limit: {max(shares, key=lambda title: shares[title])}")
    return "; ".join(parts)


def _what_remains_outside(report: Report, released: Protected | None) -> str:
    """The same without a figure."""
    answers = list[str]()
    if report.kept is not None and (report.kept.columns or report.kept.unknown):
        answers.append(RECOGNISED)
    if released is not None:
        answers.append(DRAWN[released.method.facts(released.roles).masks])
    return "; ".join(answers)


def _what_users_lose(report: Report) -> str:
    """The families of estimates of which users lose more than by an honest draw, see UtilitySummary.lost."""
    if report.utility is None:
        return ""
    lost = report.utility.lost
    summary = report.utility.summary
    share = f"{summary.above:.0f} % of {summary.estimates:,} results that users compute change notably{summary.reference_text}"
    if lost:
        shares = [f"{summary.above:.0f} % of {summary.family}{summary.reference_text}" for summary in lost]
        return f"{share}; of these {_first(shares)}"
    if not report.utility.faithful:
        return share
    return f"{share}; no family of them is notably worse than in an honest draw"


def _what_users_lose_outside(report: Report) -> str:
    """The families of which a share rounded to 5 is not 0, the worst first."""
    rows = [] if report.utility is None else report.utility.public_rows()
    lost = sorted((row for row in rows if row[1]), key=lambda row: -row[1])
    if lost:
        return f"{_first([f'about {share} % of {family}' for family, share in lost])} {DIFFER}"
    if rows:
        return f"of no family of estimates do more than {LEAST} % {DIFFER}"
    return ""


def _first(parts: Sequence[str]) -> str:
    """The first parts of a list, and how many there are more."""
    more = Count(len(parts) - SHOWN)
    named = ", ".join(parts[:SHOWN])
    return f"{named} and of {more} further {more:family|families}" if more > 0 else named
