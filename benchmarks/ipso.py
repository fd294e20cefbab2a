"""IPSO-C against the thesis's own R code (its listing A.1), one release each.

python benchmarks/ipso.py [repeats]. Without the listing, r_scripts/ipso.R is timed, without an aim.
Seeding is not timed. The compiled normals are loaded, as after any 100 000 draws.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from support import faster, in_turn, r_timer, report, seconds

import pyfcrm.rstream.kernels  # noqa: F401
from pyfcrm import IPSO, RStream
from pyfcrm.engine import one_blas_thread

AT_LEAST = 300.0
N, S, T = 10**4, 4, 4
REPOSITORY = Path(__file__).resolve().parents[1]
LISTING = REPOSITORY.parent / "shared" / "reference" / "ipso_original.R"
THESIS = """
source("{listing}")
data <- as.data.frame(read("D", {columns})); names(data) <- paste0("V", seq_len({columns}))
set.seed(1)
cat(seconds(function() IPSOabc(data, as.list({s} + seq_len({t})), as.list(seq_len({s})), 3)), "\\n")
"""


def data(n: int, s: int, t: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.gamma(2.0, size=(n, s))
    return X, X @ rng.normal(size=(s, t)) + rng.normal(size=(n, t))


def main(repeats: int = 5) -> int:
    listing = LISTING if LISTING.is_file() else REPOSITORY / "r_scripts" / "ipso.R"
    against, least = ("the thesis's R code", AT_LEAST) if listing == LISTING else ("ipso.R, our own", None)
    X, Y = data(N, S, T)

    def ours() -> float:
        streams = [RStream(1) for _ in range(10)]
        with one_blas_thread():
            return seconds(lambda: [IPSO("C").protect(X, Y, stream) for stream in streams]) / 10

    code = THESIS.format(listing=listing, columns=S + T, s=S, t=T)
    times = in_turn(ours, r_timer(code, D=np.hstack([X, Y])), repeats)
    return report([faster("IPSO-C", against, f"n={N}, s={S}, t={T}", times, least)])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
