"""What a method releases, block by block: fitted by passes over the blocks, then worked out for one block at a time."""

from __future__ import annotations

from ..data.blocks import Sample
from ..engine import Engine
from ..engine.threads import Watched
from ..errors import InvalidParameter
from ..methods import Method
from ..methods.method import Released, SummedMethod
from ..progress import Note, Progress
from ..rstream import RStream


def require_supported(method: Method) -> None:
    """Raises InvalidParameter, with the way out, for a method that needs all records at once."""
    if not method.by_blocks:
        rule = (
            "must work block by block here: FCRM (predictions), IPSO, GADP, EGADP, Hybrid (linear, regression), or Noise; others compare "
            "records with each other (ranks, groups, neighbours), so protect the file by strata (strata=[...]), each of "
            "them in memory"
        )
        raise InvalidParameter("protect", "method", rule, str(method))


def release(method: Method, file: Sample, stream: RStream, note: Note) -> Released:
    """The release of a method that `supported` says can be made; draws come from the stream in the order of memory's."""
    if isinstance(method, SummedMethod):
        return method.fit(file, stream, note)
    raise TypeError(f"{type(method).__name__} is not fitted by sums")


def watched(engine: Engine, progress: Progress | None, method: Method, t: int) -> Engine:
    """The engine, telling `progress` of its passes if there is one; t : dependent columns."""
    return engine if progress is None else Watched(engine, progress, most_passes(method, t), str(method))


def most_passes(method: Method, t: int) -> int:
    """How often a method's records are gone through at most."""
    return method.passes(t)
