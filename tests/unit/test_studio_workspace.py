"""The workspace over HTTP, as a browser without script uses it: five steps, one verdict, trials, undo and searches.

Oracle: the public functions with the same arguments, identical; what each step must show is stated in each test.
"""

from __future__ import annotations

import re
import time
from html import unescape
from pathlib import Path
from threading import Event

import numpy as np
import pandas as pd
import pytest
from support.studio import IPSO, PATIENCE, RANKS, ROLES, Visitor, messages, people, visitor

import pyfcrm as pf
import pyfcrm.app as pyfcrm_app
from pyfcrm.app import compare, forms, trials
from pyfcrm.app.jobs import time_left
from pyfcrm.evaluation.verdict.decision import Test, Verdict
from pyfcrm.interface import sweep
from pyfcrm.methods import METHODS
from pyfcrm.protection.options import Options
from pyfcrm.report.context import test_rows as rows_of


@pytest.fixture
def own():
    """A visitor with the file and its roles."""
    with visitor() as own:
        own.upload("people.csv", people().to_csv(index=False).encode())
        own.use_roles(**ROLES)
        yield own


def pill(text: str) -> str:
    """The verdict in the bar."""
    return re.search(r'verdict-line">.*?<span class="pill ([\w-]+)', text, re.S)[1]


def test_from_a_file_to_a_verdict_in_four_actions():
    """Simulate, use the roles, run: three posts, and the verdict of the trial is that of evaluate()."""
    with visitor() as own:
        assert pill(own.act("simulate", which="example")) == "not-examined"
        assert "/method" in own.use_roles(x="independent")
        text = own.run(**IPSO, **{"random.seed": "1"})
        trial = own.study.trial
        roles = own.study.roles()
        released = pf.protect(own.study.source.frame, pf.IPSO("C"), roles, 1)
        pd.testing.assert_frame_equal(trial.released.frame, released.frame)
        report = pf.evaluate(own.study.source.frame, released)
        assert trial.verdict.rows() == report.verdict.rows()
        assert pill(text) == trial.verdict.status.replace(" ", "-")
        for row in rows_of(trial.verdict):
            assert f">{row['title']}<" in text


def test_the_condition_of_a_parameter_is_an_assignment(own):
    assert 'Only with margins="smooth".' in unescape(own.get("method"))


def test_roles_come_with_reasons_and_a_weight(own):
    text = own.get("columns")
    for reason in own.study.suggested.reasons.values():
        assert reason.rstrip(".")[1:40].split("<")[0] in text
    assert own.study.roles() == pf.Roles(["a", "b"], ["c", "d"], ["id"], weight="w")
    assert "only one column" in messages(own.use_roles(**(ROLES | {"a": "weight"})))


def test_doubtful_roles_are_marked_until_confirmed():
    """Oracle: suggest_roles(...).doubtful. No method runs before the user has looked at them."""
    with visitor() as own:
        text = own.act("simulate", which="enterprises")
        assert own.study.suggested.doubtful == pf.suggest_roles(own.study.source.frame).doubtful == ("AGE",)
        text = own.get("columns")
        assert text.count("Doubtful.") == 1
        assert "confirm" in messages(own.get("method"))
        assert "Doubtful." not in own.use_roles()
        assert own.study.work.confirmed


def test_gaps_are_decided_at_columns():
    """A run is refused in a sentence of the page until what is done with them is chosen."""
    with visitor() as own:
        own.upload("people.csv", people(missing=7).to_csv(index=False).encode())
        text = own.use_roles(**ROLES)
        assert "7 records have missing values" in text
        assert "/columns" in text
        assert "choose what is done" in messages(own.run(**IPSO))
        own.use_roles("drop", **ROLES)
        own.run(**IPSO)
        assert len(own.study.trial.released.frame) == 143


@pytest.mark.parametrize("name", [name for name in METHODS if name != "calibrated"])
def test_every_method_has_a_form_whose_defaults_make_it(own, name):
    """Each required value has a default in the form; the method read from it has the declared defaults elsewhere."""
    if name in ("recoding", "topbottomcoding", "fcrm"):  # need a threshold; the form's FCRM is the model
        return
    text = own.get(f"method?name={name}")
    form = forms.method_form({}, name)
    draft = {"method": [name], f"form.{name}": ["1"]}
    for item in (*form.shown, *form.folded):
        assert f'name="{item.path}"' in text or item.parameter.kind == "columns"
        if item.parameter.kind != "flag" or item.value:
            draft[item.path] = item.value if isinstance(item.value, list) else [item.value]
    method = forms.method_from(draft)
    required = {p.name: getattr(method, p.name) for p in METHODS[name].declared() if p.required}
    assert method == METHODS[name](**required)


