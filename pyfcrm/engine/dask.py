"""A Dask cluster, whose workers keep the blocks, and whose parts are added in the blocks' order."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import groupby
from typing import Any

from ..arguments import whole_number
from ..errors import ClusterLost, InvalidParameter, MissingExtra
from .kernel import Block, Part, one_blas_thread

TASKS = 4  # for each worker and pass
HELD = "held"  # begins the tuple of a block on a worker: then the future of a list of blocks, and the position there
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
            return [(HELD, future, k) for future, group in zip(futures, groups, strict=True) for k in range(len(group))]

    def total(
        self, part: Callable[[Block], Part], blocks: Iterable[Block], add: Callable[[Part, Part], Part] = operator.add
    ) -> Part:
        """See Engine.total. A block comes from `hold`, or is small and can be pickled, or is a tuple of these."""
        with self._one_error():
            from distributed import futures_of

            # A task costs milliseconds, so consecutive blocks that lie in one list are one task.
            groups = groupby(blocks, key=lambda block: [f.key for f in futures_of(block)] or id(block))
            tasks = [self.client.submit(_parts, part, list(group), pure=False) for _, group in groups]
            return reduce(add, (result for task in tasks for result in task.result()))

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


def _parts(part: Callable[[Any], Any], blocks: list[Any]) -> list[Any]:
    def loaded(block: Any) -> Any:
        if not isinstance(block, tuple):
            return block
        return block[1][block[2]] if isinstance(block[0], str) else tuple(map(loaded, block))

    with one_blas_thread():
        return [part(loaded(block)) for block in blocks]
