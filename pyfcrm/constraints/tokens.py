"""Constraints as text, cut into numbers, names and signs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import InvalidParameter

LONGEST = 20_000  # characters of one text: more is no constraint written by hand
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<name>(?:[^\W\d]|\.(?=[^\W\d]))[\w.]*)
    | `(?P<ticked>(?:[^`]|``)+)` | "(?P<quoted>(?:[^"]|"")+)"
    | (?P<sign>==|<=|>=|!=|<|>|=|\*\*|[-+*/();])
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    """kind : "number", "name" or "sign"; text : what it says, a name without its quotes; start, end : where it stood."""

    kind: str
    text: str
    start: int
    end: int


def tokens(owner: str, text: str) -> Iterator[Token]:
    """The tokens of a text. Raises InvalidParameter for a character that belongs to none."""
    if len(text) > LONGEST:
        raise InvalidParameter(owner, "constraints", f"must be at most {LONGEST} characters", f"{text[:40]}...")
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            at = text[place:].lstrip()[:1]
            rule = f"must hold column names, numbers and + - * / ( ) == <= >=, odd names in backticks; not {at!r}"
            raise InvalidParameter(owner, "constraints", rule, text)
        kind = str(found.lastgroup)
        said, mark = found[kind], {"ticked": "`", "quoted": '"'}.get(kind)
        start = found.start(kind) - (mark is not None)
        if mark is not None:
            kind, said = "name", said.replace(2 * mark, mark)
        yield Token(kind, said, start, found.end())
        place = found.end()
