"""What a page may say over its WebSocket, anything else ending that visit; and what the studio tells a page, sent by a
task of its own, so that a page that does not listen holds up nobody else."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from .requests import Message, Receive, Send

MOST_BYTES = 4 * 1024**2  # of one message
MOST_TEXT = 100_000  # characters of one value
MOST_NAMES = 20_000  # inputs of one visit: three for each column of the widest file that is shown, and room
MOST_DEEP = 8  # lists in lists
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
MOST = 64 * 1024**2  # characters that may wait for one page
LAST = 1.0  # seconds for what still waits at the end


class Odd(ValueError):
    """A message that no page of the studio sends."""


class Heard:
    """`receive`, for a WebSocket: every message read and checked; the first odd one ends the connection by `send`."""

    def __init__(self, receive: Receive, send: Callable[[Message], Awaitable[None]]) -> None:
        self._receive, self._send = receive, send
        self._begun = False
        self._names: set[str] = set()

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return message
        try:
            self.check(message.get("text"))
        except Odd as odd:
            await self._send({"type": "websocket.close", "code": 1008, "reason": str(odd)})
            return {"type": "websocket.disconnect", "code": 1008}
        return message

    def check(self, text: str | None) -> None:
        """Raises Odd."""
        message = _parsed(text)
        method = message.get("method")
        if not isinstance(method, str):
            raise Odd("A message must have a method.")
        if (method == "init") == self._begun:
            raise Odd("A visit begins with one message of its own, and once.")
        self._begun = True
        if method in ("init", "update"):
            self._check_inputs(message.get("data"))
        elif not isinstance(message.get("args"), list) or not isinstance(message.get("tag"), int):
            raise Odd("A request must have arguments and a tag.")
        elif method == "uploadInit":
            _check_files(message["args"])
        elif method == "uploadEnd" and not _are(str, message["args"], 2):
            raise Odd("The end of an upload must name the upload and its place.")

    def _check_inputs(self, data: object) -> None:
        if not isinstance(data, dict):
            raise Odd("The inputs must be an object.")
        for key, value in data.items():
            name, _, kind = key.partition(":")
            if not name or name in ("__proto__",) or not _fits(kind, value):
                raise Odd("An input must be of a kind that the page has.")
            if not _is_plain(value, MOST_DEEP):
                raise Odd("An input is too long or too deep.")
            self._names.add(name)
        if len(self._names) > MOST_NAMES:
            raise Odd("There are more inputs than a page has.")


def _parsed(text: str | None) -> dict[str, Any]:
    if text is None:
        raise Odd("A message must be text.")
    if len(text) > MOST_BYTES:
        raise Odd("A message is too long.")
    try:
        message = json.loads(text, parse_constant=_no_constant)
        if _SURROGATE.search(text):
            json.dumps(message, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):  # of JSON, of Unicode, of numbers with thousands of digits
        raise Odd("A message must be JSON.") from None
    if not isinstance(message, dict):
        raise Odd("A message must be an object.")
    return message


def _no_constant(word: str) -> None:
    raise ValueError(word)


def _fits(kind: str, value: object) -> bool:
    """Whether a value is one of the kind that its name announces: none, a button's, a number's, or a file's, which a page
    may only say that it has none of."""
    if kind == "":
        return True
    if kind == "shiny.action":
        return isinstance(value, int)
    if kind == "shiny.number":
        return value is None or isinstance(value, int | float)
    return kind == "shiny.file" and value is None


def _is_plain(value: object, deep: int) -> bool:
    """Whether a value is short text, a number or nothing, or a few of these in lists and objects."""
    if isinstance(value, str):
        return len(value) <= MOST_TEXT
    if isinstance(value, list | dict):
        inside = list(value.values()) if isinstance(value, dict) else value
        return deep > 0 and len(inside) <= MOST_NAMES and all(_is_plain(one, deep - 1) for one in inside)
    return value is None or abs(value) < 1e300  # type: ignore[arg-type]  # bool, int or float, after JSON


def _check_files(args: list[Any]) -> None:
    """uploadInit's one argument: a list of one file."""
    files = args[0] if len(args) == 1 else None
    if not isinstance(files, list) or len(files) != 1 or not isinstance(files[0], dict):
        raise Odd("An upload must be of one file.")
    one = files[0]
    if not isinstance(one.get("name"), str) or not isinstance(one.get("size"), int):
        raise Odd("A file must have a name and a size.")


def _are(kind: type, args: list[Any], many: int) -> bool:
    return len(args) == many and all(isinstance(one, kind) for one in args)


class Outbox:
    """`put` in place of an ASGI `send`: it never waits. To be made where an event loop runs."""

    def __init__(self, send: Send) -> None:
        self._send, self._waiting, self._closed = send, 0, False
        self._queue: asyncio.Queue[Message] = asyncio.Queue()
        self._task = asyncio.create_task(self._pump())

    async def put(self, message: Message) -> None:
        """Send it soon. Raises OSError for a page that is gone, or that too much waits for."""
        self._closed = self._closed or self._waiting > MOST
        if self._closed:
            raise OSError("the page does not listen any more")
        self._waiting += len(message.get("text") or "")
        self._queue.put_nowait(message)

    async def end(self) -> None:
        """Nothing more will come."""
        if not self._closed:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._queue.join(), LAST)
        self._task.cancel()

    async def _pump(self) -> None:
        while True:
            message = await self._queue.get()
            try:
                if not self._closed:
                    await self._send(message)
            except Exception:  # whatever the server has for a connection that is closed
                self._closed = True
            self._waiting -= len(message.get("text") or "")
            self._queue.task_done()
