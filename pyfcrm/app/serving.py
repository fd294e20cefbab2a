"""Serving the studio: a port on this machine, and the words that say who can reach it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from threading import Timer

from ..arguments import whole_number
from ..errors import InvalidParameter, MissingExtra
from ..methods import Method
from ..methods.text import NONE
from .guard import Guard, Receiving
from .messages import MOST_BYTES
from .requests import Token, address, is_local, names_of
from .visit import MOST_CELLS, UPLOAD_MB, Visit

HOST, PORT, TRIES = "127.0.0.1", 8765, 20
# Of each: this machine, and an address far away.
ANYWHERE = {"0.0.0.0": ("127.0.0.1", "192.0.2.1"), "::": ("::1", "2001:db8::1")}


def serve(
    report: Callable[[str], None],
    port: int | None = None,
    host: str = HOST,
    browser: bool = True,
    upload_mb: int = UPLOAD_MB,
    most_cells: int = MOST_CELLS,
    *,
    others: Mapping[str, Method] = NONE,
) -> None:
    """Run the studio until it is interrupted.

    report : receives the address, and who can reach it; port : None takes 8765, or the next that is free; host : the address to
    listen on, of this machine alone by default; upload_mb : the largest file that may be dropped; most_cells : its
    records times its columns at most; others : methods by name that are offered beside ours, which no page can add to.
    Raises InvalidParameter for a port or host that cannot be had; MissingExtra without shiny.
    """
    try:
        import shiny  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise MissingExtra("the studio", "app", "shiny") from error
    whole_number("studio", "upload_mb", upload_mb, low=1)
    whole_number("studio", "most_cells", most_cells, low=1)
    listener = listening(host, port)
    at = listener.getsockname()[1]
    token = None if is_local(host) else Token(at)
    addresses = [address(one, at, token.text if token else "") for one in reachable(host)]
    for line in who_can_reach(host, addresses, upload_mb):
        report(line)
    if browser:
        _open_soon(addresses[-1])
    from .page import make_app

    visits: dict[str, Visit] = {}
    app = make_app(upload_mb, visits, most_cells, others)
    guarded = Guard(app, Receiving(visits), at, names_of(host) if token is None else None, token)
    config = uvicorn.Config(
        guarded, log_level="error", timeout_graceful_shutdown=2, ws_max_size=MOST_BYTES, server_header=False
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        for visit in list(visits.values()):  # of pages whose end nobody heard of
            visit.end()


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


def reachable(host: str) -> list[str]:
    """The hosts to ask for: `host` itself, or where it stands for all addresses of this machine, the one that others see
    and this machine's own."""
    if host not in ANYWHERE:
        return [host]
    own, far = ANYWHERE[host]
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect((far, 9))  # of a datagram socket: nothing is sent, it only says which way it would go
            seen = str(one.getsockname()[0])
        except OSError:  # no network
            return [own]
    return [own] if seen == own else [seen, own]


def who_can_reach(host: str, addresses: list[str], upload_mb: int) -> list[str]:
    """What a person should know before they open it."""
    lines = [f"pyfcrm studio: {addresses[0]}   (Ctrl-C ends it; files up to {upload_mb} MB)"]
    if is_local(host):
        return [*lines, "Only this machine can reach it, and nothing that is dropped on it leaves the machine."]
    lines += [f"On this machine itself: {one}" for one in addresses[1:]]
    return [
        *lines,
        "Others can reach it over the network: whoever has this address, with its token, can use it, and nobody without. "
        "The token is a new one at each start. Traffic is not encrypted.",
    ]


def _open_soon(address: str) -> None:
    import webbrowser

    timer = Timer(0.8, webbrowser.open, [address])
    timer.daemon = True
    timer.start()
