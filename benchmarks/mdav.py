"""MDAV against sdcMicro's recorded 46.7 s (n = 1e5, k = 10), or live where sdcMicro is installed.

python benchmarks/mdav.py [n]. The recorded run does not say how many attributes it had, so two numbers are shown.
"""

from __future__ import annotations

import sys

import numpy as np
from support import Row, faster, r_has, r_timer, report, seconds

from pyfcrm.methods.grouping import mdav_groups

RECORDED, RECORDED_N = 46.7, 10**5
K = 10
R_CODE = """
suppressMessages(library(sdcMicro)); A <- as.data.frame(read("A", {p}))
cat(seconds(function() microaggregation(A, method = "mdav", aggr = {k})))
"""


def main(n: int = RECORDED_N) -> int:
    rng = np.random.default_rng(1)
    mdav_groups(rng.normal(size=(5000, 4)), K)  # loads or compiles
    rows: list[Row] = []
    live = r_has("sdcMicro")
    for size in (n // 5, n):
        for p in (4, 13):
            A = rng.normal(size=(size, p))
            ours = seconds(lambda A=A: mdav_groups(A, K))
            least = 20 if size == RECORDED_N else None
            if live:
                theirs, against = r_timer(R_CODE.format(p=p, k=K), A=A)(), "sdcMicro, live"
            else:  # n^2, from the recorded size
                theirs, against = RECORDED * (size / RECORDED_N) ** 2, "sdcMicro, recorded at n=1e5"
            rows.append(faster("MDAV k=10", against, f"n={size} p={p}", (ours, theirs), least))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
