"""Fifty visits of the studio at once, and a session of R that is killed: all are served, nothing is lost or left behind.

Oracle: each visit's own file; an undisturbed release. Identical. Run by `make trust`.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.browser import studio_process
from support.cli import people
from support.r import RSCRIPT
from support.r_package import environment, requires_r_package
from support.visitor import Visitor

VISITS, KILLS = 50, 8
R_CODE = """library(fcrm); cat("begun\\n"); flush(stdout())
protect_file("in.csv", "out.csv", ipso("C"), c("a", "b"), c("c", "d"), seed = 1, overwrite = TRUE)"""


def test_fifty_visits_at_once(tmp_path: Path) -> None:
    """Each hears of the file that it dropped, which has a number of records of its own; the folders go with the visits."""
    with studio_process(temporary=tmp_path) as address:

        def visit(k: int) -> bool:
            with Visitor(address) as visitor:
                visitor.upload(f"file-{k}.csv", people(20 + k).to_csv(index=False).encode())
                visitor.hear(f"{20 + k} records")
                return visitor.is_sound()

        with ThreadPoolExecutor(VISITS) as pool:
            assert all(pool.map(visit, range(VISITS)))
        ends = time.monotonic() + 60
        while time.monotonic() < ends and {path.name for path in tmp_path.iterdir()} - {"log"}:
            time.sleep(0.5)
        assert not list(tmp_path.rglob("*.csv"))
        assert "Traceback" not in (tmp_path / "log").read_text()


@requires_r_package
@pytest.mark.skipif(RSCRIPT is None, reason="needs R")
def test_an_r_session_that_is_killed(tmp_path: Path) -> None:
    people(40_000).to_csv(tmp_path / "in.csv", index=False)
    env = environment()
    command = [str(RSCRIPT), "--vanilla", "-e", R_CODE]
    for _ in range(2):  # the first may compile
        begun = time.monotonic()
        subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
        took = time.monotonic() - begun
    output, moments = tmp_path / "out.csv", random.Random(3)
    whole, killed = output.read_bytes(), 0
    for number in range(KILLS):
        output.unlink(missing_ok=True)
        if number % 2:
            output.write_bytes(b"EARLIER")
        process = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.3 * took, took))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() < 0
        now = output.read_bytes() if output.exists() else b""
        assert now in (whole, b"EARLIER" if number % 2 else b"")
    assert killed > KILLS / 2
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
    assert output.read_bytes() == whole
    assert {path.name for path in tmp_path.iterdir()} == {"in.csv", "out.csv"}
