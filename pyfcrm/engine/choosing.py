"""The engine that an `engine` argument means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InvalidParameter
from .kernel import Engine
from .local import Local


@contextmanager
def chosen(owner: str, engine: object) -> Iterator[Any]:
    """ "local", "dask" (a cluster of processes on this machine, stopped at the end), a scheduler's address, or an engine.

    Raises InvalidParameter for anything else.
    """
    if engine is None or engine == "local":
        yield Local()
    elif isinstance(engine, str) and (engine == "dask" or ":" in engine):
        from .dask import Dask

        with Dask(None if engine == "dask" else engine) as cluster:
            yield cluster
    elif not isinstance(engine, str | type) and callable(getattr(engine, "total", None)):
        yield engine
    else:
        rule = 'must be one of "local", "dask", a scheduler\'s address such as "tcp://host:8786", or an engine'
        raise InvalidParameter(owner, "engine", rule, engine)


def is_cluster(engine: Engine) -> bool:
    """Whether blocks are handed to workers elsewhere."""
    return hasattr(engine, "hold")
