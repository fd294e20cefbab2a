"""How a dropped file reaches the page's server, and work beside the event loop, in threads that the end of the studio
does not wait for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from shiny import Session, reactive
from shiny.types import SafeException

from ..errors import InvalidInput
from .visit import Upload, Visit

Made = TypeVar("Made")
SMALL = 4 * 1024**2  # bytes of a file that is read in a moment


async def aside(work: Callable[..., Made], *values: Any, after: Callable[[], object] | None = None) -> Made:
    """work(*values), awaited, in a daemon thread of its own; after : called in the loop once the thread is done.

    Not asyncio.to_thread, whose threads Ctrl-C would have to wait for.
    """
    loop = asyncio.get_running_loop()
    output: asyncio.Future[Made] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Made | None, error: BaseException | None) -> None:
        if after is not None:
            after()
        if output.cancelled():
            return
        if error is not None:
            output.set_exception(error)
        else:
            output.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = context.run(work, *values)
        except BaseException as caught:
            error = caught
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, daemon=True).start()
    return await output


class Places:
    """So many files are read at once, the others wait; small ones do not wait for large ones. A place is free again when its
    thread is done, not before."""

    def __init__(self, small: int = 6, large: int = 2) -> None:
        self._small, self._large = asyncio.Semaphore(small), asyncio.Semaphore(large)

    async def run(self, size: int, work: Callable[..., Made], *values: Any) -> Made:
        """work(*values) as `aside` does it, when there is a place. size : of the file, in bytes."""
        lane = self._small if size < SMALL else self._large
        await lane.acquire()
        return await aside(work, *values, after=lane.release)


@dataclass(frozen=True)
class Arrived:
    """What arrived last in one drop zone; calling it is a reactive read. places : where it may be read."""

    value: reactive.Value[Upload | None]
    places: Places

    def __call__(self) -> Upload | None:
        return self.value()


class Arriving:
    """Shiny's two messages around an upload, answered by the visit. The inputs that Shiny keeps for files are never read,
    since a page can set them to what it likes."""

    def __init__(self, session: Session, visit: Visit, places: Places) -> None:
        self._session, self._visit, self._places = session, visit, places
        self._zones: dict[str, reactive.Value[Upload | None]] = {}
        session.set_message_handler("uploadInit", self._begin)
        session.set_message_handler("uploadEnd", self._end)

    def at(self, zone: str) -> Arrived:
        """What arrives in the drop zone of this id."""
        self._zones[zone] = reactive.Value(None)
        return Arrived(self._zones[zone], self._places)

    async def _begin(self, files: list[dict[str, Any]]) -> dict[str, Any]:
        try:
            upload = self._visit.begin(files[0]["name"], files[0]["size"])
        except InvalidInput as error:
            raise SafeException(f"{error.rule}.") from None
        return {"jobId": upload.job, "uploadUrl": f"session/{self._session.id}/upload/{upload.job}?w="}

    async def _end(self, job: str, zone: str) -> None:
        if zone not in self._zones:
            raise SafeException("There is no such place for a file.")
        try:
            self._zones[zone].set(self._visit.take(job))
        except InvalidInput as error:
            raise SafeException(f"{error.rule}.") from None
