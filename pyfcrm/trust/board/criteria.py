"""What a board compares a release with: the three criteria of the Article 29 Working Party, and four checks of synthetic data.

References: Article 29 Working Party (2014), Opinion 05/2014 on anonymisation techniques, WP216; Raab, McCall and Cavin (2025), Four
checks for low-fidelity synthetic data, arXiv 2503.14211.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...evaluation.verdict.decision import ORDER, Status, Test
from ...evaluation.verdict.release_tests import TESTS
from ...plans.limits import LIMITS
from ...report.context import test_row, with_unit
from .words import FIGURES, QUESTIONS

CRITERIA_SOURCE = "Article 29 Working Party, Opinion 05/2014 on anonymisation techniques (WP216)"
CHECKS_SOURCE = "Raab, McCall and Cavin (2025), Four checks for low-fidelity synthetic data"
TO_CONFIRM = "to confirm"  # the status of a check that only a person can make
OTHER_METHODS = "this test is for other methods or columns"
NO_LINKS = "it is for methods that change a person's own values; here these are replaced, and the audit tries to find the person"
NO_TEST = {"status": "not examined", "found": "", "limit": "", "reason": "the verdict has no such test"}
NO_LEDGER = "no ledger was given: earlier releases of these records are not known"


@dataclass(frozen=True)
class Criterion:
    """A criterion of anonymisation, and the tests of the verdict that examine it."""

    title: str
    """Its name in the opinion."""
    question: str
    """The question that it asks."""
    tests: tuple[str, ...]
    """Keys of the tests."""


WP216 = (
    Criterion(
        "Singling out", "Can the record of one person be isolated in the release?", ("sample_uniques", "replicated")
    ),
    Criterion(
        "Linkability", "Can a record be linked to the same person's record in another file?", ("linkage", "ledger")
    ),
    Criterion("Inference", "Can a confidential value of a person be deduced from the release?", ("risk", "audit")),
)


def criteria_rows(tests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The criteria with the status of each of their tests, and the worst of these. tests : all rows, as row_for_board() gives them."""
    by_key = {row["key"]: row for row in tests}
    rows = []
    for criterion in WP216:
        examined = [_examined(by_key.get(key, {"key": key, **NO_TEST})) for key in criterion.tests]
        statuses: list[Status] = [row["status"] for row in examined if row["status"] != "not applicable"]
        status = min(statuses, key=ORDER.index, default="not examined")
        missing = [row["reason"] for row in examined if row["status"] == "not examined" and row["reason"]]
        why = "; ".join(dict.fromkeys(missing)) if status == "not examined" else ""
        row = {
            "title": criterion.title,
            "question": criterion.question,
            "status": status,
            "why": why,
            "tests": examined,
        }
        rows.append(row)
    return rows


def row_for_board(test: Test, masks: str) -> dict[str, Any]:
    """A test of the verdict as plain data, with its question, the units of its limits, and a reason where it does not apply.

    masks : what the method does to confidential values. The test `ledger` does not apply where no ledger is given. For a board,
    earlier releases are then not examined.
    """
    words = {"question": QUESTIONS.get(test.key, ""), "figures": FIGURES.get(test.key, "")}
    shown = test_row(test) | words | {"limit": limit_with_units(test)}
    for key, named in TESTS.items():  # a board reads the titles of tests, not their keys
        shown["reason"] = shown["reason"].replace(f"`{key}`", f"the test “{named.title}”")
    if test.status != "not applicable" or test.reason:
        return shown
    if test.key == "ledger":
        return shown | {"status": "not examined", "reason": NO_LEDGER}
    return shown | {"reason": NO_LINKS if (test.key, masks) == ("linkage", "values") else OTHER_METHODS}


def limit_with_units(test: Test) -> str:
    """The limits of a test with the unit of each, such as "0 records; 5 points"; empty where it has none."""
    if test.key not in LIMITS:
        return test.limit_text.removeprefix("limit ")
    return "; ".join(map(with_unit, test.limit, LIMITS[test.key].unit))


def _examined(row: dict[str, Any]) -> dict[str, Any]:
    """One test of a criterion."""
    names = ("key", "status", "found", "limit", "reason", "question")
    return {"title": TESTS[row["key"]].title, **{name: row.get(name, "") for name in names}}
