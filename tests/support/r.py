"""Live R for tests: run a script, get its doubles back exactly.

    pytestmark = [pytest.mark.r, requires_r]
    u, z = run_r("set.seed(1); emit(runif(inputs$n)); emit(rnorm(3))", inputs={"n": 5})

In the script `emit(x)` hands one vector back (a matrix by columns, integers as doubles, NA as NaN), `inputs` is
the list of vectors handed in, and `arguments` the further arguments as strings. Both ways the numbers cross as
raw 8-byte doubles, never as text.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

_PRELUDE = """
arguments <- commandArgs(TRUE)
.folder <- arguments[1]
arguments <- arguments[-1]
inputs <- lapply(
  setNames(nm = sub("[.]in$", "", list.files(.folder, "[.]in$"))),
  function(name) {
    path <- file.path(.folder, paste0(name, ".in"))
    readBin(path, "double", file.size(path) / 8)
  }
)
.out <- file(file.path(.folder, "emitted"), "wb")
emit <- function(x) {
  writeBin(as.double(length(x)), .out)
  writeBin(as.double(x), .out)
}
"""


def find_rscript():
    """The path of Rscript: under $R_HOME, else on the PATH; None where there is no R."""
    home = os.environ.get("R_HOME")
    return (shutil.which("Rscript", path=str(Path(home) / "bin")) if home else None) or shutil.which("Rscript")


RSCRIPT = find_rscript()
requires_r = pytest.mark.skipif(
    RSCRIPT is None, reason="needs R: no Rscript under $R_HOME or on the PATH (Debian: apt install r-base-core)"
)


def run_r(script, *arguments, inputs=None, timeout=300.0):
    """What the script emits, in order. A script that fails raises AssertionError with R's own words."""
    assert RSCRIPT is not None, "mark the test with requires_r"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "script.R").write_text(_PRELUDE + script + "\nclose(.out)\n", encoding="utf-8")
        for key, values in (inputs or {}).items():
            # .T.ravel() is by columns, as R stores a matrix
            (folder / f"{key}.in").write_bytes(np.asarray(values, dtype=np.float64).T.ravel().tobytes())
        command = [RSCRIPT, "--vanilla", str(folder / "script.R"), name, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        assert done.returncode == 0, f"R failed:\n{done.stderr}"
        return _split(np.fromfile(folder / "emitted", dtype=np.float64))


def _split(stored):
    vectors, at = [], 0
    while at < stored.size:
        length = int(stored[at])
        vectors.append(stored[at + 1 : at + 1 + length])
        at += 1 + length
    return vectors
