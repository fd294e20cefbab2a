"""Fields as inputs of the page, each with its help beneath it, and what stands in them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shiny import Inputs, module, reactive, ui

from ...methods import Method
from ...methods.text import in_table
from .fields import Field, fields_of


def field_id(method: str, field: Field) -> str:
    """The input's name."""
    return f"set_{method}_{field.name}"


def field_input(method: str, field: Field, value: Any, columns: Sequence[str] = ()) -> Any:
    """The input of one parameter, with its help. value : what stands in it; columns : of the file, to choose from."""
    return helped(_input(field_id(method, field), field, value, columns), field_id(method, field), field.help)


def helped(result: Any, name: str, words: str) -> Any:
    """An input with a sentence beneath it, which whoever hears the page hears with it."""
    about = module.resolve_id(f"{name}_help")
    _describe(result, module.resolve_id(name), about)
    return ui.div(result, ui.p(words, class_="help", id=about))


def _describe(tag: Any, name: str, about: str) -> None:
    for child in getattr(tag, "children", ()):
        if getattr(child, "attrs", {}).get("id") == name:
            child.attrs["aria-describedby"] = about
        _describe(child, name, about)


def _input(name: str, field: Field, value: Any, columns: Sequence[str]) -> Any:
    label = field.name.replace("_", " ")
    if field.kind == "flag":
        return ui.input_select(name, label, {"true": "yes", "false": "no"}, selected=value)
    if field.kind == "choice":
        return ui.input_select(name, label, list(field.allowed), selected=value)
    if field.kind == "columns":
        return columns_input(name, label, columns, value)
    hint = "needed" if field.required and field.default is None else "" if field.required else "none"
    return ui.input_text(name, label, value, placeholder=hint)


def columns_input(name: str, label: str, columns: Sequence[str], chosen: Sequence[str] = ()) -> Any:
    """A choice of columns, any number of them."""
    size = str(min(max(len(columns), 2), 6))
    return ui.input_select(name, label, list(columns), selected=list(chosen), multiple=True, size=size)


def chosen_columns(received: object, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that were chosen, in the file's order; what is none of them is not heard."""
    entry = received if isinstance(received, tuple | list) else ()
    return tuple(name for name in columns if name in entry)


def standing(input: Inputs, method: str, field: Field, keys: tuple[str, ...] = ()) -> Any:
    """What stood in a field when the page last showed it, else its default, which of keys are those that were chosen. Not
    looked at again when it changes."""
    name = field_id(method, field)
    with reactive.isolate():
        received = input[name]() if name in input else None
    if field.kind == "columns":
        return received if isinstance(received, tuple) else keys if field.name == "keys" else ()
    return received if isinstance(received, str) else default_text(field)


def read_fields(input: Inputs, method: str, kind: type[Method], columns: Sequence[str] = ()) -> dict[str, Any]:
    """What stands in the fields, as text or names of columns, by parameter; what is as by default is left out."""
    received: dict[str, Any] = {}
    for field in fields_of(kind):
        name = field_id(method, field)
        if name not in input:
            continue
        if field.kind == "columns":
            chosen = chosen_columns(input[name](), columns)
            received |= {field.name: chosen} if chosen else {}
            continue
        entry = str(input[name]()).strip()
        if entry and (field.required or entry != default_text(field)):
            received[field.name] = entry
    return received


def default_text(field: Field) -> str:
    """The default as it stands in the form; nothing for none."""
    if field.default is None or field.kind == "columns":
        return ""
    if field.kind == "flag":
        return str(field.default).lower()
    return f"{field.default:g}" if isinstance(field.default, float) else str(field.default)


def filled(method: Method) -> tuple[str, dict[str, Any]]:
    """The name in the form of the method that a trial used, and what is to stand in its fields, by input."""
    if method.generates:
        return method.settings(), {"calibrate": False}
    around, inner = (None, method) if method.wrapped is None else (method, method.wrapped)
    name = type(inner).__name__.lower()
    values: dict[str, Any] = {"calibrate": around is not None}
    for key, one in ((name, inner), ("calibrated", around)):
        if one is not None:
            received = one.parameters()
            values |= {field_id(key, field): _shown(field, received[field.name]) for field in fields_of(type(one))}
    return name, values


def _shown(field: Field, value: Any) -> Any:
    """A parameter's value as it stands in its field."""
    if field.kind == "columns":
        return () if value is None else (value,) if isinstance(value, str) else tuple(value)
    if value is None:
        return "none" if field.kind == "choice" else ""
    if field.kind == "flag":
        return str(value).lower()
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(in_table(value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def text(received: object) -> str:
    """What a field of text holds; nothing for anything that no such field holds."""
    return received if isinstance(received, str) else ""


def one_of(received: object, known: Collection[str]) -> str:
    """What was chosen; nothing for anything that cannot be chosen."""
    return received if isinstance(received, str) and received in known else ""
