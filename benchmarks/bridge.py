"""A table of doubles to R and back: seconds, and the bytes that came back compared.

python benchmarks/bridge.py [n] [columns] [repeats]. Promised: 10^6 x 13 both ways in under a second.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np

from r_bridge.columns import Column, Columns
from r_bridge.to_r.session import session

AT_MOST = 1.0  # seconds, both ways together


def main(n: int = 10**6, width: int = 13, repeats: int = 5) -> int:
    """Time `identity` of a table in R; 0 where the promise holds."""
    start = time.perf_counter()
    r = session()
    print(f"starting R            {time.perf_counter() - start:8.3f} s")
    draw = np.random.default_rng(1)
    table = Columns(tuple(Column(f"v{k}", "double", draw.normal(size=n)) for k in range(width)), n)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        back: Columns = r.call("identity", [table]).value
        times.append(time.perf_counter() - start)
    same = all(
        np.asarray(a.values).tobytes() == np.asarray(b.values).tobytes()
        for a, b in zip(table.columns, back.columns, strict=True)
    )
    print(f"{n} x {width} both ways  {statistics.median(times):8.3f} s   median of {repeats}, first {times[0]:.3f} s")
    holds = same and statistics.median(times) <= AT_MOST
    print(f"every bit came back: {same}; at most {AT_MOST:g} s: {'holds' if holds else 'DOES NOT HOLD'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
