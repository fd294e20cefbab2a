"""pyfcrm run and pf.run: a plan done.

Oracle: pyfcrm protect of the same file with the same options and seed, pf.evaluate of its release with audit=True. Identical.
"""

import errno
import hashlib
import json
import os
import stat
from pathlib import Path

import pandas as pd
import pytest
from support.cli import households, people, pyfcrm, refused

import pyfcrm as pf
from pyfcrm.files.atomic import Pending

PLAN = """\
[input]
file = "in.csv"

[roles]
independent = ["a", "b"]
dependent = ["c", "d"]
identifiers = ["id"]

[method]
name = "calibrated"
point_mass = 12
method = { name = "ipso", kind = "C" }

[keep]
constraints = ["c >= 0"]

[limits]
pil = 60
dr = 99

[release]
despite_hold = "a file of 40 records has no audit"
by = "A. Person"

[output]
release = "out.csv"
manifest = "m.json"

[random]
seed = 7
"""
AS_WORDS = [
    "--independent", "a,b", "--dependent", "c,d", "--identifiers", "id", "--method", "calibrated", "--set", "point_mass=12",
    "--set", "method={ipso:kind=C}", "--constraints", "c >= 0", "--seed", "7",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().drop(columns="note").to_csv("in.csv", index=False)
    return tmp_path


def write(text=PLAN):
    Path("plan.toml").write_text(text)


def test_the_same_bytes_as_protect_gives_and_they_verify(folder):
    write()
    ran = pyfcrm("run", "plan.toml")
    assert ran.status == 0, ran
    assert ran.out.startswith("Verdict: HOLD")
    assert "released: out.csv" in ran.out
    assert pyfcrm("protect", "in.csv", "-o", "words.csv", *AS_WORDS).status == 0
    assert Path("out.csv").read_bytes() == Path("words.csv").read_bytes()
    assert pyfcrm("verify", "m.json", "--release", "out.csv", "--original", "in.csv").status == 0
    pf.run("plan.toml", overwrite=True)
    assert Path("out.csv").read_bytes() == Path("words.csv").read_bytes()


HOLD = '[release]\ndespite_hold = "a file of 40 records has no audit"\nby = "A. Person"\n\n'
PAGES = PLAN.replace(HOLD, "").replace("[random]", 'report = "r.html"\nreport_external = "e.html"\n\n[random]')


@pytest.mark.slow
def test_a_release_that_passes_is_written_with_its_verdict(folder):
    """Oracle: pf.evaluate of the release, as protect() gives it. Identical."""
    households().to_csv("in.csv", index=False)
    write(PAGES.replace("dr = 99\n", ""))
    ran = pyfcrm("run", "plan.toml")
    assert ran.status == 0, ran
    plan = pf.read_plan("plan.toml")
    frame = pf.read_table("in.csv")
    released = pf.protect(frame, plan.method, plan.roles, seed=7, constraints=["c >= 0"])
    expected = pf.evaluate(frame, released, limits={"pil": 60}, audit=True)
    assert expected.verdict.ok
    assert ran.out.splitlines()[:-1] == expected.lines()
    manifest = json.loads(Path("m.json").read_text())
    assert manifest["verdict"] == json.loads(json.dumps(expected.verdict.document()))
    assert "release" not in manifest
    assert all(expected.verdict.headline in Path(name).read_text() for name in ("r.html", "e.html"))


@pytest.mark.slow
def test_a_plan_writes_the_dossier_of_its_release(folder):
    """Oracle: pyfcrm report --dossier of the same files. Equal facts on purpose, files and records."""
    write(PLAN.replace("[random]", 'dossier = "board.html"\npurpose = "a course"\nrecipients = "students"\n[random]'))
    assert pyfcrm("run", "plan.toml").status == 0
    verify = ["verify", "m.json", "--release", "out.csv", "--dossier", "board.html"]
    assert pyfcrm(*verify).status == 0
    assert [stat.S_IMODE(Path(name).stat().st_mode) & 0o077 for name in ("board.html", "board.json")] == [0, 0]
    words = [
        "report",
        "in.csv",
        "out.csv",
        "-o",
        "asked.html",
        "--dossier",
        "--manifest",
        "m.json",
        "--limit",
        "pil=60",
    ]
    assert pyfcrm(*words, "--audit", "run", "--purpose", "a course", "--recipients", "students").status == 0
    planned, asked = (json.loads(Path(name).read_text())["dossier"] for name in ("board.json", "asked.json"))
    for part in ("purpose", "files", "leaves"):
        assert planned[part] == asked[part]
    assert planned["decision"]["despite"] == asked["decision"]["despite"] == {
        "reason": "a file of 40 records has no audit", "by": "A. Person",
    }  # fmt: skip


@pytest.mark.slow
def test_a_held_plan_writes_a_dossier_without_a_release(folder):
    write(PLAN.replace(HOLD, "").replace("[random]", 'dossier = "board.json"\n[random]'))
    assert pyfcrm("run", "plan.toml").status == 1
    found = sorted(path.name for path in folder.iterdir())
    assert found == ["board.html", "board.json", "in.csv", "plan.toml"]
    facts = json.loads(Path("board.json").read_text())["dossier"]
    assert facts["files"]["release"] is None
    assert "HOLD" in facts["decision"]["headline"]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ('purpose = "a course"', "belongs to `dossier`"),
        ('dossier = "board.txt"', "extension must be one of .html, .json"),
        ('dossier = "m.html"', "must not replace another file"),
    ],
)
def test_a_dossier_of_a_plan_that_cannot_be_made_is_refused(folder, line, rule):
    write(PLAN.replace("[random]", f"{line}\n[random]"))
    ran = pyfcrm("run", "plan.toml")
    assert ran.status == 2
    assert rule in ran.err
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("reason", ["a unique column", "a limit", "not examined"])
@pytest.mark.slow
def test_nothing_is_released_without_a_pass(folder, reason):
    """The internal report is written, and is its owner's alone; nothing else is."""
    frame = households(60 if reason == "not examined" else 120)  # an audit of 60 records has no power
    frame["note"] = range(len(frame)) if reason == "a unique column" else 0
    frame.to_csv("in.csv", index=False)
    write(PAGES.replace("pil = 60", "pil = 0.001") if reason == "a limit" else PAGES)
    ran = pyfcrm("run", "plan.toml", "--json")
    document = json.loads(ran.out)
    held = {test["key"] for test in document["verdict"]["tests"] if test["status"] == "hold"}
    expected = {"a unique column": {"sample_uniques"}, "a limit": {"pil"}, "not examined": set()}[reason]
    assert (ran.status, document["ok"]) == (1, False)
    assert document["verdict"]["status"] == ("hold" if expected else "not examined")
    assert held == expected
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv", "plan.toml", "r.html"]
    assert document["verdict"]["headline"] in Path("r.html").read_text()
    assert stat.S_IMODE(Path("r.html").stat().st_mode) == 0o600
    assert pyfcrm("run", "plan.toml").status == 2  # r.html exists


