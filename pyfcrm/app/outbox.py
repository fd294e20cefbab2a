"""What the studio tells a page: sent by a task of its own, so that a page that does not listen holds up nobody else."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from .refusing import Message, Send

MOST = 64 * 1024**2  # characters that may wait for one page
LAST = 1.0  # seconds for what still waits at the end


class Outbox:
    """`put` in place of an ASGI `send`: it never waits. To be made where an event loop runs."""

    def __init__(self, send: Send) -> None:
        self._send, self._waiting, self._gone = send, 0, False
        self._queue: asyncio.Queue[Message] = asyncio.Queue()
        self._task = asyncio.create_task(self._pump())

    async def put(self, message: Message) -> None:
        """Send it soon. Raises OSError for a page that is gone, or that too much waits for."""
        self._gone = self._gone or self._waiting > MOST
        if self._gone:
            raise OSError("the page does not listen any more")
        self._waiting += len(message.get("text") or "")
        self._queue.put_nowait(message)

    async def end(self) -> None:
        """Nothing more will come."""
        if not self._gone:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._queue.join(), LAST)
        self._task.cancel()

    async def _pump(self) -> None:
        while True:
            message = await self._queue.get()
            try:
                if not self._gone:
                    await self._send(message)
            except Exception:  # whatever the server has for a connection that is closed
                self._gone = True
            self._waiting -= len(message.get("text") or "")
            self._queue.task_done()
