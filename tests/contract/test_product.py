"""The product of the roles: what "public" means in protect, evaluate, plans, manifests, codebooks, reports and the shell."""

import json
from pathlib import Path

import pandas as pd
import pytest
from support.cli import pyfcrm

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.plans.limits import product_limits, read_limits
from pyfcrm.plans.tables import roles_table, to_roles
from pyfcrm.report.page import report_page

COLUMNS = ["age", "hours", "wage"]
PUBLIC = pf.Roles(dependent=COLUMNS, product="public")


@pytest.fixture(scope="module")
def frame():
    return pf.datasets.survey(200, seed=3)[COLUMNS]


@pytest.fixture(scope="module")
def released(frame):
    return pf.protect(frame, pf.Sequential(), PUBLIC, seed=1)


def same_records(left, right):
    return left.sort_values(COLUMNS, ignore_index=True).equals(right.sort_values(COLUMNS, ignore_index=True))


def test_research_is_the_default_and_another_product_is_refused():
    assert pf.Roles(dependent="wage").product == "research"
    with pytest.raises(InvalidParameter, match="`product` must be one of 'research', 'public'"):
        pf.Roles(dependent="wage", product="open")


def test_suggest_roles_sets_the_product():
    frame = pf.datasets.survey(200)
    assert pf.suggest_roles(frame).product == "research"
    assert pf.suggest_roles(frame, product="public").product == "public"
    assert "public" in repr(pf.suggest_roles(frame, product="public"))


def test_records_of_a_public_file_are_in_random_order(frame, released):
    """Identical records, in another order unless shuffle=False is given. Oracle: the release in the order of the file."""
    in_order = pf.protect(frame, pf.Sequential(), PUBLIC, seed=1, shuffle=False).frame
    assert not released.frame.reset_index(drop=True).equals(in_order.reset_index(drop=True))
    assert same_records(released.frame, in_order)
    assert any("the product is public" in note for note in released.all_notes)


def test_gaps_of_a_public_file_are_protected_by_default(frame):
    gappy = frame.assign(wage=frame["wage"].where(frame.index % 10 != 0))
    with pytest.raises(InvalidInput, match="values are missing"):
        pf.protect(gappy, pf.Sequential(), pf.Roles(dependent=COLUMNS), seed=1)
    with pytest.raises(InvalidInput, match="values are missing"):
        pf.protect(gappy, pf.Sequential(), PUBLIC, seed=1, missing="refuse")
    released = pf.protect(gappy, pf.Sequential(), PUBLIC, seed=1)
    assert released.options.missing == "protect"
    assert len(released.frame) == len(gappy)


def test_ids_of_a_public_file_are_new(frame):
    with_ids = frame.assign(household=[f"h{i // 2:03}" for i in range(len(frame))])
    roles = pf.Roles(dependent=COLUMNS, household="household", product="public")
    released = pf.protect(with_ids, pf.Sequential(), roles, seed=1).frame
    assert not {*released["household"]} & {*with_ids["household"]}


@pytest.mark.parametrize(
    "roles",
    [
        pf.Roles(["age"], ["wage"], product="public"),
        pf.Roles(dependent=["wage"], unknown=["age"], product="public"),
        pf.Roles(dependent=["wage"], weight="age", product="public"),
        pf.Roles(dependent=["wage"], product="public"),
    ],
    ids=["independent", "unknown", "weight", "no role"],
)
def test_unmodified_columns_of_a_public_file_are_refused(frame, roles):
    """One sentence names them all; a column of one value is of no respondent."""
    with pytest.raises(InvalidParameter, match=r"`product`.* dependent .*'age', 'hours'"):
        pf.protect(frame.assign(year=2024), pf.Sequential(), roles, seed=1)


def test_columns_of_one_value_are_accepted(frame):
    released = pf.protect(frame.assign(year=2024), pf.Sequential(), PUBLIC, seed=1)
    assert (released.frame["year"] == 2024).all()


def test_steps_are_public_if_one_is(frame):
    first = (pf.Sequential(), pf.Roles(dependent=["age", "hours"]))
    then = (pf.Sequential(), pf.Roles(["age", "hours"], ["wage"], product="public"))
    steps = pf.Steps([first, then])
    assert steps.roles.product == "public"
    assert any("the product is public" in note for note in pf.protect(frame, steps, seed=1).all_notes)


