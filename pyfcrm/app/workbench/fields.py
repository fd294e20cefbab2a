"""A method's parameters as fields of a form, read off the method's own declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from ...errors import InvalidParameter, PyfcrmError
from ...methods import METHODS, Method
from ...methods.method import FrameMethod
from ...methods.text import make_method

NO_WORD = "\0"  # what no parameter accepts, so that one that takes words says which
FIRST = {"int": 4, "float": 0.5}  # for parameters without a default
WRAPPED = "method"  # the parameter of a method that holds another one


@dataclass(frozen=True)
class Field:
    """One parameter: name; kind "whole", "number", "flag", "choice" or "text"; default in the form; allowed : the words of
    a choice; required : it has no default of its own."""

    name: str
    kind: str
    default: Any
    allowed: tuple[str, ...] = ()
    required: bool = False


def plain_methods() -> list[str]:
    """The methods by name, those left out that wrap another one."""
    return [name for name, method in METHODS.items() if not wraps(method)]


def wraps(method: type[Method]) -> bool:
    """Whether a method's parameter is another method, as Calibrated's is."""
    return any(f.name == WRAPPED and "Method" in str(f.type) for f in fields(method))


def can_be_wrapped(name: str) -> bool:
    """Whether a method replaces numbers one for one, so that calibration has something to move."""
    return not issubclass(METHODS[name], FrameMethod)


def fields_of(method: type[Method]) -> list[Field]:
    """The parameters of a method, in their order; one that takes a method is left out."""
    return [_field(method, f) for f in fields(method) if f.name != WRAPPED]


def method_from(name: str, given: Mapping[str, Any], around: Mapping[str, Any] | None = None) -> Method:
    """The method of a filled form.

    given : by parameter, what stands in its field; empty ones keep their default; around : the fields of Calibrated, where
    it is to be wrapped. Raises PyfcrmError, one sentence.
    """
    words = _words(METHODS[name], given)
    if around is None:
        return make_method(name, words)
    inner = ":".join([name, *words])
    return make_method("calibrated", [f"{WRAPPED}={{{inner}}}", *_words(METHODS["calibrated"], around)])


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


def _field(method: type[Method], f: Any) -> Field:
    required, kind = f.default is MISSING, str(f.type)
    default = FIRST.get(kind) if required else f.default
    if isinstance(default, bool):
        return Field(f.name, "flag", default)
    allowed = _allowed(method, f.name)
    if allowed:
        return Field(f.name, "choice", default if default is not None else "none", _with_none(kind, allowed), required)
    if kind == "int":
        return Field(f.name, "whole", default, (), required)
    if kind.startswith("float"):
        return Field(f.name, "number", default, (), required)
    return Field(f.name, "text", "" if default is None else str(default), (), required)


def _with_none(kind: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    return (*allowed, "none") if "None" in kind else allowed


def _allowed(method: type[Method], name: str) -> tuple[str, ...]:
    """The words a parameter takes, from its own refusal of another; none for one that takes more than words."""
    given: dict[str, Any] = {f.name: FIRST.get(str(f.type), 4) for f in fields(method) if f.default is MISSING}
    if WRAPPED in given:
        given[WRAPPED] = METHODS["dummy"]()
    try:
        method(**(given | {name: NO_WORD}))
    except InvalidParameter as error:
        return error.allowed if error.name == name else ()
    except (PyfcrmError, TypeError, ValueError):
        return ()
    return ()