@pytest.mark.parametrize("where", ["plan", "options"])
def test_a_reason_and_a_name_release_what_is_on_hold(folder, where):
    """They stand in the manifest and in both reports, with the verdict."""
    write(PAGES.replace("[output]", HOLD + "[output]") if where == "plan" else PAGES)
    words = [] if where == "plan" else ["--despite-hold", "a file of 40 records has no audit", "--by", "A. Person"]
    ran = pyfcrm("run", "plan.toml", *words)
    assert ran.status == 0, ran
    assert Path("out.csv").exists()
    manifest = json.loads(Path("m.json").read_text())
    assert manifest["release"] == {"despite_hold": "a file of 40 records has no audit", "by": "A. Person"}
    assert manifest["verdict"]["status"] == "hold"
    for name in ("r.html", "e.html"):
        page = Path(name).read_text()
        assert all(text in page for text in (*manifest["release"].values(), manifest["verdict"]["headline"]))


WRONG = {
    "an unknown key": ("point_mass = 12", "point_mas = 12", "method: Calibrated: no parameter is called `point_mas`"),
    "an unknown table": ("[keep]", "[keeping]", "plan.toml: no key is called `keeping`; did you mean `keep`"),
    "an unknown limit": ("dr = 99", "drr = 99", "limits: no limit is called `drr`; did you mean `dr`"),
    "a reason without a name": ('by = "A. Person"', "", "release.by: a plan must have this key"),
    "a text for a number": ("dr = 99", 'dr = "99"', "limits: plan: `limits, dr` must be a finite number"),
    "a value": ("point_mass = 12", "point_mass = 9", "method: Calibrated: `point_mass` must be"),
    "a value within": ('"C"', '"D"', "method: IPSO: `kind` must be"),
    "a text for a list": ('["c >= 0"]', '"c >= 0"', "keep.constraints: must be a valid list; got 'c >= 0'"),
    "no release": ('release = "out.csv"', "", "output.release: a plan must have this key"),
    "no method": ('name = "calibrated"', "", "method: plan: `name` must be the name of a method"),
    "no table": ("[keep]\nconstraints", "keep = 1\nconstraints", "no parameter is called `keep`"),
    "a role twice": ('["c", "d"]', '["c", "a"]', "roles: Roles: `dependent` must not name"),
    "no structure": (
        "[keep]",
        '[keep]\nstructure = "s.json"',
        "keep.structure: s.json: the structure could not be read",
    ),
    "a seed": ("seed = 7", "seed = 1.5", "random.seed: must be a valid integer; got 1.5"),
    "a seed too large": (
        "seed = 7",
        "seed = 99999999999",
        "random: RStream: `seed` must be a whole number from -2147483647",
    ),
    "a limit without keys": ("dr = 99", "uniques = 9", "limits: `uniques` needs key variables"),
    "missing values": ("[keep]", '[keep]\nmissing = "complete"', "keep.missing: must be 'refuse', 'protect' or 'drop'"),
    "copies": ("[output]", "[output]\ncopies = 0", "output.copies: must be greater than or equal to 1; got 0"),
    "no TOML": ("[roles]", "[roles", "plan.toml: a plan must be TOML"),
    "within another": ("[roles]", f"deep = {'[' * 2000}", "plan.toml: a plan must be TOML"),
    "a separator": ("[input]", '[input]\nseparator = "ab"', "`separator` must be one"),
    "a number without end": ("seed = 7", f"seed = {'9' * 5000}", "plan.toml: a plan must be TOML"),
}
FOUND_LATER = {
    "a constraint": ("c >= 0", "c >=", "c >="),
    "a column": ('"b"]', '"x"]', "no column is called `x`"),
    "a weight": ("[keep]", '[keep]\nweights = "x"', "no column is called `x`"),
    "strata": ("[keep]", '[keep]\nstrata = ["c"]', "`strata` must not name a dependent column"),
    "no input": ('"in.csv"', '"on.csv"', "on.csv: there is no such file"),
    "an output": ('"out.csv"', '"in.csv"', "an output must not replace another file of this run"),
    "the plan": ('"m.json"', '"plan.toml"', "an output must not replace another file of this run"),
}


