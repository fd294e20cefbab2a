"""Texts of Python in the words of R: TRUE and NULL, c("a", "b"), methods by their constructors, arguments as `name = value`."""

import json
import re
from collections.abc import Mapping
from functools import cache
from inspect import signature
from typing import Any

import pyfcrm as pf
from pyfcrm.methods import METHODS, Procedure

CONSTANTS = {"True": "TRUE", "False": "FALSE", "None": "NULL"}
PHRASES = {
    "a mapping": "a named list",
    "by index or by position": "by row names or by position",
    ", its manifest, or ": ", or ",  # R's evaluate() reads no manifest
    "sweep()": "sweep_methods()",
    "method= and roles=": "`method`, `columns` and `independent`",
    "give roles=": "give `columns` and `independent`",
    "or roles=": "or `columns` and `independent`",
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


def literal_in_r(value: Any) -> str:
    """A value as R code: NULL, TRUE, 3, "text", c("a", "b"), list(wage = c(0, 5000)), fcrm(c = 8)."""
    if value is None or isinstance(value, bool):
        return CONSTANTS[str(value)]
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Procedure):
        return call_in_r(value)
    if isinstance(value, Mapping):
        return f"list({', '.join(f'{_name_in_r(name)} = {literal_in_r(item)}' for name, item in value.items())})"
    if isinstance(value, list | tuple):
        together = "list" if any(isinstance(item, list | tuple | Mapping | Procedure) for item in value) else "c"
        return f"{together}({', '.join(map(literal_in_r, value))})"
    return repr(value).removesuffix(".0")


def call_in_r(method: Procedure) -> str:
    """The call of R's constructor, with the parameters that format() shows in R."""
    arguments = ", ".join(f"{name} = {literal_in_r(value)}" for name, value in method.shown().items())
    return f"{constructor(type(method).__name__)}({arguments})"


def constructor(name: str) -> str:
    """The R function for the method of this class."""
    return constructors()[name]


@cache
def constructors() -> Mapping[str, str]:
    """The R function for each method, by the name of its class."""
    kinds: list[type[Procedure]] = [*METHODS.values(), pf.External, pf.Steps]
    return {kind.__name__: kind.r_name or kind.__name__.lower() for kind in kinds}


def _name_in_r(name: str) -> str:
    """The name of an argument, in quotes unless it is a name of R without them."""
    return name if re.fullmatch(r"[A-Za-z][\w.]*", name) else json.dumps(name, ensure_ascii=False)


def _call_in_r(name: str, settings: str) -> str:
    """A method with its settings, such as ("IPSO", "kind=A"), as a call of its constructor."""
    parts = re.split(r",\s*(?=\w+=)", settings) if settings else []
    # The first parameter is shown although it has its default.
    if len(parts) == 1 and parts[0].endswith("=None"):
        parts = []
    return f"{constructor(name)}({', '.join(_setting_in_r(part) for part in parts)})"


def _setting_in_r(part: str) -> str:
    """A setting such as "kind=A" as an argument of R: kind = "A"; without an equals sign, a value such as another method."""
    parameter, equals, value = part.partition("=")
    if not equals:
        return value_in_r(part)
    if value in CONSTANTS:
        value = CONSTANTS[value]
    elif re.match(r"[A-Za-z]\w*$", value):
        value = f'"{value}"'
    elif not _NUMBER.fullmatch(value):
        value = value_in_r(value)
    return f"{parameter} = {value}"


@cache
def _method_names() -> str:
    """The names of all methods as alternatives of a regular expression, longer ones first."""
    return "|".join(sorted(constructors(), key=len, reverse=True))


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
