"""What a method releases, block by block: fitted by passes over the blocks, then worked out for one block at a time."""

from __future__ import annotations

import numpy as np

from ..data.blocks import Sample
from ..engine import Engine
from ..engine.threads import Watched
from ..errors import InvalidParameter
from ..fuzzy.fcrm import START
from ..methods import FCRM, METHODS, Method
from ..methods.method import Released, SummedMethod
from ..progress import Note, Progress
from ..rstream import RStream


def supported(method: Method) -> bool:
    """Whether a method's sums can be added over blocks."""
    if method.by_blocks:
        return True
    return isinstance(method, FCRM) and method.basis == "linear" and method.release == "predict"


def require_supported(method: Method) -> None:
    """Raises InvalidParameter, with the way out, for a method that needs all records at once."""
    if not supported(method):
        *most, last = [_name(one) for one in METHODS.values() if issubclass(one, SummedMethod | FCRM)]
        rule = (
            f"must work block by block here: {', '.join(most)}, or {last}; others compare "
            "records with each other (ranks, groups, neighbours), so protect the file by strata (strata=[...]), each of "
            "them in memory"
        )
        raise InvalidParameter("protect", "method", rule, str(method))


def _name(method: type[Method]) -> str:
    where = "linear, predictions" if method is FCRM else method.by_blocks_where
    return f"{method.__name__} ({where})" if where else method.__name__


def release(method: Method, file: Sample, stream: RStream, note: Note) -> Released:
    """The release of a method that `supported` says can be made; draws come from the stream in the order of memory's."""
    if isinstance(method, SummedMethod):
        return method.fit(file, stream, note)
    assert isinstance(method, FCRM)
    return _fcrm(method, file, stream, note)


def _fcrm(method: FCRM, file: Sample, stream: RStream, note: Note) -> Released:
    from ..fuzzy.fcrm_by_blocks import Settings, fit
    from ..numerics.design_by_blocks import basis

    if method.c > file.n:
        raise InvalidParameter("FCRM", "c", f"must be at most the number of records, {file.n}", method.c)
    note("each record's cluster is chosen by its own dependent values: look at its record linkage before release")
    columns = tuple(range(file.s, file.s + file.t))
    design = basis(file.engine, file.blocks, file.n, file.s, method.intercept)
    how = Settings(method.c, method.m, method.tol, method.max_iter)
    fits = [
        fit(file.engine, file.blocks, file.n, design, file.s, wanted, how, stream)
        for wanted in ([columns] if method.joint else [(j,) for j in columns])
    ]
    for k, lines in enumerate(fits):
        for text in lines.notes:
            note(text if method.joint else f"dependent attribute {k + 1}: {text}")
    return Released(lambda block: np.hstack([lines.fitted(block) for lines in fits]))


def watched(engine: Engine, progress: Progress | None, method: Method, t: int) -> Engine:
    """The engine, telling `progress` of its passes if there is one; t : dependent columns."""
    return engine if progress is None else Watched(engine, progress, most_passes(method, t), str(method))


def most_passes(method: Method, t: int) -> int:
    """How often a method's records are gone through at most."""
    if isinstance(method, FCRM):
        fits = (1 if method.joint else t) * (int(START["max_iter"]) + method.max_iter + 3)
        return 2 + fits + (int(START["max_iter"]) if method.basis == "rbf" else 0)
    return method.passes(t)
