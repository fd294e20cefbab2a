"""The choice of an engine; the local engine, threads of this process; and an engine that reports its passes."""

import operator
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from threading import Thread
from typing import Any, TypeVar

from ..arguments import whole_number
from ..errors import InvalidParameter
from ..progress import ProgressTracker
from .kernel import Block, Engine, Part

MAX_THREADS = 8  # more wait for memory
IN_THREADS = 50_000  # records from which threads save time
Result = TypeVar("Result")


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


@contextmanager
def chosen(owner: str, engine: object) -> Iterator[Any]:
    """ "local", "dask" (a cluster of processes on this machine, stopped at the end), a scheduler's address, or an engine.

    Raises InvalidParameter for any other value.
    """
    if engine is None or (isinstance(engine, str) and engine == "local"):
        yield Local()
    elif isinstance(engine, str) and (engine == "dask" or ":" in engine):
        from .dask import Dask

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
