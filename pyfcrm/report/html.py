"""A page that stands alone: no script, no link, nothing from elsewhere, readable when printed, dark and light."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --soft: #5c5c5c; --line: #d9d9d9; --bar: #0072b2;
  --chance: #d55e00; --good: #009e73; --panel: #f6f6f4 }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --paper: #17191c; --soft: #a8a8a8; --line: #3a3d42;
  --bar: #56b4e9; --chance: #e69f00; --good: #2ec4a0; --panel: #202328 } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 66rem; padding: 0 1.2rem;
  color: var(--ink); background: var(--paper) }
h1 { font-size: 1.6rem; margin-bottom: .3rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
.lead, .said, figcaption { color: var(--soft) }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line) }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td .said { display: block; font-size: .86rem }
.bar { position: relative; display: block; height: .5rem; min-width: 7rem; margin-top: .45rem; background: var(--line) }
.bar i { position: absolute; left: 0; top: 0; bottom: 0; background: var(--bar) }
.bar b { position: absolute; top: -3px; bottom: -3px; width: 2px; background: var(--chance) }
figure { margin: 1rem 0; background: #fff; padding: .6rem; border: 1px solid var(--line) }
figure img { max-width: 100%; height: auto; display: block } figcaption { font-size: .86rem; color: #5c5c5c }
.form { border-left: 4px solid var(--chance); background: var(--panel); padding: .5rem .9rem; margin: 1rem 0 }
.kept { border-left: 4px solid var(--good); background: var(--panel); padding: .5rem .9rem; margin: 1rem 0 }
.kept.many { border-left-color: var(--chance) } .kept p { margin: .2rem 0 }
@media print { body { margin: 0; max-width: none; color: #000; background: #fff } figure, tr { break-inside: avoid }
  h2 { break-after: avoid } thead { display: table-header-group } .bar, .bar i, .bar b { print-color-adjust: exact } }
"""


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it, which is HTML already."""

    title: str
    body: str


def document(title: str, lead: str, sections: Iterable[Section]) -> str:
    """The whole page; title and lead are text."""
    body = "\n".join(f"<section><h2>{escape(s.title)}</h2>\n{s.body}\n</section>" for s in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f'<p class="lead">{escape(lead)}</p>\n{body}\n</body></html>\n'
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table of cells that are HTML already; the first `words` columns are text, the others numbers."""
    kinds = ["" if j < words else ' class="number"' for j in range(len(columns))]
    head = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(columns, kinds, strict=True))
    lines = (
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>\n'
        + "\n".join(lines)
        + "\n</tbody></table></div>"
    )


def figure(png: bytes, what: str) -> str:
    """A picture inside the page, with the words that stand for it."""
    text, data = escape(what, quote=True), b64encode(png).decode("ascii")
    return f'<figure><img alt="{text}" src="data:image/png;base64,{data}"><figcaption>{text}</figcaption></figure>'


def paragraphs(lines: Iterable[str]) -> str:
    """Sentences, a paragraph each."""
    return "\n".join(f"<p>{escape(line)}</p>" for line in lines)


def items(lines: Iterable[str]) -> str:
    """Sentences as a list."""
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def number(value: float | None, digits: int = 2) -> str:
    """A value with its decimals; a dash for none."""
    return "–" if value is None or value != value else f"{value:,.{digits}f}"
