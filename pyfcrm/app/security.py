"""What every request must pass: host, origin, access token and size; and the headers of every response."""

import asyncio
import hmac
import secrets
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .connections import Peer

LOCAL = ("127.0.0.1", "localhost")
MB = 1024**2
FORM_BYTES = MB  # of a form without a file
PATIENCE = 30  # seconds until the next piece of a request must have arrived
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
CLOSE = {"Connection": "close"}
REDIRECT = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>pyfcrm studio</title><meta http-equiv="refresh" content="0; url={address}"></head>
<body><p><a href="{address}">Open the studio</a></p></body></html>
"""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class AccessToken:
    """The secret in the printed address, which opens the studio once, and the cookie that replaces it."""

    def __init__(self, port: int) -> None:
        self.text = secrets.token_urlsafe(32)
        self._value = secrets.token_urlsafe(32)  # of the cookie
        self._used = False
        self._name = f"pyfcrm-{port}"  # studios of one host share their cookies

    def accepts(self, request: Request) -> bool:
        """Whether a request has the cookie."""
        return hmac.compare_digest(request.cookies.get(self._name, "").encode(), self._value.encode())

    def admit(self, request: Request) -> Response | None:
        """The response that sets the cookie, if the address contains the token for the first time."""
        token = request.query_params.get("token", "")
        if self._used or not hmac.compare_digest(token.encode(), self.text.encode()):
            return None
        self._used = True
        # A page of the studio: a redirect from another page, such as a file, would come without the cookie.
        response = HTMLResponse(redirect_page("/"))
        response.set_cookie(self._name, self._value, httponly=True, samesite="strict")
        return response


class Guard:
    """An ASGI application before another one.

    port : of this studio; upload_bytes : of a request with a file; admitted : receives the other ends of connections whose
    request had the token or the cookie.
    """

    def __init__(
        self, app: ASGIApp, token: AccessToken, port: int, upload_bytes: int, admitted: set[Peer] | None = None
    ) -> None:
        self.app = app
        self.token = token
        self.upload_bytes = upload_bytes
        self.admitted = set[Peer]() if admitted is None else admitted
        self.hosts = {f"{name}:{port}" for name in LOCAL}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the server has no WebSocket
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        limit = self.upload_bytes if scope["path"].endswith("/upload") else FORM_BYTES
        response = self._refusal(Request(scope))
        await (response or self.app)(scope, _limited(receive, limit), send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        """The response to a request that may not pass."""
        host = request.headers.get("host", "")
        if host not in self.hosts:
            return refuse("This address is not the studio's.", 421)
        if not self.token.accepts(request):
            if request.method == "GET" and (found := self.token.admit(request)):
                return found
            return refuse(
                "Open the studio by the address that it printed when it started. The access token in it opens one browser: "
                "for another one, end the studio and start it again.",
                403,
            )
        if request.client is not None:
            self.admitted.add((request.client.host, request.client.port))
        if request.method not in ("GET", "HEAD") and request.headers.get("origin") != f"http://{host}":
            return refuse("Only the studio's own pages may use it.", 403)
        return None


def _limited(receive: Receive, limit: int) -> Receive:
    """`receive` with a limit on bytes, and on the time between two pieces."""
    received = 0
    complete = False

    async def receive_limited() -> Message:
        nonlocal received, complete
        try:
            message: Any = await (receive() if complete else asyncio.wait_for(receive(), PATIENCE))
        except TimeoutError:
            raise HTTPException(408, "The request did not arrive in time.", CLOSE) from None
        received += len(message.get("body", b""))
        complete = complete or not message.get("more_body", False)
        if received > limit:
            raise HTTPException(413, f"A request may have at most {limit // MB} MB.", CLOSE)
        return message

    return receive_limited


def redirect_page(address: str) -> str:
    """A page that leads to an address."""
    return REDIRECT.format(address=address)


def refuse(text: str, status: int) -> Response:
    """A response of one sentence, after which the connection ends."""
    return PlainTextResponse(text, status, CLOSE)
