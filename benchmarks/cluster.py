"""FCRM on two local Dask workers against two threads. Both have their blocks in memory before timing starts.

python benchmarks/cluster.py [n]. 13 columns (4 independent, 9 dependent, joint), c = 10; the fit is ten iterations of fuzzy
c-means and ten of FCRM. The aim is within twice the in-process time at n = 1e7, which takes a quarter of an hour and 10 GB.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from typing import Any

import numpy as np
from support import Row, report, seconds, within

import pyfcrm as pf
from pyfcrm.data.blocks import Records, Sample, pieces
from pyfcrm.engine import Dask, Local, one_blas_thread
from pyfcrm.methods.work import Run

S, T, C, ITERATIONS, GOAL_AT = 4, 9, 10, 10, 10**7


def simulated(n: int) -> Records:
    """(n, 13) records: four lognormal columns, nine that depend on them."""
    random = np.random.default_rng(1)
    rows = np.empty((n, S + T))
    rows[:, :S] = random.lognormal(0, 0.5, size=(n, S))
    rows[:, S:] = rows[:, :S] @ random.normal(size=(S, T))
    rows[:, S:] += 0.3 * random.normal(size=(n, T))
    return Records(rows)


def fit(engine: Any, blocks: Any, rows: Records) -> Any:
    """The fitted release, without writing it."""
    method = pf.FCRM(C, joint=True, max_iter=ITERATIONS, tol=0)
    return method.fit(Sample(engine, blocks, rows, S, T), Run(pf.RStream(1)))


def main(n: int = 10**6) -> int:
    """Prints the table: seconds of both, after one untimed fit of each."""
    module = importlib.import_module("pyfcrm.fuzzy.fcrm")
    module.START = replace(module.START, max_iter=ITERATIONS)
    rows, times = simulated(n), {}
    with one_blas_thread():
        for name, engine in (("threads", Local(2)), ("dask", Dask(workers=2))):
            blocks = pieces(rows, engine)
            fit(engine, blocks, rows)
            times[name] = seconds(lambda e=engine, b=blocks: fit(e, b, rows))
            if isinstance(engine, Dask):
                engine.close()
    row: Row = within(
        "FCRM, 2 workers", "2 threads in process", f"n={n}, s={S}, t={T}, c={C}", (times["dask"], times["threads"]),
        2 if n >= GOAL_AT else None,
    )  # fmt: skip
    return report([row])


if __name__ == "__main__":
    sys.exit(main(*(int(float(word)) for word in sys.argv[1:])))
