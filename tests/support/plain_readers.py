"""Reference implementations of the readers of names in text."""

import re

import click

from pyfcrm.errors import InvalidParameter

_NAME = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^,\s"][^,]*?))\s*(?:,|\Z)')
_CONSTRAINT = re.compile(
    r"""\s*(?:
      (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<name>(?:[^\W\d]|\.(?=[^\W\d]))[\w.]*)
    | `(?P<ticked>(?:[^`]|``)+)` | "(?P<quoted>(?:[^"]|"")+)"
    | (?P<sign>==|<=|>=|!=|<|>|=|\*\*|[-+*/();])
    )""",
    re.VERBOSE,
)


def column_list(text):
    names = []
    place = 0
    while place < len(text) or (names and text[place - 1] == ","):
        found = _NAME.match(text, place)
        if found is None:
            if not names and not text.strip():
                break
            rule = 'must stand between commas, as in a,b (a name with a comma in double quotes: "a, b",c)'
            raise click.BadParameter(f"{rule}; got {text!r}")
        quoted, bare = found.groups()
        names.append(bare if quoted is None else quoted.replace('""', '"'))
        place = found.end()
    return names


def constraint_tokens(owner, text):
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = _CONSTRAINT.match(text, place)
        if found is None:
            at = text[place:].lstrip()[:1]
            rule = f"must hold column names, numbers and + - * / ( ) == <= >= < >, odd names in backticks; not {at!r}"
            raise InvalidParameter(owner, "constraints", rule, text)
        kind = str(found.lastgroup)
        message, mark = found[kind], {"ticked": "`", "quoted": '"'}.get(kind)
        if mark is not None:
            kind, message = "name", message.replace(2 * mark, mark)
        yield kind, message
        place = found.end()
