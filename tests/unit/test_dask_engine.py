"""The Dask engine on a cluster of two processes here. Oracle: the same blocks on this machine's threads, identical;
and the frame protected in memory, close (1e-10 sd: regressions are solved from triangular factors of blocks).
"""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from support.blocks import DEPENDENT, ROLES, by_blocks, furthest, protect_arrays, simulated

import pyfcrm as pf
from pyfcrm.data.blocks import Sample
from pyfcrm.engine import Local, engines

pytest.importorskip("distributed")
N = 3_000
JOINT = pf.FCRM(3, joint=True, max_iter=5)
slow = pytest.mark.slow


@pytest.fixture(scope="module")
def frame():
    return simulated(N)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(engines, "MIN_ROWS", 512)  # rows in a block


@slow
@pytest.mark.parametrize("method", [JOINT, pf.IPSO("C"), pf.Noise()])
def test_equal_to_threads_and_to_memory(method, frame, cluster):
    X, Y = frame[list(ROLES.independent)].to_numpy(), frame[DEPENDENT].to_numpy()
    release = protect_arrays(method, X, Y, pf.RStream(1), lambda text: None, cluster)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Sample, "in_memory", False)  # made again at each pass, as from a disk
        known = protect_arrays(method, X, Y, pf.RStream(1), lambda text: None, Local())
    assert (release == known).all()
    released = pf.protect(frame, method, ROLES, 1, engine=cluster)
    in_memory = pf.protect(frame, method, ROLES, 1)
    assert furthest(released.frame, in_memory.frame, DEPENDENT) < 1e-10
    assert released.notes == in_memory.notes


@slow
def test_measures(frame, cluster):
    """Links and counts identical, PIL close (sums in another order)."""
    before = frame.iloc[:2000].round(-3)  # values that often agree
    after = pf.protect(before, pf.Noise(amount=1), ROLES, 1, variables="numbers").frame.round(-3)
    result, known = pf.evaluate(before, after, DEPENDENT, engine=cluster), pf.evaluate(before, after, DEPENDENT)
    assert known["prl"] > 0
    assert known["dbrl"] > 0
    assert (result["prl"], result["dbrl"], result["id"]) == (known["prl"], known["dbrl"], known["id"])
    assert result["pil"] == pytest.approx(known["pil"], abs=1e-9)
    assert result.notes == known.notes


@slow
def test_a_worker_killed_in_the_middle(frame, cluster):
    """A real process, a real SIGKILL, between two passes and with the blocks it held lost; identical."""
    killed = []

    def kill(done, total, what):
        if done >= 3 and not killed:
            killed.append(next(iter(cluster.client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    release = pf.protect(frame, JOINT, ROLES, 1, engine=cluster, progress=kill)
    assert killed
    known = pf.protect(frame, JOINT, ROLES, 1, engine=cluster)
    pd.testing.assert_frame_equal(release.frame, known.frame, check_exact=True)


@slow
def test_a_file_on_a_cluster(frame, cluster, tmp_path):
    frame.to_parquet(tmp_path / "in.parquet")
    release = pf.protect(
        by_blocks(tmp_path / "in.parquet"), JOINT, ROLES, 1, output=tmp_path / "out.parquet", engine=cluster
    )
    known = pf.protect(frame, JOINT, ROLES, 1)
    assert furthest(pd.read_parquet(release.path), known.frame, DEPENDENT) < 1e-10


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler and a worker as two processes of their own; the scheduler and its address."""
    note = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    shared = ["--scheduler-file", str(note), "--no-dashboard"]
    one = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--host", "127.0.0.1", *shared], **quiet
    )
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *shared]
    two = subprocess.Popen([*worker, "--local-directory", str(tmp_path)], **quiet)
    try:
        yield one, address_in(note)
    finally:
        for process in (two, one):
            process.kill()
            process.wait()


def address_in(note):
    import json

    for _ in range(200):
        if note.exists() and note.read_text():
            return str(json.loads(note.read_text())["address"])
        time.sleep(0.1)
    raise TimeoutError("no scheduler came up")


@pytest.mark.process
@slow
def test_a_scheduler_lost_is_one_error(frame, scheduler, tmp_path):
    """Killed in the middle of a fit by its address: one PyfcrmError, and no output."""
    process, address = scheduler
    out = tmp_path / "out"
    out.mkdir()
    frame.to_parquet(tmp_path / "in.parquet")

    def kill(done, total, what):
        if what == str(JOINT) and done >= 3:
            process.kill()

    begun = time.monotonic()
    source = by_blocks(tmp_path / "in.parquet")
    with pytest.raises(pf.errors.ClusterLost, match=f"the scheduler {address} was lost"):
        pf.protect(source, JOINT, ROLES, 1, engine=address, progress=kill, output=out / "out.parquet")
    assert time.monotonic() - begun < 40
    assert not list(out.iterdir())


def test_missing_extra(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(pf.errors.MissingExtra, match=r"pip install 'pyfcrm\[dask\]'"):
        pf.protect(frame, JOINT, ROLES, 1, engine="dask")
