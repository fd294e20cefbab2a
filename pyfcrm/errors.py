"""The exceptions of the package, each with owner, rule and value as attributes; and notes."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from operator import index
from typing import Any

LONGEST_WORD, LONGEST_PART = 200, 600  # characters of a word, and of the owner, the rule or the value, that are shown
_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


class PyfcrmError(Exception):
    """The root of the exceptions that this package raises.

    Parameters
    ----------
    text : str
        The message, which becomes one line.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(one_line(text))

    def __reduce__(self) -> tuple[Any, ...]:  # so that worker processes can raise it
        return type(self), tuple(vars(self).values()) or self.args


def one_line(text: str) -> str:
    """`text` with escapes, such as \\n, for characters that could break a line or control a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shortened(text: str) -> str:
    """One line of `text`; of a very long word or text the start and the length."""
    text = _WORD.sub(lambda word: _start(word[0], LONGEST_WORD), one_line(text))
    return text if len(text) <= LONGEST_PART else _start(text, LONGEST_PART)


def lines(texts: Iterable[str]) -> list[Note]:
    """Sentences as notes, warnings first; notes are not copied."""
    return sorted((Note.taken(text) for text in texts), key=lambda note: note.severity != "warning")


def flagged(note: str) -> str:
    """The sentence, after "WARNING: " where it is a note that warns."""
    return f"WARNING: {note}" if Note.taken(note).severity == "warning" else str(note)


def shown(value: object) -> str:
    """A value as Python writes it, on one line; of a long text the start and the length."""
    if isinstance(value, str) and len(value) > LONGEST_WORD:
        return f"{value[: LONGEST_WORD // 2]!r}... ({len(value)} characters)"
    try:
        text = repr(value)
    except Exception:  # a whole number of more digits than Python prints, or an object that cannot describe itself
        text = f"a {type(value).__name__}"
    return " ".join(line.strip() for line in text.splitlines())


class Count(int):
    """A number that chooses words when it is formatted: f"{n} {n:record is|records are}"."""

    def __format__(self, spec: str) -> str:
        one, either, many = spec.partition("|")
        return (one if self == 1 else many) if either else format(int(self), spec)


def _start(text: str, most: int) -> str:
    return f"{text[: most // 2]}... ({len(text)} characters)"


NOTE_KINDS: Mapping[str, str] = {
    "by_blocks": "work by blocks of records, as the file is too large for memory",
    "by_weights": "values in which records count by their survey weights",
    "by_strata": "work by strata, and the meaning of its averages",
    "chosen": "a choice that the caller left open, with its numbers",
    "approximated": "an approximation, as the exact computation takes too long or does not exist",
    "not_converged": "iterations that ended before they met their tolerance",
    "calibrated": "how near a release came to the target moments, with the number of attempts",
    "answers": "which totals and regressions a release preserves, and how near the others come",
    "collinear": "columns that are linear combinations of others",
    "constant": "columns of one value only, which are not used",
    "empty_groups": "clusters that hold no record",
    "group_sizes": "how many records were grouped together, and how",
    "pooled": "levels of a categorical predictor that share a column of the design, or have none",
    "recoded": "values that were coded, or became categories",
    "suppressed": "cells that were left empty",
    "observed_values": "values of the original that the release contains verbatim",
    "outside_range": "values outside of the originals' range",
    "left_as_is": "records, columns or values that are released unchanged",
    "unprotected": "records that keep every confidential value",
    "missing": "how missing values were treated",
    "doubtful": "columns whose kind, or codes of missing values, a person must confirm",
    "left_out": "records, cells or columns that do not count",
    "rounded": "integer columns whose new values were rounded",
    "cut_at_limits": "values that did not fit their column's type",
    "read_as": "guesses on a file that was read, and texts read as missing",
    "not_written": "contents of a file that no release has",
    "constraints": "constraints that the original violates, and the effect of keeping them",
    "by_definition": "a value that holds by definition and is not informative",
    "unreliable": "a value that is unreliable, or has another meaning in this case",
    "alarm": "an attack on releases that does better than chance would",
    "guarantee": "what differential privacy a release has, what it does not protect, and its noise",
    "risk": "what may disclose records or the seed of the release",
    "more": "how many notes there are besides those listed",
    "remark": "a plain sentence of a method or measure that is not of this package",
}
"""What each kind of Note is about."""
WARNINGS = frozenset({"doubtful", "not_converged", "unreliable", "alarm", "risk", "unprotected"})
"""The kinds whose notes are warnings, unless a note has another severity."""


class Note(str):
    """A message on a release or a file, as a sentence and as data.

    Attributes
    ----------
    kind : str
        One of NOTE_KINDS; notes of one kind, wording and columns can be merged.
    severity : str
        "warning" or "info".
    wording : str
        The sentence with placeholders: {columns}, {count}, {total} and names of facts; {attributes} are the columns,
        called dependent attributes. A whole number chooses words: {count:is|are}.
    columns : tuple of str or tuple of int
        The columns concerned, by name; dependent attributes by position from 0 where a method has only arrays.
    count, total : int, optional
        A count and its total, where the note counts.
    facts : mapping of str to object
        Further data of the sentence, by name.
    brief : str, optional
        A wording for several notes that differ in facts of `wording`, or where its facts may be long.
    most_names : int, optional
        How many columns the sentence names; of more it has the number.
    """

    kind: str
    severity: str
    wording: str
    brief: str | None
    most_names: int | None
    columns: tuple[str, ...] | tuple[int, ...]
    count: int | None  # type: ignore[assignment]  # str has a method of this name
    total: int | None
    facts: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        kind: str,
        wording: str,
        columns: Iterable[str] | Iterable[int] = (),
        *,
        count: int | None = None,
        total: int | None = None,
        severity: str | None = None,
        brief: str | None = None,
        most_names: int | None = None,
        **facts: Any,
    ) -> Note:
        """A note whose sentence is `wording`, with {columns}, {count}, {total} and the facts filled in.

        Parameters
        ----------
        kind : str
            One of NOTE_KINDS.
        wording : str
            The sentence; {{ and }} are braces.
        columns : iterable of str or iterable of int
            The columns concerned, by name or by position from 0.
        count, total : int, optional
            A count and its total, where the note counts.
        severity : {"warning", "info"}, optional
            None for the severity of the kind.
        brief : str, optional
            A wording for a list of notes: without facts that may be long.
        most_names : int, optional
            How many columns the sentence names; of more it has the number. None for all.
        **facts : object
            Further data of the sentence, by name.

        Returns
        -------
        Note
            The sentence, with these as its data.
        """
        which = tuple(column if isinstance(column, str) else index(column) for column in columns)
        called = ", ".join(column if isinstance(column, str) else str(column + 1) for column in which)
        attributes = f"dependent attribute{'s' if len(which) > 1 else ''} {called}"
        if most_names is not None and len(which) > most_names:
            called = f"{len(which)} columns"
            attributes = f"{len(which)} dependent attributes"
        details = {"count": count, "total": total, **facts}
        details = {name: Count(value) if type(value) is int else value for name, value in details.items()}
        note = super().__new__(cls, one_line(wording.format(columns=called, attributes=attributes, **details)))
        note.kind, note.wording, note.count, note.total, note.facts = kind, wording, count, total, facts
        note.brief = brief
        note.most_names = most_names
        note.severity = severity or ("warning" if kind in WARNINGS else "info")
        note.columns = which  # type: ignore[assignment]  # all names, or all positions
        return note

    @classmethod
    def taken(cls, text: str) -> Note:
        """A plain sentence as a note.

        Parameters
        ----------
        text : str
            A note, or any sentence.

        Returns
        -------
        Note
            `text` itself where it is a note, else one of kind "remark".
        """
        return text if isinstance(text, Note) else cls.of("remark", text.replace("{", "{{").replace("}", "}}"))

    def named(self, names: Sequence[str]) -> Note:
        """The note with the names of dependent attributes in place of their positions.

        Parameters
        ----------
        names : sequence of str
            Of the dependent attributes, in order.

        Returns
        -------
        Note
            With the same data.
        """
        return self.changed(columns=[k if isinstance(k, str) else names[k] for k in self.columns])

    def after(self, start: str) -> Note:
        """The note with words before its sentence.

        Parameters
        ----------
        start : str
            The words, with the space after them.

        Returns
        -------
        Note
            With the same data.
        """
        brief = None if self.brief is None else start + self.brief
        return self.changed(wording=start + self.wording, brief=brief)

    def changed(self, **changes: Any) -> Note:
        """The note with other data.

        Parameters
        ----------
        **changes : object
            Arguments of `of`.

        Returns
        -------
        Note
            With the sentence written anew.
        """
        return Note.of(**{**self._data, **changes})

    @property
    def _data(self) -> dict[str, Any]:
        """The arguments of `of`."""
        names = ("kind", "wording", "columns", "count", "total", "severity", "brief", "most_names")
        return {**{name: getattr(self, name) for name in names}, **self.facts}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Note.of, **self._data), ()


class InvalidInput(PyfcrmError, ValueError):
    """The data cannot be used as they are.

    Parameters
    ----------
    owner : str
        What was requested ("protect", "census.csv").
    rule : str
        What must hold.
    value : object, optional
        What was found instead, with its place.
    """

    def __init__(self, owner: str, rule: str, value: object = None) -> None:
        self.owner, self.rule, self.value = owner, rule, value
        super().__init__(_sentence(owner, rule, value))


class InvalidParameter(PyfcrmError, ValueError):
    """A parameter breaks its rule.

    Parameters
    ----------
    owner : str
        The method or function.
    name : str
        The parameter.
    rule : str
        What must hold.
    value : object
        The value received.
    allowed : tuple of str
        The permitted words, where these are few.
    """

    def __init__(self, owner: str, name: str, rule: str, value: object, allowed: tuple[str, ...] = ()) -> None:
        self.owner, self.name, self.rule, self.value, self.allowed = owner, name, rule, value, allowed
        super().__init__(_sentence(owner, f"`{name}` {rule}", shown(value)))


class MissingExtra(PyfcrmError, ImportError):
    """An optional part is not installed; the message has the command that installs it.

    Parameters
    ----------
    what : str
        What was requested.
    extra : str
        The extra of pyfcrm that has it.
    package : str
        The package that is missing.
    """

    def __init__(self, what: str, extra: str, package: str) -> None:
        self.what, self.extra, self.package = what, extra, package
        super().__init__(f"{what} needs {package}, which is not installed; run: {self.command}")

    @property
    def command(self) -> str:
        """The command that installs the extra."""
        return f"pip install 'pyfcrm[{self.extra}]'"


class Cancelled(PyfcrmError):
    """A task was cancelled by its progress callback; no incomplete file is left.

    Parameters
    ----------
    what : str
        The message.
    """

    def __init__(self, what: str = "the work was cancelled") -> None:
        super().__init__(what)


class ClusterLost(PyfcrmError, ConnectionError):
    """A cluster cannot be reached, or was lost during work.

    Parameters
    ----------
    text : str
        The cluster and the reason.
    """


def first_line(error: Exception) -> str:
    """The first line of an error's message, or its kind."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


