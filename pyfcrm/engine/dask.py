"""A Dask cluster: blocks stay with the workers, parts come back and are added here, in the blocks' order."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from ..arguments import whole_number
from ..errors import ClusterLost, InvalidParameter, MissingExtra
from .kernel import Kernel, one_blas_thread

Block = TypeVar("Block")
Part = TypeVar("Part")
LOOK_AFTER = 0.1  # seconds between looks at a cluster while a part is on its way
LOCAL = "of the local cluster"
TASKS = 4  # for each worker and pass
PATIENCE = 10  # seconds without a scheduler before it counts as lost
ALONE = 300.0  # seconds without a single worker before the work does; one from a queue may take some minutes to come


@dataclass(frozen=True)
class Dask:
    """Workers of dask.distributed.

    address : of a scheduler, such as "tcp://host:8786"; None starts a cluster of processes on this machine (a script
    that does needs its `if __name__ == "__main__"`); workers : how many of these, None for one a processor, at most 8.
    Results are those of Local to the last bit where the blocks are the same: a part does not know where it was made.
    A worker that dies loses nothing: the scheduler keeps what was handed out, and no block is ever written to.
    Errors: MissingExtra, InvalidParameter; ClusterLost where the scheduler cannot be reached, or no longer, and where
    there has been no worker for five minutes.
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
        """The connection, made when it is first needed."""
        try:
            import distributed
        except ImportError as error:
            raise MissingExtra("the Dask engine", "dask", "dask[distributed]") from error
        try:
            if self.address is not None:
                return distributed.Client(self.address, timeout=PATIENCE, set_as_default=False)
            count = self.workers or min(8, os.cpu_count() or 1)
            cluster = distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
            )
            return distributed.Client(cluster, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterLost(f"Dask: no scheduler answers at {self.address or 'a local cluster'}: {error}") from error

    def hold(self, blocks: Iterable[Any]) -> list[Any]:
        """Hand arrays to the workers, who keep them. The scheduler can hand them out again when a worker dies."""
        import dask

        with self._one_error(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "10 GB"}):
            workers = max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
            listed = list(blocks)
            size = max(1, -(-len(listed) // (workers * TASKS)))
            held: list[Any] = []
            for start in range(0, len(listed), size):
                group = listed[start : start + size]
                future = self.client.submit(_as_it_is, group, pure=False)
                held.extend(_Held(future, k) for k in range(len(group)))
            return held

    def total(self, kernel: Kernel[Block, Part], blocks: Iterable[Block]) -> Part:
        """See Engine.total. A block is what `hold` gave, or something small that can be pickled, or a tuple of these."""
        with self._one_error():
            tasks = [
                self.client.submit(_parts, kernel, list(futures), specified, pure=False)
                for futures, specified in _tasks(blocks)
            ]
            sums: list[Part] = []
            while tasks:
                for made in self._made(tasks.pop(0)):  # popped, so that the worker need not keep it
                    sums = [kernel.add(sums[0], made)] if sums else [made]
            return sums[0]

    def close(self) -> None:
        """Let go of the cluster, and stop it where it was started here."""
        if "client" in self.__dict__:
            client = self.__dict__.pop("client")
            cluster = client.cluster if self.address is None else None
            client.close(timeout=2)
            if cluster is not None:
                cluster.close(timeout=10)

    def __enter__(self) -> Dask:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _made(self, future: Any) -> Any:
        """A future's part; that the scheduler or every worker went away is noticed, not waited for.

        That a part is done does not make it here: a worker may die with what it has made. So what is looked after is its way,
        and not by result(timeout), which distributed 2026.8 can lose when both end at once.
        """
        import asyncio

        made = asyncio.run_coroutine_threadsafe(self._gathered(future), self.client.loop.asyncio_loop)
        try:
            served = looked = time.monotonic()
            while not made.done():
                if self.client.status not in ("running", "connecting"):
                    raise ClusterLost(_lost(self.address, f"the client is {self.client.status}"))
                if (now := time.monotonic()) > looked + 1:
                    looked = now
                    served = now if self.client.scheduler_info(n_workers=1)["workers"] else served
                    if now > served + ALONE:
                        rule = f"has had no worker for {ALONE:.0f} s; nothing was written"
                        raise ClusterLost(f"Dask: the scheduler {self.address or LOCAL} {rule}")
                wait((made,), LOOK_AFTER)
            return made.result()
        finally:
            made.cancel()

    async def _gathered(self, future: Any) -> Any:
        return await self.client.gather(future, asynchronous=True)

    @contextmanager
    def _one_error(self) -> Iterator[None]:
        client = self.client
        from distributed import KilledWorker
        from distributed import TimeoutError as Late
        from distributed.comm import CommClosedError

        try:
            yield
        except KilledWorker as error:
            raise ClusterLost(f"Dask: workers died again and again over one block: {error}") from error
        except (CancelledError, CommClosedError, Late, ConnectionError) as error:
            if isinstance(error, ClusterLost):
                raise
            raise ClusterLost(_lost(self.address, f"{type(error).__name__}, the client is {client.status}")) from error


def _lost(address: str | None, why: str) -> str:
    return f"Dask: the scheduler {address or LOCAL} was lost ({why}); nothing was written"


def _as_it_is(block: Any) -> Any:
    return block


@dataclass(frozen=True)
class _Held:
    """A block on a worker, at a place in the list that a future stands for."""

    future: Any
    at: int


@dataclass(frozen=True)
class _At:
    """The same in a task, which has the lists themselves."""

    which: int
    at: int


def _tasks(blocks: Iterable[Any]) -> list[tuple[tuple[Any, ...], list[Any]]]:
    """Consecutive blocks that lie in the same lists, one task each: the lists' futures, and the blocks within them.

    A task costs milliseconds wherever it runs, so blocks that lie together are one; their parts come back unadded.
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
    """The block with places in lists for what is held; the lists' futures are added to `futures`."""
    if isinstance(block, tuple):
        return tuple(_specified(element, futures) for element in block)
    if not isinstance(block, _Held):
        return block
    futures.append(block.future)
    return _At(len(futures) - 1, block.at)


def _parts(kernel: Any, lists: list[list[Any]], specified: list[Any]) -> list[Any]:
    def found(one: Any) -> Any:
        if isinstance(one, tuple):
            return tuple(found(element) for element in one)
        return lists[one.which][one.at] if isinstance(one, _At) else one

    with one_blas_thread():
        return [kernel.part(found(block)) for block in specified]
