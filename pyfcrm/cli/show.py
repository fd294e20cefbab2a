"""What a person sees in a terminal: tables on standard output, notes and progress on standard error, one line each,
whatever is in a file's names."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from ..data import SampleUniques
from ..errors import Note, flagged, lines, one_line
from ..files import write_bytes
from ..files.manifest import json_value
from ..progress import Progress, compiling

PER_ATTRIBUTE = "{attributes}: "  # what a note starts with that could be said of each attribute
COMPILING = "compiling, once on this machine"
NO_LIMIT = 100_000  # columns of a file, where nothing is cut or wrapped
NARROWEST, GAP = 16, 2  # what a column of words may shrink to, and what stands between columns


def printable(text: str) -> str:
    """See errors.one_line."""
    return one_line(text)


def complain(text: str) -> None:
    """The one line on standard error that says what went wrong."""
    print("pyfcrm: " + printable(text), file=sys.stderr)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Where rich would exit with status 1, which here means that a check did not hold."""
        raise BrokenPipeError


def output() -> Console:
    """Standard output; a table keeps its columns when it goes into a file."""
    size = {} if _is_terminal(sys.stdout) else {"width": NO_LIMIT, "height": 25}
    return _Console(highlight=False, markup=False, emoji=False, **size)  # type: ignore[arg-type]


def errors() -> Console:
    """Standard error."""
    return _Console(stderr=True, highlight=False, markup=False, emoji=False)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], left: int = 1) -> None:
    """Print a table; the first `left` columns are words, the others numbers.

    Numbers are never cut: where the terminal is too narrow for all of them, the table comes in several, one
    below the other, each with the first columns.
    """
    console = output()
    console.print(printable(title), style="bold", soft_wrap=not _is_terminal(sys.stdout))
    cells = [[number(value) for value in row] for row in rows]
    for k, block in enumerate(_blocks(columns, cells, left, console.width)):
        if k:
            console.print()
        shown = Table(header_style="bold", box=None, pad_edge=False)
        for j in block:
            shown.add_column(columns[j], justify="left" if j < left else "right", no_wrap=j >= left)
        for row in cells:
            shown.add_row(*(row[j] for j in block))
        console.print(shown)


def _blocks(columns: Sequence[str], cells: Sequence[Sequence[str]], left: int, room: int) -> list[list[int]]:
    """Which columns stand side by side: all of them, or as many of the numbers as fit beside the words."""
    sizes = [max(map(cell_len, [head, *(row[j] for row in cells)])) + GAP for j, head in enumerate(columns)]
    words = list(range(left))
    used = start = sum(min(sizes[j], NARROWEST + GAP) for j in words)
    blocks = [[*words]]
    for j in range(left, len(columns)):
        if used + sizes[j] - GAP > room and len(blocks[-1]) > left:
            blocks.append([*words])
            used = start
        blocks[-1].append(j)
        used += sizes[j]
    return blocks


def number(value: Any) -> str:
    """A value for a table: two decimals, a dash for nothing."""
    if value is None or (isinstance(value, float) and value != value):
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else printable(str(value))


def print_line(text: str = "") -> None:
    """A line on standard output; a terminal narrower than it breaks it between words."""
    output().print(printable(text), soft_wrap=not _is_terminal(sys.stdout))


def show_kept(kept: SampleUniques | None) -> None:
    """The columns released unchanged, and how many records are unique on them, in words."""
    for sentence in () if kept is None else kept.sentences():
        print_line(sentence)


def kept_document(kept: SampleUniques | None) -> dict[str, Any] | None:
    """The same counts for a JSON document."""
    if kept is None:
        return None
    return {
        "columns": kept.columns,
        "unknown": kept.unknown,
        "records": kept.records,
        "alone": dict(kept.alone),
        "pairs": [{"columns": pair, "unique": many} for pair, many in kept.pairs.items()],
        "together": kept.together,
        "share": kept.share,
    }


def notes(texts: Iterable[str]) -> None:
    """Notes on standard error, one a line, warnings first; the same note of several attributes is said once."""
    for note in lines(merged_notes(texts)):
        line = flagged(note) if note.severity == "warning" else f"note: {note}"
        errors().print(printable(line), soft_wrap=not _is_terminal(sys.stderr))


def merged_notes(texts: Iterable[str]) -> list[Note]:
    """The notes; those that differ only in their attribute become one note of all these attributes.

    Numbers of iterations that did not converge may differ: then those of the first attribute stand, with its name.
    """
    alike: dict[str, list[Note]] = {}
    for text in texts:
        note = Note.taken(text)
        by_attribute = note.wording.startswith(PER_ATTRIBUTE)
        same = note.wording if note.kind == "not_converged" else note.changed(columns=())
        alike.setdefault(f"{note.kind}: {same}" if by_attribute else note, []).append(note)
    return [_of_all(group) for group in alike.values()]


def _of_all(notes: list[Note]) -> Note:
    first, columns = notes[0], list(dict.fromkeys(str(name) for note in notes for name in note.columns))
    if len({note.changed(columns=()) for note in notes}) == 1:
        return first.changed(columns=columns)
    wording = first.wording + "; the numbers are those of {first}"
    return first.changed(columns=columns, wording=wording, first=columns[0])


def document(contents: Mapping[str, Any]) -> None:
    """One JSON document on standard output and nothing else; null for infinity and for what is no number."""
    print(json.dumps(json_value(contents), indent=2, allow_nan=False))


def save_figure(path: Path, figure: Any) -> None:
    """A figure as a PNG file."""
    from ..plots import as_png

    write_bytes(path, as_png(figure))


class _Now(ProgressColumn):
    """What is done now; and, looked at each time the bar is drawn, whether that waits for a compiler."""

    def render(self, task: Task) -> Text:
        """The words."""
        now = str(task.fields["now"])
        return Text(f"{now} ({COMPILING})" if compiling else now)


@contextmanager
def progress(what: str) -> Iterator[Progress]:
    """Progress with the time that has passed and the time left, on standard error when that is a terminal.

    Call the value with (done, of how many, what comes next).
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(compact=True))
    shown = _is_terminal(sys.stderr)
    with Bar(*columns, *times, _Now(), console=errors(), transient=True, disable=not shown) as bar:
        task = bar.add_task(what, total=None, now="")

        def advance(done: int, total: int, now: str) -> None:
            before = bar.tasks[0]
            if before.total not in (None, total) or done < before.completed:  # another stage, of another speed
                bar.reset(task, total=total, start=True)
            bar.update(task, completed=done, total=total, now=printable(now))

        yield advance


def _is_terminal(stream: TextIO | None) -> bool:
    """Not rich's own answer, which FORCE_COLOR changes: colours may be forced, a width may not."""
    return stream is not None and stream.isatty()
