"""Requests to the studio: hosts and origins as browsers write them, read strictly and compared by name and port; the
token of a studio that others can reach; and how the studio says no, by a status and one sentence."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, quote

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
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::([0-9]{1,5}))?", re.IGNORECASE | re.ASCII)
NAME = "pyfcrm-studio"
# From a link on another page the browser would not send a strict cookie along a redirect: that page asks once more itself.
AGAIN = (
    b'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><title>pyfcrm studio</title>'
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


def authority(text: str, scheme: str = "http") -> tuple[str, int] | None:
    """Name, in lower case, and port of "name" or "name:port"; None for anything else."""
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        return None
    name, port = found[1].lower(), int(found[2]) if found[2] else PORTS[scheme]
    if name.startswith("["):
        try:
            name = f"[{ipaddress.IPv6Address(name[1:-1]).compressed}]"
        except ValueError:
            return None
    return name, port


def same_origin(origin: str, host: str, schemes: Collection[str] = ("http",)) -> bool:
    """Whether a page of this origin is a page of this host.

    schemes : under which the studio is reached.
    """
    scheme, mark, rest = origin.partition("://")
    scheme = scheme.lower()
    if not mark or scheme not in schemes:
        return False
    whose = authority(rest, scheme)
    return whose is not None and whose == authority(host, scheme)


def is_local(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_of(host: str) -> tuple[str, ...]:
    """The names under which a studio that listens on this machine's own `host` may be asked for."""
    return tuple(dict.fromkeys((*LOCAL_NAMES, in_address(host))))


def in_address(host: str) -> str:
    """The host as it stands in an address."""
    if ":" not in host:
        return host.lower()
    plain, _, zone = host.partition("%")
    if zone:
        return f"[{host.lower()}]"
    return f"[{ipaddress.IPv6Address(plain).compressed}]"


def address(host: str, port: int, token: str = "") -> str:
    """Where the studio is; token : what lets a visitor in, if anything has to."""
    return f"http://{in_address(host)}:{port}/" + (f"?token={quote(token)}" if token else "")


class Token:
    """A token of this start of the studio, and the cookie it is turned into. `port` is in the cookie's name, since the
    studios of one host share their cookies."""

    def __init__(self, port: int) -> None:
        self.text, self._inside = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.cookie = f"{NAME}-{port}"

    def lets_in(self, cookies: Iterable[str]) -> bool:
        """Whether one of these cookie headers has the cookie."""
        values = [part.strip().partition("=") for header in cookies for part in header.split(";")]
        return any(_same(value, self._inside) for name, _, value in values if name == self.cookie)

    def is_in(self, query: bytes) -> bool:
        """Whether a query string has the token."""
        try:
            pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=20)
        except ValueError:
            return False
        return any(_same(value, self.text) for name, value in pairs if name == "token")

    def header(self) -> tuple[bytes, bytes]:
        """What sets the cookie."""
        words = f"{self.cookie}={self._inside}; Path=/; HttpOnly; SameSite=Strict"
        return b"set-cookie", words.encode("ascii")


def _same(values: str, expected: str) -> bool:
    """In constant time."""
    return hmac.compare_digest(values.encode("utf-8", "surrogateescape"), expected.encode("ascii"))
