"""Fields of a form as Shiny's inputs, and back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from shiny import Inputs, ui

from ...methods import Method
from .fields import Field, fields_of


def field_id(method: str, field: Field) -> str:
    """The input's name."""
    return f"set_{method}_{field.name}"


def field_input(method: str, field: Field) -> Any:
    """The input of one parameter."""
    name, label = field_id(method, field), field.name.replace("_", " ")
    if field.kind == "flag":
        return ui.input_select(name, label, {"true": "yes", "false": "no"}, selected=_default_text(field))
    if field.kind == "choice":
        return ui.input_select(name, label, list(field.allowed), selected=field.default)
    hint = "needed" if field.required and field.default is None else "" if field.required else "none"
    return ui.input_text(name, label, _default_text(field), placeholder=hint)


def read_fields(input: Inputs, method: str, kind: type[Method]) -> dict[str, str]:
    """What stands in the fields, as text, by parameter; what is as by default is left out."""
    given = {}
    for field in fields_of(kind):
        name = field_id(method, field)
        if name in input:
            text = str(input[name]()).strip()
            if text and (field.required or text != _default_text(field)):
                given[field.name] = text
    return given


def _default_text(field: Field) -> str:
    """The default as it stands in the form; nothing for none."""
    if field.default is None:
        return ""
    if field.kind == "flag":
        return str(field.default).lower()
    return f"{field.default:g}" if isinstance(field.default, float) else str(field.default)


def text(given: object) -> str:
    """What a field of text holds; nothing for anything that no such field holds."""
    return given if isinstance(given, str) else ""


def one_of(given: object, known: Collection[str]) -> str:
    """What was chosen; nothing for anything that cannot be chosen."""
    return given if isinstance(given, str) and given in known else ""
