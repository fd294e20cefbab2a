"""The digest that says what an audit belongs to: a file, roles, a method with its parameters, and options of protect()."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arguments import names
from ..constraints import parsed
from ..data import Frame, Roles, is_numeric
from ..data.check import require_columns
from ..data.source import open_data
from ..data.structure import Structure
from ..methods import METHODS, Method
from ..methods.text import table_of

DEFAULTS: Mapping[str, Any] = {
    "strata": None,
    "constraints": None,
    "missing": "refuse",
    "round_integers": True,
    "copies": 1,
    "weights": None,
    "preserve": None,
    "structure": None,
}


def audit_digest(frame: Any, roles: Roles, method: Method, options: Mapping[str, Any] | None = None) -> str:
    """SHA-256 of what an audit belongs to, the same for every library of frames.

    Parameters
    ----------
    frame : DataFrame, Table, path or Frame
        The original: the values of its independent, dependent, strata and weight columns count, in their order.
    roles : Roles
        Their independent and dependent columns count.
    method : Method
        With its parameters.
    options : mapping, optional
        strata, constraints, missing, round_integers, copies, weights, preserve, structure, as `audit` takes them; others do not
        count, and one that is left out has its default.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    given = {key: (options or {}).get(key, default) for key, default in DEFAULTS.items()}
    strata, preserve = (list(names("audit", key, given[key])) for key in ("strata", "preserve"))
    constraints = [str(one) for one in parsed("audit", given["constraints"])]
    structure = given["structure"].rows() if isinstance(given["structure"], Structure) else given["structure"]
    given |= {"strata": strata, "preserve": preserve, "constraints": constraints, "structure": structure}
    of_method = table_of(method) if type(method) in METHODS.values() else str(method)
    facts = [list(roles.independent), list(roles.dependent), of_method, given]
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode())
    source = open_data("audit", frame, whole=True)
    weight = () if given["weights"] is None else (given["weights"],)
    wanted = tuple(dict.fromkeys((*roles.independent, *roles.dependent, *strata, *weight)))
    require_columns("audit", source, wanted)
    for name in wanted:
        digest.update(_content(source, name))
    return digest.hexdigest()


def _content(frame: Frame, name: str) -> bytes:
    """A column's values: numbers as 64-bit floats with one kind of missing value and one zero, others as JSON texts."""
    if not is_numeric(frame, name):
        return json.dumps([None if cell is None else str(cell) for cell in frame.cells(name)]).encode()
    values = frame.values(name)
    return np.where(np.isnan(values), np.nan, values + 0.0).astype("<f8").tobytes()
