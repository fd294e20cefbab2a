"""Individual ranking against sdcMicro's recorded 22 s (mafast, n = 1e6), or live where sdcMicro is installed.

python benchmarks/ranking.py [n].
"""

from __future__ import annotations

import sys
from statistics import median

import numpy as np
from support import Row, faster, r_has, r_timer, report, seconds

from pyfcrm import Microaggregation, RStream

RECORDED, RECORDED_N = 22.0, 10**6
R_CODE = """
suppressMessages(library(sdcMicro)); A <- as.data.frame(read("A", {p}))
cat(seconds(function() microaggregation(A, method = "onedims", aggr = 3)))
"""


def main(n: int = RECORDED_N, p: int = 13) -> int:
    rows: list[Row] = []
    live = r_has("sdcMicro")
    method = Microaggregation(3, kind="individual")
    everything = np.random.default_rng(1).normal(size=(n, p))
    method.protect(everything[:, :0], everything, RStream(1))  # loads or compiles
    for size, attributes in ((n // 10, p), (n, 4), (n, p)):
        A = np.ascontiguousarray(everything[:size, :attributes])
        ours = median(seconds(lambda A=A: method.protect(A[:, :0], A, RStream(1))) for _ in range(3))
        if live:
            theirs, against = r_timer(R_CODE.format(p=attributes), A=A)(), "sdcMicro, live"
        else:  # taken to have been at p = 13, and to grow with n p
            theirs = RECORDED * size * attributes / (RECORDED_N * 13)
            against = "sdcMicro mafast, recorded at n=1e6"
        least = 8 if size == RECORDED_N else None
        rows.append(faster("individual ranking", against, f"n={size} p={attributes}", (ours, theirs), least))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
