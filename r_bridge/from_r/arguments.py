"""Conversion of R's arguments, random numbers, methods and errors. Used by `calls`, `files` and `tables`.

Arguments and answers are bytes, strings, numbers, None, and lists and dicts of them. Text comes in packed (see `columns`), because
reticulate passes strings in the session's encoding; a packed vector of length one is a single text. Errors are returned as
data, under "error".
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from threading import get_ident
from time import monotonic
from typing import Any

import numpy as np

import pyfcrm as pf
from pyfcrm.data.roles import VALUES
from pyfcrm.data.structure import NOT_ROWS
from pyfcrm.errors import InvalidInput, InvalidParameter, MissingExtra, PyfcrmError, flagged, lines, unknown_name
from pyfcrm.evaluation.utility.panel.measured_variables import MeasuredVariable
from pyfcrm.evaluation.utility.panel.utility import Utility
from pyfcrm.evaluation.verdict.decision import Verdict
from pyfcrm.methods import METHODS, Method, Procedure
from pyfcrm.plans.plan import read_declarations
from pyfcrm.progress import Progress

from .frames import table_to_r, unpacked, whole_bytes
from .words import text_in_r, value_in_r

Plain = dict[str, Any]  # an argument or an answer
REPORTS = 0.1  # seconds between two calls of R's function for progress, at least
KINDS = ((InvalidInput, "invalid_input"), (InvalidParameter, "invalid_parameter"), (MissingExtra, "missing_extra"))


def errors_as_data(call: Callable[..., Plain]) -> Callable[..., Plain]:
    """`call` with its errors as data.

    R may add `progress`, see `progress_of`, to the arguments of every function. It is passed on if `call` has such a parameter.
    """
    reports = "progress" in signature(call).parameters

    @wraps(call)
    def answer(*arguments: Any, progress: Any = None) -> Plain:
        """The answer of `call`, or {"error": ...}."""
        further = {"progress": progress_of(progress)} if reports else {}
        try:
            return call(*arguments, **further)
        except KeyboardInterrupt:
            if progress is None:
                raise
            return {"error": {"kind": "interrupted"}}  # by R itself, which knows it
        except PyfcrmError as error:
            return {"error": _error_to_r(error)}
        except Exception as error:  # a fault of pyfcrm: one sentence in R, without a traceback
            message = f"unexpected error in pyfcrm ({type(error).__name__}: {' '.join(str(error).split())})"
            return {"error": {"kind": "unexpected", "message": message}}

    return answer


def progress_of(report: Callable[[float], bool] | None) -> Progress | None:
    """A progress callback that calls R's function `report` with the share of the work done; None for None.

    R must not be called from a second thread: threads of an engine do not report. If R returns False, the user has
    interrupted it, and the work stops with KeyboardInterrupt, as it does when Python is interrupted.
    """
    if report is None:
        return None
    thread = get_ident()
    reported = 0.0

    def progress(done: int, total: int, label: str) -> None:
        """Reports to R, at most every REPORTS seconds and when the work is done."""
        nonlocal reported
        if get_ident() != thread:
            return
        if done < total and monotonic() - reported < REPORTS:
            return
        reported = monotonic()
        if not report(done / max(total, 1)):
            raise KeyboardInterrupt

    return progress


def method_to_r(method: Procedure) -> Plain:
    """{"name": ..., "parameters": numbers, truth values, text, None, or such a method}, from which R builds the method."""
    return {
        "name": type(method).__name__,
        "parameters": {name: _parameter_to_r(value) for name, value in method.parameters().items()},
    }


def _parameter_to_r(value: Any) -> Any:
    """A parameter of a method: methods and tuples are converted, other values unchanged."""
    if isinstance(value, Method):
        return method_to_r(value)
    if isinstance(value, tuple):
        return [_parameter_to_r(item) for item in value]
    return value


def method_of(plain: Plain) -> Procedure:
    """The method of {"method": name, "parameters": {...}}.

    A parameter is a number, a truth value, packed text, None, a list of those, such a method, or a mapping as
    {"names": packed text, "values": [...]}.
    """
    name = str(plain["method"])
    parameters = values_of(plain.get("parameters"))
    if name == pf.Steps.__name__:
        return pf.Steps([(method, pf.Roles(**roles)) for method, roles in parameters["steps"]])
    kind = pf.External if name == pf.External.__name__ else METHODS.get(name.lower())
    if kind is None:
        raise unknown_name("protect", "method", name, METHODS)
    known = [parameter.name for parameter in kind.declared()]
    for parameter in parameters:
        if parameter not in known:
            raise unknown_name(kind.__name__, "parameter", parameter, known)
    return kind(**parameters)


def values_of(plain: Any) -> Plain:
    """Arguments by name, with packed text as strings. R's empty list is []."""
    return {str(name): value_of(value) for name, value in dict(plain or {}).items()}


