"""Formulas: one response and its regressors, by the names of columns."""

from __future__ import annotations

import re

from ..errors import InvalidParameter
from .names import tokens

_TOKEN = re.compile(r"\s*(?:`(?P<ticked>[^`]+)`|(?P<name>[^\W\d][\w.]*)|(?P<sign>[~+]))")


def parse_formula(formula: object, owner: str = "analyse", parameter: str = "formula") -> tuple[str, ...]:
    """The response and the regressors that a formula names. Raises InvalidParameter for anything but names and +."""
    rule = 'must be like "y ~ a + b": column names, `in backticks` if odd, with one ~ and + between'
    if not isinstance(formula, str):
        raise InvalidParameter(owner, parameter, rule, formula)
    found = list(tokens(_TOKEN, formula))
    kinds, named = (
        [t.text if t.kind == "sign" else t.kind for t in found],
        tuple(t.text for t in found if t.kind == "name"),
    )
    if len(named) < 2 or kinds != ["name", "~", *["name", "+"] * (len(named) - 1)][:-1]:
        raise InvalidParameter(owner, parameter, rule, formula)
    for name in named:
        if named.count(name) > 1:
            raise InvalidParameter(owner, parameter, f"must name `{name}` once", formula)
    return named
