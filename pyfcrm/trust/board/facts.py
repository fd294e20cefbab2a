"""The facts of a dossier as plain data: each is a fact of the run, or a question to a person."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ...data import Frame, open_data
from ...errors import Count
from ...evaluation.encoded_files import encoded_original, encoded_release, plain_cells
from ...evaluation.report import Report
from ...evaluation.utility.panel.utility import Utility, figures
from ...evaluation.verdict.decision import Test, Verdict
from ...plans.limits import LIMITS
from ...protection.codebook import describe_variables, released_relations
from ...protection.protect import Protected
from ...protection.protected import open_copies
from ...report.context import TITLES, decision
from ...report.for_the_board import DRAWN, RECOGNISED, board_sentences
from ...report.page import Filing
from .criteria import CHECKS_SOURCE, CRITERIA_SOURCE, TO_CONFIRM, criteria_rows, limit_with_units, row_for_board
from .open_items import CONDITIONS, listed_columns, open_items
from .words import WORDS

INTERNAL = (
    "Internal: for the board that decides on the release. It has figures of risk that are computed from the original. It must not "
    "leave the agency."
)
ANOTHER = (
    "This dossier is of this one file. Another release of the same records, or of some of them, needs a dossier of its own: two "
    "releases together may disclose what each alone does not. "
)
NOT_REGISTERED = (
    ANOTHER + "This one is in no ledger; with --ledger the software compares each release with the earlier ones."
)
REGISTERED = ANOTHER + "This one is in the ledger, with which the software compares the next one."
SIGNED_BY = ("prepared by", "methods reviewed by", "decided by")


def dossier_facts(
    original: Any, released: Protected, report: Report, filing: Filing, *, title: str, purpose: str, recipients: str
) -> dict[str, Any]:
    """The facts of a release. No seed, no path, no value of a record.

    original : a frame or a path; filing : names and digests of the files. Raises InvalidInput or InvalidParameter.
    """
    encoded = encoded_original("dossier", open_data("dossier", original, whole=True), report.declared)
    copies = [encoded_release(encoded, copy) for copy in open_copies("dossier", released, whole=True)]
    source, copy = plain_cells(encoded), plain_cells(copies[0])
    verdict = report.verdict
    judged = decision(report, "internal")
    board = board_sentences(report, released, "internal", tests=judged["tests"], compared=True)
    tested = {sentence.question: sentence.answer for sentence in board}.get("What was tested", "no test applies")
    privacy = released.privacy
    masks = released.method.facts(released.roles).masks
    tests = [row_for_board(test, masks) for test in verdict.tests]
    return {
        "form": INTERNAL,
        "title": title or "Dossier of a release",
        "written": filing.written,
        "software": filing.version,
        "prepared_by": filing.preparer,
        "files": {"original": _file(filing.original), "release": _file(filing.release)},
        "purpose": {
            "product": released.roles.product,
            "conditions": CONDITIONS[released.roles.product],
            "purpose": purpose,
            "recipients": recipients,
        },
        "decision": {
            "status": verdict.status,
            "sentence": judged["sentence"],
            "headline": verdict.headline,
            "despite": None if filing.despite is None else dict(zip(("reason", "by"), filing.despite, strict=True)),
        },
        "board": [
            *map(asdict, board),
            {"question": "What was not tested", "answer": _not_tested(tests)},
            {"question": "Who could be recognised", "answer": _recognised(report, masks)},
            *_what_helps(tests),
        ],
        "method": {
            "name": released.method.citation,
            "what_it_does": DRAWN[masks],
            "guarantee": None if privacy is None else str(privacy),
        },
        "leaves": _leaves(source, copy, len(copies), released, report),
        "tests": tests,
        "criteria": {"source": CRITERIA_SOURCE, "rows": criteria_rows(tests)},
        "checks": {"source": CHECKS_SOURCE, "rows": _checks(source, copy, verdict, tested, report)},
        "utility": _utility(report),
        "further_releases": REGISTERED if released.registration is not None else NOT_REGISTERED,
        "open_items": open_items(report, released, purpose=purpose, recipients=recipients, despite=filing.despite),
        "limits": _limits(verdict),
        "changed_limits": list(verdict.changed),
        "words": [{"word": word, "meaning": meaning} for word, meaning in WORDS.items()],
        "signed_by": list(SIGNED_BY),
    }


def _file(named: tuple[str, str] | None) -> dict[str, str] | None:
    """Name and SHA-256 of a file; of several copies both are lists as text."""
    return None if named is None else {"name": named[0], "sha256": named[1]}


def _not_tested(tests: Sequence[dict[str, Any]]) -> str:
    """The tests that were not examined, and those that do not apply, each with the reason, without the full stop."""
    parts = []
    for status in ("not examined", "not applicable"):
        names = [
            row["title"].lower() + (f" ({row['reason']})" if row["reason"] else "")
            for row in tests
            if row["status"] == status
        ]
        if names:
            parts.append(f"{status}: {', '.join(names)}")
    return "; ".join(parts) or "every test was made"


def _recognised(report: Report, masks: str) -> str:
    """Which records an intruder may recognise by the unchanged columns, and what that discloses, without the full stop."""
    kept = report.kept
    if kept is None or not kept.columns:
        return DRAWN[masks]
    columns = listed_columns(kept.columns) + (" together" if len(kept.columns) > 1 else "")
    parts = [
        f"{kept.together:,} of {kept.records:,} {kept.what} have values of {columns} that no other in the file has"
    ]
    risk = next((test for test in report.verdict.tests if test.key == "key_risk"), None)
    if risk is not None and risk.found:
        # The second figure is the mean individual risk, per cent.
        expected = report.records * risk.found[1] / 100
        parts.append(
            f"an intruder who knows these values of everybody is expected to find {expected:.1f} of {report.records:,} records, as "
            "people outside the file may have the same values"
        )
    elif kept.together:
        parts.append(RECOGNISED)
    return "; ".join([*parts, f"of who is found these values are true, while {DRAWN[masks]}"])


def _what_helps(tests: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """The next steps by which tests that hold the release may pass; none where no test holds it."""
    steps = dict.fromkeys(row["remedy"] for row in tests if row["status"] == "hold" and row["remedy"])
    return [{"question": "What would help", "answer": "; ".join(steps)}] if steps else []


def _leaves(source: Frame, copy: Frame, copies: int, released: Protected, report: Report) -> dict[str, Any]:
    """What is released: records, columns with their released values, what is removed, what was found unchanged."""
    return {
        "records": copy.records,
        "original_records": source.records,
        "copies": copies,
        "columns": [asdict(variable) for variable in describe_variables(copy, released)],
        "removed": [name for name in source.names if name not in copy.names],
        "unchanged": [] if report.kept is None else list(report.kept.sentences()),
        "relations": list(released_relations(copy, released)),
    }


def _checks(source: Frame, copy: Frame, verdict: Verdict, tested: str, report: Report) -> list[dict[str, str]]:
    """The four checks of synthetic data. tested : which tests were made, as a sentence."""
    common = [name for name in copy.names if name in source.names]
    equal = sum(source.kind(name) == copy.kind(name) for name in common)
    labelled = sum(bool(copy.column_labels.get(name) or source.column_labels.get(name)) for name in copy.names)
    edits = next((test for test in verdict.tests if test.key == "edits"), Test("edits", "not examined"))
    columns = Count(len(copy.names))
    utility = report.utility
    return [
        {
            "title": "Labelling",
            "question": "Is the file clearly identified as not being the original?",
            "status": TO_CONFIRM,
            "answer": "The codebook states for each column whether its values are protected. Name, title and catalogue entry "
            "are for a person to confirm.",
        },
        {
            "title": "Disclosure",
            "question": "Was the risk of disclosure evaluated, and reduced where it was found?",
            "status": verdict.status,
            "answer": f"{tested[:1].upper()}{tested[1:]}.",
        },
        {
            "title": "Structure",
            "question": "Is the structure of the release that of the original?",
            "status": edits.status,
            "answer": f"{equal} of {columns} {columns:column has|columns have} the original's type. "
            f"Permitted values and rules: {edits.reason or edits.status}.",
        },
        {
            "title": "Documentation",
            "question": "Are the differences from the original documented for users?",
            "status": "not examined" if utility is None else TO_CONFIRM,
            "answer": f"{labelled} of {columns} {columns:column has|columns have} a label. "
            + ("What users lose was not measured." if utility is None else "What users lose was measured: section 5."),
        },
    ]


def _utility(report: Report) -> dict[str, Any] | None:
    """The utility panel: its line, its families, and what was not measured. None where it was not measured."""
    utility = report.utility
    if utility is None:
        return None
    return {
        "headline": utility.headline,
        "families": [figures(summary) for summary in utility.families],
        "means": _changes_of_means(utility),
        "remarks": list(utility.remarks),
    }


def _changes_of_means(utility: Utility) -> list[dict[str, Any]]:
    """By confidential column and column of classes, the largest change of a class's mean: per cent of it, and standard errors."""
    found = dict[tuple[str, str], dict[str, Any]]()
    for estimate in utility.estimates:
        if estimate.family != "group means" or not estimate.by or not estimate.original or np.isnan(estimate.released):
            continue
        per_cent = 100 * abs(estimate.released / estimate.original - 1)
        names = (", ".join(estimate.variables), estimate.by)
        row = found.setdefault(
            names, {"column": names[0], "by": names[1], "classes": 0, "per_cent": 0.0, "errors": 0.0}
        )
        row["classes"] += 1
        row["per_cent"] = max(row["per_cent"], per_cent)
        row["errors"] = max(row["errors"], abs(estimate.z))
    return list(found.values())


def _limits(verdict: Verdict) -> list[dict[str, Any]]:
    """The limits in force of the tests that apply, each with its reason and source as the package declares them."""
    rows = []
    for test in verdict.tests:
        if test.key not in LIMITS or test.status == "not applicable":
            continue
        known = LIMITS[test.key]
        rows.append(
            {
                "key": test.key,
                "title": TITLES[test.key],
                "limit": limit_with_units(test) or None,
                "reason": known.reason,
                "source": known.source,
            }
        )
    return rows
