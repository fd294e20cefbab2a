"""A qualification as one HTML page to sign and file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report.html import Section, document, joined, paragraphs, part, table

if TYPE_CHECKING:
    from .qualify import Qualification, Requirement

SIGNED_BY = ("Examined by", "Approved by")


def page(found: Qualification) -> str:
    """The page's text; a place to sign only where every requirement holds."""
    numbered = list(enumerate(found.requirements, 1))
    rows = [(f"{k}. {one.name}", str(len(one.rows)), one.verdict) for k, one in numbered]
    verdicts = joined([table(("requirement", "compared", "verdict"), rows), paragraphs([found.conclusion()])])
    facts = [("time", found.time), ("seconds", f"{found.seconds:.0f}"), *found.surroundings.items()]
    ending = part("signatures", SIGNED_BY) if found.ok else part("warning", found.conclusion())
    sections = [
        Section("Verdict by requirement", verdicts),
        Section("With what", table(("what", "value"), facts, words=2)),
        *(_requirement(k, one) for k, one in numbered),
        Section("Signatures", ending),
    ]
    return document(found.title, f"pyfcrm {found.surroundings['pyfcrm']}, {found.time}", sections)


def _requirement(k: int, one: Requirement) -> Section:
    said = paragraphs([f"{one.verdict}: {one.said}."])
    if not one.rows:
        return Section(f"{k}. {one.name}", said)
    rows = [(row.what, row.found, row.asked, row.verdict) for row in one.rows]
    head = ("what", "found", "asked for", "verdict")
    return Section(f"{k}. {one.name}", joined([said, table(head, rows, words=4)]))
