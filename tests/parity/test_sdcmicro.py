"""sdcMicro through the bridge: itself where it is installed; a stand-in that shows how it is called; and its absence.

Oracle: for the stand-in, the call that sdcMicro's own help describes, written down by the stand-in as it arrives.
Grade: identical. The numbers of a real sdcMicro are compared with ours in tests/golden, and here where it is installed.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from support.data import REPOSITORY, cloud
from support.r import requires_r

from r_bridge.crosschecks import SDCMICRO_CASES, Problem, embedded, judge
from r_bridge.to_r import sdcmicro
from r_bridge.to_r.session import RUnavailable

pytest.importorskip("rpy2", reason="needs rpy2: pip install 'pyfcrm[r]'")
pytestmark = [pytest.mark.r, requires_r]
NAMESPACE = 'exportPattern("^[a-zA-Z]")\n'
DESCRIPTION = """Package: sdcMicro
Version: 0.0.1
Title: Stand In
Description: Says how it was called.
License: none
Author: nobody
Maintainer: nobody <no@body.xx>
"""
# Each function gives back the data, shifted by 1 where a release is due, and writes what it was given.
CODE = """
record <- function(...) cat(paste(..., sep = "|"), "\\n", file = Sys.getenv("STAND_IN"), append = TRUE, sep = "")
shown <- function(data) paste(names(data), collapse = " ")
microaggregation <- function(obj, variables = NULL, aggr = 3, strata_variables = NULL, method = "mdav", ...) {
  record("microaggregation", shown(obj), aggr, method); list(x = obj, mx = obj + 1)
}
rankSwap <- function(obj, variables = NULL, TopPercent = 5, BottomPercent = 5, K0 = -1, R0 = NULL, P = NULL,
                     missing = NA, seed = NULL) { record("rankSwap", shown(obj), TopPercent, BottomPercent, P, seed); obj + 1 }
addNoise <- function(obj, variables = NULL, noise = 150, method = "additive", ...) {
  record("addNoise", shown(obj), noise, method, list(...)$delta, runif(1)); list(x = obj, xm = as.matrix(obj) + 1)
}
shuffle <- function(obj, form, method = "ds", weights = NULL, covmethod = "spearman", regmethod = "lm", gadp = TRUE) {
  record("shuffle", shown(obj), deparse(form), method); list(shuffled = as.matrix(obj[all.vars(form[[2]])]) + 1)
}
argus_rankswap <- function(df, perc) { record("argus_rankswap", shown(df), perc, runif(1)); list(original = df, swapped = df + 1) }
freqCalc <- function(x, keyVars, w = NULL, alpha = 1) {
  record("freqCalc", shown(x), paste(keyVars, collapse = " "), sum(is.na(x))); list(fk = seq_len(nrow(x)))
}
dRisk <- function(obj, ...) { record("dRisk", shown(obj), shown(list(...)$xm), list(...)$k); 0.25 }
dUtility <- function(obj, ...) { record("dUtility", shown(obj), shown(list(...)$xm), list(...)$method); 12.5 }
"""
CALLS = """
import json, sys
import numpy as np
from r_bridge.to_r import sdcmicro
X = np.arange(24.0).reshape(12, 2) ** 1.5
Y = X[:, ::-1].copy()
shifted = [sdcmicro.mdav(X, 3), sdcmicro.onedims(X, 4), sdcmicro.pca(X, 5), sdcmicro.rank_swap(X, 0.05, 7),
           sdcmicro.additive_noise(X, 10, 1), sdcmicro.correlated2_noise(X, 0.2, 1)]
