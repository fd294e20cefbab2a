"""The seven vignettes, each run from start to end by knitr in a copy of its own, at smaller sizes than printed.

Oracle: the vignettes themselves. Every chunk, in R, Python or the shell, stops the page when it fails, and hidden checks stop
it when a statement does not hold; `reading-the-numbers` computes each measure in R and compares;
`an-intruder-at-work` makes the attacks in R and compares. Here: that the page is complete, contains what its reader comes for,
and that a chunk or a number that fails is detected. The vignette of the R package, which is also rendered to HTML, is in
tests/parity/test_r_check.py.
"""

import re
import shutil

import pandas as pd
import pytest
from families import ATTACKED, QUANTITIES
from family_files import AUDITED, FILES, SETTINGS
from goals import GOALS
from support.data import CENSUS_PATH, REPOSITORY
from support.r_package import needs_r_packages, r_with_fcrm

from pyfcrm.measures import MEASURES

pytestmark = [pytest.mark.r, pytest.mark.slow, needs_r_packages("reticulate", "knitr")]

VIGNETTES = REPOSITORY / "vignettes"
KNIT = """arguments <- commandArgs(TRUE); setwd(arguments[1])
Sys.setenv(HOME = arguments[1], PYFCRM_CENSUS = arguments[2], PYTHONPATH = arguments[3])
reticulate::py_run_string(sprintf("import os; os.environ['PYFCRM_CENSUS'] = '%s'; os.chdir('%s')", arguments[2], arguments[1]))
knitr::opts_chunk$set(error = FALSE, dpi = 50)
knitr::opts_knit$set(rmarkdown.pandoc.to = "markdown")
knitr::render_markdown()
sink(stdout(), type = "message")
for (page in arguments[-(1:3)]) {
  cat("\\n== page\\n")
  done <- try(knitr::knit(paste0(page, ".Rmd"), paste0(page, ".md"), quiet = TRUE, envir = new.env(parent = globalenv())))
  if (inherits(done, "try-error")) unlink(paste0(page, ".md"))  # a part of the page
}
"""
SECONDS = 900.0  # on a machine with other work


def knitted(folder, *names, census=""):
    """What R prints of each page that it makes of the sources in the folder."""
    output = r_with_fcrm(KNIT, folder, census, REPOSITORY, *names, timeout=SECONDS)
    return output.split("\n== page\n")[1:]


def page_of(source, folder, census=""):
    """The page made of an R Markdown text; AssertionError with R's words where a chunk fails."""
    (folder / "page.Rmd").write_text(source, encoding="utf-8")
    (output,) = knitted(folder, "page", census=census)
    assert (folder / "page.md").exists(), output
    text = (folder / "page.md").read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert "Error in" not in text
    assert "Traceback" not in text
    assert not re.search(r"numeric\(0\)|character\(0\)|\bNaN\b|\bNA\b|`r ", prose)
    assert not re.search(r"!\[[^]]*\]\(https?:|src=\"https?:", text)
    return text


def vignette(name, **sizes):
    """The source; each size replaces the text of that name, which must be there."""
    text = (VIGNETTES / f"{name}.Rmd").read_text(encoding="utf-8")
    for printed, smaller in sizes.items():
        assert printed in text
        text = text.replace(printed, smaller)
    return text


def pictures(text):
    return len(re.findall(r"!\[|<img", text))


def one_line(text):
    return " ".join(text.replace("#>", "").split())


@pytest.mark.slow(60)
def test_getting_started(tmp_path):
    """From Python, R and the shell: its own checks hold the three releases to be one."""
    source = vignette("getting-started", **{"survey <- survey()": "survey <- survey(400)"})
    shell = source.count("```{bash")
    assert shell == source.count('```{bash, engine.opts = "-e"}') >= 3  # else only a last line can fail
    page = page_of(source, tmp_path)
    text = one_line(page)
    assert pictures(page) >= 2
    assert re.search(r"original free kept 0 [1-9]\d* 0", text)
    assert "0 records break them" in text
    assert "release.sav: 400 records, 3 columns protected with IPSO(kind=C)" in text
    assert "Wage, monthly | {1.0: 'North', 2.0: 'East', 3.0: 'South', 4.0: 'West'} " in text
    assert (tmp_path / "private.json").stat().st_mode & 0o777 == 0o600
    assert {"sweep.csv", "map.png"} <= {path.name for path in (tmp_path / "tried").iterdir()}


@pytest.mark.slow(80)
def test_choosing_a_method(tmp_path):
    """The whole sweep, on the real file where it is at hand, else on the simulated one, which it then says."""
    census = str(CENSUS_PATH) if CENSUS_PATH.is_file() else ""
    sizes = {
        "survey(1000)": "survey(250)",
        "n=360": "n=180",
        "iloc[::3]": "iloc[::6]",
        "repeats=1, structure=None": "repeats=1, shadows=2, structure=None",
    }
    page = page_of(vignette("choosing-a-method", **sizes), tmp_path, census)
    assert ("is not at hand here" in page) == (not census)
    assert pictures(page) >= 2
    assert len(re.findall(r"^\|", page, re.MULTILINE)) > 45  # the sweep, the closer look, what suits what
    assert re.search("among those that pass|passes every test of the verdict", one_line(page))
    assert not list(tmp_path.glob("*census*"))