def value_of(value: Any) -> Any:
    """An argument from R, of the forms that `method_of` lists, as a Python value; packed text of length one is a string."""
    if isinstance(value, Mapping):
        if "method" in value:
            return method_of(dict(value))
        return dict(zip(unpacked(value["names"]), (value_of(item) for item in value["values"]), strict=True))
    if isinstance(value, list):
        return [value_of(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)  # R's 8 is 8.0; a message should have 8
    if not isinstance(value, bytes | bytearray | memoryview):
        return value
    texts = unpacked(value)
    return texts[0] if len(texts) == 1 else texts


def roles_of(plain: Plain) -> pf.Roles:
    """The roles of {role: packed names}, and other parameters of Roles, the default ones where R has NULL."""
    values = {name: value for name, value in values_of(plain).items() if name not in VALUES or value is not None}
    return pf.Roles(**values)


def protect_roles(method: Procedure, roles: pf.Roles) -> pf.Roles | None:
    """The roles as pf.protect accepts them: Steps have their own, and R always passes roles, empty ones too."""
    if isinstance(method, pf.Steps) and roles == pf.Roles():
        return None
    return roles


def stream_of(state: Any) -> pf.RStream | None:
    """The stream at R's .Random.seed, as bytes; None for None."""
    return None if state is None else pf.RStream.from_r_state(np.frombuffer(state, dtype="<i4"))


def seed_of(seed: Any, stream: pf.RStream | None) -> Any:
    """The seed of R's arguments: a number; without number and state fresh entropy (None); with a state its stream.

    The state is R's own if `seed` is None, else it is the seed that the user passed.
    """
    return value_of(seed) if stream is None else stream


def note_texts(notes: Iterable[str]) -> list[str]:
    """Notes in R's words, warnings with "WARNING: " in front."""
    return [text_in_r(flagged(note)) for note in lines(notes)]


def seed_notes(seed: Any, stream: pf.RStream | None, released: pf.Protected) -> list[str]:
    """A warning if the release was drawn from R's own random numbers."""
    if stream is None or seed is not None or seed_to_r(released.seed) == state_to_r(stream):
        return []  # another seed, or no draw
    undone = ", and this release then be undone" if released.method.facts(released.roles).undone_by_seed else ""
    return [
        f'R\'s own seeding has 32 bits, which can all be tried{undone}: use seed = "fresh" for a file that is published'
    ]


def seed_kind(seed: int | pf.RStream | None) -> str:
    """The kind of a release's seed: "integer", "state", or "fresh" for the system's entropy."""
    if isinstance(seed, pf.RStream):
        return "fresh" if seed.fresh else "state"
    return "fresh" if seed is None else "integer"


def verdict_to_r(verdict: Verdict) -> Plain:
    """Status, headline, one row a test, and the printed lines."""
    rows = [
        {key: text_in_r(value) if isinstance(value, str) else value for key, value in row.items()}
        for row in verdict.rows()
    ]
    return {
        "status": verdict.status,
        "headline": text_in_r(verdict.headline),
        "tests": table_to_r(rows) if verdict.tests else None,
        "lines": [text_in_r(line) for line in verdict.lines()],
    }


def utility_to_r(utility: Utility | None) -> Plain | None:
    """The printed lines, one row for the panel and for each family, the estimates, a row for each variable; None without a panel."""
    if utility is None:
        return None
    facts = utility.document()
    summaries = [facts["summary"], *facts["families"]]
    estimates = [{key: None if value != value else value for key, value in row.items()} for row in utility.rows()]
    return {
        "lines": [text_in_r(line) for line in facts["lines"]],
        "summary": table_to_r(summaries),
        "estimates": table_to_r(estimates),
        "variables": table_to_r([_variable_to_r(variable) for variable in utility.variables]),
        "remarks": [text_in_r(remark) for remark in facts["remarks"]],
    }


def _variable_to_r(variable: MeasuredVariable) -> Plain:
    """What was measured for a variable, its lines as one sentence."""
    return {
        "variable": variable.variable,
        "estimates": variable.estimates,
        "above": variable.above,
        "measured": variable.sentence,
    }


def seed_to_r(seed: int | pf.RStream | None) -> int | bytearray | None:
    """A seed for R: a stream as the bytes of its .Random.seed, a number or None unchanged."""
    return state_to_r(seed) if isinstance(seed, pf.RStream) else seed


def state_to_r(stream: pf.RStream | None) -> bytearray | None:
    """R's .Random.seed at the stream's position, as bytes; None for None."""
    return None if stream is None else whole_bytes(stream.to_r_state())


def _error_to_r(error: PyfcrmError) -> Plain:
    """An error for R: its kind, its message in R's words, and those of its fields that it has."""
    kind = next((name for kind, name in KINDS if isinstance(error, kind)), "error")
    rule, *values = str(error).split("; got ")
    message = "; got ".join([text_in_r(rule), *map(value_in_r, values)])
    fields = {
        "owner": getattr(error, "owner", None),
        "rule": getattr(error, "rule", None),
        "value": getattr(error, "value", None),
        "command": getattr(error, "command", None),
        "parameter": getattr(error, "name", None),
    }
    texts = {field: str(value) for field, value in fields.items() if value is not None}
    if "rule" in texts:
        texts["rule"] = text_in_r(texts["rule"])
    if "value" in texts:
        texts["value"] = value_in_r(texts["value"])
    return {"kind": kind, "message": message} | texts


def with_variables(options: Plain) -> Plain:
    """The options, `variables` as pf.protect accepts it: R passes a word, declarations, or the path of a file of declarations."""
    path = options.get("variables")
    if not isinstance(path, str):
        return options
    return options | {"variables": read_declarations(os.fsdecode(path.encode("utf-8")))}


def with_structure(options: Plain) -> Plain:
    """The options, `structure` as pf.protect accepts it: R passes a word, or each proposal as JSON."""
    structure = options.get("structure")
    if structure in (None, "default", "find"):
        return options
    try:
        rows = [json.loads(row) for row in ([structure] if isinstance(structure, str) else structure)]
    except (TypeError, ValueError) as error:
        raise InvalidInput("structure", NOT_ROWS) from error
    return options | {"structure": pf.Structure.of(rows)}
