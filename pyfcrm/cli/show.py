"""What a person sees in a terminal: tables on standard output, notes and progress on standard error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

Advance = Callable[[int, int, str], None]


def output() -> Console:
    """Standard output; a table keeps its columns when it goes into a file."""
    console = Console(highlight=False, markup=False)
    return console if console.is_terminal else Console(highlight=False, markup=False, width=200)


def errors() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, markup=False)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], left: int = 1) -> None:
    """Print a table; the first `left` columns are words, the others numbers."""
    output().print(title, style="bold", soft_wrap=True)
    shown = Table(header_style="bold", box=None, pad_edge=False)
    for k, column in enumerate(columns):
        shown.add_column(column, justify="left" if k < left else "right", no_wrap=k >= left)
    for row in rows:
        shown.add_row(*(number(value) for value in row))
    output().print(shown)


def number(value: Any) -> str:
    """A value for a table: two decimals, a dash for nothing."""
    if value is None or (isinstance(value, float) and value != value):
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def say(text: str = "") -> None:
    """A line on standard output."""
    output().print(text, soft_wrap=True)


def notes(lines: Iterable[str]) -> None:
    """Notes on standard error, one a line; the same note of several attributes is said once."""
    seen: dict[str, list[str]] = {}
    for line in lines:
        head, colon, tail = line.partition(": ")
        if colon and head.startswith("dependent attribute "):
            seen.setdefault(tail.split(" (")[0], []).append(head.removeprefix("dependent attribute "))
        else:
            seen.setdefault(line, [])
    for text, which in seen.items():
        errors().print(
            "note: " + (f"{text} (dependent attribute {', '.join(which)})" if which else text), soft_wrap=True
        )


def document(contents: Mapping[str, Any]) -> None:
    """One JSON document on standard output and nothing else."""
    print(json.dumps(contents, indent=2, allow_nan=False, default=_plain))


@contextmanager
def progress(what: str) -> Iterator[Advance]:
    """A progress bar on standard error when that is a terminal: call the value with (done, of how many, what comes next)."""
    console = errors()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(compact=True))
    with Progress(
        *columns, TextColumn("{task.fields[now]}"), console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None, now="")

        def advance(done: int, total: int, now: str) -> None:
            bar.update(task, completed=done, total=total, now=now)

        yield advance


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A spinner with the time that has passed, on standard error when that is a terminal."""
    console = errors()
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=console, transient=True,
                  disable=not console.is_terminal) as bar:  # fmt: skip
        bar.add_task(what, total=None)
        yield


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no JSON")
