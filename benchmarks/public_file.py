"""Growth of public-use files: CPU seconds and memory of 10,000 and of 100,000 records with 20 columns, of which all are drawn.

python benchmarks/public_file.py [few] [many]. The aim: ten times the records take at most 10^1.2 = 15.8 times the CPU time. Each
release is made in a process of its own, after a small one that compiles what is compiled at first use.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd

import pyfcrm as pf

EXPONENT = 1.2
CATEGORIES, COUNTS, AMOUNTS = 8, 4, 8
FACTORS = 4  # of which the columns of a record depend
METHODS = {"Sequential()": pf.Sequential(), "Calibrated()": pf.Calibrated(), "ARF()": pf.ARF()}
CHILD = "import sys; sys.path.insert(0, sys.argv[1]); from public_file import measure; measure(sys.argv[2], int(sys.argv[3]))"


def mixed(n: int) -> pd.DataFrame:
    """Records of 8 categories of 2 to 8 levels, 4 counts, and 8 amounts, of which half of the columns have zeros in 30 per cent."""
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(n, FACTORS))
    columns: dict[str, np.ndarray] = {}
    for j in range(CATEGORIES):
        score = 2.5 + factors[:, j % FACTORS] + rng.normal(size=n)
        columns[f"category {j}"] = np.array(list("abcdefgh"))[np.clip(score, 0, min(j + 1, 7)).astype(int)]
    for j in range(COUNTS):
        columns[f"count {j}"] = rng.poisson(np.exp(0.5 + 0.4 * factors[:, j]))
    for j in range(AMOUNTS):
        amount = np.exp(6 + 0.7 * factors[:, j % FACTORS] + 0.5 * rng.normal(size=n))
        columns[f"amount {j}"] = np.where(rng.random(n) < 0.3 * (j % 2), 0, amount).round(2)
    return pd.DataFrame(columns)


def measure(label: str, n: int) -> None:
    """Print the CPU seconds of a release, and the process's peak memory in MB."""
    import resource

    warnings.simplefilter("ignore")
    method = METHODS[label]
    small, frame = mixed(300), mixed(n)
    roles = pf.Roles(dependent=list(frame.columns), product="public")
    pf.protect(small, method, roles)
    begun = time.process_time()
    pf.protect(frame, method, roles)
    print(time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def measured(label: str, n: int) -> tuple[float, float]:
    """CPU seconds and MB of a release, in a process of its own."""
    from pathlib import Path

    words = [sys.executable, "-c", CHILD, str(Path(__file__).parent), label, str(n)]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    seconds, memory = map(float, text.split())
    return seconds, memory


def main(few: int = 10**4, many: int = 10**5) -> int:
    """Print a row for each method; 1 if an aim is missed."""
    missed = 0
    print(f"{'method':16} {f'n={few}':>22} {f'n={many}':>22} {'exponent':>9}  aim: at most {EXPONENT}")
    for label in METHODS:
        (first, first_memory), (last, last_memory) = (measured(label, n) for n in (few, many))
        exponent = math.log(last / first) / math.log(many / few)
        holds = exponent <= EXPONENT
        missed |= not holds
        print(
            f"{label:16} {f'{first:.1f} s, {first_memory:.0f} MB':>22} {f'{last:.1f} s, {last_memory:.0f} MB':>22} {exponent:9.2f}  "
            f"{'holds' if holds else 'MISSED'}",
            flush=True,
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
