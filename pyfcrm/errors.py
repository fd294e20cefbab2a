"""Every exception of the package, which names the owner, the rule and the value, also as attributes; and notes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import index
from typing import Any

LONGEST_WORD, LONGEST_PART = 200, 600  # characters of a word, and of the owner, the rule or the value, that are shown
_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


class PyfcrmError(Exception):
    """The root: catch this to catch everything this package raises on purpose.

    Parameters
    ----------
    text : str
        The message, which becomes one line of no great length.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(one_line(text))


def one_line(text: str) -> str:
    """`text` with every character that could break a line or steer a terminal written as an escape, such as \\n."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shortened(text: str) -> str:
    """One line of `text`, of which the start is shown where a word or the whole is very long, and how long it was."""
    text = _WORD.sub(lambda word: _start(word[0], LONGEST_WORD), one_line(text))
    return text if len(text) <= LONGEST_PART else _start(text, LONGEST_PART)


def lines(texts: Iterable[str]) -> list[Note]:
    """Sentences as notes, one line each, warnings first; what is a note already stays the same object."""
    return sorted((Note.taken(text) for text in texts), key=lambda note: note.severity != "warning")


def flagged(note: str) -> str:
    """The sentence, after "WARNING: " where it is a note that warns."""
    return f"WARNING: {note}" if Note.taken(note).severity == "warning" else str(note)


def shown(value: object) -> str:
    """A value as Python writes it, on one line; of a long text the start, and how long it is."""
    if isinstance(value, str) and len(value) > LONGEST_WORD:
        return f"{value[: LONGEST_WORD // 2]!r}... ({len(value)} characters)"
    try:
        text = repr(value)
    except Exception:  # a whole number of more digits than Python prints, or an object that cannot describe itself
        text = f"a {type(value).__name__}"
    return " ".join(line.strip() for line in text.splitlines())


class Count(int):
    """A number that chooses words in a text it stands in: f"{n} {n:record is|records are}"."""

    def __format__(self, spec: str) -> str:
        one, either, many = spec.partition("|")
        return (one if self == 1 else many) if either else format(int(self), spec)


def _start(text: str, most: int) -> str:
    return f"{text[: most // 2]}... ({len(text)} characters)"


NOTE_KINDS: Mapping[str, str] = {
    "by_blocks": "work that was done by blocks of records, the file being too large for memory",
    "by_weights": "which values count records by their weights",
    "by_strata": "work that was done by strata, and what its averages mean",
    "chosen": "a choice that was made where the caller left one open, with its numbers",
    "approximated": "another way than the exact one was taken, since that takes too long or does not exist here",
    "not_converged": "iterations that ended before they met their tolerance",
    "calibrated": "how near a release came to the moments wanted, with the number of attempts",
    "answers": "which totals and regressions a release gives as its original does, and how near the others come",
    "collinear": "columns that follow from others, or have less rank than they should",
    "constant": "columns of one value only, which have no part in the work",
    "empty_groups": "clusters that hold no record",
    "group_sizes": "how many records were grouped together, and how",
    "recoded": "values that were coded, or became categories",
    "suppressed": "cells that were left empty",
    "observed_values": "originals' values that the release hands out",
    "outside_range": "values outside of the originals' range",
    "left_as_is": "records, columns or values that leave as they came",
    "unprotected": "records that keep every confidential value",
    "missing": "what was done with missing values",
    "left_out": "records, cells or columns that do not count",
    "rounded": "integer columns whose new values were rounded",
    "cut_at_limits": "values that did not fit their column's type",
    "inexact": "values that a 64-bit number cannot carry",
    "read_as": "what a reader had to guess of a file, or took as missing",
    "not_written": "what a file held that no release will",
    "constraints": "what the original breaks, and what keeping constraints cost",
    "by_definition": "a value that says nothing here, and stands by definition",
    "unreliable": "a value that is not to be relied on, or reads otherwise here",
    "alarm": "an attack on releases that does better than chance would",
    "risk": "what may give records or the release's seed away",
    "said": "a sentence of a method or measure of one's own, said as plain text",
}
"""What each kind of Note is about."""
WARNINGS = frozenset({"not_converged", "unreliable", "alarm", "risk", "unprotected"})
"""The kinds whose notes are warnings, unless they say otherwise."""


class Note(str):
    """What the owner of a release or of a file must know, as a sentence and as data.

    Attributes
    ----------
    kind : str
        One of NOTE_KINDS; notes of one kind, wording and columns can be merged.
    severity : str
        "warning" or "info".
    wording : str
        The sentence with {columns}, {count}, {total} and the facts open; {attributes} are the columns too, called
        dependent attributes. A whole number chooses words: {count:is|are}.
    columns : tuple of str or tuple of int
        Those it speaks of, by name; while a method sees arrays only, dependent attributes by position from 0.
    count, total : int, optional
        So many of so many, where it counts.
    facts : mapping of str to object
        Whatever else the sentence tells, by name.
    """

    kind: str
    severity: str
    wording: str
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
            Those it speaks of, by name or by position from 0.
        count, total : int, optional
            So many of so many, where it counts.
        severity : {"warning", "info"}, optional
            None for that of its kind.
        **facts : object
            Whatever else the sentence tells, by name.

        Returns
        -------
        Note
            The sentence, with these as its data.
        """
        which = tuple(column if isinstance(column, str) else index(column) for column in columns)
        called = ", ".join(column if isinstance(column, str) else str(column + 1) for column in which)
        attributes = f"dependent attribute{'s' if len(which) > 1 else ''} {called}"
        details = {"count": count, "total": total, **facts}
        details = {name: Count(value) if type(value) is int else value for name, value in details.items()}
        said = wording.format(columns=called, attributes=attributes, **details)
        note = super().__new__(cls, one_line(said))
        note.kind, note.wording, note.count, note.total, note.facts = kind, wording, count, total, facts
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
            `text` itself where it is a note, else one of kind "said".
        """
        return text if isinstance(text, Note) else cls.of("said", text.replace("{", "{{").replace("}", "}}"))

    def named(self, names: Sequence[str]) -> Note:
        """The same with dependent attributes, known by position, called by their names.

        Parameters
        ----------
        names : sequence of str
            Of the dependent attributes, in order.

        Returns
        -------
        Note
            With names in place of positions.
        """
        return self.about(k if isinstance(k, str) else names[k] for k in self.columns)

    def about(self, columns: Iterable[str] | Iterable[int], wording: str | None = None, **facts: Any) -> Note:
        """The same of other columns, and in another wording where one is given.

        Parameters
        ----------
        columns : iterable of str or iterable of int
            Those it speaks of now.
        wording : str, optional
            The sentence with its data open; None keeps it.
        **facts : object
            More data, by name.

        Returns
        -------
        Note
            Of the same kind, with the same count and total.
        """
        wording, facts = self.wording if wording is None else wording, {**self.facts, **facts}
        return Note.of(self.kind, wording, columns, count=self.count, total=self.total, severity=self.severity, **facts)

    def after(self, words: str, **facts: Any) -> Note:
        """The same with words before it.

        Parameters
        ----------
        words : str
            They stand before the sentence; the facts may be open in them too.
        **facts : object
            More data, by name.

        Returns
        -------
        Note
            Of the same kind, with the same columns, count and total.
        """
        return self.about(self.columns, words + self.wording, **facts)

    @property
    def _optional(self) -> dict[str, Any]:
        """What `of` takes besides kind, wording and columns."""
        return {"count": self.count, "total": self.total, "severity": self.severity, **self.facts}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Note.of, **self._optional), (self.kind, self.wording, self.columns)


class InvalidInput(PyfcrmError, ValueError):
    """The data cannot be used as they are.

    Parameters
    ----------
    owner : str
        What was requested ("protect", "census.csv").
    rule : str
        What must hold.
    given : object, optional
        What was found instead, with where.
    """

    def __init__(self, owner: str, rule: str, given: object = None) -> None:
        self.owner, self.rule, self.given = owner, rule, given
        super().__init__(_sentence(owner, rule, given))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:  # pickled as made, so that worker processes can raise it
        return type(self), (self.owner, self.rule, self.given)


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
        What was given.
    allowed : tuple of str
        The words that may be given, where there are only some.
    """

    def __init__(self, owner: str, name: str, rule: str, value: object, allowed: tuple[str, ...] = ()) -> None:
        self.owner, self.name, self.rule, self.value, self.allowed = owner, name, rule, value, allowed
        super().__init__(_sentence(owner, f"`{name}` {rule}", shown(value)))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.owner, self.name, self.rule, self.value, self.allowed)


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
        self.command = f"pip install 'pyfcrm[{extra}]'"
        super().__init__(f"{what} needs {package}, which is not installed; run: {self.command}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.what, self.extra, self.package)


class Cancelled(PyfcrmError):
    """Long work was stopped from its progress callback; nothing half-written is left.

    Parameters
    ----------
    what : str
        The message.
    """

    def __init__(self, what: str = "the work was cancelled") -> None:
        super().__init__(what)


class ClusterLost(PyfcrmError, ConnectionError):
    """A cluster cannot be reached, or broke down in the middle of work.

    Parameters
    ----------
    text : str
        Which cluster, and why.
    """


def unknown_name(owner: str, kind: str, name: object, known: Iterable[str]) -> InvalidInput:
    """An InvalidInput for a name that is not there, with the nearest names that are."""
    known = [str(k) for k in known]
    if not isinstance(name, str):
        return InvalidInput(owner, f"the name of a {kind} must be a text; there are {_listed(known)}", shown(name))
    if len(name) > LONGEST_PART:  # looking for near names takes time with the square of the length
        return InvalidInput(owner, f"no {kind} is called `{shortened(name)}`; there are {_listed(known)}")
    folded = {k.casefold(): k for k in known}
    near = difflib.get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.6)
    hint = "did you mean " + " or ".join(f"`{folded[k]}`" for k in near) if near else f"there are {_listed(known)}"
    return InvalidInput(owner, f"no {kind} is called `{name}`; {hint}")


def _listed(names: list[str], most: int = 15) -> str:
    shown = ", ".join(f"`{n}`" for n in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "") if names else "none"


def _sentence(owner: str, rule: str, given: object) -> str:
    said = f"{shortened(str(owner))}: {shortened(rule)}"
    return said if given is None else f"{said}; got {shortened(str(given))}"
