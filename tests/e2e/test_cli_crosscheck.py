"""pyfcrm crosscheck, as a user runs it: rows, exit status, JSON, the page, and one line for every mistake.

Oracle: what `pyfcrm crosscheck --help` states; a fault planted in the package as the process loads it.
"""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm, pyfcrm_process, refused, state
from support.data import LISTING, cloud
from support.r import requires_r

from r_bridge.scripts import script

pytest.importorskip("rpy2", reason="needs rpy2: pip install 'pyfcrm[r]'")
pytestmark = [pytest.mark.r, requires_r]
KEYS = ["what", "data", "python", "r", "difference", "tolerance", "reason", "verdict"]
FAMILIES = {
    "streams", "FCM", "FCRM", "IPSO", "PIL", "DBRL", "PRL", "ID", "baselines", "linkage ties", "GADP", "EGADP",
    "Hybrid, linear", "Hybrid, regression", "Permutation", "Calibrated", "protect()", "evaluate()", "categories",
    "unusual files", "Sequential",
}  # fmt: skip


@pytest.fixture
def _streams_only(monkeypatch):
    """Two families, so that what is asked of the command itself is answered quickly."""
    from r_bridge import crosschecks

    few = tuple(case for case in crosschecks.CASES if case.family in ("streams", "IPSO"))
    monkeypatch.setattr(crosschecks, "CASES", few)


@pytest.mark.slow(35)
def test_the_whole_command_as_a_process(tmp_path):
    """Every row agrees. Status 0; standard output is one JSON document and nothing else; the page is complete."""
    ran = pyfcrm_process("crosscheck", "--json", "--html", "page.html", cwd=tmp_path)
    assert ran.status == 0, ran.err
    document = json.loads(ran.out)
    rows = document["rows"]
    assert document["agree"] == len(rows) >= 40
    assert {"ARF", "rapid"} <= set(document["python_only"])
    assert document["undecided"] == document["skipped"] == document["disagree"] == 0
    assert len({(row["what"], row["data"]) for row in rows}) == len(rows)
    for row in rows:
        assert list(row) == KEYS
        assert all(isinstance(row[key], float | int) for key in ("python", "r", "difference", "tolerance"))
        assert row["reason"]
        assert row["verdict"] == "ok"
        assert row["difference"] <= row["tolerance"] <= 1e-8  # a planted fault is 1e-6
    assert {row["what"].partition(": ")[0] for row in rows} == FAMILIES
    assert document["versions"].keys() >= {"pyfcrm", "python", "numpy", "R", "rpy2"}
    data = [document["data"], *document["further_data"]]
    assert {row["data"] for row in rows} == {each["name"] for each in data}
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.rstrip().endswith("</html>")
    assert document["versions"]["R"] in text
    assert all(each["sha256"] in text for each in data)
    assert all(row["what"] in text.replace("&#x27;", "'") for row in rows)
    assert list(state(tmp_path)) == ["page.html"]


@pytest.mark.usefixtures("_streams_only")
def test_a_planted_fault_ends_in_status_1(monkeypatch):
    """One coefficient's worth: the values of the regression behind IPSO are 1e-6 off in one entry."""
    regression = sys.modules["pyfcrm.methods.regression"]
    real = regression._values

    def wrong(*arguments):
        result = real(*arguments)
        result[len(result) // 2, 0] *= 1 + 1e-6
        return result

    monkeypatch.setattr(regression, "_values", wrong)
    ran = pyfcrm("crosscheck", "--json")
    assert ran.status == 1
    failed = [row for row in json.loads(ran.out)["rows"] if row["verdict"] == "FAIL"]
    assert {row["what"].partition(":")[0] for row in failed} == {"IPSO"}
    assert all(row["difference"] > row["tolerance"] for row in failed)
    shown = pyfcrm("crosscheck")
    assert shown.status == 1
    assert "FAIL" in shown.out


@pytest.mark.usefixtures("_streams_only")
def test_a_file_of_the_users(tmp_path):
    """Column names are data; the file is left as it was."""
    X, Y = cloud(200, 2, 2, seed=1)
    frame = pd.DataFrame(np.column_stack([X, Y]), columns=["a; quit()", "b`", 'c"', "d$e"])
    path = tmp_path / "file.csv"
    frame.to_csv(path, index=False)
    before = path.read_bytes()
    chosen = ["--independent", "a; quit(),b`", "--dependent", '"c""",d$e']
    ran = pyfcrm("crosscheck", "--json", "--input", path, *chosen)
    assert ran.status == 0, ran
    assert {row["verdict"] for row in json.loads(ran.out)["rows"]} == {"ok"}
    assert path.read_bytes() == before


@pytest.mark.usefixtures("_streams_only")
@pytest.mark.skipif(not LISTING.is_file(), reason=f"needs {LISTING}")
def test_the_theses_listing_by_path():
    ran = pyfcrm("crosscheck", "--json", "--ipso-r", LISTING)
    assert ran.status == 0, ran


@pytest.mark.usefixtures("_streams_only")
def test_agency_code_that_quits_is_an_error(tmp_path):
    """Of the whole process: status 2, one line, nothing on standard output, no page."""
    copy = tmp_path / "own.R"
    copy.write_text(script("ipso.R").read_text() + '\nquit(save = "no")\n')
    assert "called quit()" in refused(
        tmp_path, lambda: pyfcrm("crosscheck", "--ipso-r", copy, "--html", tmp_path / "p.html")
    )
    copy.write_text(script("ipso.R").read_text() + '\n.Internal(quit("no", 0L, FALSE))\n')
    assert "ended R" in refused(tmp_path, lambda: pyfcrm("crosscheck", "--json", "--ipso-r", copy))


def test_mistakes_end_in_one_line(tmp_path):
    X, Y = cloud(30, 1, 1, seed=1)
    pd.DataFrame(np.column_stack([X, Y]), columns=["a", "b"]).to_csv(tmp_path / "file.csv", index=False)
    (tmp_path / "broken.R").write_text("IPSOabc <- function( {")
    (tmp_path / "other.R").write_text("f <- 1")
    file, page = tmp_path / "file.csv", tmp_path / "no folder" / "page.html"
    for value, words in (
        (["--ipso-r", tmp_path / "gone.R"], "gone.R: the R file cannot be read"),
        (["--ipso-r", tmp_path / "broken.R"], "--ipso-r` must be R code"),
        (["--ipso-r", tmp_path / "other.R"], "must define a function called `IPSOabc`"),
        (["--independent", "a"], "give it as --input"),
        (["--input", file, "--independent", "a"], "both --independent and --dependent"),
        (["--input", file, "--independent", "a", "--dependent", "bb"], "did you mean `b`"),
        (["--input", tmp_path / "none.csv", "--independent", "a", "--dependent", "b"], "No such file"),
        (["--seed", "2147483648"], "`seed` must be"),
        (["--html", page], "page.html"),
        (["--input", file, "--independent", "a", "--dependent", "b", "--html", file], "file.csv"),
    ):
        assert words in refused(tmp_path, lambda value=value: pyfcrm("crosscheck", *value))


def test_without_rpy2_the_extra_is_named(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['rpy2'] = None\n")
    ran = pyfcrm_process("crosscheck", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert ran.status == 2
    assert ran.err == "pyfcrm: calling R needs rpy2, which is not installed; run: pip install 'pyfcrm[r]'\n"
    assert ran.out == ""
