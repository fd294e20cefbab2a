"""Who may come in: the studio's address, its guard, and what a visit leaves behind.

Oracles: the status of a request; the files there are. Grade: identical.
"""

from __future__ import annotations

import socket
import stat
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

from pyfcrm.app.serving import listening, who_can_reach
from pyfcrm.app.visit import Visit
from pyfcrm.errors import InvalidInput, InvalidParameter

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
    assert status(address, Origin=address.rstrip("/")) == 200
    assert status(address, Origin="http://[::1") == 403  # a ValueError once
    assert status(address, Host=f"LOCALHOST:{urlsplit(address).port}") == 200


def test_a_stranger_page_gets_no_socket(address: str) -> None:
    where = urlsplit(address)
    assert where.port is not None
    own, strangers = (
        f"http://{where.netloc}",
        ("https://example.org", "http://[::1", f"https://{where.netloc}", "null", None),
    )
    for origin, expected in ((own, b"101"), *((one, b"403") for one in strangers)):
        with socket.create_connection(("127.0.0.1", where.port), timeout=20) as one:
            words = (
                f"GET /websocket/ HTTP/1.1\r\nHost: {where.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
                + (f"Origin: {origin}\r\n\r\n" if origin else "\r\n")
            )
            one.sendall(words.encode())
            assert one.recv(200).split()[1] == expected


def test_a_file_above_the_limit_is_refused_before_it_is_read() -> None:
    visit = Visit(1)
    try:
        visit.check(1024**2)
        with pytest.raises(InvalidInput, match="A file may have 1 MB at most"):
            visit.check(1024**2 + 1)
    finally:
        visit.end()


def test_what_is_said_of_who_can_reach_it() -> None:
    assert "Only this machine" in who_can_reach("127.0.0.1", ["http://127.0.0.1:1/"], 200)[1]
    said = who_can_reach("0.0.0.0", ["http://10.0.0.7:1/?token=x", "http://127.0.0.1:1/?token=x"], 200)
    assert "http://10.0.0.7:1/?token=x " in said[0]
    assert said[1] == "On this machine itself: http://127.0.0.1:1/?token=x"
    assert "with its token" in said[2]
    assert "no password" not in " ".join(said)


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
    for name, plain in {"../../etc/passwd": "passwd", "..\\..\\x.csv": "x.csv", "..": "file"}.items():
        place = visit.place(name)
        assert place.name == plain
        assert place.parent.parent == visit.folder
    visit.place("x.csv").write_text("a\n1\n")
    visit.end()
    assert not visit.folder.exists()


def test_closing_the_page_ends_the_visit(browser: Any, address: str, studio_folder: Path) -> None:
    def folders() -> set[Path]:
        return set(studio_folder.glob("pyfcrm-studio-*"))

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
