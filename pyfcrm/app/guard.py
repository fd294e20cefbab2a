"""What stands before the studio: requests of other pages, other hosts and too large files are turned away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
# Nothing may be fetched from elsewhere, and no other page may show this one.
POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' ws: wss:; "
    "frame-ancestors 'none'; form-action 'self'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """An ASGI application around another.

    A request must name this machine as its host where only this machine is served (`port`; else None), so that a name
    that was pointed here does not help a stranger's page; a WebSocket must come from the page itself; a body is
    cut off after `most` bytes.
    """

    def __init__(self, app: Any, most: int, port: int | None) -> None:
        self.app, self.most, self.port = app, most, port

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope.get("headers", ())}
        refused = self.refusal(scope["type"], headers)
        if refused is not None:
            await _refuse(scope["type"], *refused, send)
            return
        await self.app(scope, self._counted(receive), _with_headers(send))

    def refusal(self, kind: str, headers: MutableMapping[bytes, str]) -> tuple[int, str] | None:
        """Status and sentence, or None for a request that may pass."""
        host = headers.get(b"host", "")
        if self.port is not None and host not in [f"{name}:{self.port}" for name in LOCAL_NAMES]:
            return 421, "This address is not the studio's."
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "Another page may not use the studio."
        if kind == "http" and int(headers.get(b"content-length") or 0) > self.most:
            return 413, f"A file may have {self.most // 1024**2} MB at most."
        return None

    def _counted(self, receive: Receive) -> Receive:
        """`receive`, ending the request where more comes than was announced."""
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > self.most:
                    return {"type": "http.disconnect"}
            return message

        return counted


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await send(message)

    return sending


async def _refuse(kind: str, status: int, sentence: str, send: Send) -> None:
    if kind == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": sentence})
        return
    body = sentence.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
