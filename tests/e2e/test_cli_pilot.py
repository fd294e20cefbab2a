"""pyfcrm pilot: a trial of three methods on a file of one's own.

Oracles: pf.describe and pf.suggest_roles of the same file; pf.run of the plans that are written; verify(). Grade: identical.
"""

import json
from pathlib import Path

import pytest
from support.cli import pyfcrm

import pyfcrm as pf


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def survey(records=150, **columns):
    frame = pf.datasets.survey(records, seed=1)[["region", "size", "wage", "tax"]].assign(**columns)
    frame.to_csv("in.csv", index=False)
    return frame


@pytest.mark.slow(40)
def test_three_methods_are_tried_and_the_best_that_passes_has_a_dossier():
    """Each of the three is audited: that is what takes the time."""
    frame = survey()
    ran = pyfcrm("pilot", "in.csv", "--yes", "-o", "trial", "--purpose", "a course")
    assert ran.status == 0, ran  # statistical: each method is held by chance in at most 5 of 100 honest releases
    suggested = pf.suggest_roles(frame)
    plans = [pf.read_plan(f"trial/plan-{k}.toml") for k in (1, 2, 3)]
    assert {plan.roles.dependent for plan in plans} == {suggested.dependent}
    assert len({str(plan.method) for plan in plans}) == 3
    assert Path("trial/columns.toml").read_text() == pf.describe(pf.read_table("in.csv")).to_toml()
    summary = Path("trial/summary.txt").read_text().splitlines()
    assert ran.out.splitlines()[-len(summary) :] == summary
    assert summary[0] == "in.csv: 150 records, 4 columns"
    for number, plan in enumerate(plans, 1):
        [line] = [line for line in summary if line.startswith(f"{number} {plan.method}: Verdict: ")]
        passed = "Verdict: PASS." in line
        assert Path(f"trial/release-{number}.csv").exists() == passed
        assert Path(f"trial/manifest-{number}.json").exists() == passed
        assert Path(f"trial/report-{number}.html").exists()
    [best] = [line for line in summary if line.startswith("least loss of those that pass: ")]
    number = best.split(": ")[1][0]
    files = [f"trial/{name}-{number}.{kind}" for name, kind in (("manifest", "json"), ("release", "csv"))]
    assert pf.verify(*files, dossier="trial/dossier.html").ok
    facts = json.loads(Path("trial/dossier.json").read_text())["dossier"]
    assert facts["decision"]["status"] == "pass"
    assert facts["purpose"]["purpose"] == "a course"


@pytest.mark.slow(40)
def test_what_is_held_is_named_with_its_reason_and_next_step():
    """Postcodes that nearly identify a record, released unchanged: every method is held, and nothing is released."""
    survey(postcode=[f"P{k // 2:03}" for k in range(150)])
    words = ["--dependent", "wage,tax", "--independent", "region,postcode", "-o", "trial", "--json"]
    ran = pyfcrm("pilot", "in.csv", *words)
    assert ran.status == 1, ran
    found = json.loads(ran.out)
    assert [row["verdict"]["status"] for row in found["trials"]] == ["hold"] * 3
    assert found["best"] is None
    summary = Path("trial/summary.txt").read_text()
    assert summary.count("  hold: sample_uniques ") == 3
    assert "    next step: " in summary
    assert "no method passes: nothing is released, and there is no dossier" in summary
    names = {path.name for path in Path("trial").iterdir()}
    assert not {name for name in names if name.startswith(("release", "manifest", "dossier"))}


@pytest.mark.parametrize(
    ("text", "words", "rule"),
    [
        (None, ["--yes"], "there is no such file"),
        ("a,b\n1,2\n", ["--dependent", "wage"], "wage"),
        ("a,b\n1,2\n3,2\n", ["--dependent", "b"], "none of the methods can protect this file"),
        ("a,b\n1,2\n", [], "No roles are given"),
        ("a,b\n1,2\n", ["--yes", "--limits", "secret"], "secret"),
    ],
)
def test_a_bad_input_is_one_sentence(text, words, rule):
    if text is not None:
        Path("in.csv").write_text(text)
    ran = pyfcrm("pilot", "in.csv", "-o", "trial", "--json", *words)
    assert (ran.status, ran.out) == (2, "")
    assert rule in ran.err.splitlines()[-1]
