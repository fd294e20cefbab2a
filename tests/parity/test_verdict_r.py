"""The verdict from R and from Python on the same release: the same lines. Oracle: Python. Grade: identical, a method in the words of R.

Of a plan only its presence is compared: R does not know the identifiers, and its tables say that they are to be added.
"""

import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]

X, Y = ["age", "hours", "size"], ["wage", "rent", "tax"]
SCRIPT = """
folder <- commandArgs(TRUE)[1]
df <- survey(300)
X <- c("age", "hours", "size"); Y <- c("wage", "rent", "tax")
released <- suppressMessages(protect(df, noise(amount = 20), X, Y, "name", seed = 1, unknown = "region", strata = "stratum"))
set.seed(9)
before <- .Random.seed
report <- evaluate(df, released, limits = list(dr = 15, key_risk = c(5, 1)), audit = TRUE)
stopifnot(identical(before, .Random.seed))
table <- report$verdict$tests
judged <- c(attr(report$verdict, "lines"), attr(report$utility, "lines"))
cat(head(capture.output(print(report)), 1 + length(judged)), sep = "\\n")
cat(paste(table$key, table$status, table$found, table$limit, table$reason, table$remedy, nchar(table$plan) > 0, sep = "|"), sep = "\\n")
"""


@pytest.mark.slow(30)
def test_r_prints_the_verdict_of_python(tmp_path):
    text = r_with_fcrm(SCRIPT, tmp_path)
    frame = pf.datasets.survey(300)
    roles = pf.Roles(X, Y, ["name"], ["region"])
    released = pf.protect(frame, pf.Noise("uncorrelated", 20), roles, seed=1, strata="stratum")
    report = pf.evaluate(frame, released, limits={"dr": 15}, audit=True)
    rows = [row | {"plan": str(bool(row["plan"])).upper()} for row in report.verdict.rows()]
    expected = [*report.lines(), "", *("|".join(row.values()) for row in rows)]
    words = {"Calibrated()": "calibrated()", "sweep()": "sweep_methods()", 'structure="find"': 'structure = "find"'}
    for python, r in words.items():
        expected = [line.replace(python, r) for line in expected]
    assert text.splitlines() == expected


def test_the_ledger_of_r_and_python(tmp_path):
    """R finds Python's release of the same records, and Python finds R's."""
    frame, roles, ledger = pf.datasets.survey(150), pf.Roles("age", "wage", "name"), tmp_path / "ledger.json"
    pf.protect(frame, "gadp", roles, missing="drop", ledger=ledger)
    script = """
    folder <- commandArgs(TRUE)[1]
    df <- survey(150)
    ledger <- file.path(folder, "ledger.json")
    method <- ipso("C", epsilon = 1, delta = 1e-6, clip = list(wage = c(0, 8000)))
    released <- suppressMessages(protect(df, method, wage ~ age, identifiers = "name", missing = "drop", seed = "fresh", ledger = ledger))
    tests <- evaluate(df, released, limits = list(epsilon = 3))$verdict$tests
    cat(tests$status[tests$key == "ledger"], tests$reason[tests$key == "ledger"])
    write.csv(df, file.path(folder, "in.csv"), row.names = FALSE, na = "")
    suppressMessages(protect_file(file.path(folder, "in.csv"), file.path(folder, "out.csv"), noise(amount = 20), "age", "wage", "name",
                                  missing = "drop", ledger = ledger))
    """
    assert r_with_fcrm(script, tmp_path) == "hold the releases of these records have epsilon inf in total"
    again = pf.protect(frame, pf.Noise(amount=20), roles, missing="drop", ledger=ledger)
    assert "release 3" in again.conflicts[0]
