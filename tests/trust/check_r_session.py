"""A session of R that is killed in the middle: the release is whole, old or absent, nothing is left behind, the next call is served.

Oracle: an undisturbed release. Identical. Run by `make trust`. Moments follow the machine: a run that ends by itself counts
for nothing, and the next is killed earlier.
"""

import os
import random
import signal
import subprocess
import threading
import time

import pytest
from support.cli import people
from support.r import RSCRIPT, requires_r
from support.r_package import environment, requires_r_package

KILLS, PATIENCE = 12, 300.0
PROTECT = """library(fcrm)
protect_file("in.csv", "out.csv", ipso("C"), c("a", "b"), c("c", "d"), seed = 1, overwrite = TRUE)"""
SLOW = """slow <- function(frame, begun) { file.create(begun); Sys.sleep(600); frame }
quick <- function(frame) frame"""


@pytest.mark.r
@requires_r_package
def test_r_that_protects_is_killed(tmp_path):
    given, inputs = tmp_path / "in.csv", {"in.csv", "tmp"}
    people(60_000).to_csv(given, index=False)
    (tmp_path / "tmp").mkdir()
    env, output = environment({"TMPDIR": str(tmp_path / "tmp")}), tmp_path / "out.csv"
    command = [str(RSCRIPT), "--vanilla", "-e", PROTECT]
    for _ in range(2):  # the first may compile
        begun = time.monotonic()
        subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
        took = time.monotonic() - begun
    whole, moments, killed, tried = output.read_bytes(), random.Random(3), 0, 0
    while killed < KILLS:
        tried += 1
        assert tried < 4 * KILLS, "R ends before it is killed"
        earlier = b"EARLIER" if tried % 2 else b""
        output.write_bytes(earlier)
        if not earlier:
            output.unlink()
        process = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(moments.uniform(0.25 * took, took))
            took *= 0.95
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += process.wait() < 0
        assert (output.read_bytes() if output.exists() else b"") in (whole, earlier)
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
    assert output.read_bytes() == whole
    assert {path.name for path in tmp_path.iterdir()} == {*inputs, "out.csv"}
    assert not [path for path in (tmp_path / "tmp").rglob("*") if path.is_file()]


@pytest.mark.r
@requires_r
def test_an_r_of_the_bridge_is_killed(tmp_path):
    """In the middle of a call: one sentence, and the next call has a new R."""
    pytest.importorskip("rpy2", reason="needs rpy2: pip install 'pyfcrm[r]'")
    from r_bridge.to_r.apart import apart, run_r
    from r_bridge.to_r.session import REnded

    frame, code, mark = people(20), tmp_path / "code.R", tmp_path / "begun"
    code.write_text(SLOW)
    assert run_r(frame, "quick", code).to_dict("list") == frame.to_dict("list")

    def kill():
        ends = time.monotonic() + PATIENCE
        while not mark.exists() and time.monotonic() < ends:
            time.sleep(0.05)
        assert apart()._process is not None
        os.kill(apart()._process.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(REnded, match=r"slow: the R code ended R \(status -9\)") as told:
        run_r(frame, "slow", code, arguments={"begun": str(mark)})
    killer.join()
    assert len(str(told.value).splitlines()) == 1
    assert run_r(frame, "quick", code).to_dict("list") == frame.to_dict("list")
