"""Growth of local suppression: CPU seconds for 1,000, 10,000 and 100,000 records of five keys, a third of them in small groups.

python benchmarks/suppression.py. The aim: the exponent of the seconds in the records is at most 1.2 from 10,000 records on.
"""

from __future__ import annotations

import math
import sys
import time
from itertools import pairwise

import numpy as np
import pandas as pd

import pyfcrm as pf

EXPONENT = 1.2
K = 3
LEVELS = (4, 6, 9, 12, 20)
SIZES = (10**3, 10**4, 10**5)


def keys(n: int, levels: float) -> pd.DataFrame:
    """Five keys of n records, whose values have geometric shares; of more or fewer values by the factor `levels`."""
    rng = np.random.default_rng(1)
    return pd.DataFrame({f"key {most}": rng.geometric(min(1.0, 2.5 / (most * levels)), size=n) for most in LEVELS})


def in_small_groups(frame: pd.DataFrame) -> float:
    """The share of records that fewer than K records share all keys with."""
    return float((frame.groupby(list(frame.columns))[frame.columns[0]].transform("size") < K).mean())


def third_in_small_groups(n: int) -> pd.DataFrame:
    """Keys of n records, about a third of which are in small groups."""
    low, high = 0.1, 4.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if in_small_groups(keys(n, middle)) < 1 / 3 else (low, middle)
    return keys(n, high)


def seconds(frame: pd.DataFrame, missing: str) -> float:
    """CPU seconds of a release."""
    begun = time.process_time()
    method = pf.LocalSuppression(K, missing=missing)
    pf.protect(frame, method, pf.Roles(dependent=list(frame.columns)), allow_unprotected=True)
    return time.process_time() - begun


def main() -> int:
    """Print a row for each reading of an empty cell; 1 if the aim is missed."""
    frames = [third_in_small_groups(n) for n in SIZES]
    shares = ", ".join(f"{in_small_groups(frame):.0%} of {len(frame):,}" for frame in frames)
    print(f"in small groups: {shares}; aim: exponents from the second size on at most {EXPONENT}")
    missed = 0
    for missing in ("level", "wildcard"):
        seconds(frames[0], missing)  # compiles
        taken = [seconds(frame, missing) for frame in frames]
        exponents = [math.log10(later / earlier) for earlier, later in pairwise(taken)]
        holds = exponents[-1] <= EXPONENT
        missed |= not holds
        figures = ", ".join(f"{each:.2f} s" for each in taken)
        print(
            f"{missing:9} {figures}; exponents {', '.join(f'{each:.2f}' for each in exponents)}  {'holds' if holds else 'MISSED'}"
        )
    return missed


if __name__ == "__main__":
    sys.exit(main())
