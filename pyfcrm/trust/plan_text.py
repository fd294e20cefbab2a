"""A plan as the text of its file, such as of what was just done; `read_plan` reads it back."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..data import Roles
from ..errors import InvalidParameter
from ..methods import METHODS, Method
from ..plans.limits import LIMITS, Limits

NONE = "none"  # TOML has no word for it
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def plan_text(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """The text of a plan's tables, in the order given; a table, or a key in one, that holds nothing is left out.

    Raises InvalidParameter where a text in them cannot be written, such as a path that is no UTF-8.
    """
    parts = []
    for name, table in tables.items():
        lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if not _nothing(value)]
        if lines:
            parts.append("\n".join([f"[{name}]", *lines]))
    text = "\n\n".join(parts) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidParameter("plan", "text", "must be UTF-8", ascii(error.object[error.start : error.end])) from error
    return text


def _nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | tuple) and not value)


def method_table(method: Method) -> dict[str, Any]:
    """A method with its every parameter, so that no default of a later version takes its place; "none" where it is None."""
    if method.generates:
        raise InvalidParameter("plan", "method", "must be one of this package: a plan runs no command", str(method))
    name = next(key for key, one in METHODS.items() if one is type(method))
    return {"name": name, **{key: _plain(value) for key, value in method.parameters().items()}}


def roles_table(roles: Roles) -> dict[str, list[str]]:
    """The columns by role."""
    return {role: list(columns) for role, columns in asdict(roles).items()}


def limits_table(changed: Limits) -> dict[str, Any]:
    """Every limit of the verdict, so that no default of a later version takes its place. changed : from the default."""
    every = {key: limit.values for key, limit in LIMITS.items()} | dict(changed)
    return {key: _number(values[0]) if len(values) == 1 else [*map(_number, values)] for key, values in every.items()}


def _number(value: float) -> float:
    """A whole number without a decimal point."""
    return int(value) if float(value).is_integer() else value


def from_plan(path: str, other: str) -> str:
    """Where a file is, seen from the folder of the plan at `path`."""
    try:
        return os.path.relpath(os.path.abspath(other), os.path.dirname(os.path.abspath(path)))
    except ValueError:  # on another drive
        return os.path.abspath(other)


def place(path: str, text: str, table: str, key: str | None = None) -> str:
    """A plan's path with the line of its text where a table, or a key in it, begins."""
    inside, heads, place = False, 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        if head := re.match(r"\s*\[+\s*[\"']?([^\]\"'.]+)", line):
            inside, heads = head[1].strip() == table, heads + 1
        found = re.match(r"\s*[\"']?([^=\"'.]+?)[\"']?\s*(?:\.\s*[\"']?([^=\"'.]+?)[\"']?\s*)?[=.]", line)
        first, second = found.groups() if found and not head else (None, None)
        at_top = not heads and first == table
        if key is not None and ((inside and not head and first == key) or (at_top and second == key)):
            return f"{path}, line {number}"
        if not place and ((inside and head) or at_top):
            place = number
    return f"{path}, line {place}" if place else path


def _plain(value: Any) -> Any:
    if value is None:
        return NONE
    if isinstance(value, Method):
        return method_table(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(str(key))} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return _text(value) if isinstance(value, str) else repr(getattr(value, "item", lambda: value)())


def _text(text: str) -> str:
    """A basic string; JSON's escapes are TOML's, which also escapes DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
