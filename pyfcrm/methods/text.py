"""Methods as text, such as "fcrm:c=2..15,ipso:kind=A|B|C", and as tables for files, {"name": "ipso", "kind": "C"}."""

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InvalidInput, InvalidParameter, unknown_name
from . import METHODS
from .method import Method, Procedure, require_procedure

MOST_CANDIDATES = 1000
Methods = Mapping[str, type[Method]]


def make_method(name: str, settings: Iterable[str], methods: Methods = METHODS) -> Method:
    """The method called `name`, with "c=8" settings; one text may hold several, "c=8,m=2". methods : that may be named.

    A value may be a list, "keys=sex,town", in brackets too, "breaks=[0, 1000]", or a mapping, "top={\"wage\": 90000}";
    a method as value is written like a candidate, "method={ipso:kind=C}".
    """
    words = [word for setting in settings for word in _settings(setting)]
    parameters = _table("--set", words, "must be given once")
    return _build("--method", name, {key: _value_or_list(value) for key, value in parameters.items()}, methods)


def _settings(text: str) -> list[str]:
    """The settings of a text, "c=8" and "keys=a,b" of "c=8,keys=a,b": what has no name belongs to the setting before it."""
    settings = list[str]()
    for word in split_outside(text, ","):
        if settings and word.strip() and len(split_outside(word, "=")) == 1:
            settings[-1] += f",{word}"
        else:
            settings.append(word)
    return settings


def _value_or_list(text: str) -> Any:
    """A value; several between commas are a list."""
    words = split_outside(text, ",")
    return value_of(text) if len(words) == 1 else [value_of(word) for word in words]


def make_candidates(text: str, methods: Methods = METHODS) -> list[Method]:
    """ "fcrm:c=2..15,ipso:kind=A|B|C" as methods. methods : that may be named.

    Commas part candidates, colons their parameters; a..b is every whole number from a to b, | parts alternatives;
    several parameters give every combination.
    """
    candidates: list[Method] = []
    for word in split_outside(text, ","):
        name, *settings = [part.strip() for part in split_outside(word.strip(), ":")]
        table = _table("--candidates", settings, "must be given once in a candidate (alternatives as in c=2|4)")
        grid = {key: _alternatives(key, values) for key, values in table.items()}
        for combination in itertools.product(*grid.values()):
            candidates.append(_build("--candidates", name, dict(zip(grid, combination, strict=True)), methods))
            if len(candidates) > MOST_CANDIDATES:
                raise InvalidParameter("--candidates", "candidates", f"must be at most {MOST_CANDIDATES}", text)
    return candidates


def method_of(owner: str, table: Mapping[str, Any]) -> Method:
    """The method of a table with its name and parameters, of which a method is a table too.

    Raises InvalidInput or InvalidParameter.
    """
    parameters = dict(table)
    name = parameters.pop("name", None)
    if not isinstance(name, str):
        raise InvalidParameter(owner, "name", "must be the name of a method", name)
    return _build(owner, name, parameters)


def as_procedure(owner: str, method: Any) -> Procedure:
    """A method, the one of a name with its defaults, or steps. Raises InvalidParameter."""
    if isinstance(method, str):
        return _build(owner, method, {})
    require_procedure(owner, method, "FCRM(c=8)")
    return method


def method_called(owner: str, name: str, methods: Methods = METHODS) -> type[Method]:
    """The method of this name, in any case, with or without "_" and "-"."""
    method = methods.get(name.lower().replace("-", "").replace("_", ""))
    if method is None:
        raise unknown_name(owner, "method", name, methods)
    return method


def _build(owner: str, name: str, parameters: dict[str, Any], methods: Methods = METHODS) -> Method:
    method = method_called(owner, name, methods)
    known = {each.name: each for each in method.declared()}
    for parameter in parameters:
        if parameter not in known:
            raise unknown_name(method.__name__, "parameter", parameter, known)
    parameters = {
        key: _method_in(key, value) if known[key].kind == "method" else value for key, value in parameters.items()
    }
    lacking = next((each.name for each in known.values() if each.required and each.name not in parameters), None)
    if lacking is not None:
        rule = f"`{lacking}` must be given, as {lacking}=value"
        raise InvalidInput(method.__name__, rule, ", ".join(parameters) or "no setting")
    return method(**parameters)


def _method_in(parameter: str, value: Any) -> Any:
    """The one method of a text such as {ipso:kind=C}, or of a table; the wrapping method refuses other values."""
    if isinstance(value, Mapping):
        return method_of(parameter, value)
    if not isinstance(value, str):
        return value
    text = value.strip()
    found = make_candidates(text[1:-1] if text[:1] + text[-1:] == "{}" else text)
    if len(found) != 1:
        raise InvalidParameter("--set", parameter, "must be one method, such as {ipso:kind=C}", value)
    return found[0]


def _table(owner: str, words: Iterable[str], once: str) -> dict[str, str]:
    """Values by name, of words name=value. once : the rule for a name that comes twice."""
    table: dict[str, str] = {}
    for word in words:
        key, _, value = (part.strip() for part in word.partition("="))
        if not key or not value:
            raise InvalidParameter(owner, "setting", "must be name=value", word)
        if key in table:
            raise InvalidParameter(owner, key, once, word)
        table[key] = value
    return table


def _alternatives(key: str, text: str) -> list[Any]:
    values: list[Any] = []
    for word in split_outside(text, "|"):
        low, dots, high = word.partition("..")
        if not dots or word.strip()[:1] in ("{", "["):
            values.append(value_of(word))
            continue
        first, last = value_of(low), value_of(high)
        if not isinstance(first, int) or not isinstance(last, int) or first > last or last - first >= MOST_CANDIDATES:
            raise InvalidParameter("--candidates", key, "must be a range of whole numbers such as 2..15", word)
        values.extend(range(first, last + 1))
    return values


def value_of(text: str) -> Any:
    """A number, true, false, none, a list or mapping as in JSON, a list of bare words such as [sex, town], or else the text."""
    text = text.strip()
    named = {"true": True, "false": False, "none": None}
    if text.lower() in named:
        return named[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        inside = text[1:-1] if text[:1] + text[-1:] == "[]" else ""
        return [value_of(word) for word in split_outside(inside, ",")] if inside.strip() else text


def split_outside(text: str, separator: str) -> list[str]:
    """The parts of a text between separators that stand outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == separator and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def value_text(value: Any) -> str:
    """The text from which `value_of` gives the value; a method as {ipso:kind=C}."""
    if isinstance(value, Method):
        return "{" + ":".join([type(value).__name__.lower(), *setting_texts(value)]) + "}"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    return json.dumps(value).removesuffix(".0")


def setting_texts(method: Method) -> list[str]:
    """Settings with which `make_method` gives the method: "c=8", "release=draw"."""
    return [f"{name}={value_text(value)}" for name, value in method.shown().items()]
