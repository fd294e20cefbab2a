"""A method's parameters as fields of a form, read off the method's own declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...methods import METHODS, Method
from ...methods.parameter import Parameter
from ...methods.text import make_method

KINDS = ("whole", "number", "flag", "choice")  # what a field has a kind of its own for; all else is text
FIRST = {"whole": 4}  # for parameters without a default


@dataclass(frozen=True)
class Field:
    """One parameter: name; kind "whole", "number", "flag", "choice" or "text"; default in the form; allowed : the words of
    a choice; required : it has no default of its own; help : what to say of it."""

    name: str
    kind: str
    default: Any
    allowed: tuple[str, ...] = ()
    required: bool = False
    help: str = ""


def plain_methods() -> list[str]:
    """The methods by name, those left out that wrap another one."""
    return [name for name, method in METHODS.items() if not wraps(method)]


def wraps(method: type[Method]) -> bool:
    """Whether a method's parameter is another method, as Calibrated's is."""
    return any(parameter.kind == "method" for parameter in method.declared())


def can_be_wrapped(name: str) -> bool:
    """Whether a method replaces numbers one for one, so that calibration has something to move."""
    return METHODS[name].one_for_one


def fields_of(method: type[Method]) -> list[Field]:
    """The parameters of a method, in their order; one that takes a method is left out."""
    return [_field(parameter) for parameter in method.declared() if parameter.kind != "method"]


def method_from(name: str, given: Mapping[str, Any], around: Mapping[str, Any] | None = None) -> Method:
    """The method of a filled form.

    given : by parameter, what stands in its field; empty ones keep their default; around : the fields of Calibrated, where
    it is to be wrapped. Raises PyfcrmError, one sentence.
    """
    words = _words(METHODS[name], given)
    if around is None:
        return make_method(name, words)
    inner = ":".join([name, *words])
    return make_method("calibrated", [f"method={{{inner}}}", *_words(METHODS["calibrated"], around)])


def _words(method: type[Method], given: Mapping[str, Any]) -> list[str]:
    words = []
    for field in fields_of(method):
        value = given.get(field.name)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        text = (
            str(value).lower()
            if isinstance(value, bool)
            else f"{value:.15g}"
            if isinstance(value, float)
            else str(value)
        )
        words.append(f"{field.name}={text}")
    return words


def _field(parameter: Parameter) -> Field:
    kind = parameter.kind if parameter.kind in KINDS else "text"
    default = FIRST.get(kind) if parameter.required else parameter.default
    allowed = parameter.words
    if kind == "choice" and parameter.optional:
        allowed, default = (*allowed, "none"), "none" if default is None else default
    if kind == "text":
        default = "" if default is None else str(default)
    return Field(parameter.name, kind, default, allowed, parameter.required, _help(parameter))


def _help(parameter: Parameter) -> str:
    """What a field says of itself: what it does, what may be typed, in what unit, and where it is heeded."""
    said = [parameter.help]
    if parameter.kind not in ("flag", "choice"):  # of which the field shows all
        said.append(parameter.accepts + (f" ({parameter.unit})" if parameter.unit else ""))
    if parameter.only is not None:
        name, words = parameter.only
        said.append(f"only with {name} {' or '.join(words)}")
    return " ".join(f"{sentence[:1].upper()}{sentence[1:]}." for sentence in said)
