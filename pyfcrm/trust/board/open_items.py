"""What no software can answer about a release: the questions that a person answers before a board signs."""

from dataclasses import asdict, dataclass
from typing import Any

from ...data.roles import PUBLIC, RESEARCH
from ...evaluation.report import Report
from ...evaluation.verdict.release_tests import TESTS
from ...protection.protect import Protected

SHOWN = 12  # columns in a question
CONDITIONS = {
    RESEARCH: "The limits are those of a file that researchers use under a contract.",
    PUBLIC: "The limits are those of a file that anyone may download.",
}
"""By product, the conditions that its limits assume."""


@dataclass(frozen=True)
class OpenItem:
    """A question to a person."""

    question: str
    """The question."""
    reason: str
    """Why the software asks."""
    answer: str = ""
    """The answer, where it was given to the software."""


def open_items(
    report: Report, released: Protected, *, purpose: str, recipients: str, despite: tuple[str, str] | None
) -> list[dict[str, Any]]:
    """The questions of one release as plain data. despite : reason and name, where it was released without a pass."""
    verdict = report.verdict
    product = "research" if released.roles.product == RESEARCH else "public-use"
    items = [
        OpenItem(
            "For what purpose is the file released?", f"The software knows the product only: a {product} file.", purpose
        ),
        OpenItem("Who receives the file, and under which conditions?", CONDITIONS[released.roles.product], recipients),
        OpenItem("Who confirmed the role of each column?", "A column without a role is released unchanged."),
    ]
    held = [TESTS[test.key].title if test.key in TESTS else test.key for test in verdict.tests if test.status == "hold"]
    if held:
        answer = "" if despite is None else f"{despite[0]} ({despite[1]})"
        items.append(
            OpenItem("Why may the file leave although it fails tests?", f"Not passed: {', '.join(held)}.", answer)
        )
    for test in verdict.tests:
        if test.status == "not examined":
            title = TESTS[test.key].title if test.key in TESTS else test.key
            items.append(OpenItem(f"Who accepts that this was not examined: {title}?", f"Reason: {test.reason}."))
    if verdict.changed:
        items.append(OpenItem("Who approved the changed limits?", f"Changed: {', '.join(verdict.changed)}."))
    if released.registration is None:
        reason = "No ledger was given, so that earlier releases were not compared."
        items.append(OpenItem("Were these records, or some of them, released before?", reason))
    else:
        reason = "The release was compared with those of the ledger only."
        items.append(OpenItem("Does the ledger hold every earlier release of these records?", reason))
    items += _of_unchanged_columns(report)
    items += [
        OpenItem(
            "Do name, title and catalogue entry state that the file is not the original?",
            "A user must not take protected values for real ones.",
        ),
        OpenItem(
            "Who keeps the original, the manifest and the ledger, and who may read them?",
            "With them an intruder can undo the release.",
        ),
    ]
    return [asdict(item) for item in items]


def _of_unchanged_columns(report: Report) -> list[OpenItem]:
    """Questions on the columns that an intruder may know, and on those that are assumed to be secret."""
    kept = report.kept
    if kept is None:
        return []
    items = []
    if kept.columns:
        items.append(
            OpenItem(
                "Which registers, web pages and other files have the unchanged columns?",
                f"An intruder may match them: {listed_columns(kept.columns)}.",
            )
        )
    if kept.unknown:
        items.append(
            OpenItem(
                "Is it certain that no intruder knows these columns?",
                f"The verdict assumes it: {listed_columns(kept.unknown)}.",
            )
        )
    return items


def listed_columns(columns: tuple[str, ...]) -> str:
    """The first columns, and how many there are more."""
    more = len(columns) - SHOWN
    named = ", ".join(columns[:SHOWN])
    return f"{named} and {more} more" if more > 0 else named