EXPECTED = ("ArrowException", "ZoneInfoNotFoundError", "UnknownTimeZoneError")
"""Kinds of errors of pyarrow, of Python's time zones, and of those of pytz, which pandas 2 uses."""


@contextmanager
def refusing(owner: str, rule: str = "the file could not be written") -> Iterator[None]:
    """Errors of the system, of pyarrow and of the calendar as InvalidInput with the rule."""
    try:
        yield
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        expected = isinstance(error, ValueError | OverflowError | OSError) or not kinds.isdisjoint(EXPECTED)
        if isinstance(error, PyfcrmError) or not expected:
            raise
        number = getattr(error, "errno", None)
        raise InvalidInput(owner, rule, os.strerror(number) if number else first_line(error)) from error


def converting(owner: str, column: str) -> AbstractContextManager[None]:
    """Errors in converting the values of a column as InvalidInput that names it."""
    return refusing(
        owner, f"column `{column}` must have values that can be converted, such as dates of years 1 to 9999"
    )


def unknown_name(owner: str, kind: str, name: object, known: Iterable[str]) -> InvalidInput:
    """An InvalidInput for an unknown name, with the most similar known names."""
    known = [str(k) for k in known]
    if not isinstance(name, str):
        return InvalidInput(owner, f"the name of a {kind} must be a text; there are {_listed(known)}", shown(name))
    folded = {k.casefold(): k for k in known}
    start = name[:LONGEST_PART].casefold()  # looking for near names takes time with the square of the length
    near = difflib.get_close_matches(start, list(folded), n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(f'`{folded[k]}`' for k in near)}?" if near else f"there are {_listed(known)}"
    return InvalidInput(owner, f"no {kind} is called `{shortened(name)}`; {hint}")


def _listed(names: list[str], most: int = 15) -> str:
    shown = ", ".join(f"`{n}`" for n in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "") if names else "none"


def _sentence(owner: str, rule: str, value: object) -> str:
    text = f"{shortened(str(owner))}: {shortened(rule)}"
    return text if value is None else f"{text}; got {shortened(str(value))}"
