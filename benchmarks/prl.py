"""Probabilistic linkage, exact counts and EM, against recordlinkage.

python benchmarks/prl.py. numba is loaded, as after any FCRM; else 1080 records are processed by numpy, which
takes some 40 ms. At the first run pip installs recordlinkage into a separate environment.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import numpy as np
from support import Row, faster, in_turn, report, seconds

from pyfcrm.data.blocks import Records
from pyfcrm.linkage.linker import Blocks, with_shared_values
from pyfcrm.linkage.probabilistic import expectation_maximisation, pattern_bits

PEER = Path.home() / ".cache" / "pyfcrm-benchmarks" / "recordlinkage"
# All pairs are indexed, compared exactly and classified by EM, as in its documentation. Indexing is not timed.
CODE = """
import sys, time, warnings; warnings.filterwarnings("ignore")
import numpy, pandas, recordlinkage
n, p, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
A, B = (pandas.DataFrame(numpy.fromfile(f"{folder}/{f}").reshape(n, p)).rename(columns=str) for f in "XZ")
index = recordlinkage.Index(); index.full(); pairs = index.index(A, B)
start = time.perf_counter()
compare = recordlinkage.Compare()
for j in range(p): compare.exact(str(j), str(j), label=str(j))
recordlinkage.ECMClassifier(binarize=0.5).fit(compare.compute(pairs, A, B))
print(time.perf_counter() - start)
"""


def files(n: int, p: int, levels: float) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers, 30 per cent of them released unchanged."""
    rng = np.random.default_rng(n + p)
    X = np.round(rng.normal(size=(n, p)) * levels)
    return X, np.where(rng.random((n, p)) < 0.3, X, np.round(X + rng.normal(size=(n, p)) * levels))


def installed() -> Path:
    python = PEER / "bin" / "python"
    if not (PEER / "done").exists():
        venv.create(PEER, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--quiet", "recordlinkage"], check=True)
        (PEER / "done").touch()
    return python


def peer(X: np.ndarray, Z: np.ndarray) -> float:
    with tempfile.TemporaryDirectory() as folder:
        X.tofile(f"{folder}/X"), Z.tofile(f"{folder}/Z")
        words = [installed(), "-c", CODE, *map(str, X.shape), folder]
        return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[-1])


def counted(X: np.ndarray, Z: np.ndarray) -> None:
    """Counts and EM, without the links, as in recordlinkage's fit."""
    rows, _ = with_shared_values(Records(np.hstack([X, Z])), on_disk=False)
    patterns = Blocks(rows, X.size).count(np.zeros(X.shape[1]), len(X), None)
    expectation_maximisation(pattern_bits(patterns.codes, X.shape[1]), patterns.counts, 1 / len(X))


def main() -> int:
    import pyfcrm.engine.compile  # noqa: F401

    rows: list[Row] = []
    for p in (4, 13):
        X, Z = files(1080, p, 20)
        times = in_turn(lambda X=X, Z=Z: seconds(lambda: counted(X, Z)), lambda X=X, Z=Z: peer(X, Z), 3)
        rows.append(faster("PRL counts, EM", "recordlinkage", f"n=1080 p={p}", times, 100))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
