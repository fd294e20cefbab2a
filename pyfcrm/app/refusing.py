"""How the studio says no: a status and one sentence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

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


class Refused(Exception):
    """A request that is not served; status as HTTP has it, sentence for whoever asked; close : whether no more may come on
    this connection, of a body that was not read to its end."""

    def __init__(self, status: int, sentence: str, close: bool = False) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.close = status, sentence, close


async def refuse(kind: str, refused: Refused, send: Send) -> None:
    """Answer a request of this kind, "http" or "websocket"."""
    if kind == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": refused.sentence})
        return
    more = [(b"connection", b"close")] if refused.close else []
    await answer(send, refused.status, refused.sentence.encode(), "text/plain", *more)


async def answer(send: Send, status: int, body: bytes, kind: str, *more: tuple[bytes, bytes]) -> None:
    """A whole response."""
    length = str(len(body)).encode()
    headers = [(b"content-type", f"{kind}; charset=utf-8".encode()), (b"content-length", length), *more, *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
