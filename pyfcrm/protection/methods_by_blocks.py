"""What a method releases, block by block: fitted by passes over the blocks, then worked out for one block at a time."""

from __future__ import annotations

from ..data.blocks import Sample
from ..engine import Engine
from ..engine.threads import Watched
from ..errors import InvalidParameter
from ..methods import IPSO, Method, Noise
from ..methods.method import Released, SummedMethod
from ..progress import Note, Progress
from ..rstream import RStream


def supported(method: Method) -> bool:
    """Whether a method's sums can be added over blocks."""
    if method.by_blocks:
        return True
    return isinstance(method, IPSO | Noise)


def require_supported(method: Method) -> None:
    """Raises InvalidParameter, with the way out, for a method that needs all records at once."""
    if not supported(method):
        rule = (
            "must work block by block here: FCRM (predictions), IPSO, or Noise; others compare "
            "records with each other (ranks, groups, neighbours), so protect the file by strata (strata=[...]), each of "
            "them in memory"
        )
        raise InvalidParameter("protect", "method", rule, str(method))


def release(method: Method, file: Sample, stream: RStream, note: Note) -> Released:
    """The release of a method that `supported` says can be made; draws come from the stream in the order of memory's."""
    if isinstance(method, SummedMethod):
        return method.fit(file, stream, note)
    if isinstance(method, IPSO):
        from ..methods.ipso_by_blocks import ipso

        values, draws = ipso(method, file.engine, file.blocks, (file.n, file.s, file.t), stream, note)
        return Released(values, draws)
    assert isinstance(method, Noise)
    from ..methods.noise_by_blocks import noise

    values, draws = noise(method, file, stream, note)
    return Released(values, draws)


def watched(engine: Engine, progress: Progress | None, method: Method, t: int) -> Engine:
    """The engine, telling `progress` of its passes if there is one; t : dependent columns."""
    return engine if progress is None else Watched(engine, progress, most_passes(method, t), str(method))


def most_passes(method: Method, t: int) -> int:
    """How often a method's records are gone through at most."""
    return method.passes(t) or (14 if isinstance(method, IPSO) else 6)
