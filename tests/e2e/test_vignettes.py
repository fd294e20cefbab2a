"""The five vignettes for readers, each run from start to end in a copy of its own.

Oracle: the vignettes themselves. Every chunk, in R, Python or the shell, stops the page when it fails, and hidden checks stop
it when a statement does not hold; `reading-the-numbers` works each measure in R and compares;
`an-intruder-at-work` makes the attacks in R and compares. Here: that the page was
made whole, says what its reader comes for, and that a chunk or a number that fails would indeed have been found.
"""

import html
import re
import shutil

import pytest
from support.data import CENSUS_PATH, REPOSITORY
from support.r_package import needs_r_packages, r_with_fcrm

from pyfcrm.measures import MEASURES

pytestmark = [
    pytest.mark.r,
    pytest.mark.slow,
    needs_r_packages("reticulate", "rmarkdown", "knitr"),
    pytest.mark.skipif(shutil.which("pandoc") is None, reason="needs pandoc (Debian: apt-get install pandoc)"),
]

VIGNETTES = REPOSITORY / "vignettes"
RENDER = "rmarkdown::render(commandArgs(TRUE)[1], quiet = TRUE)"
SECONDS = 900.0  # on a machine with other work; alone each takes well under two minutes


def rendered(source, folder, census=""):
    """The page made of an R Markdown text, in `folder`; AssertionError with R's words where a chunk fails."""
    (folder / "page.Rmd").write_text(source, encoding="utf-8")
    env = {"HOME": str(folder), "PYFCRM_CENSUS": census}
    r_with_fcrm(RENDER, folder / "page.Rmd", env=env, attach=False, timeout=SECONDS)
    return (folder / "page.html").read_text(encoding="utf-8")


def vignette(name):
    return (VIGNETTES / f"{name}.Rmd").read_text(encoding="utf-8")


def words(page):
    """What a reader sees, without the tags, in one line; nothing in it failed, is missing, or comes from the network."""
    body = page.split("<body")[1]
    assert "http://" not in body
    assert not re.search(r"<(script|img|link)[^>]+(src|href)=\"https?:", page)
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", body)).split())
    prose = " ".join(re.sub(r"<pre.*?</pre>", " ", body, flags=re.DOTALL).split())
    assert "Error in" not in text
    assert "Traceback" not in text
    assert not re.search(r"numeric\(0\)|character\(0\)|\bNaN\b|\bNA\b|`r ", prose)
    return text


@pytest.mark.slow(40)
def test_getting_started(tmp_path):
    """From Python, R and the shell: its own checks hold the three releases to be one."""
    source = vignette("getting-started")
    shell = source.count("```{bash")
    assert shell == source.count('```{bash, engine.opts = "-e"}') >= 3  # else only a last line can fail
    page = rendered(source, tmp_path)
    text = words(page)
    assert page.count("<img") >= 2
    assert re.search(r"original free kept #> 0 [1-9]\d* 0", text)
    assert "#> 0 records break them" in text
    assert "release.sav: 2000 records, 3 columns protected with IPSO(kind=C)" in text
    assert "#> Wage, monthly | {1.0: 'North', 2.0: 'East', 3.0: 'South', 4.0: 'West'} " in text
    assert (tmp_path / "private.json").stat().st_mode & 0o777 == 0o600
    assert {"sweep.csv", "map.png"} <= {path.name for path in (tmp_path / "tried").iterdir()}


@pytest.mark.slow(80)
def test_choosing_a_method(tmp_path):
    """The whole sweep, on the real file where it is at hand, else on the simulated one, which it then says."""
    census = str(CENSUS_PATH) if CENSUS_PATH.is_file() else ""
    page = rendered(vignette("choosing-a-method"), tmp_path, census)
    text = words(page)
    assert ("is not at hand here" in text) == (not census)
    assert page.count("<img") >= 2
    assert len(re.findall(r"<tr", page.split("<body")[1])) > 45  # the sweep, the closer look, what suits what
    assert re.search("among those that pass|passes every test of the verdict", text)
    assert not list(tmp_path.glob("*census*"))