@pytest.mark.parametrize("case", [*WRONG, *FOUND_LATER])
def test_a_mistake_is_one_line_that_names_its_field(folder, case):
    old, new, text = {**WRONG, **FOUND_LATER}[case]
    assert old in PLAN
    write(PLAN.replace(old, new, 1))
    line = refused(folder, lambda: pyfcrm("run", "plan.toml"))
    assert text in line
    assert line.startswith("plan.toml") is (case in WRONG or case == "the plan")


def test_a_plan_of_copies(folder):
    """All copies are written, and judged together. Oracle: protect(copies=) and evaluate() of its frames."""
    write(PLAN.replace('release = "out.csv"', 'release = "out.csv"\ncopies = 2'))
    result = pf.run("plan.toml")
    assert result.ok
    assert str(result).splitlines()[0] == result.verdict.headline
    assert not Path("out.csv").exists()
    frames = [pd.read_csv(f"out-{k}.csv") for k in (1, 2)]
    assert result.report["id"] == pytest.approx(pf.evaluate("in.csv", frames, ["c", "d"], ["id"])["id"], rel=1e-12)
    assert pf.verify("m.json", "out-2.csv", "in.csv").ok


def test_an_input_that_changes_meanwhile_is_not_released(folder):
    """Its digest would be of other records than those released. The plan's progress is where it changes."""
    write()

    def spoils(done, most, what):
        with open("in.csv", "a") as file:
            file.write("9,1,1,1,1\n")

    with pytest.raises(pf.errors.InvalidInput, match=r"in\.csv: the file must not change while it is protected"):
        pf.run("plan.toml", progress=spoils)
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv", "plan.toml"]


@pytest.mark.parametrize("page", ["inside.html", "outside.html"])
@pytest.mark.slow
def test_a_report_that_cannot_be_written_holds_the_release_back(folder, monkeypatch, page):
    """Release, manifest and both reports appear together or not at all: the disk is full when a report is written."""
    write(PLAN.replace("[random]", 'report = "inside.html"\nreport_external = "outside.html"\n[random]'))
    writes = Pending.write

    def full(self, data):
        if self.name.endswith(page):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        writes(self, data)

    monkeypatch.setattr(Pending, "write", full)
    with pytest.raises(OSError, match="space"):
        pf.run("plan.toml")
    monkeypatch.setattr(Pending, "write", writes)
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv", "plan.toml"]
    assert pf.run("plan.toml").ok
    found = sorted(path.name for path in folder.iterdir())
    assert found == ["in.csv", "inside.html", "m.json", "out.csv", "outside.html", "plan.toml"]
    assert [stat.S_IMODE(Path(name).stat().st_mode) & 0o077 for name in ("inside.html", "m.json")] == [0, 0]
    assert hashlib.sha256(Path("out.csv").read_bytes()).hexdigest() in Path("outside.html").read_text(encoding="utf-8")
