"""Protect a simulated Parquet file block by block, then judge it, and print what each took: time, peak memory, disk.

    python benchmarks/beyond_memory.py 2000000 [folder] [stages]

n records x 13 in row groups of 131072; FCRM joint over nine dependent columns, c = 4, ten iterations after its fuzzy
c-means start (up to 100 more passes). Then PIL, DBRL, PRL and ID of the nine columns by evaluate(path, path). Stages,
one or more of these, are processes of their own, so that each peak is its own: protect, judge, and, only if named,
alike (judging a copy whose values moved by little, one in two kept: the hard case of both linkages) and memory (judging
frames, for comparison). Needs 13 x 8 n bytes for the simulated file, as much for the scratch file, as much again for
each release, and for judging 5 x 9 x 8 n more.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pyfcrm as pf
from pyfcrm.data.source import open_data

NAMES = [f"x{j}" for j in range(4)] + [f"y{j}" for j in range(9)]
AT_ONCE = 1 << 17
MEASURES = ["pil", "dbrl", "prl", "id"]


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


def move(source: str, output: str) -> None:
    """A release that links: every second value is kept, the others move by up to a hundredth, rounded alike."""
    random = np.random.default_rng(2)
    with pq.ParquetFile(source) as file, pq.ParquetWriter(output, file.schema_arrow, compression="none") as writer:
        for batch in file.iter_batches(AT_ONCE):
            A = np.column_stack([column.to_numpy() for column in batch.columns])
            moved = A + 0.01 * random.uniform(-1, 1, size=A.shape)
            A[:, 4:] = np.where(random.random(A.shape) < 0.5, A, moved)[:, 4:]
            writer.write_table(pa.Table.from_arrays([pa.array(a) for a in A.T], schema=file.schema_arrow))


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


def judge(folder: str, release: str = "out.parquet", by_path: bool = True) -> None:
    """Its measures."""
    both = [os.path.join(folder, name) for name in ("in.parquet", release)]
    with Stages(f"judged {release} " + ("by paths" if by_path else "as frames")) as stages:
        if by_path:
            doors = [open_data("evaluate", path, whole=False) for path in both]
            report = pf.evaluate(*doors, NAMES[4:], MEASURES, progress=stages.report)
        else:
            frames = [pq.read_table(path, columns=NAMES[4:]).to_pandas() for path in both]
            report = pf.evaluate(*frames, NAMES[4:], MEASURES)
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


STAGES = {
    "simulate": lambda folder, n: simulate(os.path.join(folder, "in.parquet"), n),
    "protect": lambda folder, n: protect(folder),
    "judge": lambda folder, n: judge(folder),
    "memory": lambda folder, n: judge(folder, by_path=False),
    "move": lambda folder, n: move(os.path.join(folder, "in.parquet"), os.path.join(folder, "moved.parquet")),
    "alike": lambda folder, n: judge(folder, "moved.parquet"),
    "alike-memory": lambda folder, n: judge(folder, "moved.parquet", by_path=False),
}


def main(n: int, folder: str, stages: list[str]) -> None:
    """Each stage in a process of its own."""
    print(f"n = {n} x 13", flush=True)
    needed = ["simulate", *(["move"] if any(one.startswith("alike") for one in stages) else []), *stages]
    for stage in needed:
        subprocess.run([sys.executable, __file__, "stage", stage, folder, str(n)], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["stage"]:
        STAGES[sys.argv[2]](sys.argv[3], int(sys.argv[4]))
    else:
        with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
            size = int(float(sys.argv[1])) if len(sys.argv) > 1 else 2_000_000
            main(size, folder, sys.argv[3:] or ["protect", "judge"])
