"""What a person sees in a terminal: tables on standard output, notes and progress on standard error, one line each,
whatever is in a file's names."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as Bar
from rich.table import Table

from ..display import Shown
from ..display.view import cell
from ..errors import flagged, lines, one_line
from ..files.manifest import json_value
from ..progress import Progress, compiling
from .wording import in_shell

COMPILING = " (compiling, once on this machine)"
NO_LIMIT = 100_000  # columns of a file, where nothing is cut or wrapped


def complain(text: str) -> None:
    """The one line on standard error that says what went wrong."""
    print("pyfcrm: " + one_line(in_shell(text)), file=sys.stderr)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Handling of a closed pipe: rich would exit with status 1, which here means that a check did not hold."""
        raise BrokenPipeError


def output(stderr: bool = False, wide: bool = False) -> Console:
    """Standard output or error; no line is broken where it goes into a file, or is `wide`."""
    terminal = _is_terminal(sys.stderr if stderr else sys.stdout) and not wide
    size = {} if terminal else {"width": NO_LIMIT, "height": 25}
    return _Console(stderr=stderr, highlight=False, markup=False, emoji=False, **size)  # type: ignore[arg-type]


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], left: int = 1, *, stderr: bool = False
) -> None:
    """Print a table; the first `left` columns are words, the others numbers, which are never cut."""
    output(stderr).print(one_line(title), style="bold")
    shown = Table(header_style="bold", box=None, pad_edge=False)
    for j, name in enumerate(columns):
        shown.add_column(name, justify="left" if j < left else "right", no_wrap=j >= left)
    for row in rows:
        shown.add_row(*(one_line(value) if isinstance(value, str) else cell(value) for value in row))
    console = output(stderr)
    console = output(stderr, wide=True) if console.measure(shown).minimum > console.width else console
    console.print(shown)


def result(item: Shown, lead: Sequence[str] | None = None) -> None:
    """Print a result: the lead, by default its own, the table, the sentences."""
    view = item._view()
    print_lines(*(view.lead if lead is None else lead))
    if view.columns:
        table(view.title, view.columns, view.rows, view.words)
    print_lines(*map(flagged, view.sentences))


def print_lines(*texts: str, stderr: bool = False) -> None:
    """Lines on standard output or error; a terminal narrower than one breaks it between words."""
    for text in texts:
        output(stderr).print(one_line(in_shell(text)))


def notes(texts: Iterable[str]) -> None:
    """Notes on standard error, one a line, warnings first."""
    for note in lines(texts):
        line = flagged(note) if note.severity == "warning" else f"note: {note}"
        output(stderr=True).print(one_line(in_shell(line)))


def document(contents: Mapping[str, Any]) -> None:
    """One JSON document on standard output and nothing else; null for infinity and for what is no number."""
    print(json.dumps(json_value(contents), indent=2, allow_nan=False))


@contextmanager
def progress(what: str) -> Iterator[Progress]:
    """Progress with the time left, on standard error when that is a terminal.

    Call the value with (done, of how many, what comes next).
    """
    with Bar(console=output(stderr=True), transient=True, disable=not _is_terminal(sys.stderr)) as bar:
        task = bar.add_task(escape(what), total=None)

        def advance(done: int, total: int, now: str) -> None:
            text = escape(f"{what}: {one_line(now)}") + COMPILING * bool(compiling)
            bar.update(task, completed=done, total=total, description=text)

        yield advance


def _is_terminal(stream: TextIO | None) -> bool:
    """Not rich's own answer, which FORCE_COLOR changes: colours may be forced, a width may not."""
    return stream is not None and stream.isatty()
