"""pyfcrm methods: what there is to protect with, and what each method takes."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from ..methods import METHODS, Method
from ..methods.text import method_called
from .options import Json
from .show import document, say, table

HEADS = {"parameter": "parameter", "default": "default", "accepts": "takes", "help": "what it is"}


def run(
    *,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="one method; all if not given")] = None,
    as_json: Json = False,
) -> None:
    """The methods, with their parameters and sources."""
    chosen = list(METHODS.values()) if name is None else [method_called("methods", name)]
    if as_json:
        document({"methods": [_facts(method) for method in chosen]})
    elif name is None:
        rows = [(method.__name__, method.about, _settings(method), method.source) for method in chosen]
        table("Methods, as --method takes them", ("method", "what it does", "parameters", "source"), rows, left=4)
        say("A parameter without a default must be given. One method in full: pyfcrm methods NAME")
    else:
        _show(chosen[0])


def _show(method: type[Method]) -> None:
    say(f"{method.__name__}: {method.about}")
    say(f"Source: {method.source}")
    say()
    rows = _parameters(method)
    if rows:
        heads = [key for key in HEADS if any(row.get(key) for row in rows)]
        cells = [[_default(row) if key == "default" else row[key] for key in heads] for row in rows]
        table("Parameters, as --set takes them", [HEADS[key] for key in heads], cells, left=len(heads))
    else:
        say("It has no parameters.")
    say()
    for line in inspect.cleandoc(method.__doc__ or "").splitlines():
        say(line)


def _facts(method: type[Method]) -> dict[str, Any]:
    return {
        "name": method.__name__.lower(),
        "class": method.__name__,
        "about": method.about,
        "source": method.source,
        "parameters": _parameters(method),
    }


def _parameters(method: type[Method]) -> list[dict[str, Any]]:
    """Each parameter in the order of the constructor: what the method declares of it."""
    return [
        {
            "parameter": one.name,
            "required": one.required,
            "default": one.default,
            "accepts": one.accepts + (f"; {one.unit}" if one.unit else ""),
            "words": one.words,
            "help": one.help + (f"; only with {one.only[0]} {' or '.join(one.only[1])}" if one.only else ""),
        }
        for one in method.declared()
    ]


def _settings(method: type[Method]) -> str:
    """ "c, m=1.5", as `pyfcrm protect --set` takes them."""
    rows = _parameters(method)
    return ", ".join(row["parameter"] + ("" if row["required"] else f"={_default(row)}") for row in rows)


def _default(row: dict[str, Any]) -> str:
    """As --set takes it."""
    if row["required"]:
        return "must be given"
    value = row["default"]
    return str(value).lower() if value is None or isinstance(value, bool) else str(value).removesuffix(".0")
