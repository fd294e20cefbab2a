"""A method's parameters as fields of a form, read off the method's own declaration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...methods import METHODS, Method
from ...methods.parameter import Parameter
from ...methods.text import method_of, value_of

KINDS = ("whole", "number", "flag", "choice", "columns")  # what a field has a kind of its own for; all else is text
FIRST = {"whole": 4}  # for parameters without a default
GROUPS = {
    "Synthetic values from a model": ("ipso", "egadp", "gadp", "shuffling", "fcrm", "hybrid", "sequential", "arf"),
    "Original values, moved": ("rankswapping", "noise", "permutation", "microaggregation"),
    "Fewer, coarser or empty cells": ("sampling", "recoding", "topbottomcoding", "localsuppression"),
}


@dataclass(frozen=True)
class Field:
    """One parameter: name; kind "whole", "number", "flag", "choice", "columns" or "text"; default in the form; allowed : the
    words of a choice; required : it has no default of its own; help : what to say of it."""

    name: str
    kind: str
    default: Any
    allowed: tuple[str, ...] = ()
    required: bool = False
    help: str = ""


def plain_methods() -> list[str]:
    """The methods by name, those left out that wrap another one."""
    return [name for name, method in METHODS.items() if not wraps(method)]


def grouped_methods(others: Iterable[str] = ()) -> dict[str, dict[str, str]]:
    """The plain methods as a choice, by group; what is in no group comes next, and last the names of others than ours."""
    names = plain_methods()
    groups = {title: [name for name in group if name in names] for title, group in GROUPS.items()}
    listed = {name for group in groups.values() for name in group}
    groups["Others"] = [name for name in names if name not in listed]
    shown = {title: {name: METHODS[name].__name__ for name in group} for title, group in groups.items() if group}
    from_elsewhere = {name: name for name in others}
    return {**shown, "From elsewhere": from_elsewhere} if from_elsewhere else shown


def wraps(method: type[Method]) -> bool:
    """Whether a method's parameter is another method, as Calibrated's is."""
    return any(parameter.kind == "method" for parameter in method.declared())


def can_be_wrapped(name: str) -> bool:
    """Whether a method of ours replaces numbers one for one, so that calibration has something to move."""
    return name in METHODS and METHODS[name].one_for_one


def fields_of(method: type[Method]) -> list[Field]:
    """The parameters of a method, in their order; one that takes a method is left out."""
    return [_field(parameter) for parameter in method.declared() if parameter.kind != "method"]


def method_from(name: str, received: Mapping[str, Any], around: Mapping[str, Any] | None = None) -> Method:
    """The method of a filled form.

    received : by parameter, what stands in its field; empty ones keep their default; around : the fields of Calibrated, where
    it is to be wrapped. Raises PyfcrmError, one sentence.
    """
    table = _table(name, received)
    if around is not None:
        table = {**_table("calibrated", around), "method": table}
    return method_of("studio", table)


def _table(name: str, received: Mapping[str, Any]) -> dict[str, Any]:
    known = {field.name for field in fields_of(METHODS[name])}
    found: dict[str, Any] = {"name": name}
    for key, value in received.items():
        if key in known and not (value is None or (isinstance(value, str) and not value.strip()) or value == ()):
            found[key] = value_of(value) if isinstance(value, str) else value
    return found


def _field(parameter: Parameter) -> Field:
    kind = parameter.kind if parameter.kind in KINDS else "text"
    default = FIRST.get(kind) if parameter.required else parameter.default
    allowed = parameter.words
    if kind == "choice" and parameter.optional:
        allowed, default = (*allowed, "none"), "none" if default is None else default
    if kind == "text":
        default = "" if default is None else str(default)
    if kind == "columns":
        default = ()
    return Field(parameter.name, kind, default, allowed, parameter.required, _help(parameter))


def _help(parameter: Parameter) -> str:
    """What a field says of itself: what it does, what may be typed, in what unit, and where it is heeded."""
    nothing = "none" if parameter.kind == "choice" else "an empty field"
    sentences = [parameter.help.replace("None", nothing)]
    if parameter.kind not in ("flag", "choice", "columns"):  # of which the field shows all
        accepts = parameter.accepts.replace(", or None", ", or nothing at all")
        sentences.append(accepts + (f" ({parameter.unit})" if parameter.unit else ""))
    if parameter.only is not None:
        name, words = parameter.only
        sentences.append(f"only with {name} {' or '.join(words)}")
    return " ".join(f"{sentence[:1].upper()}{sentence[1:]}." for sentence in sentences)
