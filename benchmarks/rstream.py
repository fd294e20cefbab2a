"""R's normals against numpy's fastest legacy ones: the ratio of their times, taken in one run.

python benchmarks/rstream.py [n] [repeats]. The first compiled call, which loads or compiles, is timed apart.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from pyfcrm.rstream import RStream

AT_MOST = 6.0  # the ratio the package promises


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main(n: int = 10**7, repeats: int = 7) -> int:
    stream, peer = RStream(1), np.random.RandomState(1)
    print(f"first compiled call   {seconds(lambda: stream.rnorm(200_000)):8.3f} s")
    # taken in turn, so that a busy machine slows both alike
    pairs = [(seconds(lambda: stream.rnorm(n)), seconds(lambda: peer.standard_normal(n))) for _ in range(repeats)]
    ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = ours / theirs
    print(f"RStream.rnorm         {ours:8.3f} s   n = {n}, median of {repeats}")
    print(f"RandomState           {theirs:8.3f} s")
    verdict = "holds" if ratio <= AT_MOST else "DOES NOT HOLD"
    print(f"ratio                 {ratio:8.2f}     at most {AT_MOST:g}: {verdict}")
    for name, draw in {
        "runif(n)": lambda: stream.runif(n),
        "sample(n)": lambda: stream.sample(n),
        "sample_int(n, n, True)": lambda: stream.sample_int(n, n, replace=True),
        "sample_int(10 n, n)": lambda: stream.sample_int(10 * n, n),
    }.items():
        draw()
        print(f"{name:22}{seconds(draw):8.3f} s")
    return 0 if ratio <= AT_MOST else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
