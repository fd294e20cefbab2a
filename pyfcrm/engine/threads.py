"""The engine that an `engine` argument means; threads of this machine; and an engine that reports each pass."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, Generic, TypeVar, cast

from ..arguments import whole_number
from ..errors import InvalidParameter
from ..progress import ProgressTracker
from .kernel import Engine, Kernel

Block = TypeVar("Block")
Part = TypeVar("Part")
MOST_THREADS = 8  # beyond them the memory is what is waited for
IN_THREADS = 50_000  # records from which threads pay
Result = TypeVar("Result")


@dataclass(frozen=True)
class Local:
    """Threads of this process.

    threads : how many, at least 1; None is one for each processor at hand, at most 8. The result does not depend on it.
    """

    threads: int | None = None

    def __post_init__(self) -> None:
        if self.threads is not None:
            object.__setattr__(self, "threads", whole_number("Local", "threads", self.threads, low=1))

    @property
    def most(self) -> int:
        """How many threads it works on at most."""
        return self.threads or _processors()

    def total(self, kernel: Kernel[Block, Part], blocks: Iterable[Block]) -> Part:
        """See Engine.total. Blocks that are read when they are needed (a generator) are never all in memory."""
        threads = self.most
        if isinstance(blocks, list | tuple):
            threads = min(threads, len(blocks))
        work = _Work(kernel, iter(blocks))
        if threads == 1:
            work.run()
        else:
            _side_by_side(work, threads - 1)
        return work.sum()


class _Work(Generic[Block, Part]):
    """The blocks still to do, and the sum of those done: parts wait until all before them have been added."""

    def __init__(self, kernel: Kernel[Block, Part], blocks: Iterator[Block]) -> None:
        self.kernel, self.blocks = kernel, enumerate(blocks)
        self.taking, self.adding = Lock(), Lock()
        self.waiting: dict[int, Part] = {}
        self.added: list[Part] = []  # the sum, once there is one
        self.next, self.failed = 0, False

    def run(self) -> None:
        """Take blocks until none is left, or one of the threads has failed."""
        try:
            while not self.failed:
                with self.taking:
                    at, block = next(self.blocks, (-1, None))
                if block is None:
                    return
                self.deliver(at, self.kernel.part(block))
        except BaseException:
            self.failed = True
            raise

    def deliver(self, at: int, part: Part) -> None:
        with self.adding:
            self.waiting[at] = part
            while self.next in self.waiting:
                part = self.waiting.pop(self.next)
                self.added = [self.kernel.add(self.added[0], part)] if self.added else [part]
                self.next += 1

    def sum(self) -> Part:
        return self.added[0]


def _side_by_side(work: _Work[Any, Any], helpers: int) -> None:
    """The work by this thread and as many helpers. Returns when none of them works on it any more."""
    others: list[Future[None]] = []
    try:
        others += [_helpers(helpers).submit(work.run) for _ in range(helpers)]
        work.run()
    except BaseException:
        work.failed = True
        raise
    finally:  # a helper that has not begun, being busy elsewhere, need not
        begun = [other for other in others if not other.cancel()]
        wait(begun)
    for other in begun:
        other.result()


@cache  # starting a thread for each pass takes a tenth of a small one
def _helpers(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads)


def _processors() -> int:
    at_hand = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST_THREADS, at_hand)


def side_by_side(work: Callable[[int], Result], pieces: int, n: int, engine: Engine | None = None) -> list[Result]:
    """[work(0), ..., work(pieces - 1)]. n : records of the file; work must leave the others' pieces alone.

    engine : of this machine, whose threads long files take; None is Local().
    """
    if n < IN_THREADS or pieces < 2:
        return [work(j) for j in range(pieces)]
    return (engine or Local()).total(_Pieces(work), list(range(pieces)))


@dataclass(frozen=True)
class _Pieces(Generic[Result]):
    """An engine's kernel whose blocks are pieces by number, and whose sum is the list of their results."""

    work: Callable[[int], Result]

    def part(self, block: int) -> list[Result]:
        return [self.work(block)]

    def add(self, a: list[Result], b: list[Result]) -> list[Result]:
        a += b
        return a


class Watched:
    """An engine whose work belongs to a tracker: it is checked between blocks of records and counts each pass.

    passes : the most there can be; 0 where they are not reported.
    """

    def __init__(self, engine: Engine, tracker: ProgressTracker, passes: int = 0) -> None:
        self.engine, self.tracker, self.passes, self.done = engine, tracker, passes, 0
        if hasattr(engine, "hold"):
            self.hold = engine.hold

    def total(self, kernel: Kernel[Block, Part], blocks: Iterable[Block]) -> Part:
        """See Engine."""
        self.tracker.check()
        # A cluster's kernels go elsewhere, where there is nobody to ask.
        asking = kernel if hasattr(self, "hold") else _Asking(kernel, self.tracker)
        part: Any = self.engine.total(asking, blocks)
        if self.passes:
            self.done += 1
            self.tracker.step(min(self.done, self.passes), self.passes)
        return part


@dataclass(frozen=True)
class _Asking(Generic[Block, Part]):
    """A kernel that asks before each block whether its tracker goes on."""

    kernel: Kernel[Block, Part]
    tracker: ProgressTracker

    def part(self, block: Block) -> Part:
        self.tracker.check()
        return self.kernel.part(block)

    def add(self, a: Part, b: Part) -> Part:
        return self.kernel.add(a, b)


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


def on_this_machine(engine: Engine) -> Engine:
    """The engine, or threads of this machine where it is a cluster."""
    return Local() if is_cluster(engine) else engine
