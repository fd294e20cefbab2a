"""Work beside the event loop: in threads that the end of the studio does not wait for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Made = TypeVar("Made")
SMALL = 4 * 1024**2  # bytes of a file that is read in a moment


async def aside(work: Callable[..., Made], *given: Any, after: Callable[[], object] | None = None) -> Made:
    """work(*given), awaited, in a daemon thread of its own; after : called in the loop once the thread is done.

    Not asyncio.to_thread, whose threads Ctrl-C would have to wait for.
    """
    loop = asyncio.get_running_loop()
    made: asyncio.Future[Made] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Made | None, error: BaseException | None) -> None:
        if after is not None:
            after()
        if made.cancelled():
            return
        if error is not None:
            made.set_exception(error)
        else:
            made.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = context.run(work, *given)
        except BaseException as caught:
            error = caught
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, daemon=True).start()
    return await made


class Places:
    """So many files are read at once, the others wait; small ones do not wait for large ones. A place is free again when its
    thread is done, not before."""

    def __init__(self, small: int = 6, large: int = 2) -> None:
        self._small, self._large = asyncio.Semaphore(small), asyncio.Semaphore(large)

    async def run(self, size: int, work: Callable[..., Made], *given: Any) -> Made:
        """work(*given) as `aside` does it, when there is a place. size : of the file, in bytes."""
        lane = self._small if size < SMALL else self._large
        await lane.acquire()
        return await aside(work, *given, after=lane.release)
