"""Rank swapping against sdcMicro's, recorded, measured by hand, or live where it is installed; CPU seconds of both.

python benchmarks/rank_swapping.py. sdcMicro's rankSwap sorts in buckets, so its time depends on the data: heavy tails make it
quadratic. Its argus_rankswap is mu-Argus's code, the peer of our form "argus".
"""

from __future__ import annotations

import sys
from statistics import median

import numpy as np
from sdcmicro import cpu_seconds, peers
from support import Row, faster, report

from pyfcrm import RankSwapping, RStream

N = 10**5
FORMS = {"sdcmicro": "rankSwap", "argus": "argus_rankswap"}


def main() -> int:
    """The table."""
    rows: list[Row] = []
    z = np.random.default_rng(1).normal(size=(N, 13))
    files = [("normal", z[:, :4]), ("normal", z), ("heavy", np.exp(2 * z))]
    for form, routine in FORMS.items():
        method = RankSwapping(5, form)
        method.protect(z[:, :0], z, RStream(1))  # loads or compiles
        for data, values in files:
            A = np.ascontiguousarray(values)
            ours = median(cpu_seconds(lambda A=A, m=method: m.protect(A[:, :0], A, RStream(1))) for _ in range(5))
            for against, theirs, goal in peers(routine, data, A):
                least = 100 if goal and routine == "rankSwap" else None
                size = f"n={len(A)} p={A.shape[1]} {data}"
                rows.append(faster(f"rank swap {form}", against, size, (ours, theirs), least))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
