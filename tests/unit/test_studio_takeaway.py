"""Take away, over HTTP. Oracles: pf.run of the plan, byte for byte; verify(); what docs/files.md says may be taken away."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile

import pandas as pd
import pytest
from support.r_package import r_with_fcrm, requires_r_package
from support.studio import IPSO, RANKS, ROLES, messages, people, visitor

import pyfcrm as pf
from pyfcrm.app import takeaway

DECISION = {
    "trial": "1",
    "by": "Ada Lovelace",
    "reason": "a contract",
    "title": "People 2026",
    "contact": "data@agency.example",
    "from": "take",
}


@pytest.fixture(scope="module")
def held():
    """A visitor whose trial is on hold."""
    with visitor() as own:
        own.upload("people.csv", people().to_csv(index=False).encode())
        own.use_roles(**ROLES)
        own.run(**RANKS, **{"random.seed": "5"})
        assert own.study.trial.verdict.status == "hold"
        yield own


@pytest.fixture
def decided(held):
    """The same, with reason and name."""
    held.act("decide", **DECISION)
    return held


def taken(own, what, trial=1):
    answer = own.client.get(f"{own.base}/trial/{trial}/{what}", follow_redirects=False)
    assert answer.status_code == 200, answer.headers
    return answer


def test_a_held_release_wants_a_reason_and_a_name(held):
    held.study.trial.decision = {}
    for what in ("release", "external", "manifest"):
        assert held.client.get(f"{held.base}/trial/1/{what}", follow_redirects=False).status_code == 303
    text = held.get("take")
    assert "Release despite the hold" in text
    assert "reason and a name" in messages(text)
    assert "Protected file" not in text
    assert "reason and a name" in messages(held.act("decide", **(DECISION | {"reason": " "})))
    assert "despite_hold" not in taken(held, "plan").text


def test_names_of_downloads_say_the_status_and_no_method(decided):
    assert "ON-HOLD-people-protected.csv" in taken(decided, "release").headers["content-disposition"]
    for what in ("release", "external"):
        assert "rank" not in taken(decided, what).headers["content-disposition"].lower()


def test_reason_and_name_are_in_manifest_plan_and_internal_report(decided):
    manifest, plan = json.loads(taken(decided, "manifest").content), tomllib.loads(taken(decided, "plan").text)
    assert manifest["release"] == plan["release"] == {"despite_hold": "a contract", "by": "Ada Lovelace"}
    assert manifest["verdict"]["status"] == "hold"
    inside, outside = taken(decided, "internal").text, taken(decided, "external").text
    assert "a contract (Ada Lovelace)" in inside
    assert "People 2026" in inside
    assert "data@agency.example" in outside
    assert manifest["sha256"]["output"] in inside
    assert manifest["sha256"]["output"] in outside
    assert manifest["sha256"]["input"] in inside
    assert manifest["sha256"]["input"] not in outside


def test_the_external_report_has_no_seed_parameter_or_risk(decided):
    outside = taken(decided, "external").text
    assert "p=10" not in outside
    assert "Records at risk" not in outside
    assert "people.csv" not in outside.replace("people-protected.csv", "")
    for row in decided.study.trial.report.verdict.rows():
        assert row["reason"] not in outside or len(row["reason"]) < 12
    decided.act("decide", **(DECISION | {"title": ""}))
    assert "people.csv" not in taken(decided, "external").text


def test_the_dossier_is_of_the_release_and_of_the_decision(decided, tmp_path):
    """An archive of page and document; verify() checks both against the manifest that is taken with it."""
    decided.act("decide", **(DECISION | {"purpose": "a course", "recipients": "students"}))
    for what, name in (("manifest", "m.json"), ("release", "r.csv")):
        (tmp_path / name).write_bytes(taken(decided, what).content)
    with zipfile.ZipFile(io.BytesIO(taken(decided, "dossier").content)) as archive:
        assert archive.namelist() == ["people-dossier.html", "people-dossier.json"]
        archive.extractall(tmp_path)
    page = tmp_path / "people-dossier.html"
    assert pf.verify(tmp_path / "m.json", tmp_path / "r.csv", dossier=page).ok
    facts = json.loads((tmp_path / "people-dossier.json").read_text(encoding="utf-8"))["dossier"]
    assert facts["purpose"]["purpose"] == "a course"
    assert facts["purpose"]["recipients"] == "students"
    assert facts["decision"]["despite"] == {"reason": "a contract", "by": "Ada Lovelace"}
    assert facts["prepared_by"] == "Ada Lovelace"
    assert str(decided.study.folder) not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", ["", "7"])
def test_the_plan_repeats_the_release_byte_for_byte(tmp_path, seed):
    """With a stored seed and with a state of fresh entropy; the manifest passes verify()."""
    with visitor() as own:
        own.upload("people.csv", people().to_csv(index=False).encode())
        own.use_roles(**ROLES)
        own.run(**RANKS, **{"random.seed": seed, "keep.constraints": "c >= 0"})
        own.act("decide", **DECISION)
        status = own.study.trial.verdict.status
        for what, name in (
            ("original", "people.csv"),
            ("plan", "plan.toml"),
            ("manifest", "m.json"),
            ("release", "r.csv"),
        ):
            (tmp_path / name).write_bytes(taken(own, what).content)
    result = pf.run(tmp_path / "plan.toml")
    assert result.ok
    assert result.by == ("" if result.verdict.ok else "Ada Lovelace")
    assert result.verdict.status == status
    assert (tmp_path / "people-protected.csv").read_bytes() == (tmp_path / "r.csv").read_bytes()
    assert pf.verify(tmp_path / "m.json", original=tmp_path / "people.csv", release=tmp_path / "r.csv").ok


@pytest.mark.process
@pytest.mark.slow(5)
def test_the_snippets_run(decided, tmp_path, monkeypatch, capsys):
    """Python as it is shown; Python and shell have at most six lines."""
    (tmp_path / "people.csv").write_bytes(taken(decided, "original").content)
    (tmp_path / "plan.toml").write_bytes(taken(decided, "plan").content)
    texts = takeaway.snippets(decided.study.trial)
    assert set(texts) == {"Python", "R", "Shell"}
    assert all(len(text.splitlines()) <= 6 for text in texts.values())
    monkeypatch.chdir(tmp_path)
    exec(texts["Python"], {})
    assert capsys.readouterr().out.strip().endswith("True")
    assert (tmp_path / "people-protected.csv").read_bytes() == taken(decided, "release").content
    for path in tmp_path.glob("people-*"):
        path.unlink()
    shell = f'pyfcrm() {{ {sys.executable} -m pyfcrm "$@"; }}\n{texts["Shell"]}'
    done = subprocess.run(["sh", "-e", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert hashlib.sha256(taken(decided, "release").content).hexdigest() in done.stdout


@pytest.mark.slow(2)
@pytest.mark.parametrize("name", ["$(touch pwned)`id`.csv", 'it\'s "quoted".csv', "my file; rm x.csv", "-rf.csv"])
def test_snippets_quote_the_names_of_files(tmp_path, name):
    """Oracle: the shell's and Python's own reading of what is shown. Identical."""
    with visitor() as own:
        own.upload(name, people().to_csv(index=False).encode())
        own.use_roles(**ROLES)
        own.run(**RANKS)
        texts = takeaway.snippets(own.study.trial)
        name = own.study.source.name  # the client writes %22 for a quotation mark
    output = own.study.trial.plan.output
    words = [word.removeprefix("./") for word in shlex.split(texts["Shell"].replace("\\\n", ""))]
    assert words.count(name) == 2
    assert words.count(output.release) == 2
    assert words.count(output.manifest) == 1
    assert "./-rf-manifest.json" in texts["Shell"] or not name.startswith("-")
    read = re.search(r"read_table\((.*)\)", texts["R"])[1]
    assert ast.literal_eval(read) == output.release


@pytest.mark.r
@requires_r_package
@pytest.mark.slow(8)
def test_the_r_snippet_runs(decided, tmp_path):
    """In R, from plan and original to the same bytes."""
    (tmp_path / "people.csv").write_bytes(taken(decided, "original").content)
    (tmp_path / "plan.toml").write_bytes(taken(decided, "plan").content)
    r_with_fcrm(f'setwd("{tmp_path}")\n{takeaway.snippets(decided.study.trial)["R"]}')
    assert (tmp_path / "people-protected.csv").read_bytes() == taken(decided, "release").content


def test_the_release_is_the_trial_with_formulas_disarmed():
    """Oracle: the trial's frame; a cell that a spreadsheet would run begins with an apostrophe."""
    frame = people().assign(note=lambda f: ["=1+1" if k % 2 else "x" for k in range(len(f))])
    with visitor() as own:
        own.upload("people.csv", frame.to_csv(index=False).encode())
        own.use_roles(**ROLES, note="leave")
        own.run(**RANKS)
        own.act("decide", **DECISION)
        data = taken(own, "release").content
        released = pd.read_csv(io.BytesIO(data))
        assert set(released["note"]) == {"'=1+1", "x"}
        pd.testing.assert_frame_equal(
            released.drop(columns="note"), own.study.trial.released.frame.drop(columns="note")
        )
        assert hashlib.sha256(data).hexdigest() in taken(own, "external").text


