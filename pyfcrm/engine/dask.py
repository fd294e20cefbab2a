"""A Dask cluster, whose workers keep the blocks, and whose parts are added in the blocks' order."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

from ..arguments import whole_number
from ..errors import ClusterLost, InvalidParameter, MissingExtra
from .kernel import Block, Part, one_blas_thread

TASKS = 4  # for each worker and pass
CONNECT_TIMEOUT = 10  # seconds without a scheduler before it counts as lost


@dataclass(frozen=True)
class Dask:
    """Workers of dask.distributed.

    address : of a scheduler, such as "tcp://host:8786"; None starts a cluster of processes on this machine (the script
    needs its `if __name__ == "__main__"`); workers : their number, None for one a processor, at most 8. Results equal
    those of Local to the last bit for the same blocks. The work goes on when a worker dies.
    Errors: MissingExtra, InvalidParameter; ClusterLost where the scheduler cannot be reached or is lost.
    """

    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.address is not None and not isinstance(self.address, str):
            raise InvalidParameter("Dask", "address", "must be a scheduler's address", self.address)
        if self.workers is not None:
            object.__setattr__(self, "workers", whole_number("Dask", "workers", self.workers, low=1, limit=1024))

    @cached_property
    def client(self) -> Any:
        """The connection, opened at its first use."""
        try:
            import distributed
        except ImportError as error:
            raise MissingExtra("the Dask engine", "dask", "dask[distributed]") from error
        try:
            if self.address is not None:
                return distributed.Client(self.address, timeout=CONNECT_TIMEOUT, set_as_default=False)
            count = self.workers or min(8, os.cpu_count() or 1)
            cluster = distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
            )
            return distributed.Client(cluster, timeout=CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterLost(f"Dask: no scheduler answers at {self.address or 'a local cluster'}: {error}") from error

    def hold(self, blocks: Iterable[Any]) -> list[Any]:
        """Send arrays to the workers, which keep them. The scheduler can send them again when a worker dies."""
        import dask

        with self._one_error(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "10 GB"}):
            workers = max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
            listed = list(blocks)
            size = max(1, -(-len(listed) // (workers * TASKS)))
            groups = [listed[start : start + size] for start in range(0, len(listed), size)]
            futures = [self.client.submit(list, group, pure=False) for group in groups]
            return [_Held(future, k) for future, group in zip(futures, groups, strict=True) for k in range(len(group))]

    def total(
        self, part: Callable[[Block], Part], blocks: Iterable[Block], add: Callable[[Part, Part], Part] = operator.add
    ) -> Part:
        """See Engine.total. A block comes from `hold`, or is small and can be pickled, or is a tuple of these."""
        with self._one_error():
            tasks = [
                self.client.submit(_parts, part, list(futures), specified, pure=False)
                for futures, specified in _tasks(blocks)
            ]
            return reduce(add, (one for task in tasks for one in task.result()))

    def close(self) -> None:
        """Close the connection, and stop a cluster that this engine started."""
        if "client" in self.__dict__:
            client = self.__dict__.pop("client")
            cluster = client.cluster
            client.close(timeout=2)
            if cluster is not None:
                cluster.close(timeout=10)

    def __enter__(self) -> Dask:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _one_error(self) -> Iterator[None]:
        _ = self.client  # refused where the extra is missing
        from distributed import KilledWorker
        from distributed import TimeoutError as Late
        from distributed.comm import CommClosedError

        try:
            yield
        except (KilledWorker, CancelledError, CommClosedError, Late, ConnectionError) as error:
            cluster = f"the scheduler {self.address or 'of the local cluster'}"
            raise ClusterLost(f"Dask: {cluster} was lost ({type(error).__name__}); nothing was written") from error


@dataclass(frozen=True)
class _Held:
    """A block on a worker: its position in a list, and the list's future, or the list's position in a task."""

    future: Any
    at: int


def _tasks(blocks: Iterable[Any]) -> list[tuple[tuple[Any, ...], list[Any]]]:
    """The futures of lists, and consecutive blocks that lie in these lists: one task for each.

    A task costs milliseconds, so blocks that lie together are one task; their parts come back separately.
    """
    tasks: list[tuple[tuple[Any, ...], list[Any]]] = []
    for block in blocks:
        futures: list[Any] = []
        specified = _specified(block, futures)
        if not (futures and tasks and [f.key for f in tasks[-1][0]] == [f.key for f in futures]):
            tasks.append((tuple(futures), []))
        tasks[-1][1].append(specified)
    return tasks


def _specified(block: Any, futures: list[Any]) -> Any:
    """The block with positions in place of futures, which are added to `futures`."""
    if isinstance(block, tuple):
        return tuple(_specified(element, futures) for element in block)
    if not isinstance(block, _Held):
        return block
    futures.append(block.future)
    return _Held(len(futures) - 1, block.at)


def _parts(part: Callable[[Any], Any], lists: list[list[Any]], specified: list[Any]) -> list[Any]:
    def loaded(block: Any) -> Any:
        if isinstance(block, tuple):
            return tuple(map(loaded, block))
        return lists[block.future][block.at] if isinstance(block, _Held) else block

    with one_blas_thread():
        return [part(loaded(block)) for block in specified]
