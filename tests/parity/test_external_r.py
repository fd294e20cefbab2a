"""Generators from elsewhere and R: synthpop as one, and external() from R. Oracle: Python's own release by the same command."""

import subprocess
import sys

import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf
from r_bridge.to_r.synthpop import Synthpop

pytestmark = [pytest.mark.r, requires_r_package]
FRAME = pf.datasets.survey(120)
ROLES = pf.Roles(["age", "hours", "size"], ["wage", "rent", "tax"], ["name"])


def has_synthpop():
    options = 'quit(status = !requireNamespace("synthpop", quietly = TRUE))'
    return subprocess.run(["Rscript", "-e", options], capture_output=True, check=False).returncode == 0


def test_synthpop_makes_a_whole_file():
    """Where R has it: the same columns and types, the same file from one stream. Where not: the sentence that says so."""
    generator = pf.External(Synthpop(stream=1))
    if not has_synthpop():
        with pytest.raises(pf.errors.InvalidInput, match="synthpop is needed and is not installed"):
            pf.protect(FRAME, generator, ROLES)
        return
    released = pf.protect(FRAME, generator, ROLES).frame
    assert list(released) == [name for name in FRAME if name != "name"]
    assert (released.dtypes == FRAME.drop(columns="name").dtypes).all()
    pd.testing.assert_frame_equal(released, pf.protect(FRAME, generator, ROLES).frame)


def test_a_function_of_r(tmp_path):
    """One that gives back what it saw makes the file that a copying command makes; its own words where it fails; synthpop's."""
    long = FRAME.assign(rent=FRAME["rent"] + (FRAME.index.to_numpy() % 100) / 128 + 2**-40)  # more than 15 digits
    long.to_csv(tmp_path / "in.csv", index=False)
    text = r_with_fcrm(
        f"""
        kept <- c("age", "hours", "size"); amounts <- c("wage", "rent", "tax")
        same <- function(frame) frame
        cat(format(external(same)), "\n")
        release <- function(f, out) protect_file("{tmp_path}/in.csv", file.path("{tmp_path}", out), f, kept, amounts, identifiers = "name")
        release(external(same), "out.csv")
        cat(tryCatch(release(external(function(frame) stop("not today")), "none.csv"), fcrm_invalid_input = conditionMessage), "\n")
        swept <- sweep_methods(survey(120), list(ipso("C"), external(same)), kept, amounts, seed = 1, identifiers = "name")
        stopifnot(identical(is.na(as.data.frame(swept)$dr), c(FALSE, TRUE)))
        if (requireNamespace("synthpop", quietly = TRUE)) {{
          synthesised <- function(frame) synthpop::syn(frame, print.flag = FALSE)$syn
          release(external(synthesised), "new.csv")
          cat("synthesised", nrow(read.csv("{tmp_path}/new.csv")), "\n")
        }}
        """
    )
    copying = pf.External([sys.executable, "-c", "import sys, shutil; shutil.copy(*sys.argv[1:])"])
    pf.protect_file(tmp_path / "in.csv", tmp_path / "other.csv", copying, ROLES)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()
    assert 'external(name = "same")' in text
    assert "not today" in text
    assert not (tmp_path / "none.csv").exists()
    if has_synthpop():
        assert "synthesised 120" in text


def test_a_command_from_r(tmp_path):
    FRAME.to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "model.py").write_text("import sys, shutil\nshutil.copy(sys.argv[1], sys.argv[2])\n")
    words = [sys.executable, str(tmp_path / "model.py")]
    text = r_with_fcrm(
        f"""
        ours <- external(c("{words[0]}", "{words[1]}"), name = "ours")
        kept <- c("age", "hours", "size"); amounts <- c("wage", "rent", "tax")
        protect_file("{tmp_path}/in.csv", "{tmp_path}/out.csv", ours, kept, amounts, identifiers = "name")
        found <- audit(survey(120), ours, kept, amounts, repeats = 1)
        stopifnot(found$exact_copies > 70, length(attr(found, "alarms")) > 0)
        swept <- sweep_methods(survey(120), list(ipso("C"), ours), kept, amounts, seed = 1)
        stopifnot(identical(is.na(as.data.frame(swept)$dr), c(FALSE, TRUE)))
        stopifnot(grepl("ipso", format(best(swept, max_dr = 99))))
        cat(tryCatch(protect(survey(120), ours, kept, amounts), fcrm_invalid_parameter = conditionMessage), "\\n")
        """
    )
    pf.protect_file(tmp_path / "in.csv", tmp_path / "other.csv", pf.External(words), ROLES)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()
    assert "must be used with protect_file()" in text
