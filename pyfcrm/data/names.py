"""Column names in texts: lists such as a,"b, c", and the tokens of constraints and formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ITEM = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^,\s"][^,]*?))\s*(,|\Z)')
MARKS = {"ticked": "`", "quoted": '"'}  # groups of a pattern that hold a name between marks


@dataclass(frozen=True)
class Token:
    """kind : the group of the pattern, "name" for every name, "" for an unknown character; text : a name without its
    marks; start, end : positions in the text."""

    kind: str
    text: str
    start: int
    end: int


def tokens(pattern: re.Pattern[str], text: str) -> Iterator[Token]:
    """The tokens of a text; the last one has the kind "" at an unknown character.

    pattern : one named group for each kind, after white space. Marks inside a name are doubled.
    """
    text, place = text.rstrip(), 0
    while place < len(text):
        match = pattern.match(text, place)
        if match is None:
            yield Token("", text[place:].lstrip()[:1], place, len(text))
            return
        kind = str(match.lastgroup)
        name, start, mark = match[kind], match.start(kind), MARKS.get(kind)
        if mark is not None:
            kind, name, start = "name", name.replace(2 * mark, mark), start - 1
        yield Token(kind, name, start, match.end())
        place = match.end()


def listed(text: str) -> list[str] | None:
    """The names between commas, without their double quotes; None where one cannot be read."""
    names, place, more = list[str](), 0, True
    while more:
        match = ITEM.match(text, place)
        if match is None:
            return None
        quoted, plain, comma = match.groups()
        names.append(plain if quoted is None else quoted.replace('""', '"'))
        place, more = match.end(), bool(comma)
    return names
