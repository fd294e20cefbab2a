"""What a method releases, block by block: fitted by passes over the blocks, then worked out for one block at a time."""

from __future__ import annotations

from ..data.blocks import Sample
from ..engine import Engine
from ..engine.threads import Watched
from ..errors import InvalidParameter
from ..methods import METHODS, Method
from ..methods.method import Released, SummedMethod
from ..progress import Course, Progress, Say
from ..rstream import RStream


def require_supported(method: Method) -> None:
    """Raises InvalidParameter, with the way out, for a method that needs all records at once."""
    if not method.by_blocks:
        *most, last = [_name(one) for one in METHODS.values() if issubclass(one, SummedMethod)]
        rule = (
            f"must work block by block here: {', '.join(most)}, or {last}; others compare "
            "records with each other (ranks, groups, neighbours), so protect the file by strata (strata=[...]), each of "
            "them in memory"
        )
        raise InvalidParameter("protect", "method", rule, str(method))


def _name(method: type[Method]) -> str:
    return f"{method.__name__} ({method.by_blocks_where})" if method.by_blocks_where else method.__name__


def release(method: Method, file: Sample, stream: RStream, note: Say) -> Released:
    """The release of a method that goes by blocks; draws come from the stream in the order of memory's."""
    if isinstance(method, SummedMethod):
        return method.fit(file, stream, note)
    raise TypeError(f"{type(method).__name__} is not fitted by sums")


def watched(engine: Engine, progress: Progress | None, method: Method, t: int) -> Engine:
    """The engine, telling `progress` of its passes if there is one; t : dependent columns."""
    passes = method.passes(t)
    return engine if progress is None else Watched(engine, Course(str(method), 0, passes, progress=progress), passes)
