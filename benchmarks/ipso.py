"""IPSO-C against the thesis's own R code (its listing A.1), one release each.

python benchmarks/ipso.py [repeats] [listing]. Without the listing, r_scripts/ipso.R, which is ours, stands in.
Seeding is timed on neither side. The compiled normals are loaded, as they are after any 100 000 draws; without them a first
small call draws by numpy, which the rows marked numpy show.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from support import Row, faster, in_turn, r_timer, report, seconds

from pyfcrm import IPSO, RStream
from pyfcrm.engine import one_blas_thread

AT_LEAST = 300.0
SIZES = [(10**4, 4, 4, AT_LEAST), (10**3, 4, 4, None)]
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


def rows(repeats: int, listing: Path, goals: bool) -> list[Row]:
    """Ours against R at every size; goals : whether they count."""
    table = []
    for n, s, t, least in SIZES:
        X, Y = data(n, s, t)
        for variant, goal in (("burridge", least), ("thesis", None)):
            method = IPSO("C", variant)

            def ours(method: IPSO = method, X: np.ndarray = X, Y: np.ndarray = Y) -> float:
                streams = [RStream(1) for _ in range(10)]
                with one_blas_thread():
                    return seconds(lambda: [method.protect(X, Y, stream) for stream in streams]) / 10

            code = THESIS.format(listing=listing, columns=s + t, s=s, t=t)
            times = in_turn(ours, r_timer(code, D=np.hstack([X, Y])), repeats)
            what = "the thesis's R code" if listing == LISTING else listing.name
            at = f"n={n}, s={s}, t={t}" + ("" if goals else ", numpy")
            table.append(faster(f"IPSO-C, {variant}", what, at, times, goal if goals else None))
    return table


def main(repeats: int = 5, listing: Path = LISTING) -> int:
    listing = listing if listing.is_file() else REPOSITORY / "r_scripts" / "ipso.R"
    first = rows(repeats, listing, goals=False)
    import pyfcrm.rstream.kernels  # noqa: F401

    return report([*rows(repeats, listing, goals=True), *first])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *map(Path, sys.argv[2:3])))
