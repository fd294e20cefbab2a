"""The studio's guard over HTTP: who may use it, what it accepts, and what is left when it ends.

Oracle: the paragraph on the studio in docs/files.md, and for each attack the answer that HTTP defines. Identical.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import socket
import stat
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import openpyxl
import pytest
import uvicorn
from support import readers
from support.studio import IPSO, ORIGIN, Visitor, messages, studio, visitor

from pyfcrm.app.connections import Peer, protocol
from pyfcrm.app.files import SITE
from pyfcrm.app.folders import PrivateFolder, remove_abandoned
from pyfcrm.app.jobs import Job
from pyfcrm.app.serve import listen
from pyfcrm.files import formats

CSV = b"a,b,c,d\n" + b"".join(b"%d,%d,%d,%d\n" % (k % 5, k % 7, 10 * k + k * k % 13, 5 * k + k % 11) for k in range(60))
WILD = "<img src=x onerror=alert(1)>{{ 7 * 7 }}"


def test_only_the_printed_address_opens_the_studio():
    """No token, a wrong token, a wrong cookie, a used token: 403. The token becomes an HttpOnly cookie of SameSite strict."""
    with studio() as (client, studies, token):
        assert client.get("/").status_code == 403
        assert client.get("/?token=guess").status_code == 403
        assert client.get("/static/studio.css").status_code == 403
        assert client.get("/", headers={"cookie": "pyfcrm-8765=guess"}).status_code == 403
        assert len(studies._studies) == 0
        answer = client.get(f"/?token={token.text}", follow_redirects=False)
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert token.text.lower() not in cookie
        assert client.get("/").status_code == 200
        assert client.get(f"/?token={token.text}").status_code == 200
        client.cookies.clear()
        again = client.get(f"/?token={token.text}")
        assert again.status_code == 403
        assert "opens one browser" in again.text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1:80", "127.0.0.1.evil.example:8765", ""]
)
def test_a_foreign_host_is_refused(host):
    """DNS rebinding: the page's own host name must be the studio's."""
    with visitor() as own:
        assert own.client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:80"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_a_form_of_another_page_is_refused(headers):
    with visitor() as own:
        answer = own.client.post(f"{own.base}/do/simulate", data={"which": "example"}, headers=headers)
        assert answer.status_code == 403
        assert own.study.job is None


def test_every_response_has_the_policy():
    """No unsafe-eval and no unsafe-inline, in pages, files, errors and refusals; nothing is stored."""
    with visitor() as own:
        for path in ("/", "/static/studio.css", "/nothing", "/blackboard", f"{own.base}/columns"):
            headers = own.client.get(path).headers
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
        assert own.client.get(f"{own.base}/file").headers["cache-control"] == "no-store"
        text = own.get("file")
        assert "style=" not in text
        assert "onclick" not in text
        assert "<script>" not in text


@pytest.mark.skipif(SITE.is_dir(), reason="the documentation was built")
def test_the_studio_says_where_the_documentation_is_missing():
    with visitor() as own:
        answer = own.client.get("/docs")
        assert answer.status_code == 404
        assert "make docs" in answer.text


@pytest.mark.parametrize(
    "path",
    ["/s/guess/file", "/s/guess/trial/1/release", "/static/../serve.py", "/static/%2e%2e/serve.py", "/docs/../../../etc/passwd",
     "{base}/nothing", "{base}/trial/1/release", "{base}/trial/99999999999999999999/0.png", "{base}/trial/-1/plan"],
)  # fmt: skip
def test_a_forged_address_leads_to_nothing(path):
    with visitor() as own:
        assert own.client.get(path.format(base=own.base)).status_code == 404


@pytest.mark.parametrize(
    ("action", "fields", "reason"),
    [
        ("columns", {"role.a": "owner"}, "each column must have one of the roles on the page"),
        ("run", {"method": "../../x"}, "choose one of the methods"),
        ("run", {"method": "external", "external.generator": "touch /tmp/x"}, "choose one of the methods"),
        ("run", IPSO | {"keep.strata": "99"}, "no column is called `99`; there are `a`, `b`, `c`, `d`"),
        ("run", IPSO | {"random.seed": "9" * 40}, "`seed` must be a whole number from -2147483647 to 2147483647"),
        ("run", IPSO | {"limits.risk": "nan; x"}, "`limits` `risk` has 1 figures; got ['nan', 'x']"),
        ("candidate", {"candidate": "7"}, "this candidate is no longer there"),
        ("decide", {"trial": "1e9"}, "this trial is no longer there"),
        ("simulate", {"which": "../survey"}, "choose one of the simulated files"),
    ],
)
def test_forged_values_are_refused_in_one_sentence(action, fields, reason):
    """What no page of ours sends: a message on the value itself, no task, no trial, and the page stays."""
    with visitor() as own:
        own.upload("a.csv", CSV)
        own.use_roles(a="independent", b="independent", c="dependent", d="dependent")
        text = own.act(action, **fields)
        assert reason in messages(text)
        assert own.study.work.trials == ()


def test_an_unknown_action_and_a_broken_form_lead_to_nothing():
    """No such action: 404. A form that ends too early has no fields; one with another boundary is no form: 400."""
    with visitor() as own:
        own.upload("a.csv", CSV)
        own.use_roles(a="independent", b="independent", c="dependent", d="dependent")
        headers = {"origin": ORIGIN}
        assert own.client.post(f"{own.base}/do/eval", headers=headers).status_code == 404
        multipart = headers | {"content-type": "multipart/form-data; boundary=x"}
        early = own.client.post(f"{own.base}/do/run", content=b"--x\r\nbad", headers=multipart)
        assert early.status_code == 200
        assert messages(early.text) == "studio: choose one of the methods"
        other = own.client.post(f"{own.base}/do/run", content=b"--y\r\nbad\r\n--x--\r\n", headers=multipart)
        assert other.status_code == 400
        assert own.study.work.trials == ()


def test_an_unknown_method_leaves_the_page_as_it_was():
    """The draft of a forged form is kept, with the method that is offered first."""
    with visitor() as own:
        own.upload("a.csv", CSV)
        own.use_roles(a="independent", b="independent", c="dependent", d="dependent")
        for name in ("../../x", "calibrated"):
            assert messages(own.act("run", method=name, from_="method")) == "studio: choose one of the methods"
            assert 'id="m-sequential" href="?name=sequential#settings" aria-current="true"' in own.get("method")


def files_of(own):
    return sorted(path.relative_to(own.study.folder).name for path in own.study.folder.rglob("*") if path.is_file())


def test_the_files_of_a_study_have_a_limit(monkeypatch):
    """One sentence, and nothing of the file is left."""
    monkeypatch.setattr("pyfcrm.app.state.DISK_MB", 1)
    with visitor() as own:
        own.upload("a.csv", CSV)
        assert own.upload("b.csv", CSV).count("b.csv")
        text = own.upload("c.csv", CSV + b"1,2,3,4\n" * 2**17)
        assert "the files of a study may take 1 MB: begin a new study for this one; got 1 MB" in messages(text)
        assert files_of(own) == ["a.csv", "b.csv"]


def test_a_study_has_the_files_that_it_needs():
    """Its file and the one that undo brings back; downloads leave none, nor does an upload that is refused."""
    with visitor() as own:
        for name in ("a.csv", "b.csv", "c.csv"):
            own.upload(name, CSV)
        assert files_of(own) == ["b.csv", "c.csv"]
        own.act("undo", from_="file")
        assert files_of(own) == ["b.csv"]
        own.use_roles(a="independent", b="independent", c="dependent", d="dependent")
        own.run(**IPSO)
        own.act("decide", trial="1", by="Ada", reason="a test", from_="take")
        for what in ("release", "manifest", "external", "internal", "plan") * 2:
            assert own.client.get(f"{own.base}/trial/1/{what}", follow_redirects=False).status_code == 200
        assert files_of(own) == ["b.csv"]
        own.study.job = Job("Waiting", lambda progress: time.sleep(1), lambda result: None)
        answer = own.client.post(f"{own.base}/upload", files={"file": ("d.csv", CSV)}, headers={"origin": ORIGIN})
        assert "a task is still running" in messages(answer.text)
        assert files_of(own) == ["b.csv"]


def test_folders_of_studios_that_are_gone_are_removed(tmp_path, monkeypatch):
    """A folder whose lock is held stays, as does one without a lock, and what a link leads to."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    held, gone = PrivateFolder(), tmp_path / "pyfcrm-studio-gone"
    for name in ("pyfcrm-studio-gone", "pyfcrm-studio-new", "other", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "in.csv").write_text("a,b", encoding="utf-8")
    (gone / "lock").touch()
    (tmp_path / "elsewhere" / "lock").touch()
    (tmp_path / "pyfcrm-studio-link").symlink_to(tmp_path / "elsewhere")
    remove_abandoned()
    assert not gone.exists()
    assert held.path.exists()
    for name in ("pyfcrm-studio-new", "other", "elsewhere"):
        assert (tmp_path / name / "in.csv").exists()
    held.remove()
    assert not held.path.exists()


