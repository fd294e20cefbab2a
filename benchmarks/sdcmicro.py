"""What sdcMicro takes: the times recorded before, those measured here by hand, and live where it is installed.

It cannot be installed by `make bench` (CRAN is out of reach), so most runs compare with what was recorded. CPU seconds of
sdcMicro 5.8.0 under R 4.2.2 on one of this machine's cores, 2026-11-20 (CONTRIBUTING, "A live look at sdcMicro").
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from support import r_has, r_timer

# (routine, data, n, p): seconds. Data: independent normals; "heavy" exp(2 z).
MEASURED = {
    ("mdav", "normal", 10**5, 4): 15.7,
    ("mdav", "normal", 10**5, 13): 32.6,
    ("rankSwap", "normal", 10**5, 4): 0.74,
    ("rankSwap", "normal", 10**5, 13): 2.56,
    ("rankSwap", "heavy", 10**5, 13): 17.2,
    ("argus_rankswap", "normal", 10**5, 13): 0.18,
    ("onedims", "normal", 10**6, 4): 8.05,
    ("onedims", "normal", 10**6, 13): 10.7,
    ("mafast", "normal", 10**6, 4): 8.7,
    ("mafast", "normal", 10**6, 13): 28.0,
}
# From SPEED.md, which does not say how many attributes or what data.
RECORDED = {("mdav", 10**5): 46.7, ("rankSwap", 10**5): 27.0, ("mafast", 10**6): 22.0}
CALLS = {
    "mdav": 'microaggregation(A, method = "mdav", aggr = 10)',
    "rankSwap": "rankSwap(A, TopPercent = 0, BottomPercent = 0, P = 0.05, seed = 1)",
    "argus_rankswap": "argus_rankswap(A, perc = 5)",
    "onedims": 'microaggregation(A, method = "onedims", aggr = 3)',
    "mafast": "mafast(A, variables = names(A), aggr = 3)",
}
CODE = """
suppressMessages(library(sdcMicro)); A <- as.data.frame(read("A", {p})); start <- proc.time()
invisible({call}); cat(sum((proc.time() - start)[c("user.self", "sys.self")]))
"""


def peers(routine: str, data: str, A: np.ndarray) -> list[tuple[str, float, bool]]:
    """(against what, CPU seconds, whether the issue's goal is about it) of a routine on A (n, p)."""
    n, p = A.shape
    found = []
    if (routine, n) in RECORDED and data == "normal":
        found.append((f"sdcMicro {routine}, recorded", RECORDED[routine, n], True))
    if r_has("sdcMicro"):
        live = r_timer(CODE.format(p=p, call=CALLS[routine]), A=A)()
        found.append((f"sdcMicro {routine}, live, CPU", live, True))
    elif (routine, data, n, p) in MEASURED:
        found.append((f"sdcMicro {routine}, by hand, CPU", MEASURED[routine, data, n, p], True))
    return found


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of all threads: what a busy machine changes least, and what the figures above are."""
    start = time.process_time()
    work()
    return time.process_time() - start
