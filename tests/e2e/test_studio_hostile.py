"""Hostile visitors of the studio: forged files, odd messages, floods and strangers, without a browser.

Oracles: the files there are; whether a visit is answered; what the studio's own terminal shows. Grade: identical.
"""

from __future__ import annotations

import io
import json
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.browser import studio_at_work, studio_process, upload_limit
from support.studio_visit import INIT, Visitor

pytest.importorskip("shiny", reason="needs the extra app")
pytest.importorskip("websockets", reason="needs websockets: pip install websockets")

GOOD = b"a,b\n" + b"".join(b"%d,%d.5\n" % (k, k * k % 17) for k in range(30))


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the studio under attack keeps its files."""
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def attacked(temporary: Path) -> Iterator[str]:
    """A studio whose terminal must stay without a traceback, whatever it is sent."""
    with studio_process(before=upload_limit(2), temporary=temporary) as address:
        yield address
    said = (temporary / "log").read_text()
    assert "Traceback" not in said, said
    assert kept(temporary) == []


def kept(temporary: Path) -> list[str]:
    return [path.name for path in temporary.rglob("*") if path.is_file() and path.name != "log"]


@pytest.mark.parametrize("zone", ["workbench-file", "blackboard-file"])
@pytest.mark.parametrize("method", ["update", "init"])
def test_a_file_that_a_page_names_is_neither_read_nor_touched(
    attacked: str, tmp_path: Path, zone: str, method: str
) -> None:
    table, folder = tmp_path / "victim.csv", tmp_path / "victims"
    folder.mkdir()
    table.write_text("SECRETCOL,b\n1,2\n3,5\n")
    (folder / "deep").write_text("precious")
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    for path in (table, folder, link, tmp_path / "none"):
        forged = {zone: [{"name": "x.csv", "size": 3, "type": "", "datapath": str(path)}]}
        with Visitor(attacked, init={**INIT, **forged} if method == "init" else None) as one:
            if method == "update":
                one.send({"method": "update", "data": forged})
            one.upload("good.csv", GOOD)  # what comes after it is served as ever
            one.hear("good.csv: 30 records")
            assert not any("SECRETCOL" in said or "x.csv" in said for said in one.said)
    assert table.read_text() == "SECRETCOL,b\n1,2\n3,5\n"
    assert (folder / "deep").read_text() == "precious"


@pytest.mark.parametrize("path", ["/etc/passwd", "../../x", "upload-0", ""])
def test_an_upload_ends_by_its_own_job_alone(attacked: str, path: str) -> None:
    with Visitor(attacked) as one, Visitor(attacked) as other:
        assert "error" in one.ask("uploadEnd", path, "workbench-file")
        begun = one.ask("uploadInit", [{"name": "x.csv", "size": 3, "type": ""}])["value"]
        assert "error" in one.ask("uploadEnd", begun["jobId"], "workbench-file")  # nothing has come yet
        assert one.post(begun["uploadUrl"], GOOD)[0] == 200
        assert "error" in other.ask("uploadEnd", begun["jobId"], "workbench-file")
        assert "error" in one.ask("uploadEnd", begun["jobId"], "workbench-seed")
        assert one.ask("uploadEnd", begun["jobId"], "workbench-file")["value"] is None
        assert "error" in one.ask("uploadEnd", begun["jobId"], "workbench-file")  # once


def updating(**data: object) -> str:
    return json.dumps({"method": "update", "data": {f"workbench-{name}": value for name, value in data.items()}})


CLOSING = {
    "not JSON": "x",
    "a list": "[]",
    "a method that is a list": '{"method": ["update"], "data": {}}',
    "no data": '{"method": "update"}',
    "begun twice": json.dumps({"method": "init", "data": INIT}),
    "no arguments": '{"method": "uploadInit", "tag": 1}',
    "a file that is a number": '{"method": "uploadInit", "args": [[3]], "tag": 1}',
    "a name that is a number": '{"method": "uploadInit", "args": [[{"name": 3, "size": 1, "type": ""}]], "tag": 1}',
    "a job that is a list": '{"method": "uploadEnd", "args": [[], "workbench-file"], "tag": 1}',
    "deep": "[" * 100_000,
    "deep, and whole": updating(seed=json.loads("[" * 200 + "]" * 200)),
    "half a character": updating(embedded="\ud800"),
    "not a number": updating(seed=float("nan")),
    "a number of 5000 digits": '{"method": "update", "data": {"x": ' + "9" * 5000 + "}}",
    "a file restored": updating(**{"file:shiny.file": [{"name": "x"}]}),
    "a button that is a word": updating(**{"run:shiny.action": "x"}),
    "5 MB": '"' + "x" * 5 * 1024**2 + '"',
    "bytes": b'{"method": "update", "data": {}}',
}
ENDURED = {
    "an unknown method": '{"method": "x", "args": [], "tag": 77}',
    "an embedded file that is not there": updating(embedded="../x"),
    "a view that is none": updating(**{"results-view": [1], "results-chosen": 3, "results-limit": "x"}),
    "a run of nothing": updating(**{"run:shiny.action": 1, "seed": [1], "method": {"a": 1}, "further": 3}),
    "a place that is none": '{"method": "update", "data": {"blackboard-pressed": {"x": "a"}, "blackboard-speed": []}}',
    "a place far away": '{"method": "update", "data": {"blackboard-pressed": {"x": 1e200, "y": 0, "radius": 0}}}',
    "a file without a path": updating(file=[{}]),
}


@pytest.mark.parametrize("what", CLOSING)
def test_a_message_that_no_page_sends_ends_that_visit_alone(attacked: str, what: str) -> None:
    with Visitor(attacked) as one, Visitor(attacked) as other:
        one.send(CLOSING[what])
        assert one.is_closed()
        assert not any("Traceback" in said or "site-packages" in said for said in one.said)
        assert other.is_sound()


@pytest.mark.parametrize("what", ENDURED)
def test_an_odd_value_leaves_the_visit_sound(attacked: str, what: str) -> None:
    with Visitor(attacked) as one:
        one.send(ENDURED[what])
        assert one.is_sound()
        assert not any("Traceback" in said or "site-packages" in said for said in one.said)


REFUSED = (400, 0)  # 0: the studio has hung up before the answer could be read


def test_an_upload_address_takes_one_file_and_a_visit_two(attacked: str, temporary: Path) -> None:
    whole = b"x" * 2 * 1024**2
    with Visitor(attacked) as one:
        begun = one.ask("uploadInit", [{"name": "x.csv", "size": 5, "type": ""}])["value"]
        assert one.post(begun["uploadUrl"], whole)[0] == 200
        assert one.post(begun["uploadUrl"], whole)[0] in REFUSED
        assert one.post(begun["uploadUrl"].replace(one.session, "0" * 64), whole)[0] in REFUSED
        refused = one.ask("uploadInit", [{"name": "x.csv", "size": len(whole) + 1, "type": ""}])
        assert refused["error"] == "A file may have 2 MB at most."
        for _ in range(5):
            begun = one.ask("uploadInit", [{"name": "x.csv", "size": 5, "type": ""}])["value"]
            one.post(begun["uploadUrl"], whole)
            assert sum(path.stat().st_size for path in temporary.rglob("upload-*")) <= 4 * 1024**2


def test_more_than_was_announced_is_cut_off_without_a_word_in_the_terminal(attacked: str, temporary: Path) -> None:
    with Visitor(attacked) as one:
        url = one.ask("uploadInit", [{"name": "x.csv", "size": 5, "type": ""}])["value"]["uploadUrl"]
        where = urlsplit(attacked)
        head = f"POST /{url} HTTP/1.1\r\nHost: {where.netloc}\r\nTransfer-Encoding: chunked\r\n\r\n"
        answer = b""
        with socket.create_connection((str(where.hostname), where.port or 80), timeout=30) as wire:
            wire.sendall(head.encode())
            try:
                for _ in range(40):
                    wire.sendall(b"20000\r\n" + b"x" * 0x20000 + b"\r\n")
                answer = wire.recv(300)
            except OSError:
                pass  # the connection was closed on us, as it should be
        assert answer == b"" or answer.startswith(b"HTTP/1.1 413")
        assert one.is_sound()
        assert not list(temporary.rglob("upload-*"))


def test_a_download_that_cannot_be_made_fails_with_a_sentence(attacked: str) -> None:
    with Visitor(attacked) as one:
        for name in ("release", "external", "python"):
            address = f"{attacked}session/{one.session}/download/workbench-results-{name}"
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(address, timeout=60)
            assert refused.value.code == 404
            assert refused.value.read() == b"There is nothing to take away yet."


def test_a_role_that_no_page_offers_ends_no_visit(attacked: str) -> None:
    """The example is run as soon as its roles are on the page, which are forged here."""
    outputs = {f".clientdata_output_workbench-{name}_hidden": False for name in ("method_form", "columns")}
    with Visitor(attacked, init={**INIT, **outputs}) as one:
        roles: dict[str, object] = {f"role_1_{k}": "none" for k in range(12)}
        one.send(updating(**roles, **{"example:shiny.action": 1}))
        one.hear("workbench-method-label")
        one.send(updating(method="ipso", seed=""))
        assert one.is_sound()


def test_a_file_that_expands_is_refused_before_it_is_read(attacked: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    out = io.BytesIO()
    piece = pa.table({"a": pa.array([1.5] * 1_000_000), "b": pa.array([1] * 1_000_000)})
    with parquet.ParquetWriter(out, piece.schema, compression="zstd") as writer:
        for _ in range(11):
            writer.write_table(piece)
    with Visitor(attacked) as one:
        one.upload("bomb.parquet", out.getvalue())
        assert "the studio opens at most 20,000,000 cells" in one.hear("bomb.parquet")


@pytest.mark.slow
def test_nobody_waits_for_the_file_of_another_and_ctrl_c_waits_for_none(tmp_path: Path) -> None:
    """Oracle: the clock. Looking at a file takes a minute here; the others are answered, and SIGINT ends the studio."""
    slow = "import time, pyfcrm.app.workbench.file as intake\nintake.examined = lambda frame: time.sleep(60)"
    with (
        studio_at_work(before=slow, temporary=tmp_path) as (address, process),
        Visitor(address) as one,
        Visitor(address) as other,
    ):
        one.upload("x.csv", GOOD)
        one.hear("Reading the file")
        began = time.monotonic()
        assert one.is_sound()
        assert other.is_sound()
        other.upload("two.csv", b"x,y\n1,2\n3,4\n", "blackboard-file")
        assert time.monotonic() - began < 30
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 130
    assert "Traceback" not in (tmp_path / "log").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_a_page_that_does_not_listen_holds_up_nobody(attacked: str) -> None:
    """Oracle: another visit is answered while 40 MB wait for this one. All visits waited for its wire before."""
    where = urlsplit(attacked)
    with socket.socket() as deaf, Visitor(attacked) as one:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect((where.hostname, where.port))
        deaf.sendall(
            f"GET /websocket/ HTTP/1.1\r\nHost: {where.netloc}\r\nOrigin: http://{where.netloc}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert b"101" in deaf.recv(100)
        talking = threading.Thread(target=_talk, args=(deaf,), daemon=True)
        talking.start()
        talking.join(40)
        one.send({"method": "x", "args": [], "tag": 99})
        one.hear('"tag": 99', 20)


def _talk(deaf: socket.socket) -> None:
    """Each message is answered with itself, and nothing of it is read."""
    with suppress(OSError):
        for said in ({"method": "init", "data": INIT}, *[{"method": "x" * 200_000, "args": [], "tag": 1}] * 200):
            text = json.dumps(said).encode()
            deaf.sendall(b"\x81\xff" + len(text).to_bytes(8, "big") + bytes(4) + text)  # a mask of zeros


def test_a_studio_on_the_network_opens_with_its_token_alone() -> None:
    with studio_process("--host", "0.0.0.0") as printed:
        where = urlsplit(printed)
        address = f"http://127.0.0.1:{where.port}/"
        assert where.query.startswith("token=")
        token = where.query.removeprefix("token=")
        assert len(token) >= 40

        def asked(path: str = "", cookie: str = "", data: bytes | None = None) -> tuple[int, dict[str, str]]:
            request = urllib.request.Request(address + path, data, {"Cookie": cookie})
            opener = urllib.request.build_opener(NoRedirect)
            try:
                with opener.open(request, timeout=60) as answer:
                    return answer.status, dict(answer.headers)
            except urllib.error.HTTPError as error:
                return error.code, dict(error.headers)

        for path in ("", "studio/studio.css", "session/x/download/y", "?token=x", "?token=", f"?tok={token}"):
            assert asked(path)[0] == 403
        assert asked("session/0/upload/" + "0" * 24, data=b"x")[0] == 403
        status, headers = asked(f"?token={token}")
        assert (status, headers["location"]) == (303, "/")
        cookie, *rules = headers["set-cookie"].split("; ")
        assert set(rules) == {"Path=/", "HttpOnly", "SameSite=Strict"}
        assert token not in cookie
        assert asked(cookie=cookie)[0] == 200
        assert asked(cookie=f"a=b; {cookie}")[0] == 200
        for wrong in (cookie[:-1], cookie + "x", f"{cookie.split('=')[0]}={token}", cookie.split("=")[0] + "="):
            assert asked(cookie=wrong)[0] == 403
        with Visitor(address, cookie) as one:
            one.upload("good.csv", GOOD)
            one.hear("good.csv: 30 records")
        with pytest.raises(Exception, match="403"):
            Visitor(address)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves a redirect as the answer."""

    def redirect_request(self, *given: object) -> None:  # type: ignore[override]
        return None


def test_another_address_of_this_machine_answers_on_its_own_name() -> None:
    with (
        studio_process("--host", "127.0.0.2") as address,
        urllib.request.urlopen(address, timeout=60) as answer,
    ):
        assert answer.status == 200
