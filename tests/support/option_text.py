"""Paragraphs of declared options in the language of the reader: Python's docstrings and R's help pages.

In a declaration a value or a function of the package stands in braces, `{True}`, `{"find"}`, `{evaluate()}`; a mapping by
column as `{wage=(0, 5000)}`.
"""

import re
from collections.abc import Callable

PLACE = re.compile(r"\{([^{}]+)\}")
R_VALUES = {"True": "TRUE", "False": "FALSE", "None": "NULL"}
R_NAMES = {"sweep": "sweep_methods"}  # functions that have another name in R


def one_line(text: str) -> str:
    """A paragraph without the line ends of the source."""
    return " ".join(text.split())


def in_python(text: str) -> str:
    """A paragraph of a docstring."""
    return _written(text, _value_in_python)


def in_r(text: str) -> str:
    """A paragraph of a help page."""
    page = _written(text.replace("%", r"\%"), _value_in_r)
    return re.sub(r"`([^`]+)`", r"\\code{\1}", page)


def _written(text: str, value: Callable[[str], str]) -> str:
    return PLACE.sub(lambda place: value(place[1]), one_line(text))


def _value_in_python(text: str) -> str:
    if text.endswith("()"):
        return f"`{text[:-2]}`"
    column, is_mapping, rule = text.partition("=")
    if is_mapping and column.isidentifier():
        return f'{{"{column}": {rule}}}'
    return text


def _value_in_r(text: str) -> str:
    if text.endswith("()"):
        name = text[:-2]
        return rf"\code{{\link{{{R_NAMES.get(name, name)}}}}}"
    column, is_mapping, rule = text.partition("=")
    if is_mapping and column.isidentifier():
        pair = f"c{rule}" if rule.startswith("(") else rule
        return rf"\code{{list({column} = {pair})}}"
    return rf"\code{{{R_VALUES.get(text, text)}}}"
