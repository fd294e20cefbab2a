"""A page that stands alone: no script, no link, nothing from elsewhere, readable when printed, dark and light. It is made
of the templates beside this file, which escape every text."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it: pieces of a page, as `part` gives them. A plain text would be escaped."""

    title: str
    body: Markup


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def part(name: str, *arguments: Any) -> Markup:
    """One piece of templates/parts.html."""
    result: Markup = getattr(_templates().get_template("parts.html").module, name)(*arguments)
    return result


def document(title: str, lead: str, sections: Iterable[Section], top: Markup | None = None) -> str:
    """The whole page; `top` stands above the sections."""
    result = _templates().get_template("page.html").render(title=title, lead=lead, sections=sections, top=top or "")
    return result + "\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> Markup:
    """A table of texts and pieces; the first `words` columns are text, the others numbers."""
    listed = [tuple(row) for row in rows]
    if any(len(row) != len(columns) for row in listed):
        raise ValueError(f"a table of {len(columns)} columns has rows of {sorted({len(row) for row in listed})} cells")
    return part("table", columns, listed, words)


def measure_table(columns: Sequence[str], rows: Iterable[tuple[Sequence[str], str]], words: int = 1) -> Markup:
    """A table whose rows have a sentence below each, as wide as the table."""
    return part("measure_table", columns, [(tuple(cells), sentences) for cells, sentences in rows], words)


def figure(png: bytes, what: str) -> Markup:
    """A picture inside the page, with the words that stand for it."""
    return part("figure", what, b64encode(png).decode("ascii"))


def paragraphs(lines: Iterable[str]) -> Markup:
    """Sentences, a paragraph each."""
    return part("paragraphs", list(lines))


def items(lines: Iterable[str]) -> Markup:
    """Sentences as a list."""
    return part("items", list(lines))


def joined(pieces: Iterable[Markup]) -> Markup:
    """Pieces one below the other."""
    return part("joined", list(pieces))


def number(value: float | None, digits: int = 2) -> str:
    """A value with its decimals; a dash for none."""
    return "–" if value is None or value != value else f"{value:,.{digits}f}"


def short(value: float | None) -> str:
    """A statistic in as many digits as a column has room for: seven significant ones, no exponent below a billion."""
    if value is None or value != value:
        return "–"
    if value == 0 or 1e-4 <= abs(value) < 1e9:
        whole = len(f"{abs(value):.0f}")
        return f"{value:,.{min(2, max(0, 7 - whole))}f}" if abs(value) >= 0.1 or value == 0 else f"{value:.4f}"
    return f"{value:.3e}"
