"""Engines: threads of this process, a Dask cluster, whose workers keep the blocks, and one that reports its passes; and
the choice of an engine.

Blocks of rows depend on their number alone, and parts are added in the order of the blocks.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import groupby
from threading import Thread
from typing import Any, Protocol, TypeVar

from ..arguments import whole_number
from ..errors import ClusterLost, InvalidParameter, MissingExtra
from ..progress import ProgressTracker

Block = TypeVar("Block")
Part = TypeVar("Part")
Result = TypeVar("Result")
MAX_THREADS = 8  # more wait for memory
IN_THREADS = 50_000  # records from which threads save time
TASKS = 4  # for each worker and pass
HELD = "held"  # begins the tuple of a block on a worker: then the future of a list of blocks, and the position there
CONNECT_TIMEOUT = 10  # seconds without a scheduler before it counts as lost
MIN_ROWS = 8192  # of a block; below twice as many there is one block, as threads would not save time
MAX_BLOCKS = 256
MULTIPLE = 256  # rows that kernels process at a time


class Engine(Protocol):
    """Applies a function to blocks of rows, and adds its results in the blocks' order: (((0 + 1) + 2) + 3)."""

    def total(
        self, part: Callable[[Block], Part], blocks: Iterable[Block], add: Callable[[Part, Part], Part] = operator.add
    ) -> Part:
        """The sum of the parts of at least one block. The same for any number of threads or workers, to the last bit.

        part : may write to the arrays of its own block only; add : of two parts, the rows of the first before those of the
        second.
        """


def row_blocks(n: int) -> list[slice]:
    """n >= 1 rows in blocks of about equal size, which depends on n and on nothing else.

    From 8192 to 16384 rows each (fewer than 16384 are one block, more than 4 million are 256 larger ones), in multiples
    of 256.
    """
    count = 1
    while count < MAX_BLOCKS and n >= 2 * count * MIN_ROWS:
        count *= 2
    size = -(-n // (count * MULTIPLE)) * MULTIPLE
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


@dataclass(frozen=True)
class Local:
    """Threads of this process.

    threads : their number, at least 1; None is one for each available processor, at most 8. It does not change results.
    """

    threads: int | None = None

    def __post_init__(self) -> None:
        if self.threads is not None:
            object.__setattr__(self, "threads", whole_number("Local", "threads", self.threads, low=1))

    @property
    def most(self) -> int:
        """The largest number of threads."""
        return self.threads or _processors()

    def total(
        self, part: Callable[[Block], Part], blocks: Iterable[Block], add: Callable[[Part, Part], Part] = operator.add
    ) -> Part:
        """See Engine.total."""
        listed = list(blocks)
        threads = min(self.most, len(listed))
        if threads == 1:
            return reduce(add, map(part, listed))
        turns, parts, failed = iter(range(len(listed))), dict[int, Part](), list[BaseException]()

        def work() -> None:
            try:
                for k in turns:
                    if failed:
                        break
                    parts[k] = part(listed[k])
            except BaseException as error:
                failed.append(error)

        # Not a pool: an interrupt while it starts a thread would leave one that the end of the process waits for.
        helpers = [Thread(target=work) for _ in range(threads - 1)]
        try:
            for helper in helpers:
                helper.start()
            work()
            for helper in helpers:
                helper.join()
        except BaseException as error:  # an interrupt: the helpers end after their block
            failed.append(error)
        if failed:
            raise failed[0]
        return reduce(add, map(parts.__getitem__, range(len(listed))))


def _processors() -> int:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MAX_THREADS, count)


def side_by_side(work: Callable[[int], Result], pieces: int, n: int, engine: Engine | None = None) -> list[Result]:
    """[work(0), ..., work(pieces - 1)]. n : records of the file; each call works on its own piece only.

    engine : of this machine, whose threads work on long files; None is Local().
    """
    if n < IN_THREADS or pieces < 2:
        return [work(j) for j in range(pieces)]
    return (engine or Local()).total(lambda j: [work(j)], range(pieces))


class Watched:
    """An engine whose work belongs to a tracker: cancelled between blocks of records, with progress after each pass.

    passes : their largest number; 0 where they are not reported.
    """

    def __init__(self, engine: Engine, tracker: ProgressTracker, passes: int = 0) -> None:
        self.engine, self.tracker, self.passes, self.done = engine, tracker, passes, 0
        if hasattr(engine, "hold"):
            self.hold = engine.hold

    def total(
        self, part: Callable[[Block], Part], blocks: Iterable[Block], add: Callable[[Part, Part], Part] = operator.add
    ) -> Part:
        """See Engine."""
        self.tracker.check()

        def checked(block: Block) -> Part:
            self.tracker.check()
            return part(block)

        # A cluster's parts are computed by other processes, which have no tracker.
        result = self.engine.total(part if hasattr(self, "hold") else checked, blocks, add)
        if self.passes:
            self.done += 1
            self.tracker.step(min(self.done, self.passes), self.passes)
        return result


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
    with one_blas_thread():
        return [part(_loaded(block)) for block in blocks]


def _loaded(block: Any) -> Any:
    if not isinstance(block, tuple):
        return block
    return block[1][block[2]] if isinstance(block[0], str) else tuple(map(_loaded, block))


@contextmanager
def chosen(owner: str, engine: object) -> Iterator[Any]:
    """ "local", "dask" (a cluster of processes on this machine, stopped at the end), a scheduler's address, or an engine.

    Raises InvalidParameter for any other value.
    """
    if engine is None or (isinstance(engine, str) and engine == "local"):
        yield Local()
    elif isinstance(engine, str) and (engine == "dask" or ":" in engine):
        with Dask(None if engine == "dask" else engine) as cluster:
            yield cluster
    elif not isinstance(engine, type) and callable(getattr(engine, "total", None)):
        yield engine
    else:
        rule = 'must be one of "local", "dask", a scheduler\'s address such as "tcp://host:8786", or an engine'
        raise InvalidParameter(owner, "engine", rule, engine)


def is_cluster(engine: Engine) -> bool:
    """Whether blocks are sent to other processes."""
    return hasattr(engine, "hold")


def on_this_machine(engine: Engine) -> Engine:
    """The engine, or threads of this machine where it is a cluster."""
    return Local() if is_cluster(engine) else engine


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS on one thread: after each call its threads would keep the processors busy for a while."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache  # finding the BLAS libraries takes longer than a small fit
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
