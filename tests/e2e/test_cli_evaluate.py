"""pyfcrm evaluate: the verdict, JSON for programs, a table for people, at any width.

Oracle: pf.evaluate on the same files. Grade: identical (JSON keeps every digit; the table two decimals).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from support.cli import households, people, pyfcrm, refused

import pyfcrm as pf

PROTECT = ["--method", "ipso", "--independent", "a,b", "--dependent", "c,d", "--seed", "1"]

# As a user has it: an environment may have set it, and then a short output cannot fail late.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    pyfcrm("protect", "in.csv", "-o", "out.csv", *PROTECT)
    return tmp_path


def report(columns=None):
    return pf.evaluate(pd.read_csv("in.csv", dtype={"id": str}), pd.read_csv("out.csv", dtype={"id": str}), columns)


@pytest.mark.parametrize("columns", [None, ["c", "d"], ["d"]])
def test_json_is_one_document_with_the_same_numbers(folder, columns):
    words = ["evaluate", "in.csv", "out.csv", "--json", *(["--columns", ",".join(columns)] if columns else [])]
    ran = pyfcrm(*words)
    assert (ran.status, ran.err) == (0, "")
    found = json.loads(ran.out)  # fails on anything before or after it
    expected = report(columns)
    assert set(found) == {
        "verdict",
        "records",
        "columns",
        "rows",
        "kept",
        "guessed_seed",
        "notes",
        "all_notes",
        "utility",
    }
    assert found["verdict"] == expected.verdict.document()
    assert found["records"] == 40
    assert found["columns"] == (columns or ["a", "b", "c", "d"])
    assert found["rows"] == expected.rows()
    assert (found["notes"], found["all_notes"]) == (list(expected.notes), list(expected.all_notes))


@pytest.mark.process
@pytest.mark.parametrize("words", ["evaluate in.csv out.csv", "--version"])
def test_a_reader_that_has_seen_enough(folder, words):
    """`pyfcrm evaluate ... | head -1`: no traceback, and not the status of a check that did not hold."""
    command = f'"{sys.executable}" -m pyfcrm {words} | true; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=BUFFERED, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.process
@pytest.mark.parametrize("words", ["evaluate in.csv out.csv --json", "--version"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(folder, words):
    """A long output fails while it is written, a short one only when it is flushed."""
    command = f'"{sys.executable}" -m pyfcrm {words} >/dev/full; echo $?'
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=BUFFERED, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("2\n", "pyfcrm: output: No space left on device\n")


@pytest.mark.process
def test_what_a_solver_prints_is_not_in_the_document(folder):
    """A library that writes to descriptor 1 from C, as HiGHS can: standard output is the document alone. Identical."""
    noisy = "import os, sys; from pyfcrm.linkage import supervised as s; true = s.search_weights; "
    noisy += (
        "s.search_weights = lambda *a: (os.write(1, b'HighsMipSolverData'), true(*a))[1]; from pyfcrm.cli import main; "
    )
    noisy += "sys.argv[1:] = 'evaluate in.csv out.csv --measures dbrl_supervised --json'.split(); main()"
    done = subprocess.run(
        [sys.executable, "-c", noisy], cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(done.stdout)["records"] == len(people())
    assert "HighsMipSolverData" in done.stderr


def test_a_known_method_adds_what_is_linked_by_who_knows_it(folder):
    words = ["evaluate", "in.csv", "out.csv", "--columns", "c,d", "--independent", "a,b", "--json"]
    rows = json.loads(pyfcrm(*words, "--method", "ipso", "--set", "kind=C").out)["rows"]
    values = {row["measure"]: row for row in rows if row["part"] == "total"}
    original, release = (pd.read_csv(f"{name}.csv", dtype={"id": str}) for name in ("in", "out"))
    known = pf.evaluate(original, release, ["c", "d"], independent=["a", "b"], method=pf.IPSO("C"))
    for key in ("linkage_informed", "certain", "dr_informed"):
        assert values[key]["value"] == known[key]
        assert values[key]["baseline"] == known.results[key].baseline
    refused = pyfcrm(*words, "--set", "kind=C")
    assert refused.status == 2
    assert "needs --method" in refused.err


RELEASED = ["--method", "calibrated", "--set", "method={ipso:kind=C}", "--dependent", "c,d", "--independent", "a,b"]
KNOWN = [*RELEASED, "--identifiers", "id"]


@pytest.fixture
def acceptable():
    """A release that passes, of a method that no seed undoes: new.csv with its manifest; and the words that judge it."""
    households().to_csv("in.csv", index=False)
    ran = pyfcrm("protect", "in.csv", "-o", "new.csv", *KNOWN, "--manifest", "m.json", "--seed", "1")
    assert ran.status == 0, ran
    return ["evaluate", "in.csv", "new.csv", "--check"]


@pytest.mark.slow
def test_check_is_status_1_unless_the_verdict_is_pass(acceptable):
    """Status 1 for what no test examined and for a limit not met; without --check the status is 0."""
    audited = [*acceptable, "--manifest", "m.json", "--audit", "run"]
    statuses = {
        "pass": (audited, 0, "Verdict: PASS."),
        "a limit": ([*audited, "--limit", "pil=0.001"], 1, "Verdict: HOLD. Limits changed: pil 0.001."),
        "no audit": ([*acceptable, "--manifest", "m.json"], 1, "Verdict: NOT EXAMINED."),
        "nothing known": (acceptable, 1, "Verdict: NOT EXAMINED."),
    }
    for words, status, headline in statuses.values():
        ran = pyfcrm(*words)
        assert (ran.status, ran.out.splitlines()[0]) == (status, headline)
    assert pyfcrm(*[word for word in acceptable if word != "--check"]).status == 0


@pytest.mark.slow(18)
def test_the_ways_to_the_same_verdict(acceptable):
    """A manifest, or roles and method as options; an audit that is run now, or an earlier one. Oracle: pf.evaluate."""
    ran = pyfcrm("audit", "in.csv", *KNOWN, "--json")
    assert ran.status == 0, ran
    Path("audit.json").write_text(ran.out)
    frame, release = pf.read_table("in.csv"), pf.read_table("new.csv")
    roles, method = pf.Roles(["a", "b"], ["c", "d"], ["id"]), pf.Calibrated(pf.IPSO("C"))
    expected = pf.evaluate(frame, release, roles=roles, method=method, audit=True).verdict
    assert expected.ok
    for known in (["--manifest", "m.json"], KNOWN):
        for audit in ("run", "audit.json"):
            verdict = json.loads(pyfcrm(*acceptable, *known, "--audit", audit, "--json").out)["verdict"]
            assert verdict == json.loads(json.dumps(expected.document())), (known, audit)
    other = [*acceptable, "--manifest", "m.json", "--audit", "audit.json", "--json"]
    households(seed=2).to_csv("in.csv", index=False)
    assert "is not the original of the manifest" in pyfcrm(*other).err
    pyfcrm("protect", "in.csv", "-o", "new.csv", *KNOWN, "--manifest", "m.json", "--overwrite")
    tests = json.loads(pyfcrm(*other).out)["verdict"]["tests"]
    assert [test["status"] for test in tests if test["key"] == "audit"] == ["not examined"]


def test_a_manifest_says_whether_the_seed_can_be_guessed():
    """Oracle: how the release was started. Noise is undone by its seed."""
    words = ["protect", "in.csv", "--method", "noise", "--independent", "a,b", "--dependent", "c,d"]
    for name, more in (("fresh", []), ("guessed", ["--seed", "7"])):
        assert pyfcrm(*words, "-o", f"{name}.csv", *more, "--manifest", f"{name}.json").status == 0
    for name, status in (("fresh", "pass"), ("guessed", "hold")):
        ran = pyfcrm("evaluate", "in.csv", f"{name}.csv", "--manifest", f"{name}.json", "--json")
        tests = {test["key"]: test["status"] for test in json.loads(ran.out)["verdict"]["tests"]}
        assert tests["seed"] == status, name


def test_limits_of_a_file_and_of_options(folder):
    Path("limits.toml").write_text("[limits]\nsample_uniques = 100\ndr = 1\n")
    roles = ["--independent", "a,b", "--dependent", "c,d", "--unknown", "note"]
    ran = pyfcrm(
        "evaluate", "in.csv", "out.csv", *roles, "--limits", "limits.toml", "--limit", "dr=90", "--limit", "linkage=1,2"
    )
    line = ran.out.splitlines()[0]
    assert line.endswith("Limits changed: sample_uniques 100, dr 90, linkage 1; 2. Not known to intruders: note.")
    for words, text in (
        (["--limit", "dr"], "must be a key and a number, such as dr=15"),
        (["--limit", "drr=1"], "no limit is called `drr`; did you mean `dr`"),
        (["--limits", "none.toml"], "the file of limits could not be read"),
        (["--audit", "run"], "`audit` needs --method and --roles"),
        (["--audit", "limits.toml"], "--audit takes run, or a file that"),
        (["--manifest", "limits.toml"], "a manifest must be JSON"),
    ):
        assert text in refused(folder, lambda words=words: pyfcrm("evaluate", "in.csv", "out.csv", *words))


def test_a_manifest_is_of_one_release_and_says_its_roles(acceptable, folder):
    words = [*acceptable, "--manifest", "m.json"]
    assert "must be left out with --manifest" in refused(folder, lambda: pyfcrm(*words, "--dependent", "c"))
    Path("new.csv").write_bytes(Path("new.csv").read_bytes() + b"\n")
    assert "new.csv is not the release of the manifest" in refused(folder, lambda: pyfcrm(*words))
