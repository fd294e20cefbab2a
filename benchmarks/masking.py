"""MDAV, rank swapping and individual ranking against sdcMicro's, recorded, measured by hand, or live; CPU seconds of both.

python benchmarks/masking.py. sdcMicro's rankSwap sorts in buckets, so its time depends on the data: heavy tails make it
quadratic. Its argus_rankswap is mu-Argus's code, the peer of our form "argus".
"""

from __future__ import annotations

import sys
from statistics import median

import numpy as np
from sdcmicro import cpu_seconds, peers
from support import Row, faster, report

from pyfcrm import Microaggregation, RankSwapping, RStream
from pyfcrm.methods import Method

RUNS = 3
# A method, sdcMicro's routines, records, and the least ratio that is the goal; None where there is none.
PAIRS: tuple[tuple[Method, tuple[str, ...], int, float | None], ...] = (
    (Microaggregation(10), ("mdav",), 10**5, 20),
    (RankSwapping(5, "sdcmicro"), ("rankSwap",), 10**5, 100),
    (RankSwapping(5), ("argus_rankswap",), 10**5, None),
    (Microaggregation(3, kind="individual"), ("onedims", "mafast"), 10**6, 8),
)


def main() -> int:
    """The table."""
    rows: list[Row] = []
    for method, routines, n, goal in PAIRS:
        z = np.random.default_rng(1).normal(size=(n, 13))
        method.protect(z[:5000, :0], z[:5000], RStream(1))  # loads or compiles
        for data, values in (("normal", z[:, :4]), ("normal", z), ("heavy", np.exp(2 * z))):
            if data == "heavy" and "rankSwap" not in routines:
                continue
            A = np.ascontiguousarray(values)
            ours = median(cpu_seconds(lambda A=A, m=method: m.protect(A[:, :0], A, RStream(1))) for _ in range(RUNS))
            size = f"n={n} p={A.shape[1]} {data}"
            for routine in routines:
                for against, theirs, aim in peers(routine, data, A):
                    rows.append(faster(str(method), against, size, (ours, theirs), goal if aim else None))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