def test_no_figure_of_the_sweep_is_typed():
    """Prose of `choosing-a-method` takes its results from inline code: none stands there as typed."""
    text = re.sub(r"^```\{.*?^```$", "", vignette("choosing-a-method"), flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"`[^`]*`", "", text.split("---", 2)[2])
    assert not re.search(r"\d\.\d|\d (per cent|points|%)|(PIL|DBRL|DR|SCORE|ID) \d", prose)


@pytest.mark.slow(25)
def test_reading_the_numbers(tmp_path):
    """Every measure of the package is worked by hand there, and listed with its reading."""
    page = rendered(vignette("reading-the-numbers"), tmp_path)
    text = words(page)
    compared = re.findall(r"#> (\w+), [^#]*?: by hand [\d.]+, evaluate\(\) [\d.]+", text)
    assert set(compared) == set(MEASURES)
    assert f"All {len(MEASURES)} were worked above" in text
    assert all(f'<td align="left">{key}</td>' in page for key in MEASURES)


@pytest.mark.slow(60)
def test_an_intruder_at_work(tmp_path):
    """Its own checks hold attacks made in R to what evaluate() and audit() find; every family whose records pair is in the last table."""
    text = words(rendered(vignette("an-intruder-at-work"), tmp_path))
    assert "seed=17: the seed found is 17" in text
    assert "no seed: the seed found is None" in text
    assert re.search(r"#> PIL ruler method gain certain #> Noise, 50 % -?[\d.]+ [\d.]+", text)
    assert all(
        family in text.split("ruler method gain")[1] for family in ("IPSO-C", "FCRM, model", "Shuffling", "EGADP")
    )


@pytest.mark.slow(20)
def test_the_same_answers(tmp_path):
    """Its own checks, by R's lm(), hold the releases to what the page says of them."""
    text = words(rendered(vignette("the-same-answers"), tmp_path)).replace("#> ", "")
    assert "are kept exactly before constraints and rounding, plain and weighted by `weight`" in text


FAILING = {
    "{r}\nstopifnot(1 == 2)": "1 == 2 is not TRUE",
    "{python}\nassert 1 == 2": "AssertionError",
    '{bash, engine.opts = "-e"}\nfalse\necho and on': "had status 1",
}
RENDER_EACH = """options(warn = 1); sink(stdout(), type = "message")
for (page in commandArgs(TRUE)) {cat("\\n== page\\n"); try(rmarkdown::render(page, quiet = TRUE))}"""


@pytest.mark.slow(10)
def test_a_chunk_that_fails_is_found(tmp_path):
    """Each of the three engines stops the page, for the reason given: without this the tests above could not fail."""
    pages = [tmp_path / f"page{k}.Rmd" for k in range(len(FAILING))]
    for page, chunk in zip(pages, FAILING, strict=True):
        page.write_text(f"```{{r, include = FALSE}}\nlibrary(reticulate)\n```\n\n```{chunk}\n```\n", encoding="utf-8")
    text = r_with_fcrm(RENDER_EACH, *pages, env={"HOME": str(tmp_path)}, attach=False, timeout=SECONDS)
    _, *result = text.split("\n== page\n")
    assert len(result) == len(pages)
    for words, why in zip(result, FAILING.values(), strict=True):
        assert why in words
    assert not list(tmp_path.glob("*.html"))


@pytest.mark.slow(15)
def test_a_number_that_differs_is_found(tmp_path):
    """The first comparison of `reading-the-numbers`, off by a millionth."""
    source, changed = vignette("reading-the-numbers"), 'same("pil", mean(of_means) + 1e-6, "mean")'
    assert source.count('same("pil", mean(of_means), "mean")') == 1
    with pytest.raises(AssertionError, match="is not TRUE"):
        rendered(source.replace('same("pil", mean(of_means), "mean")', changed), tmp_path)
