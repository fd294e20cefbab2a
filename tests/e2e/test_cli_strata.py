"""pyfcrm by strata, with inference baselines, on so many threads, with progress.

Oracle: pf.protect and pf.evaluate on the same file. Grade: identical.
"""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from support.cli import people, pyfcrm

import pyfcrm as pf

PROTECT = ["protect", "in.csv", "--method", "rankswapping", "--set", "p=20", "--dependent", "c,d", "--seed", "1"]
PROTECT += ["--allow-unprotected"]
ROLES = pf.Roles([], ["c", "d"])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    assert pyfcrm(*PROTECT, "-o", "out.csv", "--strata", "note").status == 0
    return tmp_path


def frames():
    before, after = (pd.read_csv(name, dtype={"id": str}) for name in ("in.csv", "out.csv"))
    return before, after


def test_protect_by_strata(folder):
    before, after = frames()
    known = pf.protect(before, pf.RankSwapping(20), ROLES, 1, strata="note", allow_unprotected=True)
    pd.testing.assert_frame_equal(after, known.frame)
    ran = pyfcrm(*PROTECT, "-o", "again.csv", "--strata", "note", "--manifest", "m.json", "--threads", "1")
    assert "note: protected by strata of note: 3 strata of 13 to 14 records" in ran.err
    assert json.loads(Path("m.json").read_text())["keep"]["strata"] == ["note"]
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()


@pytest.mark.process
def test_a_terminal_sees_progress_and_a_pipe_does_not(folder):
    """What a terminal gets on standard error names what is done, with the time left; standard output is the same."""
    words = [*PROTECT, "-o", "new.csv"]
    main, side = pty.openpty()
    ran = subprocess.Popen(
        [sys.executable, "-m", "pyfcrm", *words],
        stdout=subprocess.PIPE,
        stderr=side,
        env={**os.environ, "COLUMNS": "200"},
    )
    os.close(side)
    seen = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # how Linux ends a terminal
            break
        if not part:
            break
        seen += part
    out, _ = ran.communicate(timeout=60)
    os.close(main)
    what = b"protecting with RankSwapping(p=20)"
    assert ran.returncode == 0
    assert what in seen
    assert re.search(rb"-:--:--|\d:\d\d:\d\d", seen)  # the time left
    piped = pyfcrm(*words, "--overwrite")
    assert what.decode() not in piped.err
    assert piped.out.encode() == out
