"""The text of pyfcrm/interface.py: its template, with the options that the verbs take.

A place of the template is `<<what Class verb>>`: what is "arguments" (of the signature), "documentation" (of the docstring)
or "values" (in the call of the class). `<<what Class verb: a b>>` are some of the options, `<<what Class verb but a b>>` the
others.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping

from pyfcrm.evaluation.options import AuditOptions, EvaluateOptions
from pyfcrm.protection.declaration import Declared, Option
from pyfcrm.protection.options import Options

from .option_text import in_python

TEMPLATE = "tests/support/interface.template"
CLASSES: Mapping[str, type[Declared]] = {each.__name__: each for each in (Options, EvaluateOptions, AuditOptions)}
PLACE = re.compile(r"^( *)<<(\w+) (\w+) (\w+)(?:(:| but) ([\w ]+))?>>\n", re.MULTILINE)
WIDTH = 116
# By kind of an option, its type as a docstring has it.
TYPES = {
    "names": "str or iterable of str",
    "rules": "str or iterable of str",
    "name": "str",
    "flag": "bool",
    "yes_no": "bool",
    "whole": "int",
    "number": "float",
    "structure": 'Structure or "find"',
    "variables": 'mapping of str to Variable, or "numbers"',
    "limits": "mapping or path",
}


def code(template: str) -> str:
    """The module, of the text of its template."""
    return PLACE.sub(_filled, template)


def _filled(place: re.Match[str]) -> str:
    indent, what, class_name, verb, selection, listed = place.groups()
    names = (listed or "").split()
    options = CLASSES[class_name].of_verb(verb)
    if selection == ":":
        options = tuple(each for each in options if each.name in names)
    elif selection == " but":
        options = tuple(each for each in options if each.name not in names)
    lines = [line for each in options for line in PARTS[what](each)]
    return "".join(f"{indent}{line}\n" for line in lines)


def _argument(option: Option) -> Iterator[str]:
    written = option.type.replace("'", '"')  # dataclasses have annotations in single quotes
    yield f"{option.name}: {written} = {_literal(option.default)},"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _documentation(option: Option) -> Iterator[str]:
    yield f"{option.name} : {_type_in_words(option)}"
    yield from (f"    {line}" for line in textwrap.wrap(in_python(option.text), WIDTH - 8))


def _type_in_words(option: Option) -> str:
    if option.kind == "choice":
        words = ", ".join(f'"{word}"' for word in option.words)
        text = f"{{{words}}}"
    else:
        text = TYPES[option.kind]
    if " | None" not in option.type:
        return text
    return f"{text}, optional"


def _value(option: Option) -> Iterator[str]:
    yield f"{option.name}={option.name},"


PARTS: Mapping[str, Callable[[Option], Iterator[str]]] = {
    "arguments": _argument,
    "documentation": _documentation,
    "values": _value,
}
