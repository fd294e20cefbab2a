"""Serving the studio: a port of this machine, the application and its routes."""

import asyncio
import signal
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ..arguments import whole_number
from ..errors import InvalidParameter
from . import actions, blackboard, pages
from .connections import Peer, protocol
from .files import SITE, UPLOAD_MB
from .folders import remove_abandoned
from .security import MB, AccessToken, Guard, redirect_page
from .state import Studies

HOST, PORT, TRIES = "127.0.0.1", 8765, 20
ENDING = ("SIGHUP", "SIGQUIT")  # a terminal that is closed, and Ctrl-\\: as SIGTERM
STATIC = Path(__file__).parent / "static"


def application(studies: Studies) -> Starlette:
    """The studio without its guard. Its folders are removed when it ends, also after a signal."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async def end_idle() -> None:
            while True:
                await asyncio.sleep(60)
                studies.end_idle()

        task = asyncio.create_task(end_idle())
        try:
            yield
        finally:
            task.cancel()
            studies.end()

    routes: list[BaseRoute] = [
        Route("/", pages.start),
        Route("/s/{key}/upload", actions.upload, methods=["POST"]),
        Route("/s/{key}/do/{action}", actions.act, methods=["POST"]),
        Route("/s/{key}/status", pages.status),
        Route("/s/{key}/trial/{number:int}/{place:int}.png", pages.picture),
        Route("/s/{key}/trial/{number:int}/{download}", pages.download),
        Route("/s/{key}/{step}", pages.step),
        Route("/blackboard", blackboard.page_points, methods=["GET", "POST"]),
        Route("/blackboard/frames", blackboard.frames, methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC)),
        Mount("/docs", StaticFiles(directory=SITE, html=True))
        if SITE.is_dir()
        else Route("/docs/{path:path}", pages.absent),
    ]
    handlers: Any = {ClientDisconnect: pages.absent, 404: pages.absent, 410: pages.ended}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    app.state.studies = studies
    return app


def serve(
    report: Callable[[str], None], port: int | None = None, browser: bool = True, ledger: str | None = None
) -> None:
    """Run the studio on this machine until it is interrupted.

    report : receives the address, and who can reach it; port : None takes 8765, or the next free one; ledger : a register
    of releases. Raises InvalidParameter for a port that cannot be used.
    """
    listener = listen(port)
    number = listener.getsockname()[1]
    token = AccessToken(number)
    remove_abandoned()
    studies = Studies(ledger)
    address = f"http://{HOST}:{number}/?token={token.text}"
    report(f"pyfcrm studio: {address}   (Ctrl-C ends it; files up to {UPLOAD_MB} MB)")
    report("Only this machine can reach it, and only one browser by this address; no file leaves the machine.")
    if browser:
        page = studies.folder.entrance(redirect_page(address)).as_uri()
        Thread(target=webbrowser.open, args=[page], daemon=True).start()  # the socket listens already
    admitted = set[Peer]()
    config = uvicorn.Config(
        Guard(application(studies), token, number, UPLOAD_MB * MB, admitted),
        http=protocol(admitted),
        log_level="error",
        timeout_graceful_shutdown=2,
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=300,
    )
    asyncio.run(_run(uvicorn.Server(config), listener))


async def _run(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serve until a signal ends it; one that is ignored, as under nohup, stays so."""
    for name in ENDING:
        number = getattr(signal, name, None)  # Windows has neither
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, signal.raise_signal, signal.SIGTERM)
    await server.serve(sockets=[listener])


def listen(port: int | None) -> socket.socket:
    """A socket of this machine on the port, or on the first free one from 8765."""
    if port is not None:
        whole_number("studio", "port", port, low=1, high=65535)
    ports = range(PORT, PORT + TRIES) if port is None else [port]
    for candidate in ports:
        try:
            return socket.create_server((HOST, candidate))
        except OSError as error:
            reason = error.strerror
    raise InvalidParameter("studio", "port", f"must be free ({reason})", f"{ports[0]} to {ports[-1]}")
