"""Protect a simulated Parquet file block by block, then judge it, and print what each took: time, peak memory, disk.

    python benchmarks/beyond_memory.py 2000000 [folder]

n records x 13 in row groups of 131072; FCRM joint over nine dependent columns, c = 4, ten iterations after its fuzzy
c-means start (up to 100 more passes). Then PIL, DBRL, PRL and ID of the nine columns by evaluate(path, path). Each stage is a
process of its own, so that each peak is its own. Needs 13 x 8 n bytes for the simulated file, as much for the scratch file, as
much again for the release, and for judging 5 x 9 x 8 n more.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pyfcrm as pf
from pyfcrm.data.source import open_data

NAMES = [f"x{j}" for j in range(4)] + [f"y{j}" for j in range(9)]
AT_ONCE = 1 << 17
MEASURES = ["pil", "dbrl", "prl", "id"]


def simulate(folder: str, n: int) -> None:
    """Four lognormal regressors, and nine responses on three lines; written some records at a time."""
    random = np.random.default_rng(1)
    lines = random.normal(size=(3, 5, 9))
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with pq.ParquetWriter(
        os.path.join(folder, "in.parquet"), schema, compression="none", use_dictionary=False
    ) as writer:
        for start in range(0, n, AT_ONCE):
            b = min(AT_ONCE, n - start)
            X = random.lognormal(0, 0.5, size=(b, 4))
            which = random.integers(0, 3, size=b)
            A = np.column_stack([np.ones(b), X])
            Y = np.einsum("ks,kst->kt", A, lines[which]) + 0.3 * random.normal(size=(b, 9))
            writer.write_table(pa.Table.from_arrays([pa.array(a) for a in np.hstack([X, Y]).T], schema=schema))


def peak() -> float:
    """Peak resident memory so far, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def protect(folder: str) -> None:
    """The release of the simulated file."""
    source, output = os.path.join(folder, "in.parquet"), os.path.join(folder, "out.parquet")
    roles = pf.Roles(independent=NAMES[:4], dependent=NAMES[4:])
    with Stages("protected") as stages:
        opened = open_data("protect", source, whole=False)  # by blocks, whatever the memory of this machine
        method = pf.FCRM(c=4, max_iter=10, joint=True)
        released = pf.protect(opened, method, roles, seed=1, output=output, overwrite=True, progress=stages.report)
    print(f"  release {os.path.getsize(output) / 1e9:.2f} GB; notes: {released.notes}")


def judge(folder: str) -> None:
    """Its measures."""
    with Stages("judged") as stages:
        pair = [
            open_data("evaluate", os.path.join(folder, name), whole=False) for name in ("in.parquet", "out.parquet")
        ]
        report = pf.evaluate(*pair, NAMES[4:], MEASURES, progress=stages.report)
    print("  " + ", ".join(f"{key} {report[key]:.4f}" for key in MEASURES))


class Stages:
    """Prints the time and the peak memory of what is done within, and when each stage of it ended."""

    def __init__(self, what: str) -> None:
        self.what, self.ends = what, dict[str, tuple[int, float]]()

    def report(self, done: int, total: int, what: str) -> None:
        """A progress callback."""
        steps, _ = self.ends.get(what, (0, 0.0))
        self.ends[what] = steps + 1, time.perf_counter()

    def __enter__(self) -> Stages:
        self.began, self.before = time.perf_counter(), peak()
        return self

    def __exit__(self, *_: object) -> None:
        took = time.perf_counter() - self.began
        print(f"{self.what} in {took:.1f} s; peak memory {peak():.2f} GB, {self.before:.2f} GB before")
        for what, (steps, end) in self.ends.items():
            print(f"  {what}: {steps} steps, {end - self.began:.1f} s since the start")


STAGES: dict[str, Callable[..., None]] = {"simulate": simulate, "protect": protect, "judge": judge}


def main(n: int, folder: str) -> None:
    """Each stage in a process of its own."""
    print(f"n = {n} x 13", flush=True)
    for stage in STAGES:
        subprocess.run([sys.executable, __file__, "stage", stage, folder, str(n)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["stage"]:
        stage, folder, size = sys.argv[2:]
        STAGES[stage](folder, *([int(size)] if stage == "simulate" else []))
    else:
        with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
            main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 2_000_000, folder)
