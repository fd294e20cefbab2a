"""What a report is filed by: the two files, the verdict, the decision and a place to sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..evaluation.verdict import Verdict
from .html import part, table

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Filing:
    """What tells this report from any other.

    original, release : name and SHA-256 of each file, or None where there is no file; written : when, and by which version;
    verdict : on the release; released : whether the release was written, None where that is still to be decided;
    despite_hold, by : the reason why it was written without a "pass", and who answers for it.
    """

    original: tuple[str, str] | None = None
    release: tuple[str, str] | None = None
    written: str = ""
    verdict: Verdict | None = None
    released: bool | None = None
    despite_hold: str = ""
    by: str = ""

    @property
    def decision(self) -> str:
        """What became of the release, in a sentence; "" where that is still to be decided."""
        if self.despite_hold:
            return f"Released despite this verdict by {self.by}: {self.despite_hold}"
        if self.released is None:
            return ""
        return "The release was written." if self.released else "The release was not written."


def heading(filing: Filing, title: str, form: str) -> Markup:
    """The block above all sections. The external form has the release's digest alone: the original's would let a guess
    at its values be confirmed, and names of files tell of those inside."""
    if form == "external":
        rows = [("released file", "", filing.release[1])] if filing.release else []
        digest = table(("", "", "SHA-256"), rows, words=3) if rows else ""
        said = f"{filing.verdict.headline} {filing.decision}" if filing.verdict and filing.despite_hold else ""
        return part("filing", digest, "", said, ()) if rows or said else part("joined", [])
    files = (("original file", filing.original), ("released file", filing.release))
    rows = [(what, *one) for what, one in files if one is not None]
    made = table(("", "name", "SHA-256"), rows, words=3) if rows else ""
    return part("filing", made, _tests(filing.verdict), filing.written, _decision(filing, title))


def _tests(verdict: Verdict | None) -> Markup | str:
    if verdict is None:
        return ""
    rows = [(row["status"], row["key"], row["found"], row["limit"], row["reason"]) for row in verdict.rows()]
    return table(("verdict", "test", "found", "limit", "reason"), rows, words=5)


def _decision(filing: Filing, title: str) -> tuple[str, ...]:
    """What there is to tick: the verdict, and what became of the release."""
    verdict = f"No verdict on “{title}”." if filing.verdict is None else filing.verdict.headline
    return f"{verdict} {filing.decision}".strip(), "may leave the agency", "may not leave", "may leave when:"
