"""Plain nested lists to R's lists, strings and raw vectors, and back. No other file uses R objects.

`wire` defines the content of the lists, `frames` the conversion of data frames.
"""

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
    """The R function of this name in the project's own code, with plain values as arguments and result.

    Errors in the code raise rpy2's exceptions.
    """
    from rpy2 import rinterface as ri

    base = ri.baseenv
    # A child of the first attached package: the code sees packages, but no variable of the user.
    environment = base["new.env"](parent=base["parent.env"](ri.globalenv))
    for code in codes:
        parsed = base["parse"].rcall([("text", ri.StrSexpVector([code])), ("keep.source", ri.BoolSexpVector([False]))])
        base["eval"](parsed, environment)
    closure = environment[function]

    def call(*arguments: Any) -> Plain:
        """The result of the R function."""
        plain: Plain = from_r(closure(*(to_r(argument) for argument in arguments)))
        return plain

    return call
