"""Protect a simulated Parquet file block by block, and print what it took: time, peak memory, disk.

    python benchmarks/beyond_memory.py 2000000 [folder]

n records x 13 in row groups of 131072; FCRM joint over nine dependent columns, c = 4, ten iterations after its fuzzy
c-means start (up to 100 more passes). Needs 13 x 8 n bytes for the simulated file, as much for the scratch file, and
as much again for the release. Peak memory is the whole process's, the simulation included.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pyfcrm as pf

NAMES = [f"x{j}" for j in range(4)] + [f"y{j}" for j in range(9)]
AT_ONCE = 1 << 17


def simulate(path: str, n: int) -> None:
    """Four lognormal regressors, and nine responses on three lines; written some records at a time."""
    random = np.random.default_rng(1)
    lines = random.normal(size=(3, 5, 9))
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
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


def main(n: int, folder: str) -> None:
    """Simulate, protect, print."""
    source, output = os.path.join(folder, "in.parquet"), os.path.join(folder, "out.parquet")
    began = time.perf_counter()
    simulate(source, n)
    print(f"n = {n} x 13, {os.path.getsize(source) / 1e9:.2f} GB, simulated in {time.perf_counter() - began:.1f} s")
    print(f"peak memory before: {peak():.2f} GB", flush=True)
    roles = pf.Roles(independent=NAMES[:4], dependent=NAMES[4:])
    stages: dict[str, list[float]] = {}

    def progress(done: int, total: int, what: str) -> None:
        stages.setdefault(what, []).append(time.perf_counter())

    began = time.perf_counter()
    released = pf.protect(
        source, pf.FCRM(c=4, max_iter=10, joint=True), roles, seed=1, output=output, progress=progress
    )
    print(f"protected in {time.perf_counter() - began:.1f} s; peak memory {peak():.2f} GB")
    for what, times in stages.items():
        print(f"  {what}: {len(times)} steps, {times[-1] - began:.1f} s since the start")
    print(f"  release {os.path.getsize(output) / 1e9:.2f} GB; notes: {released.notes}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 2_000_000, folder)
