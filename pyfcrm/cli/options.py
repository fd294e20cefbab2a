"""What stands after one option, as text to a value: names, numbers, a separator."""

from __future__ import annotations

import re

import typer

from ..errors import InvalidParameter

# Python's int() and float() also take 1_000 and other scripts' digits; an option does not.
WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NAME = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^,\s"][^,]*?))\s*(?:,|\Z)')
ROLES = ("independent", "dependent", "identifiers", "unknown")  # options, in the order of Roles
_SEPARATORS = {"\\t": "\t", "tab": "\t"}


def column_list(text: str | None, option: str) -> list[str] | None:
    """ "a, b" as ["a", "b"]; a name with a comma in double quotes, which are doubled inside; None stays None.

    Raises InvalidParameter for an empty name: it may be a variable that was not set, and a column left out.
    """
    if text is None:
        return None
    names: list[str] = []
    place = 0
    while place < len(text) or (names and text[place - 1] == ","):
        found = _NAME.match(text, place)
        if found is None:
            if not names and not text.strip():
                break
            rule = 'must stand between commas, as in a,b (a name with a comma in double quotes: "a, b",c)'
            raise InvalidParameter(option, "names", rule, text)
        quoted, bare = found.groups()
        names.append(bare if quoted is None else quoted.replace('""', '"'))
        place = found.end()
    return names


def chosen(text: str | None, option: str) -> list[str] | None:
    """As `column_list`, for an option that must name something where it is given."""
    names = column_list(text, option)
    if names == []:
        raise InvalidParameter(option, "names", "must name at least one (or leave the option out)", text)
    return names


def whole(text: str) -> int:
    """An option's whole number."""
    if not WHOLE.fullmatch(str(text).strip()):
        raise typer.BadParameter(f"must be a whole number; got {text!r}")
    return int(text)


def real(text: str) -> float:
    """An option's number."""
    if not REAL.fullmatch(str(text).strip()):
        raise typer.BadParameter(f"must be a number; got {text!r}")
    return float(text)


def separator(text: str) -> str:
    """An option's separator: a shell makes a tab hard to type, so \\t and tab stand for it."""
    return _SEPARATORS.get(text, text)
