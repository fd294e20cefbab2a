"""The studio's door, piece by piece: addresses, the token, what waits for a page, and how large a file may be.

Oracles: the rules of hosts and origins; files whose size is known by how they were made. Grade: identical.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("shiny", reason="needs the extra app")

from pyfcrm.app import messages
from pyfcrm.app.arriving import SMALL, Places, aside
from pyfcrm.app.guard import MOST_VISITS, Guard, Receiving
from pyfcrm.app.messages import Outbox
from pyfcrm.app.requests import Refused, Token, authority, in_address, is_local, names_of, same_origin
from pyfcrm.app.serving import reachable
from pyfcrm.app.visit import MOST_COLUMNS, Visit, cells
from pyfcrm.errors import InvalidInput


def completed(work: Coroutine[Any, Any, None]) -> None:
    """Run it to its end, in a thread: the browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result(60)


def test_hosts_are_read_strictly() -> None:
    assert authority("LOCALHOST:8791") == ("localhost", 8791)
    assert authority("127.0.0.1") == ("127.0.0.1", 80)
    assert authority("studio.example", "https") == ("studio.example", 443)
    assert authority("[0:0::1]:80") == ("[::1]", 80)
    for odd in (
        "",
        ":80",
        "a b",
        "a@b",
        "a:80:80",
        "[::1",
        "[::g]",
        "a:999999",
        "a/b",
        "a:-1",
        "http://a",
        "a:80\n",
        "ä",
    ):
        assert authority(odd) is None


def test_an_origin_is_the_pages_own_or_another() -> None:
    host = "127.0.0.1:8791"
    assert same_origin("http://127.0.0.1:8791", host)
    assert same_origin("HTTP://127.0.0.1:8791", host)
    assert same_origin("http://127.0.0.1", "127.0.0.1:80")  # browsers send no port 80
    assert same_origin("https://a.example", "a.example", ("http", "https"))
    strange = ("http://[::1", "null", "", "//127.0.0.1:8791", "https://127.0.0.1:8791", "http://x@127.0.0.1:8791",
               "http://127.0.0.1:8791/", "http://127.0.0.1:8792", "file://", "http://127.0.0.1:8791.evil")  # fmt: skip
    assert not any(same_origin(one, host) for one in strange)


@pytest.mark.parametrize(
    ("host", "port", "named", "status"),
    [
        ("127.0.0.1", 8791, "127.0.0.1:8791", None),
        ("127.0.0.1", 8791, "LocalHost:8791", None),
        ("127.0.0.1", 8791, "127.0.0.1", 421),
        ("127.0.0.1", 80, "127.0.0.1", None),
        ("127.0.0.2", 8791, "127.0.0.2:8791", None),
        ("127.0.0.1", 8791, "127.0.0.2:8791", 421),
        ("::1", 8791, "[::1]:8791", None),
        ("0:0:0:0:0:0:0:1", 8791, "[::1]:8791", None),
        ("127.0.0.1", 8791, "evil.example:8791", 421),
        ("127.0.0.1", 8791, "", 421),
    ],
)
def test_a_studio_answers_on_its_own_names(host: str, port: int, named: str, status: int | None) -> None:
    """127.0.0.2, port 80 and LOCALHOST were turned away before."""
    assert is_local(host)
    guard = Guard(None, Receiving({}), port, names_of(host))
    scope = {"type": "http", "headers": [(b"host", named.encode())]}
    if status is None:
        guard.check(scope)
        return
    with pytest.raises(Refused) as refused:
        guard.check(scope)
    assert refused.value.status == status


def test_a_visit_too_many_is_refused_in_a_sentence() -> None:
    full = Guard(None, Receiving(dict.fromkeys(map(str, range(MOST_VISITS)))), 80)  # type: ignore[arg-type]
    for scope in ({"type": "websocket", "path": "/websocket/"}, {"type": "http", "path": "/"}):
        with pytest.raises(Refused, match=f"has {MOST_VISITS} visits, and takes no more") as refused:
            full.check_room(scope)
        assert refused.value.status == 503
    full.check_room({"type": "http", "path": "/session/x/download/y"})  # of a visit that there is
    full.receiving.visits.popitem()
    full.check_room({"type": "websocket", "path": "/websocket/"})


def test_a_host_on_the_network_is_said_so_that_it_can_be_asked_for() -> None:
    assert not is_local("0.0.0.0")
    assert not is_local("studio.example")
    assert is_local("LocalHost")
    assert reachable("10.1.2.3") == ["10.1.2.3"]
    assert "0.0.0.0" not in reachable("0.0.0.0")
    assert reachable("0.0.0.0")[-1] == "127.0.0.1"
    assert in_address("fd00:0::7") == "[fd00::7]"


