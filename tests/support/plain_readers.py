"""Each reader of names in text as it stood by itself: twins of what reads by data/names.py."""

import re

from pyfcrm.errors import InvalidParameter

_NAME = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^,\s"][^,]*?))\s*(?:,|\Z)')
_FORMULA = re.compile(r"\s*(?:`(?P<quoted>[^`]+)`|(?P<name>[^\W\d][\w.]*)|(?P<sign>[~+]))")
_CONSTRAINT = re.compile(
    r"""\s*(?:
      (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<name>(?:[^\W\d]|\.(?=[^\W\d]))[\w.]*)
    | `(?P<ticked>(?:[^`]|``)+)` | "(?P<quoted>(?:[^"]|"")+)"
    | (?P<sign>==|<=|>=|!=|<|>|=|\*\*|[-+*/();])
    )""",
    re.VERBOSE,
)


def column_list(text, option):
    names = []
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


def formula(text):
    rule = 'must be like "y ~ a + b": column names, `in backticks` if odd, with one ~ and + between'
    tokens, at, rest = [], 0, text.rstrip()
    while at < len(rest):
        found = _FORMULA.match(rest, at)
        if found is None:
            raise InvalidParameter("analyse", "formula", rule, text)
        tokens.append((found["sign"] or "name", found["quoted"] or found["name"]))
        at = found.end()
    kinds, named = [kind for kind, _ in tokens], tuple(name for kind, name in tokens if kind == "name")
    if len(named) < 2 or kinds != ["name", "~", *["name", "+"] * (len(named) - 1)][:-1]:
        raise InvalidParameter("analyse", "formula", rule, text)
    for name in named:
        if named.count(name) > 1:
            raise InvalidParameter("analyse", "formula", f"must name `{name}` once", text)
    return named


def constraint_tokens(owner, text):
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = _CONSTRAINT.match(text, place)
        if found is None:
            at = text[place:].lstrip()[:1]
            rule = f"must hold column names, numbers and + - * / ( ) == <= >=, odd names in backticks; not {at!r}"
            raise InvalidParameter(owner, "constraints", rule, text)
        kind = str(found.lastgroup)
        said, mark = found[kind], {"ticked": "`", "quoted": '"'}.get(kind)
        start = found.start(kind) - (mark is not None)
        if mark is not None:
            kind, said = "name", said.replace(2 * mark, mark)
        yield kind, said, start, found.end()
        place = found.end()
