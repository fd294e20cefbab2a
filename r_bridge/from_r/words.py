"""Texts of Python in the words of R: TRUE and NULL, c("a", "b"), methods by their constructors, arguments as `name = value`."""

import re
from functools import cache
from inspect import signature

import pyfcrm as pf
from pyfcrm.methods import METHODS

CONSTANTS = {"True": "TRUE", "False": "FALSE", "None": "NULL"}
PHRASES = {
    "a mapping": "a named list",
    "by index or by position": "by row names or by position",
    "method= and roles=": "`method`, `columns` and `independent`",
    "give roles=": "give `columns` and `independent`",
}
# Words of Python's texts, not those in backquotes, which are names of columns; "None of ..." begins a sentence.
_CONSTANT = re.compile(r"\b(True|False|None)\b(?!`| of )")
# A text in Python's quotes. An apostrophe, as in "the method's", has a letter before it or after it.
_QUOTED = re.compile(r"(?<!\w)'([^'\"]*)'(?!\w)")
_RANGES = re.compile(r"\{\"(\w+)\": \(([^)]*)\)\}")
_NUMBER = re.compile(r"-?\d[\d.]*(e[-+]?\d+)?|-?inf|nan")


def text_in_r(text: str) -> str:
    """A sentence of Python in R's words. Values of the user in it are not changed, but for quotes around them."""
    for python, r in PHRASES.items():
        text = text.replace(python, r)
    text = _methods().sub(lambda found: _call_in_r(found[1], found[2]), text)
    text = _owners().sub(lambda found: constructor(found[1]), text)
    text = _CONSTANT.sub(lambda found: CONSTANTS[found[1]], text)
    text = _RANGES.sub(r"list(\1 = c(\2))", text)
    text = _QUOTED.sub(r'"\1"', text)
    return _arguments().sub(lambda found: f"{found[1]} = " if found[2] else f"`{found[1]}`", text)


def value_in_r(text: str) -> str:
    """A value as Python shows it, in R's notation: TRUE, NULL, c(1, 2), "text"."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    if re.fullmatch(r"[\[(].*[\])]", text):
        inner = text[1:-1].removesuffix(",")
        if not inner:
            return "nothing"
        text = f"c({_CONSTANT.sub(lambda found: CONSTANTS[found[1]], inner)})"
    return _QUOTED.sub(r'"\1"', _methods().sub(lambda found: _call_in_r(found[1], found[2]), text))


def constructor(name: str) -> str:
    """The R function for a method; future has a function sequential()."""
    return "sequential_trees" if name == pf.Sequential.__name__ else name.lower()


def _call_in_r(name: str, settings: str) -> str:
    """A method with its settings, such as ("IPSO", "kind=A"), as a call of its constructor."""
    parts = re.split(r",\s*(?=\w+=)", settings) if settings else []
    if len(parts) == 1 and parts[0].endswith(
        "=None"
    ):  # the first parameter, which is shown although it has its default
        parts = []
    return f"{constructor(name)}({', '.join(_setting_in_r(part) for part in parts)})"


def _setting_in_r(part: str) -> str:
    parameter, equals, value = part.partition("=")
    if not equals:
        return part
    if value in CONSTANTS:
        value = CONSTANTS[value]
    elif re.match(r"[A-Za-z]\w*$", value):
        value = f'"{value}"'
    elif not _NUMBER.fullmatch(value):
        value = value_in_r(value)
    return f"{parameter} = {value}"


@cache
def _method_names() -> str:
    kinds = [*METHODS.values(), pf.Steps, pf.External]
    return "|".join(sorted({kind.__name__ for kind in kinds}, key=len, reverse=True))


@cache
def _methods() -> re.Pattern[str]:
    """A method with its settings in parentheses, which may have a method among them."""
    return re.compile(rf"\b({_method_names()})\(((?:[^()]|\([^()]*\))*)\)")


@cache
def _owners() -> re.Pattern[str]:
    """The name of a method before a colon, as the owner of a message."""
    return re.compile(rf"\b({_method_names()})(?=: )")


@cache
def _arguments() -> re.Pattern[str]:
    """An argument as in `audit=True` or in "give weights=". Other words before an equals sign are those of the user."""
    verbs = (pf.protect, pf.protect_file, pf.evaluate, pf.audit, pf.sweep, pf.recommend, pf.run, pf.Roles)
    names = {name for verb in verbs for name in signature(verb).parameters}
    names |= {parameter.name for kind in METHODS.values() for parameter in kind.declared()}
    return re.compile(rf"(?<![\w./\\=-])({'|'.join(sorted(names))})=(?!=)(?:(?=([^\s,;.)=]))|(?=[\s,;.)]|$))")
