"""Reading a CSV file against pyarrow's and pandas's own readers, which know nothing of codes, gaps and decimal marks.

python benchmarks/csv_files.py.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv
from support import Row, in_turn, report, seconds, within

from pyfcrm.files import read_table, write_table

N = 100_000


def frame() -> pd.DataFrame:
    """Five columns of whole numbers, six of amounts, three of text."""
    rng = np.random.default_rng(1)
    whole = {f"i{j}": rng.integers(0, 100_000, N) for j in range(5)}
    amounts = {f"x{j}": np.round(rng.lognormal(8, 1, N), 2) for j in range(6)}
    text = {
        "id": [f"id{k}" for k in range(N)],
        "sex": rng.choice(["m", "f"], N),
        "place": rng.choice(["north", "east"], N),
    }
    return pd.DataFrame(whole | amounts | text)


def main() -> int:
    """The table."""
    rows: list[Row] = []
    example = frame()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        for quoting, size, goal in [
            (csv.QUOTE_MINIMAL, f"n={N} p=14", 1.5),
            (csv.QUOTE_NONNUMERIC, f"n={N} p=14, quotes", None),
        ]:
            example.to_csv(path, index=False, quoting=quoting)
            for against, theirs, most in [
                ("pyarrow, typed, as a frame", lambda: pyarrow.csv.read_csv(path).to_pandas(), goal),
                ("pandas", lambda: pd.read_csv(path), None),
            ]:
                times = in_turn(lambda: seconds(lambda: read_table(path)), lambda work=theirs: seconds(work), 7)
                rows.append(within("reading CSV", against, size, times, most))
        table = read_table(path)
        new = table.frame.assign(x0=2 * table.frame["x0"])
        out = Path(folder) / "out.csv"
        times = in_turn(
            lambda: seconds(lambda: write_table(new, out, table, ["x0"])),
            lambda: seconds(lambda: new.to_csv(out, index=False)),
            3,
        )
        rows.append(within("writing CSV", "pandas to_csv", f"n={N} p=14", times, None))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
