"""What a report is filed by: the two files, the limits set beforehand, the decision and a place to sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..evaluation.report import Report
from ..evaluation.verdict import Test as Threshold
from .html import number, part, table

if TYPE_CHECKING:
    from markupsafe import Markup

OUTCOMES = {True: "met", False: "NOT MET"}


@dataclass(frozen=True)
class Filing:
    """What tells this report from any other.

    original, release : name and SHA-256 of each file, or None where there is no file; written : when, and by which version;
    limits : set beforehand, each with what was measured; released : whether the release was written, None where that
    is still to be decided.
    """

    original: tuple[str, str] | None = None
    release: tuple[str, str] | None = None
    written: str = ""
    limits: tuple[Threshold, ...] = ()
    released: bool | None = None


def limits_of(report: Report, wanted: Sequence[tuple[str, float]]) -> tuple[Threshold, ...]:
    """Limits on measures of a report, by key. Raises InvalidParameter for a measure that it does not have."""
    return tuple(Threshold(key, most, report[key], report.facts(key).better == "higher") for key, most in wanted)


def heading(filing: Filing, title: str, form: str) -> Markup:
    """The block above all sections. The external form has the release's digest alone: the original's would let a guess
    at its values be confirmed, and names of files tell of those inside."""
    if form == "external":
        rows = [("released file", "", filing.release[1])] if filing.release else []
        return part("filing", table(("", "", "SHA-256"), rows, words=3), "", "", ()) if rows else part("joined", [])
    files = (("original file", filing.original), ("released file", filing.release))
    rows = [(what, *one) for what, one in files if one is not None]
    made = table(("", "name", "SHA-256"), rows, words=3) if rows else ""
    return part("filing", made, _limits(filing.limits), filing.written, _decision(filing, title))


def _limits(limits: Sequence[Threshold]) -> Markup | str:
    if not limits:
        return ""
    rows = [
        (one.key, f"{'at least' if one.at_least else 'at most'} {one.limit:g}", number(one.value), OUTCOMES[one.met])
        for one in limits
    ]
    return table(("limit on", "set beforehand", "measured", "outcome"), rows, words=1)


def _decision(filing: Filing, title: str) -> tuple[str, ...]:
    """What there is to tick: as the limits stand, and what follows."""
    missed = [one.key for one in filing.limits if not one.met]
    said = "All limits are met." if filing.limits and not missed else ""
    if missed:
        said = f"Not met: {', '.join(missed)}."
    if filing.released is not None:
        said += (
            " The release was written." if filing.released else " The release was not written: a threshold is not met."
        )
    return (
        said.strip() or f"No limit was set beforehand for “{title}”.",
        "may leave the agency",
        "may not leave",
        "may leave when:",
    )
