"""Rank swapping against sdcMicro's recorded 27 s (n = 1e5, which it did not finish in), or live where it is installed.

python benchmarks/rank_swapping.py [n].
"""

from __future__ import annotations

import sys
from statistics import median

import numpy as np
from support import Row, faster, r_has, r_timer, report, seconds

from pyfcrm import RankSwapping, RStream

RECORDED, RECORDED_N = 27.0, 10**5
R_CODE = """
suppressMessages(library(sdcMicro)); A <- as.data.frame(read("A", {p}))
cat(seconds(function() rankSwap(A, TopPercent = 0, BottomPercent = 0, P = 0.05)))
"""


def main(n: int = RECORDED_N, p: int = 13) -> int:
    rows: list[Row] = []
    live = r_has("sdcMicro")
    everything = np.random.default_rng(1).normal(size=(n, p))
    for form in ("argus", "sdcmicro"):
        method = RankSwapping(5, form)
        method.protect(everything[:, :0], everything, RStream(1))  # loads or compiles
        for size, attributes in ((n // 10, p), (n, 4), (n, p)):
            A = np.ascontiguousarray(everything[:size, :attributes])
            ours = median(seconds(lambda A=A, method=method: method.protect(A[:, :0], A, RStream(1))) for _ in range(5))
            if live:
                theirs, against = r_timer(R_CODE.format(p=attributes), A=A)(), "sdcMicro, live"
            else:  # taken to have been at p = 13, and to grow with n^2 p
                theirs = RECORDED * (size / RECORDED_N) ** 2 * attributes / 13
                against = "sdcMicro, recorded at n=1e5"
            least = 100 if size == RECORDED_N else None
            rows.append(faster(f"rank swap {form}", against, f"n={size} p={attributes}", (ours, theirs), least))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
