"""dossier(): what a board needs to decide on a release, as a page that it signs and a document of the same facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...data import is_path
from ...display import Result, View
from ...errors import InvalidParameter
from ...evaluation.report import Report
from ...files import check_output, write_text
from ...files.atomic import PRIVATE
from ...files.manifest import file_digests, json_value, read_manifest
from ...files.paths import Path, path_text
from ...protection.protected import Protected, require_protected
from .document import document_text, dossier_paths, facts_digest

if TYPE_CHECKING:
    from ...report import Filing

TEXTS = ("title", "purpose", "recipients")


@dataclass(frozen=True, repr=False)
class Dossier(Result):
    """What a board needs to decide on a release. It is internal: it has figures of risk.

    Parameters
    ----------
    facts : mapping
        Purpose, what leaves, tests, criteria, utility, open items, limits and digests, as plain data. It has no seed, no path and
        no value of a single record.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> board = pf.dossier(frame, released, pf.evaluate(frame, released))
    >>> board.facts["leaves"]["records"]
    100
    """

    facts: Mapping[str, Any]

    def to_html(self) -> str:
        """The dossier as a page.

        Returns
        -------
        str
            One self-contained page, without scripts and links, with the SHA-256 of the facts and lines for signatures.
        """
        from ...report import render

        return render("dossier.html", facts=self.facts, digest=facts_digest(self.facts), title=self.facts["title"])

    def to_json(self) -> str:
        """The facts as JSON.

        Returns
        -------
        str
            An object with the facts in `dossier`, and in `sha256` the digests of the facts and of the page.
        """
        return document_text(self.facts, self.to_html())

    def write(self, path: Path) -> tuple[str, str]:
        """Write page and document, which only their owner may read.

        Parameters
        ----------
        path : path
            Of the page, such as "board.html", or of the document: the other one has the same name and the other extension.

        Returns
        -------
        tuple of str
            The paths of page and document. `verify(..., dossier=)` checks both.

        Raises
        ------
        InvalidInput
            If a file cannot be written.
        """
        page, document = dossier_paths("dossier", path)
        for file in (page, document):
            check_output(file)
        write_text(page, self.to_html(), mode=PRIVATE)
        write_text(document, self.to_json(), mode=PRIVATE)
        return page, document

    def lines(self) -> list[str]:
        """The dossier as text.

        Returns
        -------
        list of str
            The verdict, what a board reads first, the criteria, and the questions that have no answer.
        """
        board = [f"{row['question']}: {row['answer']}." for row in self.facts["board"]]
        criteria = [f"{row['title']}: {row['status']}" for row in self.facts["criteria"]["rows"]]
        unanswered = [f"  {row['question']}" for row in self.facts["open_items"] if not row["answer"]]
        return [self.facts["decision"]["headline"], *board, *criteria, "Questions without an answer:", *unanswered]

    def rows(self) -> list[dict[str, Any]]:
        """See Result.rows: one row for each open item."""
        return list(self.facts["open_items"])

    def _view(self) -> View:
        return View("", lead=self.lines())


def dossier(
    original: Any,
    released: Protected,
    report: Report,
    *,
    title: str = "",
    purpose: str = "",
    recipients: str = "",
) -> Dossier:
    """What a board needs to decide on a release, from the run itself.

    Parameters
    ----------
    original : frame or path
        The file that was protected. Of a path the dossier has name and SHA-256.
    released : Protected
        The result of `protect` or `protect_file`. Of a file the dossier has name and SHA-256.
    report : Report
        The result of `evaluate` for this release, best with `audit=True`.
    title : str
        Of the dossier.
    purpose, recipients : str
        Why the file is released, and to whom. Without them the dossier asks.

    Returns
    -------
    Dossier
        What leaves, the tests with figures and limits, the criteria of WP216, four checks of synthetic data, what users lose, the
        questions that a person must answer, and lines for signatures.

    Raises
    ------
    InvalidInput
        If a file cannot be read.
    InvalidParameter
        If an argument breaks its rule.

    References
    ----------
    Article 29 Working Party (2014), Opinion 05/2014; Raab, McCall and Cavin (2025).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> released = pf.protect(frame, pf.IPSO("C"), roles)
    >>> board = pf.dossier(frame, released, pf.evaluate(frame, released), purpose="a course")
    >>> [row["title"] for row in board.facts["criteria"]["rows"]]
    ['Singling out', 'Linkability', 'Inference']
    """
    require_protected("dossier", released)
    if not isinstance(report, Report):
        raise InvalidParameter("dossier", "report", "must be a result of evaluate()", type(report).__name__)
    for name, text in zip(TEXTS, (title, purpose, recipients), strict=True):
        if not isinstance(text, str):
            raise InvalidParameter("dossier", name, "must be a text", text)
    from ...report import Filing

    source = path_text("dossier", original) if is_path(original) else None
    paths = [released.path] if released.frame is not None and not released.more else released.frames
    files = {path: path for path in paths if is_path(path)}
    filing = Filing(
        original=None if source is None else file_digests({source: source}),
        release=file_digests(files) if files else None,
    )
    return filed_dossier(original, released, report, filing, title=title, purpose=purpose, recipients=recipients)


def recorded_filing(original: Path, releases: Sequence[Path], manifest: Path) -> "Filing":
    """Names and digests of a release with a manifest, and why it was released without a pass, as the manifest has it.

    releases : the path of each copy. Raises InvalidInput where a file cannot be read.
    """
    from ...report import Filing

    despite = read_manifest(path_text("dossier", manifest)).get("release")
    return Filing(
        original=file_digests({original: original}),
        release=file_digests({path: path for path in releases}),
        despite=(str(despite["despite_hold"]), str(despite["by"])) if isinstance(despite, Mapping) else None,
    )


def filed_dossier(
    original: Any,
    released: Protected,
    report: Report,
    filing: "Filing",
    *,
    title: str = "",
    purpose: str = "",
    recipients: str = "",
) -> Dossier:
    """The dossier of a release whose files are identified by `filing`. Raises InvalidInput or InvalidParameter."""
    from .facts import dossier_facts

    facts = dossier_facts(original, released, report, filing, title=title, purpose=purpose, recipients=recipients)
    return Dossier(json_value(facts))