def test_records_at_risk_are_those_of_the_function(decided):
    trial = decided.study.trial
    frame = pd.read_csv(io.BytesIO(taken(decided, "risk").content))
    expected = pf.records_at_risk(trial.source.frame, trial.released.frame, trial.report.columns).to_frame()
    expected["record"] += 1  # the first below the header, as on the page
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


def test_a_release_that_passes_needs_no_reason():
    with visitor() as own:
        own.upload("people.csv", people(80).to_csv(index=False).encode())
        own.use_roles(**ROLES)
        own.run(**IPSO, **{"calibrate.ipso": "on", "form.calibrated": "1", "calibrated.moments": "on"})
        trial = own.study.trial
        from dataclasses import replace

        tests = tuple(test for test in trial.verdict.tests if test.status == "pass")
        trial.report = replace(trial.report, verdict=replace(trial.verdict, tests=tests))
        assert "This release meets every limit" in own.get("take")
        assert "people-protected.csv" in taken(own, "release").headers["content-disposition"]


@pytest.mark.slow(3)
def test_a_download_is_entered_in_the_ledger_once(tmp_path):
    """Oracle: protect(..., ledger=) of the second release. A trial from before the first release is run again."""
    noise = {"method": "noise", "form.noise": "1", "noise.amount": "50", "random.seed": "2"}
    with visitor(ledger=tmp_path / "ledger.json") as own:
        own.upload("people.csv", people().to_csv(index=False).encode())
        own.use_roles(**ROLES)
        for trial in ("1", "2"):
            own.run(**noise)
            assert own.study.trial.verdict["ledger"].found == (0,)
            own.act("decide", **{**DECISION, "trial": trial})
        assert taken(own, "release").content == taken(own, "release").content
        assert own.client.get(f"{own.base}/trial/2/release", follow_redirects=False).status_code == 303
        assert "run this trial again" in messages(own.get("take"))
        own.run(**noise)
        roles = own.study.trial.plan.roles
        released = pf.protect(own.study.source.frame, pf.Noise(amount=50), roles, 2, ledger=tmp_path / "ledger.json")
        assert own.study.trial.released.conflicts == released.conflicts != ()
        assert own.study.trial.verdict["ledger"].status == "hold"