def test_a_token_is_new_at_each_start_and_not_what_the_cookie_holds() -> None:
    one, other = Token(80), Token(80)
    assert one.text != other.text
    cookie = one.header()[1].decode().split(";")[0]
    assert one.text not in cookie
    assert one.is_in(f"a=b&token={one.text}".encode())
    assert not other.is_in(f"token={one.text}".encode())
    assert not one.is_in(b"token=\xff&token=%ff")
    assert one.lets_in(["x=y", f"a=b; {cookie}"])
    assert not other.lets_in([cookie])
    assert not one.lets_in(["", "pyfcrm-studio-80", "pyfcrm-studio-80=\xff"])


def test_from_a_link_on_another_page_the_studio_asks_once_more_itself() -> None:
    """A strict cookie does not go along with a redirect that another page led to."""
    token, sent = Token(80), list[dict[str, Any]]()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": "/", "query_string": f"token={token.text}".encode(),
        "headers": [(b"host", b"a.example"), (b"sec-fetch-site", b"cross-site")],
    }  # fmt: skip
    completed(Guard(None, Receiving({}), 80, None, token)(scope, send, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 200
    assert token.header() in sent[0]["headers"]
    assert b"url=/" in sent[1]["body"]


def test_a_response_that_cannot_be_made_is_a_refusal_and_no_empty_file() -> None:
    """The download's status was 200, and the terminal had a traceback."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise Refused(409, "It cannot be made.")

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/x", "headers": [(b"host", b"localhost:80")]}
    completed(Guard(app, Receiving({}), 80, names_of("localhost"))(scope, send, send))  # type: ignore[arg-type]
    assert [message.get("status") for message in sent] == [409, None]
    assert sent[1]["body"] == b"It cannot be made."


def test_what_a_page_does_not_take_waits_apart_and_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "MOST", 100)
    monkeypatch.setattr(messages, "LAST", 0.01)

    async def visit() -> None:
        async def never(message: Any) -> None:
            await asyncio.Event().wait()

        box = Outbox(never)
        for _ in range(3):
            await asyncio.wait_for(box.put({"type": "websocket.send", "text": "x" * 50}), 5)
        with pytest.raises(OSError, match="does not listen"):
            await box.put({"type": "websocket.send", "text": "x"})
        await asyncio.wait_for(box.end(), 5)

    completed(visit())


def test_what_is_told_to_a_page_comes_in_its_order() -> None:
    sent: list[str] = []

    async def visit() -> None:
        async def send(message: Any) -> None:
            await asyncio.sleep(0)
            sent.append(message["text"])

        box = Outbox(send)
        for k in range(20):
            await box.put({"type": "websocket.send", "text": str(k)})
        await box.end()

    completed(visit())
    assert sent == [str(k) for k in range(20)]


def test_work_beside_the_loop_gives_what_it_makes_and_small_files_pass_large_ones() -> None:
    import threading

    hold = threading.Event()

    async def work() -> None:
        assert await aside(lambda a: a + 1, 2) == 3
        with pytest.raises(ZeroDivisionError):
            await aside(lambda: 1 / 0)
        places = Places(small=1, large=1)
        large = [asyncio.create_task(places.run(SMALL, hold.wait, 30)) for _ in range(2)]
        await asyncio.sleep(0.05)
        assert await asyncio.wait_for(places.run(1, int, "3"), 20) == 3
        large[0].cancel()  # its thread still has the place
        await asyncio.sleep(0.05)
        assert not large[1].done()
        hold.set()
        assert await asyncio.wait_for(large[1], 20)

    completed(work())


def test_a_visit_holds_two_uploads_and_drops_the_oldest() -> None:
    visit = Visit(1)
    try:
        uploads = [visit.begin(f"{k}.csv", 10) for k in range(3)]
        assert visit.receive(uploads[0].job) is None
        assert not visit.wants(uploads[0])
        assert visit.receive(uploads[2].job) == uploads[2]
        assert visit.receive(uploads[2].job) is None
        uploads[2].path.symlink_to(__file__)
        visit.arrived(uploads[2])
        with pytest.raises(InvalidInput, match="arrive whole"):
            visit.take(uploads[2].job)  # a link is no file of the visit
    finally:
        visit.end()


def test_cells_are_counted_before_a_csv_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("\n\na;b;c\n" + "1,5;2;3\n" * 1000)
    assert cells(path, 10_000) >= 3000
    with pytest.raises(InvalidInput, match="the studio opens at most 2,000 cells"):
        cells(path, 2000)
    path.write_text(",".join(f"x{k}" for k in range(MOST_COLUMNS + 1)) + "\n1\n")
    with pytest.raises(InvalidInput, match=f"at most {MOST_COLUMNS:,} columns"):
        cells(path)


def test_a_parquet_file_is_counted_by_its_footer(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"a": np.zeros(100_000), "b": np.zeros(100_000)}), path)
    assert cells(path) == 200_000
    with pytest.raises(InvalidInput, match="got 100,000 records of 2 columns"):
        cells(path, 199_999)
    parquet.write_table(pa.table({"a": pa.array([[1.0] * 1000] * 100)}), path)
    assert cells(path) == 100_000  # values in lists count
    path.write_bytes(b"PAR1" + b"\0" * 40)
    assert cells(path) == 0  # whoever reads it says what is wrong with it