def test_evaluate_has_the_limits_of_the_product(frame, released):
    verdict = pf.evaluate(frame, released, measures="pil").verdict
    public = product_limits("public")
    assert verdict["sample_uniques"].limit == public["sample_uniques"] == (1,)
    assert verdict.product == "public"
    assert verdict.changed == ()
    assert "Product: public." in verdict.lines()[0]
    text = "\n".join(verdict.lines())
    for key, values in public.items():
        assert f"{key} {'; '.join(f'{value:g}' for value in values)}" in text
    assert verdict.document()["product_limits"] == [*verdict.product_limits]


@pytest.mark.parametrize(
    ("limits", "limit", "changed"),
    [
        ("research", (5,), ("sample_uniques 5", "key_risk 5; 1", "risk 5")),
        ({"product": "research"}, (5,), ("sample_uniques 5", "key_risk 5; 1", "risk 5")),
        ({"sample_uniques": 3}, (3,), ("sample_uniques 3",)),
        ("public", (1,), ()),
    ],
    ids=str,
)
def test_limits_of_the_caller_go_before_those_of_the_product(frame, released, limits, limit, changed):
    verdict = pf.evaluate(frame, released, measures="pil", limits=limits).verdict
    assert verdict["sample_uniques"].limit == limit
    assert verdict.changed == changed


def test_sweep_and_recommend_use_the_limits_of_the_product(frame):
    frontier = pf.sweep(frame, PUBLIC, [pf.Sequential()], seed=1)
    assert frontier.candidates[0].verdict["sample_uniques"].limit == (1,)
    found = pf.recommend(frame, PUBLIC, seed=1, candidates=[pf.Sequential()])
    assert found.limits == read_limits("test", "public")


def test_codebook_and_report_name_the_product(frame, released):
    assert json.loads(pf.codebook(released).to_json())["product"] == "public"
    assert "product public" in pf.codebook(released).to_html()
    report = pf.evaluate(frame, released, measures="pil")
    for form in ("internal", "external"):
        page = report_page(frame, released, report, form)
        assert "Product: public. Its limits: unprotected 0; 5, sample_uniques 1" in page


def test_roles_of_a_plan_have_the_product():
    """Round trip; the default is not written."""
    assert roles_table(PUBLIC) == {"dependent": COLUMNS, "product": "public"}
    assert to_roles(roles_table(PUBLIC)) == PUBLIC
    assert "product" not in roles_table(pf.Roles(dependent=COLUMNS))


def test_a_plan_releases_a_public_file(frame, tmp_path):
    frame.to_csv(tmp_path / "in.csv", index=False)
    columns = ", ".join(f'"{name}"' for name in COLUMNS)
    text = f'[input]\nfile = "in.csv"\n[roles]\ndependent = [{columns}]\nproduct = "public"\n'
    text += '[method]\nname = "sequential"\n[output]\nrelease = "out.csv"\n'
    (tmp_path / "plan.toml").write_text(text)
    plan = pf.read_plan(tmp_path / "plan.toml")
    assert plan.roles == PUBLIC
    (tmp_path / "again.toml").write_text(plan.text())
    assert pf.read_plan(tmp_path / "again.toml").roles == PUBLIC


def test_the_shell_follows_the_product_of_a_file_of_roles(frame, tmp_path, monkeypatch):
    """Identical to Python with the same seed: release, product of the manifest, and first line of the verdict."""
    monkeypatch.chdir(tmp_path)
    frame.to_csv("in.csv", index=False)
    proposed = pyfcrm("roles", "in.csv", "--product", "public", "--json").out
    Path("roles.json").write_text(proposed, encoding="utf-8")
    words = ["--method", "sequential", "--roles", "roles.json", "--seed", "1", "--manifest", "m.json"]
    assert pyfcrm("protect", "in.csv", "-o", "out.csv", *words).status == 0
    own = pf.protect(frame, pf.Sequential(), pf.suggest_roles(frame, product="public"), seed=1).frame
    assert pd.read_csv("out.csv").equals(own.reset_index(drop=True))
    assert json.loads(Path("m.json").read_text())["roles"]["product"] == "public"
    ran = pyfcrm("evaluate", "in.csv", "out.csv", "--manifest", "m.json")
    assert "Product: public." in ran.out
    assert "sample_uniques 1" in ran.out


def test_a_file_of_roles_with_another_product_is_refused(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("in.csv", index=False)
    Path("roles.json").write_text('{"product": "publc", "rows": [{"column": "wage", "role": "dependent"}]}')
    ran = pyfcrm("protect", "in.csv", "-o", "a.csv", "--roles", "roles.json", "--method", "sequential")
    assert ran.status == 2
    assert "`publc`; did you mean `public`" in ran.err