def test_the_first_offer_is_the_default_of_calibrated(own):
    """Oracle: Calibrated(). Identical: the form that a new visitor sees makes it."""
    text = own.get("method")
    assert 'id="m-sequential" href="?name=sequential#settings" aria-current="true"' in text
    form = forms.method_form({}, "sequential")
    assert form.calibrate
    draft = {
        "method": ["sequential"],
        "form.sequential": ["1"],
        "form.calibrated": ["1"],
        "calibrate.sequential": ["on"],
    }
    for item in (*form.shown, *form.folded):
        if item.parameter.kind != "flag" or item.value:
            draft[item.path] = item.value if isinstance(item.value, list) else [item.value]
    assert forms.method_from(draft) == pf.Calibrated()


def test_methods_are_in_groups_with_a_sentence(own):
    text = own.get("method")
    listed = [name for names in forms.GROUPS.values() for name in names]
    assert sorted(listed) == sorted(set(METHODS) - {"calibrated"})
    for title in forms.GROUPS:
        assert f"<h2>{title}</h2>" in text
    assert all(2 <= len(forms.method_form({}, name).shown) <= 4 for name in ("fcrm", "ipso", "noise"))


def test_steps_are_a_list_that_makes_one_release(own):
    """Oracle: protect() with Steps. A search tries methods as the last step; a removed step comes back."""
    own.use_roles(**(ROLES | {"b": "dependent", "c": "leave", "d": "leave"}))
    own.act("add-step", **{**RANKS, "from": "method"})
    own.use_roles(**ROLES)
    text = own.get("method")
    assert "RankSwapping p=10" in text
    own.act("sweep", sweep="ipso:kind=A|C", from_="method")
    assert own.study.work.candidates[0].verdict is not None
    own.act("candidate", candidate="1", from_="compare")
    assert own.study.trial.plan.method == own.study.work.candidates[1].method
    own.act("delete", trial="1", from_="compare")
    own.run(**IPSO, **{"random.seed": "1"})
    first = pf.RankSwapping(10), pf.Roles(["a"], ["b"], ["id"], weight="w")
    steps = pf.Steps([first, (pf.IPSO("C"), pf.Roles(["a", "b"], ["c", "d"], weight="w"))])
    expected = pf.protect(own.study.source.frame, steps, seed=1)
    pd.testing.assert_frame_equal(own.study.trial.released.frame, expected.frame)
    assert own.study.trial.title == "RankSwapping p=10, then IPSO-C"
    own.act("remove-step", step="1", from_="method")
    assert own.study.work.steps == ()
    own.act("reuse", trial="2", from_="compare")
    assert len(own.study.work.steps) == 1


def test_marks_lead_to_pages_of_the_documentation():
    """Every "?" names a page that docs/ has."""
    folder = Path(pyfcrm_app.__file__).parent / "templates"
    texts = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.html"))
    docs = Path(__file__).parents[2] / "docs"
    for name in re.findall(r'mark\("([\w/-]+)\.html', texts):
        assert (docs / f"{name}.md").exists() or (docs / "knitted" / f"{name.removeprefix('guides/')}.md").exists()


def test_every_declared_option_of_a_plan_has_a_field(own):
    """Oracle: the declaration; structure, bounds and decimals are chosen at Columns or in code. Identical."""
    page = own.get("method")
    elsewhere = {"missing", "structure", "variables"}
    for option in Options.declared():
        if option.table == "keep" and option.name not in elsewhere:
            assert f'name="keep.{option.name}"' in page, option.name


def test_declared_options_of_the_form_are_those_of_the_plan(own):
    own.run(**RANKS, **{"keep.strict": "yes", "keep.strict_totals": "yes", "keep.weights": ""})
    [trial] = own.study.work.trials
    assert (trial.plan.keep.strict, trial.plan.keep.strict_totals, trial.plan.keep.weights) == (
        True,
        True,
        None,
    )


