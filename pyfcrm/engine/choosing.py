"""The engine that an `engine` argument means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from ..errors import InvalidParameter
from .kernel import Engine
from .local import Local


@contextmanager
def chosen(owner: str, engine: object) -> Iterator[Any]:
    """ "local", "dask" (a cluster of processes on this machine, stopped at the end), a scheduler's address, or an engine.

    Raises InvalidParameter for anything else.
    """
    if engine is None or (isinstance(engine, str) and engine == "local"):
        yield Local()
    elif isinstance(engine, str) and (engine == "dask" or ":" in engine):
        from .dask import Dask

        with Dask(None if engine == "dask" else engine) as cluster:
            yield cluster
    elif is_engine(engine):
        yield engine
    else:
        rule = 'must be one of "local", "dask", a scheduler\'s address such as "tcp://host:8786", or an engine'
        raise InvalidParameter(owner, "engine", rule, engine)


def as_engine(owner: str, engine: object) -> Engine:
    """An engine as it is; None is this machine's threads. Raises InvalidParameter for anything else."""
    if engine is None:
        return Local()
    if not is_engine(engine):
        raise InvalidParameter(owner, "engine", "must be an engine such as Local(threads=2), or None", engine)
    return cast(Engine, engine)


def is_engine(engine: object) -> bool:
    """Whether it can total a kernel over blocks."""
    return not isinstance(engine, type) and callable(getattr(engine, "total", None))


def is_cluster(engine: Engine) -> bool:
    """Whether blocks are handed to workers elsewhere."""
    return hasattr(engine, "hold")
