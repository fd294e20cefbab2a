"""What a report is filed by: the two files, the verdict, the decision and a place to sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..evaluation.verdict import UNEXAMINED, Verdict
from .html import part, table

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Filing:
    """What tells this report from any other.

    original, release : name and SHA-256 of each file, or None where there is no file; written : when, and by which version;
    verdict : on the release; released : whether the release was written, None where that is still to be decided; despite :
    reason and name where the release was written without a verdict of "pass".
    """

    original: tuple[str, str] | None = None
    release: tuple[str, str] | None = None
    written: str = ""
    verdict: Verdict = UNEXAMINED
    released: bool | None = None
    despite: tuple[str, str] | None = None


def heading(filing: Filing, form: str) -> Markup:
    """The block above all sections. The external form has the release's digest alone: the original's would let a guess
    at its values be confirmed, and names of files tell of those inside."""
    if form == "external":
        rows = [("released file", "", filing.release[1])] if filing.release else []
        return part("filing", table(("", "", "SHA-256"), rows, words=3), "", ()) if rows else part("joined", [])
    files = (("original file", filing.original), ("released file", filing.release))
    rows = [(what, *one) for what, one in files if one is not None]
    listed = table(("", "name", "SHA-256"), rows, words=3) if rows else ""
    return part("filing", listed, filing.written, _decision(filing))


def verdict_block(verdict: Verdict, form: str, filing: Filing | None) -> Markup:
    """The verdict at the top of a page: headline, then each test with its outcome.

    The internal form has quantities and reasons; the external form has limits only, as quantities and reasons tell of
    original values.
    """
    rows = [row for row in verdict.rows() if row["status"] != "not applicable"]
    columns = ("status", "key", "limit") if form == "external" else ("status", "key", "found", "limit", "reason")
    names = {"key": "test"}
    cells = [[row[name] for name in columns] for row in rows]
    tests = table([names.get(name, name) for name in columns], cells, words=len(columns)) if rows else ""
    return part("verdict", verdict.status.replace(" ", "-"), verdict.headline, _despite(filing), tests)


def _despite(filing: Filing | None) -> str:
    """That a release was written without a pass, with the reason and the name."""
    if filing is None or filing.despite is None:
        return ""
    reason, name = filing.despite
    return f"The release was written despite this verdict: {reason} ({name})."


def _decision(filing: Filing) -> tuple[str, ...]:
    """What there is to tick: the verdict's status, and what follows."""
    words = [f"The status of the verdict is “{filing.verdict.status}”."]
    if filing.released is not None:
        words.append("The release was written." if filing.released else "The release was not written.")
    return " ".join(words), "may leave the agency", "may not leave", "may leave when:"
