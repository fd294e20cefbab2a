"""The view of a result: a title, a table, sentences and a small picture, as text for a console and HTML for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..errors import Count, flagged, lines, shortened
from ..plots.svg import picture

if TYPE_CHECKING:
    import pandas as pd

LINES, CHARACTERS, ACROSS = 30, 130, 79  # of the text: lines, characters of a line, and of one that is broken
HTML_CHARACTERS, HTML_ROWS, HTML_SENTENCES = 40_000, 60, 40
WIDEST = 44  # characters of a cell
FEWEST_ROWS = 6  # of a table, whatever there is to say
GAP = "  "


@dataclass(frozen=True)
class View:
    """The view of a result.

    title : one line; columns, rows : a table, the first `words` columns of which are text; said : sentences below it;
    picture : makes a small SVG; more : where the rest is, if not everything fits; total : how many rows there are, where not all
    are given; lead : lines before the title, such as a verdict, each cut at the width of a console.
    """

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    said: Sequence[str] = ()
    picture: Callable[[], str] | None = None
    words: int = 1
    more: str = "to_frame() has all"
    total: int | None = None
    lead: Sequence[str] = ()

    def text(self) -> str:
        """At most 30 lines, and 4,000 characters."""
        lead = [line if len(line) <= ACROSS else f"{line[: ACROSS - 3]}..." for line in self.lead]
        head = [*lead, *wrap(shortened(self.title), ACROSS)]
        sentences = [wrap(shortened(flagged(one)), ACROSS) or [""] for one in self.said]
        room = LINES - len(head)
        table = self._cut(self._table(), min(room, max(FEWEST_ROWS + 1, room - sum(map(len, sentences)))))
        said, room = list[str](), room - len(table)
        for k, sentence in enumerate(sentences):
            rest = len(sentences) - k
            if len(said) + len(sentence) + (rest > 1) > room:  # a line is kept for what is left out
                said.append(f"... and {rest} more")
                break
            said += sentence
        return "\n".join(line[:CHARACTERS] for line in [*head, *table, *said[:room]])

    def html(self) -> str:
        """At most 40,000 characters: the title, the picture, the table, the sentences; every text is escaped."""
        drawn = self.picture() if self.picture is not None else ""
        rows, sentences = HTML_ROWS, HTML_SENTENCES
        while len(result := self._html(drawn, rows, sentences)) > HTML_CHARACTERS:
            rows, sentences = rows // 2, sentences - sentences // 3
            drawn = drawn if rows else ""
        return result

    def _html(self, drawn: str, rows: int, sentences: int) -> str:
        left = Count((self.total or len(self.rows)) - min(rows, len(self.rows)))
        said = [shortened(flagged(one)) for one in self.said[:sentences]]
        said += [f"{left} more {left:row|rows}: {self.more}"] if left > 0 else []
        said += [f"... and {len(self.said) - sentences} more"] if len(self.said) > sentences else []
        status = self.lead[0].removeprefix("Verdict: ").split(".")[0] if self.lead else ""
        return picture("view", view=self, picture=drawn, rows=self.rows[:rows], said=said, status=status,
                       shortened=shortened, cell=cell)  # fmt: skip

    def _table(self) -> list[str]:
        """The table's lines, the columns that fit across; what does not is named."""
        if not self.columns:
            return []
        cells = [[cell(one) for one in row] for row in [self.columns, *self.rows[:LINES]]]
        widths = [max(len(row[j]) for row in cells) for j in range(len(self.columns))]
        fit = max(
            k for k in range(1, len(widths) + 1) if k <= self.words or sum(widths[:k]) + len(GAP) * (k - 1) <= ACROSS
        )
        lines = [GAP.join(_aligned(row[j], widths[j], j < self.words) for j in range(fit)).rstrip() for row in cells]
        lines += [""] * ((self.total or len(self.rows)) + 1 - len(lines))  # counted, and cut
        if fit < len(widths):
            lines.append(f"(also: {', '.join(cells[0][fit:])})"[:ACROSS])
        return lines

    def _cut(self, lines: list[str], most: int) -> list[str]:
        """The first lines of the table, the last of them saying how many there are no more."""
        if len(lines) <= most:
            return lines
        return [*lines[: most - 1], f"... and {len(lines) - most + 1:,} more: {self.more}"]


class Shown:
    """What shows itself by its `_view`, as text and as HTML."""

    def _view(self) -> View:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._view().text()

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return self._view().html()


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
        return f"{value:,.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.3g}"
    if isinstance(value, int):
        return f"{value:,}"
    text = shortened(str(value))
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."


def _aligned(text: str, width: int, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)
