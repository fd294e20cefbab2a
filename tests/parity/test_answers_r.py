"""weights and preserve from R, from the command line and from Python. Oracle: Python's release. Identical, to the last bit."""

import numpy as np
import pytest
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf

ROLES = pf.Roles(["age", "hours"], ["wage", "rent"])


def frame():
    rng = np.random.default_rng(4)
    data = pf.datasets.survey(300)
    names = list(data.select_dtypes("number").columns)[:4]
    data = data[names].set_axis(["age", "hours", "wage", "rent"], axis=1).astype(float)
    return data.assign(weight=1 + rng.random(300), region=["n", "s", "e"] * 100)


@pytest.mark.slow(10)
@pytest.mark.r
@requires_r_package
def test_one_release_from_r_and_from_the_shell(tmp_path):
    df, source = frame(), tmp_path / "in.csv"
    df.to_csv(source, index=False)
    df = pf.read_table(source)
    r_with_fcrm(
        f"""
        df <- read.csv("{source}")
        say <- function(x) con <<- c(con, x$wage, x$rent)
        con <- numeric()
        say(suppressMessages(protect(df, ipso("C"), wage + rent ~ age + hours, seed = 1, weights = "weight",
            preserve = "region")))
        protect_file("{source}", "{tmp_path}/out.csv", ipso("C"), c("age", "hours"), c("wage", "rent"), seed = 1,
            weights = "weight", preserve = "region")
        say(read.csv("{tmp_path}/out.csv"))
        swept <- sweep_methods(df, list(ipso("C")), wage + rent ~ age + hours, seed = 1, weights = "weight", preserve = "region")
        found <- recommend(df, c("age", "hours"), c("wage", "rent"), seed = 1, candidates = ipso("C"),
            weights = "weight", preserve = "region")
        judged <- suppressMessages(evaluate(df, read.csv("{tmp_path}/out.csv"), c("wage", "rent"), weights = "weight"))
        con <- c(con, swept$table$pil, found$table$pil, judged$pil)
        message <- tryCatch(protect(df, ipso("C"), wage ~ age, weights = "wages"), error = conditionMessage)
        writeLines(message, "{tmp_path}/message")
        writeBin(con, "{tmp_path}/values")
        """
    )
    options = {"weights": "weight", "preserve": ["region"]}
    ours = pf.protect(df, pf.IPSO("C"), ROLES, seed=1, **options).frame
    expected = np.concatenate([ours["wage"], ours["rent"]])
    theirs = np.fromfile(tmp_path / "values", dtype="<f8")
    np.testing.assert_array_equal(theirs[:600], expected)
    np.testing.assert_allclose(theirs[600:1200], expected, rtol=1e-14)  # read.csv reads decimals to its own last bit
    swept = pf.sweep(df, ROLES, pf.IPSO("C"), seed=1, weights="weight", preserve="region").candidates[0]["pil"]
    few = {"candidates": pf.IPSO("C"), "weights": "weight", "preserve": "region"}
    found = pf.recommend(df, ROLES, seed=1, **few).candidates[0]["pil"]
    assert theirs[1200:1202].tolist() == [swept, found]
    judged = pf.evaluate(df, ours, ["wage", "rent"], "pil", weights="weight")["pil"]
    assert theirs[1202] == pytest.approx(judged, abs=1e-6)  # of the file that read.csv reads to its own last bit
    assert "no column is called `wages`" in (tmp_path / "message").read_text()