def test_an_error_stands_at_its_field_and_the_form_stays(own):
    text = own.run(**(RANKS | {"rankswapping.p": "0", "keep.constraints": "c >= 0"}))
    field = text[text.index('name="rankswapping.p"') :]
    assert 'value="0"' in field[:80]
    assert 'class="error">RankSwapping: `p` must be' in field[:900]
    assert "c &gt;= 0" in text
    assert own.study.work.trials == ()


def test_a_trial_can_be_changed_deleted_and_brought_back(own):
    own.run(**RANKS, **{"keep.strata": "b", "keep.constraints": "c >= 0", "limits.risk": "7", "limits.utility": "8"})
    text = own.act("reuse", trial="1", from_="compare")
    assert 'value="10"' in text
    assert 'value="c &gt;= 0"' in text
    assert 'value="7"' in text
    assert 'name="limits.utility" aria-label="Limit of Utility panel" value="8"' in text
    plan = forms.plan_of(own.study, own.study.work.draft)
    assert plan.limits["utility"] == (8.0,)
    assert plan.tables() == own.study.trial.plan.tables()
    own.run(**IPSO)
    own.act("delete", trial="1", from_="compare")
    assert [trial.number for trial in own.study.work.trials] == [2]
    assert "Undo: trial 1 deleted" in own.get("compare")
    own.act("undo", from_="compare")
    assert [trial.number for trial in own.study.work.trials] == [1, 2]


def test_a_replaced_file_comes_back_with_its_trials(own):
    own.run(**RANKS)
    text = own.act("simulate", which="example", from_="file")
    assert "example.csv" in text
    assert own.study.work.trials == ()
    own.act("undo", from_="file")
    assert own.study.source.name == "people.csv"
    assert len(own.study.work.trials) == 1


def test_a_reload_is_a_get_and_two_tabs_do_not_share(own):
    own.run(**RANKS)
    assert own.get("compare") == own.get("compare")
    other = Visitor(own.client, own.studies)
    assert "people.csv" not in other.get("file")
    assert "RankSwapping" in own.get("compare")


@pytest.mark.slow(6)
def test_the_audit_starts_by_itself_and_completes_the_verdict(own):
    """Oracle: evaluate(..., audit=True). Identical. Rank swapping needs none."""
    own.run(**RANKS)
    assert own.study.auditing is None
    assert own.study.trial.audited
    own.run(**IPSO, **{"random.seed": "3"})
    assert own.study.trial.verdict["audit"].status == "not examined"
    assert "Auditing trial 2" in own.get("compare")
    own.act("cancel", from_="compare")
    own.audited()
    assert "the work was cancelled" in own.get("compare?view=notes")
    own.study.trial.audited = False
    trials.audit_next(own.study)
    own.audited()
    trial = own.study.trial
    report = pf.evaluate(own.study.source.frame, trial.released, audit=True)
    assert trial.verdict.rows() == report.verdict.rows()
    assert trial.report.audit is not None
    assert "Audit" in own.get("compare?view=notes")


def test_candidates_of_a_sweep_are_hollow_points_and_run(own):
    text = own.act("sweep", sweep="ipso:kind=A|C, rankswapping:p=5, microaggregation:k=200", from_="method")
    candidates = own.study.work.candidates
    assert [str(c.method) for c in candidates] == ["IPSO(kind=A)", "IPSO(kind=C)", "RankSwapping(p=5)"]
    assert text.count('fill="none" stroke="#') >= 3
    assert "candidate IPSO-A" in text
    assert "Run as a trial" in own.get("compare?candidate=2")
    own.act("candidate", candidate="2", from_="compare")
    assert own.study.trial.title == "RankSwapping p=5"
    draft = own.study.trial.form.draft
    assert forms.method_from(draft) == pf.RankSwapping(5)
    calibrated = pf.Calibrated(pf.FCRM(3, release="draw"), margins="original")
    assert forms.method_from(forms.with_method(draft, calibrated)) == calibrated
    assert "must be" in messages(own.act("sweep", sweep="fcrm:c=x", from_="method"))


@pytest.mark.slow(30)
def test_a_recommendation_has_two_cards(own, monkeypatch):
    """Least loss and least risk, or the two nearest; the candidates are on the map."""
    grid = [pf.IPSO("A"), pf.IPSO("C"), pf.Shuffling()]
    monkeypatch.setattr("pyfcrm.search.recommend.default_grid", lambda independent, numbers: (grid, []))
    text = own.act("recommend", from_="method")
    advice = own.study.work.advice
    assert text.count('<div class="card"><h3>') == 2
    assert all(
        reason.split("<")[0][:30] in text for reason in advice.reasons if "&" not in reason and "'" not in reason
    )
    assert len(own.study.work.candidates) == len(advice.candidates)


