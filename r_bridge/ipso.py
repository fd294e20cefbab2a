"""IPSO as R runs it: the project's own r_scripts/ipso.R, or an agency's copy of the thesis's listing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pyfcrm.arguments import choice
from pyfcrm.errors import InvalidInput
from pyfcrm.rstream import RStream

from .columns import Column, Columns
from .scripts import script
from .session import session

Array = NDArray[np.float64]
FUNCTION = "IPSOabc"
KINDS = ("A", "B", "C")  # 1, 2, 3 there


@dataclass(frozen=True)
class Release:
    """What R released: Z (n, t) in the units of Y, and where the stream stands after its draws."""

    Z: Array
    stream: RStream


def ipso(X: Array, Y: Array, kind: str, stream: int | RStream, path: Path | str | None = None) -> Release:
    """IPSO-A, B or C of Y (n, t) given X (n, s) by R's IPSOabc, the thesis's variant.

    stream : a seed for set.seed, or a stream, which is not moved; path : an R file that defines
    IPSOabc(data, Lxxx, Lsss, IPSO), run instead of ours. Its columns are called V1, V2, ..., as the listing needs.
    Raises RError with R's words, InvalidInput where the file cannot be read or returns no such table.
    """
    choice("ipso", "kind", kind, KINDS)
    X, Y = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
    s, t = X.shape[1], Y.shape[1]
    named = [Column(f"V{k}", "double", column) for k, column in enumerate([*X.T, *Y.T], 1)]
    arguments = {
        "data": Columns(tuple(named), len(Y)),
        "Lxxx": np.arange(s + 1, s + t + 1),
        "Lsss": np.arange(1, s + 1),
        "IPSO": KINDS.index(kind) + 1,
    }
    reply = session().call(FUNCTION, arguments, [path or script("ipso.R")], stream)
    assert reply.stream is not None
    return Release(_dependent(reply.value, named[s:], len(Y), str(path or "ipso.R")), reply.stream)


def _dependent(table: object, wanted: list[Column], n: int, owner: str) -> Array:
    if not isinstance(table, Columns) or table.n != n:
        raise InvalidInput(owner, f"{FUNCTION} must return a data frame of as many records, {n}", type(table).__name__)
    found = {column.name: column for column in table.columns}
    if any(column.name not in found or found[column.name].kind != "double" for column in wanted):
        raise InvalidInput(owner, f"{FUNCTION} must return the columns it was given, as numbers", ", ".join(found))
    return np.column_stack([np.asarray(found[column.name].values, dtype=np.float64) for column in wanted])
