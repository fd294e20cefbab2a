"""R CMD check of the R package, its own tests and its vignette."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.r import RSCRIPT
from support.r_package import SOURCE, environment, needs_r_packages

pytestmark = [pytest.mark.r, pytest.mark.slow]

needs_pandoc = pytest.mark.skipif(
    shutil.which("pandoc") is None, reason="needs pandoc (Debian: apt-get install pandoc)"
)
NETWORK = (
    "unable to access index for repository",
    "cannot open URL",
    "Could not resolve",
    "unable to verify current time",
)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """The folder that R CMD check leaves. Building runs the vignette, and stops where it fails: checking does not run it again."""
    folder = tmp_path_factory.mktemp("check")
    env = environment({"_R_CHECK_FORCE_SUGGESTS_": "false", "_R_CHECK_RD_LINE_WIDTHS_": "true"})
    env = {name: value for name, value in env.items() if name not in ("NOT_CRAN", "R_LIBS")}
    assert RSCRIPT is not None
    r = str(Path(RSCRIPT).parent / "R")
    shutil.copytree(SOURCE, folder / "fcrm")
    for command in (["build", "fcrm"], ["check", "--no-manual", "--no-vignettes", "fcrm_0.1.0.tar.gz"]):
        done = subprocess.run(
            [r, "CMD", *command], cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False
        )
        assert "WARNING" not in done.stdout or command[0] == "check", done.stdout
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "fcrm.Rcheck"


@pytest.mark.slow(180)
@needs_r_packages("reticulate", "testthat", "knitr", "rmarkdown")
@needs_pandoc
def test_r_cmd_check_has_nothing_to_say(checked):
    """No error and no warning; no note but one that a closed network causes."""
    log = (checked / "00check.log").read_text(encoding="utf-8")
    status = re.search(r"^Status: (.*)$", log, re.MULTILINE)
    assert status is not None
    if status[1] == "OK":
        return
    assert re.fullmatch(r"\d+ NOTEs?", status[1]), log
    for noted in re.findall(r"^\* .* \.\.\. NOTE\n((?:(?!\* ).*\n)+)", log, re.MULTILINE):
        assert any(words in noted for words in NETWORK), noted


@needs_r_packages(
    "reticulate", "testthat", "data.table", "tibble", "knitr", "rmarkdown", "bit64", "generics", "ggplot2"
)
@needs_pandoc
def test_its_own_tests_ran_and_did_not_skip(checked):
    """The count testthat prints: skipped tests pass R CMD check too, and would prove nothing."""
    out = (checked / "tests" / "testthat.Rout").read_text(encoding="utf-8")
    found = re.search(r"\[ FAIL (\d+) \| WARN (\d+) \| SKIP (\d+) \| PASS (\d+) \]", out)
    assert found is not None, out
    failed, warned, skipped, passed = map(int, found.groups())
    assert (failed, warned, skipped) == (0, 0, 0), out
    assert passed >= 250


@needs_r_packages("reticulate", "testthat", "knitr", "rmarkdown")
@needs_pandoc
def test_its_vignette_is_built_into_it(checked):
    """What `vignette(package = "fcrm")` lists where the built package is installed: the page, with results in it."""
    pages = list(checked.rglob("doc/fcrm.html"))
    assert pages
    text = pages[0].read_text(encoding="utf-8")
    assert "Report on 400 records" in text
    assert "Error in" not in text