@pytest.mark.slow(2)
def test_a_connection_without_a_token_ends():
    """Idle, or with half of a request: closed after the patience; one whose request was let in stays."""
    admitted = set[Peer]()

    async def app(scope, receive, send):
        if scope["type"] == "http":
            admitted.add(tuple(scope["client"]))
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body"})

    listener = listen(None)
    config = uvicorn.Config(app, http=protocol(admitted, 0.5), log_level="error", timeout_keep_alive=60, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        ends = {}
        for name, sent in {"idle": b"", "half": whole[:20], "whole": whole}.items():
            ends[name] = socket.create_connection(listener.getsockname())
            ends[name].settimeout(5)
            ends[name].sendall(sent)
        assert ends["whole"].recv(1000).startswith(b"HTTP/1.1 200")
        for name in ("idle", "half"):
            assert ends[name].recv(1000) == b""  # the other end is closed
        ends["whole"].sendall(whole)
        assert ends["whole"].recv(1000).startswith(b"HTTP/1.1 200")
    finally:
        for end in ends.values():
            end.close()
        server.should_exit = True
        thread.join(20)
    assert admitted == set()


def test_an_upload_has_a_limit_with_and_without_a_length():
    """1 MB here: announced and streamed bytes are both counted, and no file is left."""
    with visitor(upload_mb=1) as own:
        big = own.client.post(f"{own.base}/upload", files={"file": ("a.csv", b"1" * 2**21)}, headers={"origin": ORIGIN})
        assert big.status_code == 413
        endless = own.client.post(
            f"{own.base}/upload",
            content=(b"1" * 2**16 for _ in range(40)),
            headers={"origin": ORIGIN, "content-type": "multipart/form-data; boundary=x"},
        )
        assert endless.status_code == 413
        assert list(own.study.folder.rglob("*")) == []
        form = own.client.post(f"{own.base}/do/run", data={"a": "1" * 2**21}, headers={"origin": ORIGIN})
        assert form.status_code == 413


def test_a_request_that_stops_arriving_ends(monkeypatch):
    """408 after the patience for the next piece; the study has no file and no task."""
    monkeypatch.setattr("pyfcrm.app.security.PATIENCE", 0.05)
    with visitor() as own:
        cookie = "; ".join(f"{name}={value}" for name, value in own.client.cookies.items())
        headers = {"host": ORIGIN.removeprefix("http://"), "origin": ORIGIN, "cookie": cookie, "content-length": "9000",
                   "content-type": "multipart/form-data; boundary=x"}  # fmt: skip
        scope = {"type": "http", "method": "POST", "path": f"{urlsplit(own.base).path}/upload", "query_string": b"",
                 "headers": [(key.encode(), value.encode()) for key, value in headers.items()]}  # fmt: skip
        pieces, answers = [b"--x\r\n"], []

        async def receive():
            if not pieces:
                await asyncio.sleep(60)
            return {"type": "http.request", "body": pieces.pop(), "more_body": True}

        async def send(message):
            answers.append(message)

        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, own.client.app(scope, receive, send)).result()
        assert answers[0]["status"] == 408
        assert own.study.job is None
        assert list(own.study.folder.rglob("*")) == []