def test_candidates_appear_while_a_search_is_running(own, monkeypatch):
    """The second method waits for a look at the page: the first one is on it, and a cancelled search keeps it."""
    looked, measured = Event(), sweep

    def waiting(frame, roles, methods, **options):
        if str(methods[0]) == "IPSO(kind=C)":
            options["progress"](0, 1, "waiting")
            looked.wait(30)
        return measured(frame, roles, methods, **options)

    monkeypatch.setattr(trials, "sweep", waiting)
    own.act("sweep", wait=False, sweep="ipso:kind=A|C, rankswapping:p=5", from_="method")
    job = own.study.job
    end = time.monotonic() + PATIENCE
    while not (own.study.found and job.step.startswith("2 of 3")) and time.monotonic() < end:
        time.sleep(0.02)
    text = own.get("compare")
    assert "2 of 3: IPSO-C" in text
    assert "candidate IPSO-A" in text
    assert "candidate IPSO-C" not in text
    assert 'hx-trigger="every 3s"' in text
    answer = own.client.get(f"{own.base}/status?step=compare&working=1&seen={own.study.finished}&empty=1")
    assert answer.headers["hx-refresh"] == "true"
    own.act("cancel", from_="compare")
    looked.set()
    job.wait(PATIENCE)
    assert [str(candidate.method) for candidate in own.study.work.candidates] == ["IPSO(kind=A)"]


def test_a_recommendation_hands_over_its_candidates(own, monkeypatch):
    """Oracle: the candidates of the result, by method."""
    monkeypatch.setattr("pyfcrm.search.recommend.default_grid", lambda independent, numbers: ([pf.RankSwapping(5)], []))
    found, labels = set[str](), list[str]()
    advice = trials.search_methods(
        own.study.source.frame,
        own.study.roles(),
        1,
        Options(),
        found=lambda candidate: found.add(str(candidate.method)),
        progress=lambda done, total, label: labels.append(label),
    )
    assert found == {str(candidate.method) for candidate in advice.candidates} == {"RankSwapping(p=5)"}
    assert any(label.startswith("1 of 1: RankSwapping(p=5)") for label in labels)


def test_utility_and_warnings_stand_beside_the_verdict(own):
    """Oracle: the utility panel of evaluate(), and the notes of the trial that warn."""
    text = unescape(own.run(**RANKS))
    trial = own.study.trial
    assert f"{trial.report.utility.summary.above:.0f} % of estimates above 3 se" in text
    assert ("faithful" in text) == trial.report.utility.faithful
    warnings = compare.warnings_of(trial)
    assert warnings
    assert set(warnings) == {n for n in (*trial.released.notes, *trial.report.notes) if n.severity == "warning"}
    first = text[text.index('id="warnings"') : text.index('class="tests"')]
    assert all(warning in first for warning in warnings[:4])


@pytest.mark.parametrize(
    "fields",
    [
        {"formula": "c ~ a + b"},
        {"formula": "c ~ a", "weights": "w"},
        {"formula": "d ~ a", "quantile": "0.5"},
        {"formula": "z ~ c", "family": "binomial"},
    ],
)
def test_an_own_analysis_is_that_of_analyse(own, fields):
    """Oracle: pf.analyse() of the same files. Identical."""
    frame = people().assign(z=lambda f: (f["a"] > 3).astype(int))
    own.upload("with-z.csv", frame.to_csv(index=False).encode())
    own.use_roles(**ROLES, z="leave")
    own.run(**RANKS)
    text = unescape(own.act("analyse", trial="1", from_="compare", **fields))
    trial = own.study.trial
    arguments = {key: float(value) if key == "quantile" else value for key, value in fields.items()}
    expected = pf.analyse(own.study.source.frame, trial.released, **arguments)
    assert expected.describe() in text
    pd.testing.assert_frame_equal(own.study.work.analyses[1].to_frame(), expected.to_frame())
    assert f'value="{fields["formula"]}"' in text


@pytest.mark.parametrize("formula", ["c ~", "c ~ nothing", "c ~ a + __import__('os')", ""])
def test_a_formula_that_is_none_gives_one_sentence(own, formula):
    own.run(**RANKS)
    text = messages(own.act("analyse", trial="1", formula=formula, from_="compare"))
    assert text
    assert "Traceback" not in text
    assert own.study.work.analyses == {}


