"""Serving the studio: a port on this machine, and the words that say who can reach it."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from threading import Timer

from ..arguments import whole_number
from ..errors import InvalidParameter, MissingExtra
from .guard import Guard

HOST, PORT, TRIES = "127.0.0.1", 8765, 20
UPLOAD_MB = 200


def serve(
    say: Callable[[str], None],
    port: int | None = None,
    host: str = HOST,
    browser: bool = True,
    upload_mb: int = UPLOAD_MB,
) -> None:
    """Run the studio until it is interrupted.

    say : told the address, and who can reach it; port : None takes 8765, or the next that is free; host : the address to
    listen on, of this machine alone unless told otherwise; upload_mb : the largest file that may be dropped.
    Raises InvalidParameter for a port or host that cannot be had; MissingExtra without shiny.
    """
    try:
        import shiny  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise MissingExtra("the studio", "app", "shiny") from error
    whole_number("studio", "upload_mb", upload_mb, low=1)
    listener = listening(host, port)
    at = listener.getsockname()[1]
    address = f"http://{_in_address(host)}:{at}"
    for line in who_can_reach(host, address, upload_mb):
        say(line)
    if browser:
        import webbrowser

        timer = Timer(0.8, webbrowser.open, [address])
        timer.daemon = True
        timer.start()
    from .page import make_app

    guarded = Guard(make_app(upload_mb), upload_mb * 1024**2, None if not is_local(host) else at)
    config = uvicorn.Config(guarded, log_level="error", timeout_graceful_shutdown=2, ws_max_size=16 * 1024**2)
    uvicorn.Server(config).run(sockets=[listener])


def listening(host: str, port: int | None) -> socket.socket:
    """A socket bound to the host, on the port, or on the first free one from 8765 where none is given."""
    if port is not None:
        whole_number("studio", "port", port, low=1, high=65535)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem: OSError | None = None
    for candidate in [port] if port is not None else range(PORT, PORT + TRIES):
        one = socket.socket(family, socket.SOCK_STREAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((host, candidate))
            one.listen()  # from here on, whoever was told the address is served as soon as the app is up
        except OSError as error:
            one.close()
            problem = error
            continue
        return one
    rule = f"must be free on {host}, an address of this machine ({problem.strerror if problem else 'none is'})"
    raise InvalidParameter("studio", "port", rule, port if port is not None else f"{PORT} to {PORT + TRIES - 1}")


def is_local(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def who_can_reach(host: str, address: str, upload_mb: int) -> list[str]:
    """What a person should know before they open it."""
    lines = [f"pyfcrm studio: {address}   (Ctrl-C ends it; files up to {upload_mb} MB)"]
    if is_local(host):
        return [*lines, "Only this machine can reach it, and nothing that is dropped on it leaves the machine."]
    return [
        *lines,
        f"Anyone who can reach {host} over the network can open it: there is no password, and traffic is not encrypted.",
    ]


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
