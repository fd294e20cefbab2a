"""A Parquet file protected and judged on two local Dask workers, one of which is killed while it works.

python benchmarks/lost_worker.py [n]. 10 columns (3 independent, 7 dependent), IPSO-C, both files read by blocks. The release must be
that of the threads of this process, to 1e-10 sd, and the killed worker replaced. The aim is n = 1e7.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pyfcrm as pf
from pyfcrm.data import Frame, open_data
from pyfcrm.engine import Dask, Local

PART = 10**6  # records of a file of the folder
INDEPENDENT = [f"x{j}" for j in range(3)]
DEPENDENT = [f"y{j}" for j in range(7)]
ROLES = pf.Roles(INDEPENDENT, DEPENDENT)
CLOSE = 1e-10  # sd: regressions are solved from triangular factors of blocks


def write(folder: Path, n: int) -> None:
    """n records in Parquet files: three lognormal columns, seven that depend on them."""
    folder.mkdir()
    random = np.random.default_rng(1)
    slopes = random.normal(size=(len(INDEPENDENT), len(DEPENDENT)))
    for start in range(0, n, PART):
        size = min(PART, n - start)
        X = random.lognormal(0, 0.5, size=(size, len(INDEPENDENT)))
        Y = X @ slopes + 0.3 * random.normal(size=(size, len(DEPENDENT)))
        frame = pd.DataFrame(np.hstack([X, Y]), columns=INDEPENDENT + DEPENDENT)
        frame.to_parquet(folder / f"part-{start // PART:03}.parquet", index=False)


def killer(cluster: Dask) -> tuple[list[int], Any]:
    """The ids of the workers that were killed, at first none, and a progress callback that kills one of them."""
    killed: list[int] = []

    def kill(done: int, total: int, label: str) -> None:
        if done >= 1 and not killed:
            killed.append(next(iter(cluster.client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    return killed, kill


def protected(source: Frame, target: Path, engine: Any, progress: Any = None) -> None:
    pf.protect_file(source, target, pf.IPSO("C"), ROLES, 1, variables="numbers", engine=engine, progress=progress)


def furthest(one: Path, other: Path) -> float:
    """The largest difference of two releases, in sd."""
    largest = 0.0
    for name in DEPENDENT:
        a, b = (pd.read_parquet(path, columns=[name])[name].to_numpy() for path in (one, other))
        largest = max(largest, float(np.abs(a - b).max() / b.std()))
    return largest


def main(n: int = 10**6) -> int:
    """Prints seconds, CPU seconds and peak memory; 1 if no worker was killed, or the releases differ."""
    with tempfile.TemporaryDirectory() as scratch, Dask(workers=2) as cluster:
        target, known = Path(scratch, "out.parquet"), Path(scratch, "known.parquet")
        write(Path(scratch, "in"), n)
        source = open_data("benchmark", Path(scratch, "in"), whole=False)
        begun = time.perf_counter()
        killed, kill = killer(cluster)
        protected(source, target, cluster, kill)
        protecting = time.perf_counter()
        print(f"n={n:,}: protected in {protecting - begun:.0f} s, killed {len(killed)}", flush=True)
        release = open_data("benchmark", target, whole=False)
        report = pf.evaluate(source, release, roles=ROLES, method=pf.IPSO("C"), variables="numbers", engine=cluster)
        judging = time.perf_counter()
        print(f"judged in {judging - protecting:.0f} s: {report.verdict.status}, PIL {report['pil']:.3g}", flush=True)
        protected(source, known, Local(2))
        difference = furthest(target, known)
    own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = sum(used.ru_utime + used.ru_stime for used in (own, workers))
    print(f"CPU {cpu:.0f} s, this process {own.ru_maxrss / 2**20:.1f} GB, a worker {workers.ru_maxrss / 2**20:.1f} GB")
    print(f"largest difference from threads: {difference:.1e} sd")
    return 0 if killed and difference < CLOSE else 1


if __name__ == "__main__":
    sys.exit(main(*(int(float(word)) for word in sys.argv[1:])))
