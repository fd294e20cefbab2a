"""Individual ranking against sdcMicro's onedims and mafast, recorded, measured by hand, or live; CPU seconds of both.

python benchmarks/ranking.py.
"""

from __future__ import annotations

import sys
from statistics import median

import numpy as np
from sdcmicro import cpu_seconds, peers
from support import Row, faster, report

from pyfcrm import Microaggregation, RStream

N = 10**6


def main() -> int:
    """The table."""
    rows: list[Row] = []
    method = Microaggregation(3, kind="individual")
    everything = np.random.default_rng(1).normal(size=(N, 13))
    method.protect(everything[:, :0], everything, RStream(1))  # loads or compiles
    for p in (4, 13):
        A = np.ascontiguousarray(everything[:, :p])
        ours = median(cpu_seconds(lambda A=A: method.protect(A[:, :0], A, RStream(1))) for _ in range(3))
        for routine in ("onedims", "mafast"):
            for against, theirs, goal in peers(routine, "normal", A):
                size = f"n={N} p={p}"
                rows.append(faster("individual ranking", against, size, (ours, theirs), 8 if goal else None))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
