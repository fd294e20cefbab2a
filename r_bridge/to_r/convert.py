"""The only file that mentions R objects: plain nested lists to R's lists, strings and raw vectors, and back.

What is in them is the business of `wire`; data frames are that of `frames`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .wire import Plain


def to_r(plain: Any) -> Any:
    """A plain value as an R object: a string, a whole number, bytes (a raw vector) or a list of such."""
    from rpy2 import rinterface as ri

    if isinstance(plain, str):
        return ri.StrSexpVector([plain])
    if isinstance(plain, int):
        return ri.IntSexpVector([plain])
    if isinstance(plain, list):
        return ri.ListSexpVector([to_r(item) for item in plain])
    view = memoryview(plain)
    return ri.ByteSexpVector.from_memoryview(view) if view.nbytes else ri.ByteSexpVector([])


def from_r(r: Any) -> Any:
    """The plain value of an R object made of lists, strings, whole numbers and raw vectors. Bytes are copied, once."""
    from rpy2 import rinterface as ri

    if isinstance(r, ri.ByteSexpVector):
        return bytearray(ri.vector_memoryview(r, "char", "B")) if len(r) else bytearray()
    if isinstance(r, ri.ListSexpVector):
        return [from_r(item) for item in r]
    if isinstance(r, ri.StrSexpVector):
        return str(r[0])
    return [int(item) for item in r]


def define(codes: list[str], function: str) -> Callable[..., Plain]:
    """An R function of the given code, which takes and gives plain values.

    The code is the project's own; an error in it is a plain exception of rpy2's.
    """
    from rpy2 import rinterface as ri

    base = ri.baseenv
    place = base["new.env"](parent=base["parent.env"](ri.globalenv))
    for code in codes:
        parsed = base["parse"].rcall([("text", ri.StrSexpVector([code])), ("keep.source", ri.BoolSexpVector([False]))])
        base["eval"](parsed, place)
    closure = place[function]

    def call(*arguments: Any) -> Plain:
        plain: Plain = from_r(closure(*(to_r(argument) for argument in arguments)))
        return plain

    return call
