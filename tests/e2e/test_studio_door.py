"""Who may come in: the studio's address, its guard, and what a visit leaves behind.

Oracles: the status of a request; the files there are. Grade: identical.
"""

from __future__ import annotations

import socket
import stat
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.browser import Tab
from support.cli import pyfcrm

pytest.importorskip("shiny", reason="needs the extra app")

from pyfcrm.app.guard import Guard
from pyfcrm.app.serving import listening, who_can_reach
from pyfcrm.app.visit import Visit
from pyfcrm.errors import InvalidParameter

pytestmark = pytest.mark.browser


def status(address: str, **headers: str) -> int:
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_it_listens_on_this_machine_alone(address: str) -> None:
    assert urlsplit(address).hostname == "127.0.0.1"
    own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for other in own:
        with socket.socket() as one:
            one.settimeout(2)
            assert one.connect_ex((other, urlsplit(address).port)) != 0


def test_other_hosts_and_other_pages_are_turned_away(address: str) -> None:
    assert status(address) == 200
    assert status(address, Host="studio.example.org") == 421
    assert status(address, Origin="https://example.org") == 403
    assert status(address, Origin=address) == 200


def test_a_stranger_page_gets_no_socket(address: str) -> None:
    where = urlsplit(address)
    assert where.port is not None
    for origin, expected in ((address, b"101"), ("https://example.org", b"403")):
        with socket.create_connection(("127.0.0.1", where.port), timeout=20) as one:
            words = (
                f"GET /websocket/ HTTP/1.1\r\nHost: {where.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nOrigin: {origin}\r\n\r\n"
            )
            one.sendall(words.encode())
            assert one.recv(200).split()[1] == expected


def test_a_file_above_the_limit_is_refused_before_it_is_read() -> None:
    guard = Guard(None, 1024**2, None)
    assert guard.refusal("http", {b"content-length": str(1024**2)}) is None
    assert guard.refusal("http", {b"content-length": str(1024**2 + 1)}) == (413, "A file may have 1 MB at most.")


def test_what_is_said_of_who_can_reach_it() -> None:
    assert "Only this machine" in who_can_reach("127.0.0.1", "", 200)[1]
    assert "no password" in who_can_reach("0.0.0.0", "", 200)[1]


def test_a_port_that_is_taken_is_said_and_the_next_one_found() -> None:
    first = listening("127.0.0.1", None)
    second = listening("127.0.0.1", None)
    port = first.getsockname()[1]
    assert second.getsockname()[1] != port
    with pytest.raises(InvalidParameter, match="must be free"):
        listening("127.0.0.1", port)
    first.close()
    second.close()
    ran = pyfcrm("studio", "--no-browser", "--port", "70000")
    assert ran.status == 2
    assert len(ran.err.strip().splitlines()) == 1


def test_a_visit_has_a_private_folder_that_goes_with_it() -> None:
    visit = Visit()
    assert stat.S_IMODE(visit.folder.stat().st_mode) == 0o700
    assert visit.path("../../etc/passwd") == visit.folder / "passwd"
    assert visit.path("..\\..\\x.csv") == visit.folder / "x.csv"
    assert visit.path("..") == visit.folder / "file"
    visit.path("x.csv").write_text("a\n1\n")
    visit.end()
    assert not visit.folder.exists()


def test_closing_the_page_ends_the_visit(browser: Any, address: str) -> None:
    def folders() -> set[Path]:
        return set(Path(tempfile.gettempdir()).glob("pyfcrm-studio-*"))

    def eventually(holds: Callable[[], bool]) -> bool:
        for _ in range(200):
            if holds():
                return True
            time.sleep(0.05)
        return False

    before = folders()
    tab = Tab(browser, address)
    assert eventually(lambda: bool(folders() - before))
    [own] = folders() - before
    tab.close()
    assert eventually(lambda: not own.exists())
