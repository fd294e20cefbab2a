"""MDAV, k = 10, against sdcMicro's, recorded, measured by hand, or live where it is installed; CPU seconds of both.

python benchmarks/mdav.py. Its growth with n is shown against itself.
"""

from __future__ import annotations

import sys

import numpy as np
from sdcmicro import cpu_seconds, peers
from support import Row, faster, report, within

from pyfcrm.methods.grouping import mdav_groups

N, K = 10**5, 10


def main() -> int:
    """The table."""
    rng = np.random.default_rng(1)
    mdav_groups(rng.normal(size=(5000, 4)), K)  # loads or compiles
    rows: list[Row] = []
    for p in (4, 13):
        A = rng.normal(size=(N, p))
        small = cpu_seconds(lambda A=A: mdav_groups(A[: N // 5], K))
        ours = cpu_seconds(lambda A=A: mdav_groups(A, K))
        for against, theirs, goal in peers("mdav", "normal", A):
            rows.append(faster("MDAV k=10", against, f"n={N} p={p}", (ours, theirs), 20 if goal else None))
        rows.append(within("MDAV k=10", f"itself at n={N // 5}", f"n={N} p={p}", (ours, small), None))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
