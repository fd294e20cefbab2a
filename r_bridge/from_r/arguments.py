"""What R's arguments mean, what is answered of random numbers and methods, and errors as data. Used by `calls` and `files`.

In come bytes, strings, numbers, None, and lists and dicts of them; out go the same. Text comes in packed (see `columns`),
because reticulate sends strings through the session's locale; a packed vector of one is a word. Nothing is raised:
what goes wrong is handed over as data, under "error".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

import numpy as np

import pyfcrm as pf
from pyfcrm.data.structure import NOT_ROWS
from pyfcrm.errors import InvalidInput, InvalidParameter, MissingExtra, PyfcrmError, flagged, lines, unknown_name
from pyfcrm.evaluation.verdict import Verdict
from pyfcrm.methods import METHODS, Method

from .frames import table_of, unpacked

Answer = dict[str, Any]
KINDS = ((InvalidInput, "invalid_input"), (InvalidParameter, "invalid_parameter"), (MissingExtra, "missing_extra"))


def answered(call: Callable[..., Answer]) -> Callable[..., Answer]:
    """`call` with its errors as data."""

    @wraps(call)
    def answer(*arguments: Any) -> Answer:
        try:
            return call(*arguments)
        except PyfcrmError as error:
            return {"error": _sent_error(error)}
        except Exception as error:  # a fault of ours: R is told so, in one sentence, and is not left with a traceback
            sentence = f"pyfcrm failed, which it should not ({type(error).__name__}: {' '.join(str(error).split())})"
            return {"error": {"kind": "unexpected", "message": sentence}}

    return answer


def sent_method(method: Method) -> Answer:
    """A method for R to build again: {"name": its name, "parameters": numbers, flags, words, None, or such a method}."""
    return {
        "name": type(method).__name__,
        "parameters": {name: _plain(value) for name, value in method.parameters().items()},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Method):
        return sent_method(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def as_method(packed: Answer) -> Method:
    """The method of {"method": name, "parameters": {...}}.

    A parameter is a number, a flag, packed text, None, a list of those, such a method itself, or a mapping as
    {"names": packed text, "values": [...]}.
    """
    name, parameters = str(packed["method"]), words_of(packed.get("parameters"))
    if name == pf.Steps.__name__:
        return pf.Steps([(method, pf.Roles(**roles)) for method, roles in parameters["steps"]])
    kind = pf.External if name == pf.External.__name__ else METHODS.get(name.lower())
    if kind is None:
        raise unknown_name("protect", "method", name, METHODS)
    known = [each.name for each in kind.declared()]
    for parameter in parameters:
        if parameter not in known:
            raise unknown_name(kind.__name__, "parameter", parameter, known)
    return kind(**parameters)


def words_of(packed: Any) -> dict[str, Any]:
    """Arguments by name, their packed text as words. R's empty list comes as []."""
    return {str(name): value_of(value) for name, value in dict(packed or {}).items()}


def value_of(value: Any) -> Any:
    if isinstance(value, Mapping):
        if "method" in value:
            return as_method(dict(value))
        return dict(zip(unpacked(value["names"]), (value_of(item) for item in value["values"]), strict=True))
    if isinstance(value, list):
        return [value_of(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)  # R's 8 is 8.0; a message should say 8
    if not isinstance(value, bytes | bytearray | memoryview):
        return value
    words = unpacked(value)
    return words[0] if len(words) == 1 else words


def roles_of(packed: Answer) -> pf.Roles:
    return pf.Roles(**words_of(packed))


def stream_of(state: Any) -> pf.RStream | None:
    return None if state is None else pf.RStream.from_r_state(np.frombuffer(state, dtype="<i4"))


def seed_of(seed: Any, stream: pf.RStream | None) -> Any:
    """What a seed of R's means: a number; with neither number nor state fresh entropy; with a state the stream there,
    which is R's own where `seed` is None, and was given in full where it is not."""
    return value_of(seed) if stream is None else stream


def as_text(notes: Iterable[str]) -> list[str]:
    """Notes as plain strings, those that warn after "WARNING: ": reticulate converts no subclass of str."""
    return [flagged(note) for note in lines(notes)]


def seed_notes(seed: Any, stream: pf.RStream | None, released: pf.Protected) -> list[str]:
    """A warning for a release that R's own random numbers made."""
    if stream is None or seed is not None or start_of(released.seed) == state_of(stream):
        return []  # another seed, or nothing was drawn
    undone = ", and this release then be undone" if released.method.undone_by_seed else ""
    return [f'R\'s own seeding is 32 bits, which can all be tried{undone}: begin one that goes out with seed = "fresh"']


def kind_of_seed(seed: int | pf.RStream | None) -> str:
    """What a release started from: "integer", "state", or "fresh" for the system's entropy."""
    if isinstance(seed, pf.RStream):
        return "fresh" if seed.fresh else "state"
    return "fresh" if seed is None else "integer"


def sent_verdict(verdict: Verdict) -> Answer:
    """A verdict for R: status, headline, one row a test, and the lines that print it."""
    tests = table_of(verdict.rows()) if verdict.tests else None
    return {"status": verdict.status, "headline": verdict.headline, "tests": tests, "lines": verdict.lines()}


def start_of(seed: int | pf.RStream | None) -> int | bytearray | None:
    return state_of(seed) if isinstance(seed, pf.RStream) else seed


def state_of(stream: pf.RStream | None) -> bytearray | None:
    return None if stream is None else bytearray(stream.to_r_state().astype("<i4").tobytes())


def _sent_error(error: PyfcrmError) -> Answer:
    kind = next((name for kind, name in KINDS if isinstance(error, kind)), "error")
    facts = {field: getattr(error, field, None) for field in ("owner", "rule", "value", "command")}
    facts["parameter"] = getattr(error, "name", None)
    return {"kind": kind, "message": str(error)} | {
        field: str(fact) for field, fact in facts.items() if fact is not None
    }


def structured(words: Answer) -> Answer:
    """The words, their `structure` as pf.protect takes it: R sends "find", or each proposal as JSON."""
    structure = words.get("structure")
    if structure is None or structure == "find":
        return words
    try:
        rows = [json.loads(one) for one in ([structure] if isinstance(structure, str) else structure)]
    except (TypeError, ValueError) as error:
        raise InvalidInput("structure", NOT_ROWS) from error
    return words | {"structure": pf.Structure.of(rows)}
