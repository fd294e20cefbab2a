"""What stands before the studio: requests of other pages, other hosts and too large files are turned away."""

from __future__ import annotations

import re
from typing import Any, BinaryIO

from ..errors import InvalidInput
from .messages import Heard, Outbox
from .requests import AGAIN, HEADERS, Message, Receive, Refused, Send, Token, answer, authority, refuse, same_origin
from .visit import Upload, Visit

_ADDRESS = re.compile(r"/session/([0-9a-f]{1,128})/upload/([0-9a-f]{24})")
READING = ("GET", "HEAD")
MOST_VISITS = 100


class Receiving:
    """The ASGI application of every request that is not for reading. visits : by session, those that are open."""

    def __init__(self, visits: dict[str, Visit]) -> None:
        self.visits = visits

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        found = _ADDRESS.fullmatch(scope["path"])
        if scope["method"] != "POST" or found is None:
            raise Refused(405, "The studio only takes files that were announced.", close=True)
        visit = self.visits.get(found[1])
        upload = None if visit is None else visit.receive(found[2])
        if visit is None or upload is None:
            raise Refused(400, "The studio does not wait for this file, or has it already.", close=True)
        try:
            visit.check(_announced(scope))
            whole = await _written(visit, upload, receive)
        except BaseException as error:
            visit.drop(upload)
            if isinstance(error, InvalidInput):
                raise Refused(413, f"{error.rule}.", close=True) from None
            if isinstance(error, OSError):
                raise Refused(507, f"The file could not be kept: {error.strerror}.", close=True) from None
            raise
        if whole:
            visit.arrived(upload)
            await answer(send, 200, b"OK", "text/plain")
        else:
            visit.drop(upload)


async def _written(visit: Visit, upload: Upload, receive: Receive) -> bool:
    """Whether the whole body came, and is still wanted. Raises InvalidInput as soon as it is too much, and OSError of the disk."""
    with open(upload.path, "xb") as file:
        while True:
            message = await receive()
            if message["type"] != "http.request" or not visit.wants(upload):
                return False
            _write(visit, file, message.get("body", b""))
            if not message.get("more_body", False):
                return True


def _write(visit: Visit, file: BinaryIO, piece: bytes) -> None:
    visit.check(len(piece), file.tell())
    file.write(piece)
    file.flush()  # so that what the visit holds can be read off its folder


def _announced(scope: Message) -> int:
    """The length that the request says it has; 0 where it says none."""
    values: Any = dict(scope.get("headers", ())).get(b"content-length", b"0")
    return int(values) if values.isdigit() and len(values) < 20 else 0


class Guard:
    """An ASGI application around another.

    names, port : what a request may call its host, where only this machine is served; None for any. token : what a visitor
    must have brought, where others can reach the studio. receiving : takes every upload. A WebSocket must come from the page
    itself, and what it says must be what a page says.
    """

    def __init__(
        self,
        app: Any,
        receiving: Receiving,
        port: int,
        names: tuple[str, ...] | None = None,
        token: Token | None = None,
    ) -> None:
        self.app, self.receiving, self.port, self.names, self.token = app, receiving, port, names, token

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            if await self._brings_token(scope, send):
                return
            self.check(scope)
            self.check_room(scope)
            if scope["type"] == "websocket":
                await self._talk(scope, receive, send)
            elif scope["method"] in READING:
                await self.app(scope, receive, Held(send))
            else:
                await self.receiving(scope, receive, send)
        except Refused as refused:
            await refuse(scope["type"], refused, send)

    def check(self, scope: Message) -> None:
        """Raises Refused for a request that may not pass."""
        headers = _headers(scope)
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        whose = authority(host)
        if whose is None or (self.names is not None and (whose[0] not in self.names or whose[1] != self.port)):
            raise Refused(421, "This address is not the studio's.")
        # Where others can reach it, whoever set it up may have put something before it that encrypts.
        schemes = ("http",) if self.names is not None else ("http", "https")
        if origin is None and scope["type"] == "websocket":
            raise Refused(403, "Only the studio's own page may use it.")
        if origin is not None and not same_origin(origin, host, schemes):
            raise Refused(403, "Another page may not use the studio.")
        if self.token is not None and not self.token.lets_in([headers.get(b"cookie", "")]):
            raise Refused(403, "This studio opens with the address that it printed when it was started, token and all.")

    def check_room(self, scope: Message) -> None:
        """Raises Refused for one visit more than the studio has room for."""
        begins = scope["type"] == "websocket" or scope["path"] == "/"
        if begins and len(self.receiving.visits) >= MOST_VISITS:
            raise Refused(
                503, f"The studio has {MOST_VISITS} visits, and takes no more: come again when one has ended."
            )

    async def _brings_token(self, scope: Message, send: Send) -> bool:
        """Turn the token of the printed address into a cookie, and the address into the one without it."""
        if self.token is None or scope["type"] != "http" or scope["method"] not in READING or scope["path"] != "/":
            return False
        if not self.token.is_in(scope.get("query_string", b"")):
            return False
        if _headers(scope).get(b"sec-fetch-site") == "cross-site":
            await answer(send, 200, AGAIN, "text/html", self.token.header())
        else:
            await answer(send, 303, b"", "text/plain", self.token.header(), (b"location", b"/"))
        return True

    async def _talk(self, scope: Message, receive: Receive, send: Send) -> None:
        outbox = Outbox(send)
        try:
            await self.app(scope, Heard(receive, outbox.put), outbox.put)
        finally:
            await outbox.end()


class Held:
    """`send`, which holds a response's beginning back until there is some of its body: what cannot be made is refused then,
    and no empty file is handed out."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            return
        if self._start is not None:
            start, self._start = self._start, None
            await self._send(start)
        await self._send(message)


def _headers(scope: Message) -> dict[bytes, str]:
    """By name; of a name that comes twice all values, which no single one is equal to."""
    found: dict[bytes, str] = {}
    for name, value in scope.get("headers", ()):
        text, name = value.decode("latin-1"), name.lower()
        found[name] = f"{found[name]}; {text}" if name in found else text
    return found
