"""Counts of the cells that sdcMicro's localSuppression empties on simulated files, as values/suppression.json.

Usage: python tests/golden/make_suppression.py, where R finds sdcMicro. The files are those of `simulated_keys`.
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for file, frame in enumerate(simulated_keys()):
            frame.to_csv(Path(folder, f"{file}.csv"), index=False)
        command = ["Rscript", "-e", SCRIPT % (FILES - 1), folder]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    counts = {f"{file} {k}": int(cells) for file, k, cells in (line.split() for line in lines[:-1])}
    STORED.write_text(json.dumps({"sdcMicro": lines[-1].strip(), "cells": counts}, indent=1) + "\n")
