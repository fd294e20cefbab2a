"""Several methods in one release: from R, of a file and of a frame, against Python.

Oracle: Python's release of the same file. Grade: identical.
"""

import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

pytestmark = [pytest.mark.r, pytest.mark.slow, requires_r_package]

STEPS = pf.Steps(
    [
        (pf.Noise(amount=30), pf.Roles([], ["INCOME"])),
        (pf.RankSwapping(), pf.Roles([], ["DEBT"])),
    ]
)
SCRIPT = """
args <- commandArgs(TRUE)
method <- steps(list(noise(amount = 30), dependent = "INCOME"), list(rankswapping(), dependent = "DEBT"))
suppressMessages(protect_file(args[1], args[2], method, seed = 1))
of_frame <- suppressMessages(protect(read_table(args[1]), method, seed = 1))
of_file <- read_table(args[2])
cat(identical(of_frame$INCOME, of_file$INCOME), identical(of_frame$DEBT, of_file$DEBT), "\\n")
for (call in list(
  function() protect(read_table(args[1]), method, "AGE", "INCOME", seed = 1),
  function() protect_file(args[1], args[3], method, "AGE", "INCOME", seed = 1),
  function() sweep_methods(read_table(args[1]), list(noise(), method), "AGE", "INCOME", seed = 1)
)) cat(tryCatch(call(), fcrm_error = function(e) conditionMessage(e)), "\\n")
"""


def test_a_file_is_protected_in_steps(tmp_path):
    source, by_r, by_python, refused = (tmp_path / f"{name}.csv" for name in ("in", "r", "python", "refused"))
    pf.datasets.accounts(300).to_csv(source, index=False)
    out = r_with_fcrm(SCRIPT, source, by_r, refused).splitlines()
    pf.protect_file(source, by_python, STEPS, seed=1)
    assert by_r.read_bytes() == by_python.read_bytes()
    assert out[0].split() == ["TRUE", "TRUE"]
    # Roles beside those of the steps are refused in R as in Python, not ignored.
    assert len(out) == 4
    assert all("`roles` must be left out for Steps" in line for line in out[1:])
    assert not refused.exists()


def test_steps_are_audited_from_r(tmp_path):
    source = tmp_path / "in.csv"
    pf.datasets.accounts(300).to_csv(source, index=False)
    out = r_with_fcrm(
        """
        method <- steps(list(noise(amount = 30), dependent = "INCOME"), list(rankswapping(), dependent = "DEBT"))
        a <- suppressMessages(audit(read_table(commandArgs(TRUE)[1]), method, seed = 1, repeats = 1, shadows = 2))
        cat(paste(names(a), sprintf("%.17g", unlist(a))), sep = "\\n")
        """,
        source,
    )
    ours = pf.audit(pf.read_table(source), STEPS, seed=1, repeats=1, shadows=2)
    theirs = dict(line.split() for line in out.splitlines())
    assert {key: float(theirs[key]) for key in ours.keys()} == pytest.approx(dict(ours), rel=0, nan_ok=True)  # noqa: SIM118
