"""report_page(): an evaluation as one self-contained HTML page, for those inside an agency or for those outside."""

from base64 import b64encode
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from .. import __version__
from ..arguments import choice
from ..data import open_data
from ..display.view import cell
from ..evaluation.encoded_files import encoded_original, encoded_release
from ..evaluation.report import Report
from ..evaluation.risk.linked_records import RecordsAtRisk
from ..plots.template import environment
from ..protection.protect import Protected
from ..protection.protected import open_copies
from .context import TITLES, decision, evidence, public_facts, release_facts, without_original
from .for_the_board import board_sentences

TEMPLATES = environment(
    Path(__file__).parent / "templates",
    title_of=TITLES.get,
    number=cell,
    base64=lambda data: b64encode(data).decode("ascii"),
)
FORMS = ("internal", "external")


@dataclass(frozen=True)
class Filing:
    """The identification of a report."""

    original: tuple[str, str] | None = None
    """Name and SHA-256 of the original file."""
    release: tuple[str, str] | None = None
    """Name and SHA-256 of the release."""
    version: str = f"pyfcrm {__version__}"
    """The version of the software."""
    preparer: str = ""
    """The name of who made the report."""
    contact: str = ""
    """The name of who answers questions."""
    released: bool | None = None
    """Whether the release was written; None where that is still open."""
    despite: tuple[str, str] | None = None
    """Reason and name, where the release was written without a verdict of "pass"."""
    written: str = field(default_factory=lambda: date.today().isoformat())
    """The day of the report."""


def report_page(
    original: Any,
    protected: Any,
    report: Report,
    form: str = "internal",
    *,
    title: str = "",
    at_risk: RecordsAtRisk | None = None,
    filing: Filing | None = None,
) -> str:
    """The page's text: self-contained, with figures embedded, no script and no address of another page.

    original, protected : the frames that `report` evaluated, protected also a sequence of copies, or a result of protect(),
    whose method, roles and options are part of the page; form : "internal", with all evidence, or "external", without
    figures of risk, original values, seed, parameters and records; at_risk : if it is known. Of a release with a privacy
    budget the external form has no figure or result that is computed from the original's confidential values. Its first
    page is the decision. Raises InvalidInput or InvalidParameter.
    """
    choice("report_page", "form", form, FORMS)
    released = protected if isinstance(protected, Protected) else None
    copies = open_copies("report", protected, whole=True) if isinstance(protected, Protected) else protected
    copies = copies if isinstance(copies, list | tuple) else (copies,)
    original = encoded_original("report", open_data("report", original, whole=True), report.declared)
    copies = tuple(encoded_release(original, open_data("report", copy, whole=True)) for copy in copies)
    filing = filing or Filing()
    context: dict[str, Any] = decision(report, form) | release_facts(original, report, released)
    name = filing.original[0] if filing.original and form == "internal" else ""
    title = title or (f"Protection of {name}" if name else "Protection of a file")
    privacy = None if released is None else released.privacy
    if form == "internal":
        context |= evidence(original, copies[0], report, released, at_risk)
    else:
        context |= public_facts(copies[0], report, released)
    is_guaranteed_outside = form == "external" and privacy is not None
    if is_guaranteed_outside:
        context |= without_original(context, str(privacy))
    board = board_sentences(report, released, form, tests=context["tests"], compared=not is_guaranteed_outside)
    return render(
        "report.html", form=form, filing=filing, released=released, copies=len(copies), report=report, title=title,
        guarantee=privacy is not None, board=board, **context,
    )  # fmt: skip


def render(template: str, **context: Any) -> str:
    """A template filled with plain data."""
    return f"{TEMPLATES.get_template(template).render(**context)}\n"