def bomb() -> bytes:
    """A workbook of some kB, as a spreadsheet program writes it, whose sheet unpacks to 200 MB of blanks."""
    written, buffer = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(written)
    with zipfile.ZipFile(written) as whole, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in whole.namelist():
            blanks = b" " * 200 * 2**20
            archive.writestr(name, blanks if name == "xl/worksheets/sheet1.xml" else whole.read(name))
    return buffer.getvalue()


TOO_LARGE = "the studio opens files of at most 1,000 columns and 20,000,000 cells"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.csv", b"", "the file is empty"),
        ("a.exe", b"MZ", "the extension must be one of .csv,"),
        ("bomb.xlsx", bomb(), "the file must be readable as .xlsx"),
        ("a.csv", gzip.compress(b"a,b\n1,2\n"), "the file must be text in UTF-8 with separators (state another `encoding`"),
        (
            "wide.csv", b",".join(b"c%d" % k for k in range(1500)) + b"\n" + b",".join([b"1"] * 1500) + b"\n",
            f"{TOO_LARGE}; `pyfcrm protect` takes larger files; got 1 records of 1,500 columns",
        ),
        (
            "tall.csv", b"a\n" + b"1\n" * 21_000_000,
            f"{TOO_LARGE}; `pyfcrm protect` takes larger files; got 20,",
        ),
        ("bad.parquet", b"PAR1" + b"\0" * 100 + b"PAR1", "the file must be readable as Parquet; got "),
        ("bad.sav", b"$FL2" + b"\xff" * 200, "the file must be readable as .sav; got "),
        ("x" * 250 + ".csv", CSV, "a file's name must have at most 200 bytes and no control characters; got "),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else "",
)  # fmt: skip
def test_a_file_that_cannot_be_opened_gives_one_sentence(name, data, reason):
    """The message names the file and its own fault, and no folder of this machine; nothing of the file is left; the page stays."""
    with visitor(child=True) as own:
        text = own.upload(name, data)
        owner = "studio: " if len(name) > 200 else f"studio: {name}: "
        assert messages(text).startswith(owner + reason)
        assert str(own.study.folder) not in text
        assert "/tmp" not in text
        assert own.study.work.source is None
        assert not [path for path in own.study.folder.rglob("*") if path.is_file()]


