"""Counts of the cells that sdcMicro's localSuppression empties, as values/suppression.json.

Usage: python tests/golden/make_suppression.py, where R finds sdcMicro. The files are those of `simulated_keys` and, for each
six of SEVEN keys, sdcMicro's testdata and its first 800 records.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

STORED = Path(__file__).parent / "values" / "suppression.json"
FILES = 20
K = (2, 3, 5)
SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
TESTDATA = [(records, [key for key in SEVEN if key != left_out]) for records in (800, 4580) for left_out in SEVEN]
WRITE = """
suppressMessages(library(sdcMicro))
data(testdata)
write.csv(testdata, commandArgs(TRUE)[1], row.names = FALSE)
"""
SCRIPT = """
suppressMessages(library(sdcMicro))
folder <- commandArgs(TRUE)
for (file in 0:%d) {
  keys <- read.csv(file.path(folder, paste0(file, ".csv")))
  for (k in c(2, 3, 5)) {
    released <- localSuppression(keys, keyVars = seq_along(keys), k = k)$xAnon
    cat(file, k, sum(is.na(released)) - sum(is.na(keys)), "\\n")
  }
}
cat(as.character(packageVersion("sdcMicro")), "\\n")
"""


def simulated_keys():
    """20 files of 3 to 6 keys, each of 2 to 8 classes of correlated normal variables; every fourth has gaps."""
    rng = np.random.default_rng(7)
    for file in range(FILES):
        n = int(rng.integers(100, 800))
        common = rng.normal(size=n)
        keys = {}
        for j in range(int(rng.integers(3, 7))):
            cuts = np.sort(rng.normal(size=int(rng.integers(1, 8))))
            keys[f"v{j}"] = np.digitize(0.5 * common + rng.normal(size=n), cuts)
        frame = pd.DataFrame(keys)
        if file % 4 == 3:
            frame = frame.mask(rng.random(frame.shape) < 0.03)
        yield frame


def sdcmicro_file():
    """sdcMicro's testdata, from where it is installed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "testdata.csv")
        subprocess.run(["Rscript", "-e", WRITE, path], check=True, capture_output=True)
        return pd.read_csv(path)


def counts(frames):
    """The cells that sdcMicro empties in each file for each k, by "file k", and its version."""
    with tempfile.TemporaryDirectory() as folder:
        for file, frame in enumerate(frames):
            frame.to_csv(Path(folder, f"{file}.csv"), index=False)
        command = ["Rscript", "-e", SCRIPT % (len(frames) - 1), folder]
        *lines, version = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {f"{file} {k}": int(cells) for file, k, cells in (line.split() for line in lines)}, version.strip()


if __name__ == "__main__":
    cells, version = counts(list(simulated_keys()))
    frame = sdcmicro_file()
    of_testdata, _ = counts([frame.head(records)[keys] for records, keys in TESTDATA])
    stored = {"sdcMicro": version, "cells": cells, "testdata": of_testdata}
    STORED.write_text(json.dumps(stored, indent=1) + "\n")
