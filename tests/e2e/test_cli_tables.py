"""Commands that print one result. Oracle: the function of the same file. Identical."""

import json
from pathlib import Path

import pytest
from support.cli import pyfcrm

import pyfcrm as pf
from pyfcrm.data.roles import LISTS, SINGLE
from pyfcrm.files.manifest import json_value

ROLES = pf.Roles(["age", "region"], ["wage", "sex"], ["name"])
PROTECT = [
    "--method",
    "ipso",
    "--independent",
    "age,region",
    "--dependent",
    "wage,sex",
    "--identifiers",
    "name",
    "--seed",
    "1",
    "--shuffle",
    "no",
]
FORMULA = "wage ~ age + region"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A survey with a categorical confidential column, its release and manifest."""
    monkeypatch.chdir(tmp_path)
    frame = (
        pf.datasets.survey(n=200, seed=1)
        .dropna()
        .assign(wage=lambda f: f.wage + 1, sex=lambda f: "s" + f["size"].map(str))
    )
    frame.to_csv("in.csv", index=False)
    ran = pyfcrm("protect", "in.csv", "-o", "out.csv", *PROTECT, "--manifest", "m.json", "--set", "kind=C")
    assert ran.status == 0, ran
    return "in.csv", "out.csv"


def test_codebook_of_a_release_with_its_manifest(files):
    """Oracle: the codebook of the same release in Python."""
    _, output = files
    released = pf.protect_file(*files, pf.IPSO("C"), ROLES, seed=1, shuffle=False, overwrite=True)
    words = ["codebook", output, "--manifest", "m.json"]
    for name in ("ddi", "frictionless"):
        ran = pyfcrm(*words, "--format", name)
        assert (ran.status, ran.err, ran.out) == (0, "", pf.codebook(released, name))
    assert pyfcrm(*words, "--json").out.strip() == pf.codebook(released).to_json()
    assert "confidential variable" in pyfcrm(*words).out
    refused = pyfcrm(*words, "--format", "sdmx")
    assert refused.status == 2
    assert "frictionless" in refused.err


def test_of_one_file(files):
    keys = ["--keys", "region,age", "--weight", "weight", "--household", "stratum"]
    results = {
        "key-risk": (pf.key_risk("in.csv", ["region", "age"], "weight", "stratum"), keys),
        "roles": (pf.suggest_roles("in.csv"), []),
        "describe": (pf.describe("in.csv"), []),
        "structure": (pf.find_structure("in.csv"), []),
    }
    for name, (expected, words) in results.items():
        text, document = (pyfcrm(name, "in.csv", *words, *more) for more in ([], ["--json"]))
        assert (text.status, document.status, document.err) == (0, 0, "")
        rows = json.loads(document.out)["rows"]
        assert rows == json_value(expected.to_frame().to_dict("records") if name == "roles" else expected.rows())
        if hasattr(expected, "describe"):
            assert all(sentence in text.out for sentence in expected.describe())


def test_declarations_of_a_file(files):
    ran = pyfcrm("describe", "in.csv", "--toml")
    assert (ran.status, ran.out) == (0, pf.describe("in.csv").to_toml())


@pytest.mark.parametrize("known", [True, False])
def test_of_two_files(files, known):
    """With a manifest roles and method are known."""
    method = pf.IPSO("C")
    released = pf.protect(pf.read_table("in.csv"), method, ROLES, seed=1, shuffle=False) if known else "out.csv"
    facts, columns = ({"roles": ROLES}, ["wage"]) if known else ({}, ["wage", "rent"])
    results = {
        "analyse": (pf.analyse("in.csv", released, FORMULA), [FORMULA]),
        "changes": (pf.variable_changes("in.csv", "out.csv", columns), [] if known else ["--columns", "wage,rent"]),
        "records-at-risk": (pf.records_at_risk("in.csv", "out.csv", None if known else columns, **facts),
                            [] if known else ["--columns", "wage,rent"]),
        "dependence": (pf.dependence_test("in.csv", "out.csv", ROLES),
                       [] if known else ["--dependent", "wage,sex", "--independent", "age,region"]),
    }  # fmt: skip
    more = ["--manifest", "m.json"] if known else []
    for name, (expected, words) in results.items():
        text, document = (pyfcrm(name, *files, *words, *more, *last) for last in ([], ["--json"]))
        assert (text.status, document.status, document.err) == (0, 0, ""), (text, document)
        assert json.loads(document.out)["rows"] == json_value(expected.rows())
        assert str(expected).splitlines()[0][:40] in text.out


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_release_without_incomplete_records_pairs_by_its_manifest(kind):
    """Oracle: the function with the complete records of the original. Identical. A Parquet file ended in a TypeError."""
    frame = pf.read_table("in.csv")
    frame.loc[::10, "wage"] = float("nan")
    frame.to_csv("in.csv", index=False)
    frame.to_parquet("in.parquet")
    words = [*PROTECT, "--manifest", "m.json", "--missing", "drop", "--overwrite", "--set", "kind=C"]
    assert pyfcrm("protect", f"in.{kind}", "-o", f"out.{kind}", *words).status == 0
    ran = pyfcrm("changes", f"in.{kind}", f"out.{kind}", "--manifest", "m.json", "--json")
    expected = pf.variable_changes(frame.dropna(subset=["wage"]).reset_index(drop=True), f"out.{kind}", "wage")
    assert json.loads(ran.out)["rows"] == json_value(expected.rows())
    assert expected.rows()[0]["rank_correlation"] is not None


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_a_shuffled_release_pairs_by_its_manifest():
    """Oracle: the same release in the order of its original. Identical but for the order of sums, 1e-9."""
    words = [
        "protect",
        "in.csv",
        "-o",
        "shuffled.csv",
        *PROTECT[:-1],
        "yes",
        "--manifest",
        "shuffled.json",
        "--set",
        "kind=C",
    ]
    assert pyfcrm(*words).status == 0
    assert Path("shuffled.csv").read_text() != Path("out.csv").read_text()
    for name in ("changes", "records-at-risk"):
        known = pyfcrm(name, "in.csv", "out.csv", "--manifest", "m.json", "--json")
        ran = pyfcrm(name, "in.csv", "shuffled.csv", "--manifest", "shuffled.json", "--json")
        assert (ran.status, known.status) == (0, 0)
        for row, expected in zip(json.loads(ran.out)["rows"], json.loads(known.out)["rows"], strict=True):
            assert row == pytest.approx(expected, rel=1e-9)


def test_proposed_roles_are_read_as_they_were_written(files):
    """Oracle: protect() with the proposed roles; a column that is typed has the role that is typed."""
    ran = pyfcrm("roles", "in.csv", "--json")
    assert ran.status == 0, ran
    Path("roles.json").write_text(ran.out, encoding="utf-8")
    proposed = pf.suggest_roles(pf.read_table("in.csv"))
    words = ["--roles", "roles.json", "--method", "ipso", "--seed", "1", "--allow-unprotected"]
    assert pyfcrm("protect", "in.csv", "-o", "a.csv", *words).status == 0
    roles = pf.Roles(**{role: getattr(proposed, role) for role in (*LISTS, "unknown", *SINGLE)})
    pf.protect_file("in.csv", "b.csv", pf.IPSO(), roles, 1, allow_unprotected=True)
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    moved = proposed.independent[0]
    assert pyfcrm("protect", "in.csv", "-o", "c.csv", *words, "--identifiers", moved).status == 0
    assert moved not in pf.read_table("c.csv").columns


def test_a_file_that_has_no_roles_is_refused(files):
    Path("roles.json").write_text('{"rows": [{"column": "wage", "role": "dependant"}]}', encoding="utf-8")
    ran = pyfcrm("protect", "in.csv", "-o", "a.csv", "--roles", "roles.json", "--method", "ipso")
    assert ran.status == 2
    assert "`dependant`; did you mean `dependent`" in ran.err
    assert pyfcrm("protect", "in.csv", "-o", "a.csv", "--method", "ipso").status == 2


def test_recode_search_writes_a_plan_that_releases_the_same(tmp_path, monkeypatch):
    """Oracle: recode_search and protect in Python."""
    monkeypatch.chdir(tmp_path)
    columns = ["name", "region", "age", "size"]
    pf.datasets.survey(300)[columns].assign(ill="no").to_csv("in.csv", index=False)
    Path("size.csv").write_text("".join(f"{size};{'1-2' if size < 3 else '3+'};*\n" for size in range(1, 9)))
    levels = ["--hierarchies", "age=cuts:30,45,60;45", "--hierarchies", "size=size.csv"]
    words = ["recode-search", "in.csv", "--keys", "age,region,size", "--k", "5", *levels, "--identifiers", "name"]
    hierarchies = {"age": {"cuts": [[30, 45, 60], [45]]}, "size": "size.csv"}
    roles = pf.Roles(identifiers="name", unknown="ill")
    found = pf.recode_search("in.csv", ["age", "region", "size"], hierarchies, 5, roles=roles)
    ran = pyfcrm(*words, "--unknown", "ill", "--plan", "plan.toml")
    assert (ran.status, ran.out) == (0, f"{found}\nplan: plan.toml\n")
    assert json.loads(pyfcrm(*words, "--json").out)["rows"] == json_value(found.rows())
    assert pf.read_plan("plan.toml").method == found.steps
    refused = pyfcrm(*words, "--hierarchies", "region")
    assert (refused.status, refused.out) == (2, "")
    assert "must be a key and its levels" in refused.err
