"""Paragraphs of declared options in the language of the reader: Python's docstrings and R's help pages.

In a declaration a value or a function of the package stands in braces, `{True}`, `{"find"}`, `{evaluate()}`; a mapping by
column as `{wage=(0, 5000)}`.
"""

import re

from .r_text import rd_text

PLACE = re.compile(r"\{([^{}]+)\}")


def in_python(text: str) -> str:
    """A paragraph of a docstring."""
    return _written(text, '{{"{column}": {rule}}}')


def in_r(text: str) -> str:
    """A paragraph of a help page."""
    return rd_text(_written(text, "list({column} = {rule})").replace("= (", "= c("))


def _written(text: str, mapping: str) -> str:
    """A paragraph with the values of its places. mapping : how a rule of a column is written."""

    def value(place: re.Match[str]) -> str:
        inside = place[1]
        if inside.endswith("()"):
            return f"`{inside[:-2]}`"
        column, is_mapping, rule = inside.partition("=")
        if is_mapping and column.isidentifier():
            return mapping.format(column=column, rule=rule)
        return inside

    return PLACE.sub(value, " ".join(text.split()))
