"""The document on what goes beyond the paper: rendered whole, from a copy of its folder. Its own stopifnot() hold what it says."""

import re
import shutil

import pandas as pd
import pytest
from families import ATTACKED, QUANTITIES
from family_files import AUDITED, FILES, SETTINGS
from goals import GOALS
from support.data import REPOSITORY
from support.r_package import needs_r_packages, r_with_fcrm

pytestmark = [pytest.mark.r, pytest.mark.slow]

NAME = "beyond-the-paper"
VIGNETTES = REPOSITORY / "vignettes"


def test_the_stored_table_is_the_studys():
    """`benchmarks/studies/families.py --census FILE -o vignettes/figures` made both: every method, file, quantity and goal."""
    rows, goals = (pd.read_csv(VIGNETTES / "figures" / name) for name in ("families.csv", "families-goals.csv"))
    result = sorted(zip(rows.file, rows.setting, strict=True))
    assert result == sorted((file.key, setting) for file in FILES for setting in SETTINGS)
    assert {*QUANTITIES, *ATTACKED} < set(rows)
    assert set(rows.setting[rows.detection.notna()]) == set(AUDITED)
    assert {goal.words for goal in GOALS} == set(goals.goal)


@pytest.mark.slow(60)
@needs_r_packages("reticulate", "rmarkdown", "knitr")
@pytest.mark.skipif(shutil.which("pandoc") is None, reason="needs pandoc (Debian: apt-get install pandoc)")
def test_the_vignette_runs(tmp_path):
    """In a copy, so that nothing is left in the repository; figures, tables and inline numbers are there."""
    (tmp_path / "figures").mkdir()
    shutil.copy(VIGNETTES / f"{NAME}.Rmd", tmp_path)
    for table in (VIGNETTES / "figures").glob("families*.csv"):
        shutil.copy(table, tmp_path / "figures")
    code = f'rmarkdown::render(file.path(commandArgs(TRUE)[1], "{NAME}.Rmd"), quiet = TRUE)'
    r_with_fcrm(code, tmp_path, env={"HOME": str(tmp_path)}, attach=False, timeout=600)
    page = (tmp_path / f"{NAME}.html").read_text(encoding="utf-8")
    text = re.sub(r"<[^>]+>", "", page)
    assert page.count("<img") >= 3
    assert re.search(r"FCRM\(c=8\)\s+ID\s+\d+\.\d  attributable\s+\d+\.\d", text)
    assert re.search(r"original\s+without\s+declared\s+#&gt;\s+0\s+\d+\s+0", text)
    assert re.search("among those that pass|passes every test of the verdict", text)
    assert "Error in" not in text
    assert "numeric(0)" not in text
    assert not re.search(r"\bNA\b", text.split("How far it goes")[1].split("What to do with it")[0])
    assert "http://" not in re.sub(r"http://www\.w3\.org\S*", "", page.split("<body")[1])
