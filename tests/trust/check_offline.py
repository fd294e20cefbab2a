"""On a machine with no network and no R: wheelhouse, install, qualify, a page to sign; then a byte that was changed.

Oracle: SHA256SUMS, the wheel's record, a fault planted here. Identical. Run by `make trust`; $WHEELHOUSE is the folder that
tests/trust/wheelhouse.py made. The network is off by a namespace of its own, where the system has them.
"""

import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WHEELHOUSE = Path(os.environ["WHEELHOUSE"]).resolve()
APART = ["unshare", "--map-root-user", "--net"]
MOST = 120  # seconds of one processor that a qualification may take, what it compiles included
TO_NOWHERE = dict.fromkeys(
    ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9"
)


def offline(command, cwd):
    """What a command does without a network, without R, and without this checkout."""
    apart = APART if subprocess.run([*APART, "true"], capture_output=True, check=False).returncode == 0 else []
    known = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "PIP_", "R_"))
    }
    env = {**known, **TO_NOWHERE, "PATH": "/nowhere"}
    words = [shutil.which(apart[0]) or apart[0], *apart[1:]] if apart else []
    return subprocess.run([*words, *map(str, command)], cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("offline")
    assert offline([sys.executable, "-m", "venv", folder / "venv"], folder).returncode == 0
    python = folder / "venv" / "bin" / "python"
    install = ["-m", "pip", "install", "--no-index", "--find-links", ".", "--require-hashes", "-r", "requirements.txt"]
    done = offline([python, *install], WHEELHOUSE)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_network_is_off(home):
    code = "import socket; socket.create_connection(('1.1.1.1', 53), 3)"
    assert offline([home / "venv/bin/python", "-c", code], home).returncode != 0


def test_the_sums_are_those_of_the_files():
    lines = (WHEELHOUSE / "SHA256SUMS").read_text().splitlines()
    known = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert known.keys() == {path.name for path in WHEELHOUSE.iterdir()} - {"SHA256SUMS"}
    for name, digest in known.items():
        assert hashlib.sha256((WHEELHOUSE / name).read_bytes()).hexdigest() == digest, name


def test_a_page_to_sign_and_a_byte_that_was_changed(home):
    qualify = [home / "venv/bin/pyfcrm", "qualify", "--json"]
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = offline([*qualify, "--html", "page.html"], home)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime < MOST
    document = json.loads(done.stdout)
    assert [one["verdict"] for one in document["requirements"]] == ["holds"] * 7
    assert "Signature</th>" in (home / "page.html").read_text()
    [file] = home.glob("venv/lib/*/site-packages/pyfcrm/measures/pil.py")
    file.write_bytes(file.read_bytes().replace(b"100", b"101", 1))
    done = offline(qualify, home)
    assert done.returncode == 1
    [first, *_] = json.loads(done.stdout)["requirements"]
    assert [row["what"] for row in first["rows"]] == ["pyfcrm/measures/pil.py"]


def test_a_release_changed_by_one_digit(home):
    code = "import pyfcrm as pf; pf.datasets.survey(200).to_csv('in.csv', index=False)"
    assert offline([home / "venv/bin/python", "-c", code], home).returncode == 0
    roles = ["--independent", "age,hours", "--dependent", "wage,tax", "--identifiers", "name"]
    pyfcrm = home / "venv/bin/pyfcrm"
    values = [pyfcrm, "protect", "in.csv", "-o", "out.csv", "--method", "ipso", *roles, "--manifest", "m.json"]
    assert offline(values, home).returncode == 0
    verify = [pyfcrm, "verify", "m.json", "--release", "out.csv", "--original", "in.csv"]
    assert offline(verify, home).returncode == 0
    text = (home / "out.csv").read_text()
    (home / "out.csv").write_text(text[:-2] + str((int(text[-2]) + 1) % 10) + "\n")
    done = offline(verify, home)
    assert done.returncode == 1
    assert "`tax` differs in 1 record" in done.stdout