assert all((Z == X + 1).all() for Z in shifted)
assert (sdcmicro.shuffle(X, Y, 1) == Y + 1).all()
assert (sdcmicro.argus_rank_swap(X, 15, 1) == X + 1).all()
assert (sdcmicro.frequencies(np.where(X == X[0, 0], np.nan, X)) == np.arange(1, 13)).all()
json.dump([sdcmicro.d_risk(X, Y), sdcmicro.d_risk(X, Y, 0.01), sdcmicro.d_utility(X, Y, "IL1")], sys.stdout)
"""


def has_sdcmicro():
    return sdcmicro.installed()


@pytest.fixture
def _without():
    if has_sdcmicro():
        pytest.skip("sdcMicro is installed")


@pytest.fixture
def _with():
    if not has_sdcmicro():
        pytest.skip(sdcmicro.MISSING)


@pytest.mark.usefixtures("_without")
def test_without_it_one_sentence_names_the_command():
    X, Y = cloud(20, 2, 2, seed=1)
    options = (
        lambda: sdcmicro.mdav(X, 3), lambda: sdcmicro.rank_swap(X, 0.1, 1),
        lambda: sdcmicro.shuffle(X, Y, 1), lambda: sdcmicro.d_risk(X, X), lambda: sdcmicro.d_utility(X, X),
        lambda: sdcmicro.argus_rank_swap(X, 15, 1), lambda: sdcmicro.shuffle_signs(X, Y), lambda: sdcmicro.frequencies(X),
    )  # fmt: skip
    for ask in options:
        with pytest.raises(RUnavailable, match=r'install\.packages\("sdcMicro"\)'):
            ask()


@pytest.mark.usefixtures("_without")
def test_without_it_no_row_runs_and_the_command_is_named():
    rows = [row for case in SDCMICRO_CASES for row in judge(case, embedded(1))]
    assert {row.verdict for row in rows} == {"FAIL: did not run"}
    assert all("install.packages" in row.reason for row in rows)


def test_how_it_is_called(tmp_path):
    """A stand-in of the name sdcMicro, installed into a library of this test's own, tells what reached it."""
    package, library, result = tmp_path / "sdcMicro", tmp_path / "library", tmp_path / "calls"
    (package / "R").mkdir(parents=True)
    library.mkdir()
    (package / "DESCRIPTION").write_text(DESCRIPTION)
    (package / "NAMESPACE").write_text(NAMESPACE + 'importFrom("stats", "runif")\n')
    (package / "R" / "all.R").write_text(CODE)
    install = ["R", "CMD", "INSTALL", "--no-docs", "--no-test-load", f"--library={library}", str(package)]
    output = subprocess.run(install, capture_output=True, text=True, check=False, timeout=120)
    assert output.returncode == 0, output.stderr
    env = {**os.environ, "R_LIBS": str(library), "STAND_IN": str(result), "PYTHONPATH": str(REPOSITORY)}
    ran = subprocess.run(
        [sys.executable, "-c", CALLS], capture_output=True, text=True, env=env, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [0.25, 0.25, 12.5]
    first = "0.2655"  # R's runif(1) after set.seed(1)
    *before, additive, correlated2, shuffled, argus, counts, risk, narrow, utility = result.read_text().splitlines()
    assert before == [
        "microaggregation|V1 V2|3|mdav", "microaggregation|V1 V2|4|onedims", "microaggregation|V1 V2|5|pca",
        "rankSwap|V1 V2|0|0|0.05|7",
    ]  # fmt: skip
    assert additive.startswith(f"addNoise|V1 V2|10|additive|0.1|{first}")
    assert correlated2.startswith(f"addNoise|V1 V2|0|correlated2|0.2|{first}")
    assert shuffled == "shuffle|V1 V2 V3 V4|V1 + V2 ~ V3 + V4|ds"
    assert argus.startswith(f"argus_rankswap|V1 V2|15|{first}")
    assert counts == "freqCalc|V1 V2|1 2|1"
    assert (risk, narrow) == ("dRisk|V1 V2|V1 V2|0.05", "dRisk|V1 V2|V1 V2|0.01")
    assert utility == "dUtility|V1 V2|V1 V2|IL1"


@pytest.mark.usefixtures("_with")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_with_it_every_row_agrees(seed):
    """The rows' own tolerances; the groups of MDAV and the places of rank swapping are identical."""
    rows = [row for case in SDCMICRO_CASES for row in judge(case, embedded(seed))]
    assert [row for row in rows if row.verdict != "ok"] == []


@pytest.mark.usefixtures("_with")
def test_with_it_collinear_eigenvalues_are_not_compared():
    X, Y = cloud(60, 2, 2, seed=1)
    problem = Problem(X, np.column_stack([Y, Y.sum(axis=1)]), 1, None, "the last column is the others' sum")
    [row] = [row for case in SDCMICRO_CASES if case.lines[0].name == "dUtility, eigen" for row in judge(case, problem)]
    assert (row.verdict, "collinear" in row.reason) == ("skipped", True)
