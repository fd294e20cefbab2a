"""pyfcrm verify and pf.verify: a release, its manifest, and the release made again.

Oracle: the bytes that pyfcrm protect wrote, and changes made here by hand. Identical: the same bytes or not.
"""

import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest
from support.cli import people, pyfcrm, refused

import pyfcrm as pf

ROLES = ["--independent", "a,b", "--dependent", "c,d", "--identifiers", "id"]
METHODS = {
    "ipso": ["--method", "ipso", "--set", "kind=C"],
    "within": ["--method", "calibrated", "--set", "method={noise:amount=20}", "--set", "point_mass=12"],
    "numbers": ["--method", "topbottomcoding", "--set", 'top={"c": 160}'],
    "strata": ["--method", "noise", "--strata", "note", "--seed", "7"],
    "answers": ["--method", "ipso", "--preserve", "note"],
    "kept": ["--method", "fcrm", "--set", "c=2", "--constraints", "c >= 0"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().assign(w=lambda frame: frame["a"]).to_csv("in.csv", index=False)
    return tmp_path


def protect(words, output="out.csv"):
    ran = pyfcrm("protect", "in.csv", "-o", output, "--manifest", "m.json", "--allow-unprotected", *ROLES, *words)
    assert ran.status == 0, ran
    return ["verify", "m.json", "--release", output]


@pytest.mark.parametrize("method", METHODS)
def test_a_release_comes_out_again(folder, method):
    words = protect(METHODS[method])
    ran = pyfcrm(*words, "--original", "in.csv")
    assert (ran.status, ran.err) == (0, "")
    assert "has the same bytes" in ran.out
    assert pyfcrm(*words).status == 0


@pytest.mark.parametrize("accepted", ["find", "kept.json"])
def test_a_release_with_structure_comes_out_again(folder, accepted):
    """Oracle: protect(structure=). Identical; the manifest has what was accepted, so the file of it may go."""
    whole = people().assign(total=lambda f: f["c"] + f["d"])
    whole.to_csv("in.csv", index=False)
    roles = pf.Roles(["a", "b"], ["c", "d", "total"], ["id"])
    found = pf.find_structure("in.csv", roles)
    number = str(1 + [one.kind for one in found].index("identity"))
    by_role = ["--independent", "a,b", "--dependent", "c,d,total"]
    Path("kept.json").write_text(pyfcrm("structure", "in.csv", *by_role, "--accept", number, "--json").out)
    words = ["protect", "in.csv", "--method", "ipso", "--seed", "1", *by_role, "--identifiers", "id"]
    ran = pyfcrm(*words, "-o", "out.csv", "--manifest", "m.json", "--structure", accepted)
    assert ran.status == 0, ran
    assert "total derived from other columns" in ran.err
    result = pf.read_table("out.csv")
    assert (result["total"] - result["c"] - result["d"]).abs().max() < 1e-9  # decimals of a sum of doubles
    structure = "find" if accepted == "find" else found.of_kind("identity")
    expected = pf.protect(pf.read_table("in.csv"), pf.IPSO("C"), roles, seed=1, structure=structure)
    pd.testing.assert_frame_equal(result, expected.frame)
    Path("kept.json").write_text("{}")
    assert pyfcrm("verify", "m.json", "--release", "out.csv", "--original", "in.csv").status == 0
    for bad, text in (("kept.json", "proposals"), ("none.json", "be read"), ("in.csv", "proposals")):
        assert text in refused(folder, lambda bad=bad: pyfcrm(*words, "-o", "new.csv", "--structure", bad))


def test_one_digit_changed_is_found_with_its_place(folder):
    """The change is of 1 in column d, record 3."""
    words = protect(METHODS["ipso"])
    frame = pd.read_csv("out.csv", dtype=str)
    frame.loc[2, "d"] = str(int(frame.loc[2, "d"]) + 1)
    frame.to_csv("out.csv", index=False)
    found = pf.verify("m.json", "out.csv", "in.csv")
    assert not found.ok
    ran = pyfcrm(*words, "--original", "in.csv")
    assert ran.status == 1
    size = 1 / frame["d"].astype(float).std(ddof=0)
    assert f": `d` differs, by {size:.6g} standard deviations at most" in ran.out
    assert pyfcrm(*words).status == 1


@pytest.mark.parametrize(
    ("moved", "blas", "ok"), [(1e-9, "another", True), (1e-9, None, False), (1e-3, "another", False)]
)
def test_another_blas_kernel_is_named_and_compared_to_rounding(folder, moved, blas, ok):
    """A manifest of another kernel, whose release differs by 1e-9 sd or 1e-3 sd. The digest of the release is the manifest's."""
    frame = pd.read_csv("in.csv")
    frame["d"] = frame["d"] + 0.25 / (1 + frame.index)
    frame.to_csv("in.csv", index=False)
    protect([*METHODS["ipso"], "--variables", "numbers"])
    release = pd.read_csv("out.csv")
    release["d"] += moved * release["d"].std()
    release.to_csv("out.csv", index=False)
    manifest = json.loads(Path("m.json").read_text())
    manifest["sha256"]["output"] = hashlib.sha256(Path("out.csv").read_bytes()).hexdigest()
    manifest["versions"]["blas"] = blas or manifest["versions"]["blas"]
    Path("m.json").write_text(json.dumps(manifest))
    found = pf.verify("m.json", "out.csv", "in.csv")
    assert found.ok == ok
    assert ("agrees to rounding" in str(found)) == ok
    assert ("blas was another" in str(found)) == (blas is not None)


def test_records_taken_away_text_changed_and_what_is_no_table(folder):
    protect(METHODS["ipso"])
    frame = pd.read_csv("out.csv", dtype=str)
    frame.head(39).to_csv("fewer.csv", index=False)
    frame.assign(note=["x", *frame["note"][1:]]).to_csv("text.csv", index=False)
    Path("none.csv").write_text('a,b\n"')
    fewer, text, none = (pf.verify("m.json", name, "in.csv") for name in ("fewer.csv", "text.csv", "none.csv"))
    assert "39 records where there should be 40" in str(fewer)
    assert "`note` differs" in str(text)
    assert "inf" not in str(text)  # text has no distance
    assert [fewer.ok, text.ok, none.ok] == [False] * 3


def test_another_original_is_named_and_not_protected(folder):
    """It has none of the columns."""
    protect(METHODS["ipso"])
    pd.DataFrame({"x": [1, 2, 3]}).to_csv("other.csv", index=False)
    found = pf.verify("m.json", "out.csv", "other.csv")
    assert [check.holds for check in found.checks] == [True, False]
    assert "other.csv is not the original of the manifest: its SHA-256 is" in str(found)


def test_nothing_is_left_behind_and_nothing_private_is_said(folder, monkeypatch, tmp_path_factory):
    """The release made again lies in a private folder while it is compared, and is gone after."""
    monkeypatch.setattr("tempfile.tempdir", str(place := tmp_path_factory.mktemp("temporary")))
    words = protect([*METHODS["ipso"], "--seed", "123456789"])
    ran = pyfcrm(*words, "--original", "in.csv")
    assert list(place.iterdir()) == []
    assert "123456789" not in ran.out + ran.err


def test_copies_come_out_again(folder):
    """Every copy is known by the one manifest, made again and compared; another file is none of them."""
    ran = pyfcrm(
        "protect", "in.csv", "-o", "out.csv", "--manifest", "m.json", *ROLES, "--method", "gadp", "--copies", "3"
    )
    assert ran.status == 0, ran
    assert "out-1.csv to out-3.csv" in ran.out
    assert len(json.loads(Path("m.json").read_text())["sha256"]["output"]) == 3
    for k in (1, 3):
        ran = pyfcrm("verify", "m.json", "--release", f"out-{k}.csv", "--original", "in.csv")
        assert (ran.status, ran.err) == (0, "")
        assert f"copy {k} of 3" in ran.out
        assert "has the same bytes" in ran.out
    assert pyfcrm("verify", "m.json", "--release", "in.csv").status == 1
    ran = pyfcrm("evaluate", "in.csv", "out.csv", "--copies", "3", "--columns", "c,d", "--measures", "id", "--json")
    parts = {row["part"] for row in json.loads(ran.out)["rows"]}
    assert {"copy 1", "copy 3", "their mean"} <= parts