def test_no_figure_of_the_sweep_is_typed():
    """Prose of `choosing-a-method` takes its results from inline code: none stands there as typed."""
    text = re.sub(r"^```\{.*?^```$", "", vignette("choosing-a-method"), flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"`[^`]*`", "", text.split("---", 2)[2])
    assert not re.search(r"\d\.\d|\d (per cent|points|%)|(PIL|DBRL|DR|SCORE|ID) \d", prose)


@pytest.mark.slow(15)
def test_reading_the_numbers(tmp_path):
    """Every measure of the package is computed by hand there, and listed with its reading; a difference of 1e-6 stops the page."""
    source, same = vignette("reading-the-numbers"), 'same("pil", mean(of_means), "mean")'
    page = page_of(source, tmp_path)
    compared = re.findall(r"#> (\w+), [^#]*?: by hand [\d.]+, evaluate\(\) [\d.]+", page)
    assert set(compared) == set(MEASURES)
    assert f"All {len(MEASURES)} were computed above" in one_line(page)
    assert all(re.search(rf"^\|{key} *\|", page, re.MULTILINE) for key in MEASURES)
    assert source.count(same) == 1
    start, rest = source.split(same)
    source = f'{start}same("pil", mean(of_means) + 1e-6, "mean"){rest.split("```")[0]}```\n'
    with pytest.raises(AssertionError, match="is not TRUE"):
        page_of(source, tmp_path)


@pytest.mark.slow(30)
def test_an_intruder_at_work(tmp_path):
    """Its own checks hold attacks made in R to what evaluate() and audit() find; every family whose records pair is in the last table."""
    source = vignette("an-intruder-at-work", **{"accounts(300)": "accounts(120)"})
    text = one_line(page_of(source, tmp_path))
    assert "seed=17: the seed found is 17" in text
    assert "no seed: the seed found is None" in text
    assert re.search(r"PIL ruler method gain certain Noise, 50 % -?[\d.]+ [\d.]+", text)
    assert all(
        family in text.split("ruler method gain")[1] for family in ("IPSO-C", "FCRM, model", "Shuffling", "EGADP")
    )


@pytest.mark.slow(10)
def test_the_same_answers(tmp_path):
    """Its own checks, by R's lm(), hold the releases to what the page says of them."""
    text = one_line(page_of(vignette("the-same-answers"), tmp_path))
    assert "are kept exactly before constraints and rounding, plain and weighted by `weight`" in text


@pytest.mark.slow(15)
def test_r_and_python(tmp_path):
    """Its own stopifnot() hold the releases to be identical."""
    page = page_of(vignette("r-and-python"), tmp_path)
    assert re.search(r"R_and_Python\s+R_and_shell\s+#>\s+TRUE\s+TRUE", page)
    assert page.count("#> [1] FALSE") == 1
    assert pictures(page) >= 2


def test_the_stored_table_is_the_studys():
    """`benchmarks/studies/families.py --census FILE -o vignettes/figures` made both: every method, file, quantity and goal."""
    rows, goals = (pd.read_csv(VIGNETTES / "figures" / name) for name in ("families.csv", "families-goals.csv"))
    cases = sorted(zip(rows.file, rows.setting, strict=True))
    assert cases == sorted((file.key, setting) for file in FILES for setting in SETTINGS)
    assert {*QUANTITIES, *ATTACKED} < set(rows)
    assert set(rows.setting[rows.detection.notna()]) == set(AUDITED)
    assert {goal.words for goal in GOALS} == set(goals.goal)


@pytest.mark.slow(50)
def test_beyond_the_paper(tmp_path):
    """Figures, tables and inline numbers are there; its own stopifnot() hold what it states."""
    (tmp_path / "figures").mkdir()
    for table in (VIGNETTES / "figures").glob("families*.csv"):
        shutil.copy(table, tmp_path / "figures")
    page = page_of(vignette("beyond-the-paper"), tmp_path)
    assert pictures(page) >= 3
    assert re.search(r"FCRM\(c=8\)\s*\|ID\s*\|\s*\d+\.\d\s*\|\s*\d+\.\d|FCRM\(c=8\)\s+ID\s+\d+\.\d", page)
    assert re.search(r"original\s+without\s+declared\s+#>\s+0\s+\d+\s+0", page)
    assert re.search("among those that pass|passes every test of the verdict", one_line(page))
    assert not re.search(r"\bNA\b", page.split("## How far it goes")[1].split("## What to do")[0])


FAILING = {
    "{r}\nstopifnot(1 == 2)": "1 == 2 is not TRUE",
    "{python}\nassert 1 == 2": "AssertionError",
    '{bash, engine.opts = "-e"}\nfalse\necho and on': "had status 1",
}


def test_a_chunk_that_fails_is_found(tmp_path):
    """Each of the three engines stops the page, for the reason given: without this the tests above could not fail."""
    names = [f"page{k}" for k in range(len(FAILING))]
    for name, chunk in zip(names, FAILING, strict=True):
        (tmp_path / f"{name}.Rmd").write_text(f"```{chunk}\n```\n", encoding="utf-8")
    outputs = knitted(tmp_path, *names)
    assert len(outputs) == len(names)
    for output, why in zip(outputs, FAILING.values(), strict=True):
        assert why in output
    assert not list(tmp_path.glob("*.md"))
