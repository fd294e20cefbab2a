"""A worker that is killed, all of them, a scheduler that is lost, at any moment: nothing is lost, or one sentence says what was.

Oracle: an undisturbed release on the same cluster. Identical. Run by `make trust`. All processes are of this machine; the cluster
is reached by its address, as one elsewhere is.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from support.blocks import DEPENDENT, ROLES, by_blocks, furthest, simulated

import pyfcrm as pf
from pyfcrm.engine import Dask, dask

pytest.importorskip("distributed", reason="needs Dask: pip install 'pyfcrm[dask]'")
METHOD, KILLS, PATIENCE = pf.FCRM(3, joint=True, max_iter=40, tol=0), 12, 60.0


class Cluster:
    """A scheduler and two workers, each a process that dies alone: no nanny starts another."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder, self.note, self.workers = folder, folder / "scheduler.json", list[subprocess.Popen[bytes]]()
        self.scheduler = self._started("dask_scheduler", "--port", "0", "--host", "127.0.0.1")
        for _ in range(2):
            self.add()
        with Dask(self.address) as engine:
            engine.client.wait_for_workers(2, timeout=PATIENCE)

    def _started(self, command, *words):
        known = [sys.executable, "-m", f"distributed.cli.{command}", "--scheduler-file", str(self.note), *words]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([*known, "--no-dashboard"], cwd=self.folder, **quiet)

    def add(self):
        self.workers.append(self._started("dask_worker", "--nthreads", "1", "--no-nanny"))

    @property
    def address(self):
        ends = time.monotonic() + PATIENCE
        while not (self.note.exists() and self.note.read_text()):
            assert time.monotonic() < ends, "no scheduler came up"
            time.sleep(0.1)
        return str(json.loads(self.note.read_text())["address"])

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.wait()

    def end(self):
        for process in (*self.workers, self.scheduler):
            self.kill(process)


@pytest.fixture
def clusters(tmp_path):
    made = []

    def another():
        made.append(Cluster(tmp_path / f"cluster-{len(made)}"))
        return made[-1]

    yield another
    for cluster in made:
        cluster.end()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "work").mkdir()
    simulated(60_000).to_parquet(tmp_path / "work" / "in.parquet")
    return tmp_path / "work"


def protect(folder, address):
    """The release's bytes."""
    given = by_blocks(folder / "in.parquet")
    pf.protect(given, METHOD, ROLES, 1, engine=address, output=folder / "out.parquet", overwrite=True)
    return (folder / "out.parquet").read_bytes()


def undisturbed(folder, address):
    """The release, and the seconds that it takes once all is compiled."""
    protect(folder, address)
    begun = time.monotonic()
    return protect(folder, address), time.monotonic() - begun


def refused(folder, address):
    """What is said where the cluster is lost; empty where the release was made."""
    try:
        protect(folder, address)
    except pf.errors.ClusterLost as error:
        return str(error)
    return ""


def stand(folder, earlier):
    """Before a run, in the output's place: earlier bytes, or none."""
    (folder / "out.parquet").unlink(missing_ok=True)
    if earlier:
        (folder / "out.parquet").write_bytes(earlier)


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_worker_is_killed_at_any_moment(clusters, folder):
    """The release is the same to the last byte; at least half of the kills fall within the work."""
    cluster = clusters()
    whole, took = undisturbed(folder, cluster.address)
    moments, within = random.Random(5), 0
    for _ in range(KILLS):
        stand(folder, b"")
        killer = threading.Timer(moments.uniform(0.1 * took, took), cluster.kill, [cluster.workers.pop(0)])
        killer.start()
        assert protect(folder, cluster.address) == whole
        within += not killer.is_alive()
        killer.join()
        cluster.add()
        with Dask(cluster.address) as engine:
            engine.client.wait_for_workers(2, timeout=PATIENCE)
    assert within >= KILLS / 2
    assert names(folder) == {"in.parquet", "out.parquet"}


def test_a_scheduler_is_lost_at_any_moment(clusters, folder):
    """One sentence, and what stood there is as it was; a new scheduler serves the next call."""
    cluster = clusters()
    whole, took = undisturbed(folder, cluster.address)
    moments, lost, tried = random.Random(6), 0, 0
    while lost < KILLS:
        tried += 1
        assert tried < 4 * KILLS, "the work ends before the scheduler is lost"
        earlier = b"EARLIER" if tried % 2 else b""
        stand(folder, earlier)
        killer = threading.Timer(moments.uniform(0.1 * took, 0.9 * took), cluster.kill, [cluster.scheduler])
        killer.start()
        begun = time.monotonic()
        told = refused(folder, cluster.address)
        assert len(told.splitlines()) == bool(told)
        lost += bool(told)
        output = folder / "out.parquet"
        assert (output.read_bytes() if output.exists() else b"") == (earlier if told else whole)
        assert names(folder) <= {"in.parquet", "out.parquet"}
        killer.join()
        assert time.monotonic() - begun < 3 * dask.CONNECT_TIMEOUT + took
        cluster.end()
        cluster = clusters()
    assert protect(folder, cluster.address) == whole
    assert names(folder) == {"in.parquet", "out.parquet"}


def test_all_workers_are_killed(clusters, folder, monkeypatch):
    """None comes again: one sentence. One comes in time: the same bytes."""
    cluster = clusters()
    whole, took = undisturbed(folder, cluster.address)
    for again in (True, False):
        stand(folder, b"")
        monkeypatch.setattr(dask, "MAX_WAIT", PATIENCE if again else 5.0)

        def strike(again=again):
            for _ in range(2):
                cluster.kill(cluster.workers.pop(0))
            if again:
                cluster.add()

        killer = threading.Timer(0.5 * took, strike)
        killer.start()
        if again:
            assert protect(folder, cluster.address) == whole
        else:
            with pytest.raises(pf.errors.ClusterLost, match="has had no worker for 5 s; nothing was written") as told:
                protect(folder, cluster.address)
            assert len(str(told.value).splitlines()) == 1
            assert names(folder) == {"in.parquet"}
        killer.join()
        if again:
            cluster.add()


class Deadly:
    """A kernel that kills whoever computes it."""

    def part(self, block):
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    def add(self, a, b):
        return a + b


def test_a_block_that_kills_its_workers():
    """Workers that a nanny starts again, and again: one sentence, and the cluster still serves."""
    frame = simulated(20_000)
    with Dask(workers=2) as engine:
        with pytest.raises(pf.errors.ClusterLost, match="workers died again and again over one block") as told:
            engine.total(Deadly(), engine.hold([np.zeros(3)]))
        assert len(str(told.value).splitlines()) == 1
        made = pf.protect(frame, METHOD, ROLES, 1, engine=engine)
    assert furthest(made.frame, pf.protect(frame, METHOD, ROLES, 1).frame, DEPENDENT) < 1e-10  # sums in another order
