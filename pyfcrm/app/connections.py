"""Connections to the server: one that sends no request with the access token ends after some seconds."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

Peer = tuple[str, int]
PATIENCE = 5.0  # seconds until the first request with the token must have arrived


def protocol(admitted: set[Peer], patience: float = PATIENCE) -> type[H11Protocol]:
    """The server's protocol with this limit. admitted : the other ends of connections whose request had the token."""

    class Guarded(H11Protocol):
        """A connection."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self.peer: Peer = transport.get_extra_info("peername")
            self.limit = asyncio.get_running_loop().call_later(patience, self._end_unless_admitted, transport)

        def connection_lost(self, exc: Exception | None) -> None:
            self.limit.cancel()
            admitted.discard(self.peer)
            super().connection_lost(exc)

        def _end_unless_admitted(self, transport: Any) -> None:
            if self.peer not in admitted:
                transport.abort()

    return Guarded
