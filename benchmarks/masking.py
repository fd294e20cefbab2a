"""MDAV, rank swapping and individual ranking against sdcMicro: live if it is installed, else with times measured by hand.

python benchmarks/masking.py. CPU seconds of both. `make bench` cannot install sdcMicro (CRAN is out of reach). By hand:
sdcMicro 5.8.0 under R 4.2.2 on one of this machine's cores, 2026-11-20 (CONTRIBUTING, "A live look at sdcMicro"). Its rankSwap sorts
in buckets, so its time depends on the data: heavy tails make it quadratic.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from support import faster, r_has, r_timer, report

from pyfcrm import Microaggregation, RankSwapping, RStream
from pyfcrm.methods import Method

RUNS, P = 3, 13
MDAV = 'microaggregation(A, method = "mdav", aggr = 10)'
SWAP = "rankSwap(A, TopPercent = 0, BottomPercent = 0, P = 0.05, seed = 1)"
ONEDIMS = 'microaggregation(A, method = "onedims", aggr = 3)'
MAFAST = "mafast(A, variables = names(A), aggr = 3)"
SWAPPING, RANKING = RankSwapping(5, "sdcmicro"), Microaggregation(3, kind="individual")
# A method, sdcMicro's call, whether the data have heavy tails, records, seconds measured by hand, the least ratio.
PAIRS: tuple[tuple[Method, str, bool, int, float, float], ...] = (
    (Microaggregation(10), MDAV, False, 10**5, 32.6, 20),
    (SWAPPING, SWAP, False, 10**5, 2.56, 100),
    (SWAPPING, SWAP, True, 10**5, 17.2, 100),
    (RANKING, ONEDIMS, False, 10**6, 10.7, 8),
    (RANKING, MAFAST, False, 10**6, 28.0, 8),
)
CODE = """
suppressMessages(library(sdcMicro)); A <- as.data.frame(read("A", {p})); start <- proc.time()
invisible({call}); cat(sum((proc.time() - start)[c("user.self", "sys.self")]))
"""


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of all threads, which other processes influence least."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    """Prints the table."""
    rows, live = [], r_has("sdcMicro")
    for method, call, heavy, n, by_hand, least in PAIRS:
        z = np.random.default_rng(1).normal(size=(n, P))
        A = np.exp(2 * z) if heavy else z
        method.protect(A[:5000, :0], A[:5000], RStream(1))  # loads or compiles
        ours = median(cpu_seconds(lambda A=A, m=method: m.protect(A[:, :0], A, RStream(1))) for _ in range(RUNS))
        theirs = r_timer(CODE.format(p=P, call=call), A=A)() if live else by_hand
        against = f"sdcMicro {call.partition('(')[0]}, {'live' if live else 'by hand'}, CPU"
        rows.append(faster(str(method), against, f"n={n} p={P}{' heavy' * heavy}", (ours, theirs), least))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
