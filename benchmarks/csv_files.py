"""Reading a CSV file against pyarrow's reader, which has no rules for codes, missing values and decimal marks.

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

from pyfcrm.files import open_table

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
    """Prints the table."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        for quoting, size, goal in [
            (csv.QUOTE_MINIMAL, f"n={N} p=14", 1.5),
            (csv.QUOTE_NONNUMERIC, f"n={N} p=14, quotes", None),
        ]:
            frame().to_csv(path, index=False, quoting=quoting)
            times = in_turn(
                lambda: seconds(lambda: open_table(path)),
                lambda: seconds(lambda: pyarrow.csv.read_csv(path).to_pandas()),
                7,
            )
            rows.append(within("reading CSV", "pyarrow, typed, as a frame", size, times, goal))
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