@pytest.mark.slow(3)
def test_cancel_ends_the_reader(monkeypatch):
    """Its process is gone within seconds, where it would read for a minute, and a second file is read."""
    with visitor(child=True) as own:
        with monkeypatch.context() as patch:
            patch.setitem(formats.READERS, "csv", readers.slow)
            text = own.client.post(
                f"{own.base}/upload", files={"file": ("a.csv", CSV)}, headers={"origin": ORIGIN}
            ).text
            assert "Reading a.csv" in text
            [path] = own.study.folder.rglob("a.csv")
            number = readers.written_pid(path)
            job = own.study.job
            own.act("cancel", from_="file")
        job.wait(20)
        assert not job.alive
        assert not readers.is_there(number)
        assert own.study.work.source is None
        own.upload("b.csv", CSV)
        assert own.study.source.name == "b.csv"


@pytest.mark.parametrize("name", ["../../evil.csv", "..\\evil.csv", "/etc/evil.csv", f"{WILD}.csv", ".hidden.csv"])
def test_a_file_name_cannot_leave_the_folder_nor_become_markup(name):
    with visitor() as own:
        text = own.upload(name, CSV)
        path = own.study.source.path
        assert path.resolve().is_relative_to(own.study.folder.resolve())
        assert "<img" not in text


def test_markup_in_columns_and_cells_is_text():
    """Names, categories, messages and the report of a file whose every text is markup."""
    with visitor() as own:
        rows = "".join(f'"{WILD}{k % 3}",{k % 5},{10 * k + k * k % 13}\n' for k in range(60))
        own.upload("a.csv", f'"{WILD}","<b>x</b>",c\n{rows}'.encode())
        own.use_roles(**{"<b>x</b>": "independent", "c": "dependent"})
        pages = [
            own.run(**IPSO),
            *(own.get(f"compare?view={view}") for view in ("utility", "columns", "records", "notes")),
        ]
        pages += [own.get(step) for step in ("file", "columns", "method", "take")]
        pages.append(own.client.get(f"{own.base}/trial/1/internal").text)
        for text in pages:
            assert "<img src=x" not in text
            assert "<b>x</b>" not in text


def test_folders_are_private_and_removed():
    """Mode 0700; a study that ends takes its folder along, the studio that ends all of them."""
    with visitor() as own:
        own.upload("a.csv", CSV)
        root, folder = own.studies.folder.path, own.study.folder
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        own.study.used -= 10**6
        own.studies.end_idle()
        assert not folder.exists()
        answer = own.client.get(f"{own.base}/file")
        assert answer.status_code == 410
        assert "No page of it was open for 30 minutes." in answer.text
    assert not root.exists()


@pytest.mark.slow(4)
def test_fifty_tabs_have_a_study_each():
    """Opened and used at once: each keeps its own file; beyond the limit the one used longest ago ends."""
    with visitor() as own:
        tabs = [Visitor(own.client, own.studies) for _ in range(50)]
        assert len({tab.base for tab in tabs}) == 50
        with ThreadPoolExecutor(8) as pool:
            texts = list(pool.map(lambda k: tabs[k].upload(f"file-{k}.csv", CSV), range(50)))
        assert [f"file-{k}.csv" in texts[k] for k in range(50)] == [True] * 50
        assert "file-3.csv" not in tabs[4].get("columns")
        for _ in range(60):
            own.studies.create()
        assert len(own.studies._studies) == 100
