"""The digest of what an audit belongs to: file, roles, method and options."""

import hashlib
import json
from dataclasses import asdict
from typing import Any

import numpy as np

from ...data import Frame, Roles, is_numeric
from ...data.check import require_columns
from ...data.roles import RESEARCH
from ...data.structure import Structure
from ...methods import Procedure, Steps
from ...protection.options import Options
from ...protection.request import protect_request
from ...protection.variables import described_frame, with_missing


def audit_digest(original: Frame, roles: Roles, method: Procedure, options: Options | None = None) -> str:
    """SHA-256 of what an audit belongs to, the same for every library of frames.

    Parameters
    ----------
    original : Frame
        The values of its independent, dependent, strata and weight columns count, in their order.
    roles : Roles
        Their independent and dependent columns count, and their product.
    method : Method or Steps
        With its parameters.
    options : Options, optional
        Those that `audit` takes count.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    counted = Options(**(options or Options()).given("audit"))
    named = None if isinstance(method, Steps) else roles
    request = protect_request(method, named, None, counted, None)
    settings = request.options.given("audit")
    if settings["missing"] is None:  # which stands for "refuse" or "protect", as a release has it
        settings["missing"] = with_missing(request, described_frame(request, original)).options.missing
    steps = method.parts(Roles(roles.independent, roles.dependent))
    # The repr of a third-party generator may contain an address.
    methods = [(str(step) if step.makes_new_file() else repr(step), asdict(own)) for step, own in steps]
    facts: list[Any] = [roles.independent, roles.dependent, methods, settings]
    if roles.product != RESEARCH:
        facts.append(roles.product)
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=_in_json).encode())
    weights = [settings["weights"]] if settings["weights"] else []
    columns = list(dict.fromkeys((*roles.independent, *roles.dependent, *request.strata, *weights)))
    require_columns("audit", original, columns)
    for name in columns:
        if is_numeric(original, name):  # one kind of missing value and one zero
            values = original.values(name)
            digest.update(np.where(np.isnan(values), np.nan, values + 0.0).astype("<f8").tobytes())
        else:
            texts = [None if cell is None else str(cell) for cell in original.cells(name)]
            digest.update(json.dumps(texts).encode())
    return digest.hexdigest()


def _in_json(value: object) -> Any:
    """A value that JSON has no type for: the rules of a structure, others as text."""
    if isinstance(value, Structure):
        return value.rows()
    return str(value)