def test_two_trials_stand_side_by_side(own):
    own.run(**RANKS)
    own.run(**(RANKS | {"rankswapping.p": "40"}))
    text = own.get("compare?trial=2&with=1")
    assert "<td>RankSwapping(p=40)</td><td>RankSwapping(p=10)</td>" in text
    assert f'{own.base}/trial/1/0.png"'.removeprefix("http://127.0.0.1:8765") in text
    assert own.client.get(f"{own.base}/trial/2/0.png").content.startswith(b"\x89PNG")


def test_work_can_be_cancelled_and_only_one_task_runs(own):
    own.act("recommend", wait=False, from_="method")
    assert "still running" in messages(own.act("run", wait=False, **RANKS))
    assert 'id="cancel"' in own.get("method")
    text = own.act("cancel", from_="method")
    assert own.study.job is None
    assert "Cancelled." in text


def test_key_risk_and_edit_rules(own):
    """Oracle: key_risk() with the weight of the roles."""
    assert "tick at least one" in own.act("key-risk", from_="columns")
    own.act("key-risk", keys=["a", "b"], from_="columns")
    expected = pf.key_risk(own.study.source.frame, ["a", "b"], "w")
    np.testing.assert_array_equal(own.study.work.key_risk.individual, expected.individual)
    assert "style=" not in own.get("columns")
    own.run(**RANKS, **{"keep.constraints": "c >= 0"})
    own.act("structure", from_="columns")
    assert own.study.work.structure is not None
    assert forms.text_of(own.study.work.draft, "keep.constraints") == "c >= 0"


@pytest.mark.parametrize(
    ("method", "title"),
    [
        (pf.Calibrated(pf.IPSO("C")), "IPSO-C, calibrated"),
        (pf.Calibrated(pf.FCRM(4), margins="original"), "FCRM c=4, calibrated to original margins"),
        (pf.RankSwapping(15), "RankSwapping p=15"),
        (pf.FCRM(None, release="model"), "FCRM model"),
    ],
)
def test_trials_have_names_of_methods(method, title):
    assert forms.method_title(method) == title


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (2, "about 10 seconds left"),
        (44, "about 40 seconds left"),
        (55, "about a minute left"),
        (800, "about 13 minutes left"),
    ],
)
def test_the_time_left_is_in_words(seconds, words):
    assert time_left(seconds) == words


def test_the_verdict_line_names_failed_tests_with_figures():
    tests = (Test("risk", "hold", "", (43.123,), (5.0,), ("points",)), Test("audit", "hold", "", (5.0,), (0.0,), ("alarms",)),
             Test("edits", "pass", "", (0.0,), (0.0,), ("values",)))  # fmt: skip
    assert compare.verdict_line(Verdict(tests)) == "attributable risk 43.1 points; audit 5 alarms"
    assert compare.verdict_line(Verdict(tests), 1) == "attributable risk 43.1 points; 1 more"
    assert compare.verdict_line(Verdict(tests[2:])) == "1 test passed"
    total = Test("totals", "hold", "", (1.0,), (0.0,), ("totals",))
    assert compare.verdict_line(Verdict((total,))) == "preserved totals 1 total"


def test_two_buttons_choose_the_kind_of_product():
    """The roles are those of suggest_roles() for this product, the release is a public file, and undo brings both back."""
    with visitor() as own:
        own.upload("people.csv", people().to_csv(index=False).encode())
        before = dict(own.study.work.roles)
        text = unescape(own.act("product", product="public", from_="columns"))
        for title, purpose in forms.PRODUCTS.values():
            assert title in text
            assert purpose in text
        suggested = pf.suggest_roles(own.study.source.frame, product="public")
        assert own.study.roles().dependent == suggested.dependent
        assert own.study.roles().product == "public"
        own.use_roles()
        assert "<option selected>public" in own.get("method")
        own.run(method="sequential", **{"random.seed": "1"})
        released = pf.protect(own.study.source.frame, pf.Sequential(), suggested, 1)
        pd.testing.assert_frame_equal(own.study.trial.released.frame, released.frame)
        assert own.study.trial.verdict.headline.endswith("Product: public.")
        own.act("product", product="research")
        assert own.study.work.roles == before
        own.act("undo")
        assert own.study.work.product == "public"
        assert "choose one of the kinds of product" in messages(own.act("product", product="other", from_="columns"))
