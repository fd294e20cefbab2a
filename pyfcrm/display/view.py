"""The view of a result: a title, a table and sentences, as text for a console and HTML for a notebook, there with a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..errors import Count, flagged, lines, shortened
from ..plots.svg import picture

if TYPE_CHECKING:
    import pandas as pd

LINES, ACROSS = 30, 79  # of the text, and characters of a line
HTML_CHARACTERS, HTML_ROWS, HTML_SENTENCES = 40_000, 60, 40
WIDEST = 44  # characters of a cell
FEWEST_LINES = 7  # of a table, whatever there is to say
GAP = "  "

broken = partial(wrap, width=ACROSS, break_on_hyphens=False)
"""A text as lines of a console."""


def indented(line: str) -> list[str]:
    """A line as lines of a console, the further ones indented by four more places than the first."""
    own = len(line) - len(line.lstrip())
    return wrap(line, width=ACROSS, break_on_hyphens=False, subsequent_indent=" " * (own + 4))


@dataclass(frozen=True)
class View:
    """The view of a result: lines and a table."""

    title: str
    """One line above the table."""
    columns: Sequence[str] = ()
    """The headings of the table's columns."""
    rows: Sequence[Sequence[Any]] = ()
    """The rows of the table."""
    sentences: Sequence[str] = ()
    """Lines below the table."""
    words: int = 1
    """Number of first columns that are text."""
    total: int | None = None
    """Number of all rows, where only some are given."""
    lead: Sequence[str] = ()
    """Lines before the title, such as a verdict, each cut at the width of a console."""

    def text(self) -> str:
        """At most 30 lines."""
        head = [cut(line, ACROSS) for line in self.lead] + broken(shortened(self.title))
        sentences = [line for text in self.sentences for line in broken(shortened(flagged(text)))]
        room = LINES - len(head)
        table = self._table(min(max(FEWEST_LINES, room - len(sentences)), room - bool(sentences)))
        lines = [*head, *table, *sentences]
        if len(lines) > LINES:
            lines[LINES - 1 :] = [f"... and {len(lines) - LINES + 1} more lines"]
        return "\n".join(lines)

    def html(self, drawing: str = "") -> str:
        """At most 40,000 characters: the title, a drawing (SVG), the table, the sentences; every text is escaped."""
        rows, sentences = HTML_ROWS, HTML_SENTENCES
        texts = {"shortened": shortened, "flagged": flagged, "cell": cell, "Count": Count}
        while True:
            result = picture("view", view=self, drawing=drawing, rows=rows, sentences=sentences, **texts)
            if len(result) <= HTML_CHARACTERS:
                return result
            rows, sentences = rows // 2, sentences - sentences // 3
            drawing = drawing if rows else ""

    def _table(self, most: int) -> list[str]:
        """At most so many lines: the columns that fit across, with the names of the others, and the first rows."""
        if not self.columns:
            return []
        cells = [[cell(value) for value in row] for row in [self.columns, *self.rows[:LINES]]]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        ends = accumulate(width + len(GAP) for width in widths)
        fit = max(self.words, sum(end <= ACROSS + len(GAP) for end in ends))
        lines = [
            GAP.join(
                one.ljust(width) if j < self.words else one.rjust(width)
                for j, (one, width) in enumerate(zip(row[:fit], widths, strict=False))
            ).rstrip()
            for row in cells
        ]
        last = [f"(also: {', '.join(cells[0][fit:])})"[:ACROSS]] if fit < len(widths) else []
        total, rows = self.total or len(self.rows), most - 1 - len(last)
        if total > rows:
            last.insert(0, f"... and {total - rows + 1:,} more: to_frame() has all")
            lines = lines[:rows]
        return lines + last


class Shown:
    """A result that shows itself by its `_view`, as text and as HTML."""

    def _view(self) -> View:
        raise NotImplementedError

    def _drawing(self) -> str:
        return ""

    def __repr__(self) -> str:
        return self._view().text()

    def _repr_html_(self) -> str:
        return self._view().html(self._drawing())


class Result(Shown):
    """A table of figures that shows itself, defined by `rows` or by `to_frame`; its `notes`, if any, become Notes."""

    def __post_init__(self) -> None:
        if hasattr(self, "notes"):
            object.__setattr__(self, "notes", tuple(lines(self.notes)))

    def rows(self) -> list[dict[str, Any]]:
        """The result as plain data.

        Returns
        -------
        list of dict
            One for each row of the data frame.
        """
        return [{str(key): value for key, value in row.items()} for row in self.to_frame().to_dict("records")]

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            As `rows`.
        """
        import pandas as pd

        return pd.DataFrame(self.rows())


def cell(value: Any) -> str:
    """A value in a table: two decimals or four digits, a dash for none, words on one line."""
    if value is None or (isinstance(value, float) and value != value):
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if 1e-9 < abs(value) < 0.1 else f"{round(value, 2) + 0.0:,.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    return cut(shortened(str(value)), WIDEST)


def cut(text: str, most: int) -> str:
    """The text, of a long one its start."""
    return text if len(text) <= most else text[: most - 3] + "..."
