"""Contents of columns over HTTP: labels, pictures, questions about what is doubtful, and bars of categories in a comparison.

Oracles: numpy's histogram, pandas' value counts, pf.describe and pf.Variable; identical.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.studio import RANKS, messages, visitor

import pyfcrm as pf
from pyfcrm.app import compare, questions
from pyfcrm.app.contents import CLASSES, MOST_LEVELS

N = 400
TREES = {"method": "sequential", "form.sequential": "1"}


def doubtful() -> pd.DataFrame:
    """Wages with 99999 in some records, months as numbers, numbered cases, a scale, and a category of two levels."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"case": range(1, N + 1), "wage": rng.integers(500, 4000, N), "q1": rng.integers(1, 7, N)})
    frame.loc[::20, "wage"] = 99999
    months = pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 3000, N), unit="D")
    frame["month"] = months.strftime("%Y%m").astype(int)
    frame["sex"] = rng.choice(["f", "m"], N, p=[0.6, 0.4])
    return frame


@pytest.fixture
def own():
    """A visitor with the file."""
    with visitor() as own:
        own.upload("file.csv", doubtful().to_csv(index=False).encode())
        yield own


def legends(text: str) -> list[str]:
    """The questions of a page."""
    return [unescape(found) for found in re.findall(r"<fieldset><legend>(.*?)</legend>", text) if "?" in found]


def answered(own, **answers: str) -> str:
    """The page after the roles were saved with answers, by key with _ for a point."""
    fields = {f"answer.{key.replace('_', '.', 1)}": value for key, value in answers.items()}
    source = own.study.source
    roles = {f"role.{name}": own.study.suggested.role_of(name) for name in source.columns}
    return own.act("columns", **{"from": "columns"}, **roles, **fields)


def test_doubtful_columns_are_questions_whose_answers_are_declared(own):
    text = own.get("columns")
    assert legends(text) == [
        "Is `case` an identifier?",
        "Is `wage` = 99999 a code of a missing value?",
        "Is `month` a date in the form YYYYMM?",
    ]
    assert own.study.work.variables == {}
    answered(own, codes_wage="yes", kind_month="yes", kind_case="no")
    assert own.study.work.variables == {
        "case": pf.Variable("amount"),
        "wage": pf.Variable(missing_codes=[99999]),
        "month": pf.Variable("date", format="%Y%m"),
    }
    text = own.get("columns")
    assert len(legends(text)) == 3
    assert text.count("<b>declared</b>") == 3
    assert "codes of missing values: 99999" in text
    described = own.study.work.contents.variables
    assert (described["wage"].missing_codes, described["wage"].doubtful) == ((99999,), False)
    assert described.doubtful == ()
    assert re.search(r'name="answer.codes.wage" value="yes" checked', text)
    answered(own, codes_wage="no", kind_month="")
    assert own.study.work.variables == {"wage": pf.Variable("count")}
    assert own.study.work.contents.variables["wage"].proposed_missing_codes == ()


def test_an_answer_that_is_not_offered_is_refused(own):
    assert "must be one of those on the page" in messages(answered(own, kind_month="perhaps"))
    assert own.study.work.variables == {}


def test_another_file_has_no_answers_of_the_former(own):
    answered(own, codes_wage="yes")
    own.act("simulate", which="example")
    assert (own.study.work.answers, own.study.work.variables) == ({}, {})
    assert legends(own.get("columns")) == []


@pytest.mark.parametrize("number", [True, False])
def test_other_doubts_offer_the_kinds_of_such_a_column(number):
    values = list(range(1000, 9000, 20)) if number else [f"{k * 3 // 4} road" for k in range(400)]
    name = "isco" if number else "address"
    described = pf.describe(pd.DataFrame({name: values + values[:100]}))
    assert described.doubtful == (name,)
    facts = {name: type("Facts", (), {"numeric": number})()}
    [question] = questions.questions(described, facts)
    assert question.text == f"What does `{name}` contain?"
    for kind in question.answers:
        assert questions.declarations(described, facts, {question.key: kind}) == {name: pf.Variable(kind)}


def test_numbers_are_histograms_without_codes_and_levels_are_bars(own):
    frame, pictures = doubtful(), own.study.work.contents.pictures
    wages = frame.wage[frame.wage < 99999]
    assert pictures["wage"].counts == tuple(np.histogram(wages, CLASSES)[0])
    assert pictures["wage"].ends == (f"{wages.min():,}", f"{wages.max():,}")
    shares = 100 * frame.q1.value_counts(normalize=True).sort_index()
    assert {level.label: level.share for level in pictures["q1"].levels} == {
        str(value): pytest.approx(share) for value, share in shares.items()
    }
    assert pictures["month"].ends == (str(frame.month.min()), str(frame.month.max()))
    assert "case" not in pictures


def test_labels_of_a_statistical_file_are_shown(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"state": [1, 2, 3, 2] * 50, "income": np.arange(200.0) * 10})
    path = Path(tmp_path, "file.sav")
    labels = {"state": {1: "Tyrol", 2: "Vienna", 3: "Styria <3>"}}
    pyreadstat.write_sav(frame, path, column_labels={"state": "Federal state"}, variable_value_labels=labels)
    with visitor() as own:
        own.upload("file.sav", path.read_bytes())
        text = own.get("columns")
        assert "Federal state" in text
        assert '<th scope="row">2 Vienna</th>' in text
        assert "3 Styria &lt;3&gt;" in text
        assert "style=" not in text
        # Beside each name of a list to tick, of columns with a label.
        assert re.search(r'name="keys" value="state" >\s*state <span class="label">Federal state</span>', text)
        assert not re.search(r'value="income" >\s*income <span', text)


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_labels_are_shown_beside_the_figures_of_a_trial(tmp_path, kind):
    pyreadstat = pytest.importorskip("pyreadstat")
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"state": [1, 2, 3, 2] * 50, "age": rng.integers(20, 70, 200)})
    frame["income"] = np.round(1000 + 20 * frame["age"] + rng.normal(0, 90, 200))
    path = Path(tmp_path, f"file.{kind}")
    labels = {"state": {1: "Tyrol", 2: "Vienna", 3: "Styria"}}
    write = pyreadstat.write_sav if kind == "sav" else pyreadstat.write_dta
    write(frame, path, column_labels=["Federal state", "Age", "Monthly income"], variable_value_labels=labels)
    with visitor() as own:
        own.upload(path.name, path.read_bytes())
        own.use_roles(state="independent", age="independent", income="dependent")
        own.run(**TREES, **{"keep.allow_unprotected": "on", "random.seed": "1"})
        text = own.get("compare?view=utility")
        assert 'income <span class="label">Monthly income</span>' in text
        assert 'state <span class="label">Federal state</span>' in text
        for level in ("1 (Tyrol)", "2 (Vienna)", "3 (Styria)"):
            assert f'<th scope="row">{level}</th>' in text


def test_categories_and_codes_have_bars_at_compare(own):
    """Shares of both files by pandas; levels that only the release has are there too."""
    roles = dict.fromkeys(("wage", "q1", "sex"), "dependent") | {"case": "identifiers", "month": "independent"}
    own.use_roles(**roles)
    own.run(**TREES, **{"keep.allow_unprotected": "on", "random.seed": "1"})
    trial = own.study.trial
    text = own.get("compare?view=columns")
    pairs = {pair.name: pair for pair in compare.column_pairs(trial)}
    assert {*pairs} == {"wage", "q1", "sex"}
    assert pairs["wage"].place is not None
    for name in ("q1", "sex"):
        before, after = (
            100 * frame[name].astype(str).value_counts(normalize=True) for frame in (doubtful(), trial.released.frame)
        )
        for level in pairs[name].levels:
            assert level.share == pytest.approx(before[level.label])
            assert level.released == pytest.approx(after[level.label])
    assert text.count('class="compared"') == 2 + 6
    assert f"trial/1/{pairs['wage'].place}.png" in text


def test_many_levels_are_the_most_frequent_ones():
    frame = pd.DataFrame({"place": [f"town {k:02d}" for k in range(30) for _ in range(30 - k)], "x": 1.5})
    with visitor() as own:
        own.upload("file.csv", frame.to_csv(index=False).encode())
        picture = own.study.work.contents.pictures["place"]
        assert [level.label for level in picture.levels] == [f"town {k:02d}" for k in range(MOST_LEVELS)]
        assert picture.others == 30 - MOST_LEVELS
        assert f"and {30 - MOST_LEVELS} rarer values" in own.get("columns")


def test_a_numeric_trial_keeps_the_pictures_of_numbers(own):
    own.use_roles(wage="dependent", q1="leave", sex="leave", month="leave", case="identifiers")
    own.run(**RANKS, **{"keep.allow_unprotected": "on"})
    assert [pair.place for pair in compare.column_pairs(own.study.trial)] == [0]


def test_answers_are_declared_in_trials_and_in_their_plans(own):
    """Oracle: protect() with the declarations, identical; codes return where they were."""
    answered(own, codes_wage="yes", kind_month="yes", kind_case="yes")
    roles = {"case": "identifiers", "wage": "dependent", "q1": "independent", "month": "dependent", "sex": "leave"}
    own.use_roles("protect", **roles)
    answers = {"answer.codes.wage": "yes", "answer.kind.month": "yes", "answer.kind.case": "yes"}
    own.act("columns", **{"from": "columns"}, **{f"role.{name}": role for name, role in roles.items()}, **answers)
    own.run(
        **{"method": "ipso", "form.ipso": "1", "ipso.kind": "C", "keep.allow_unprotected": "on", "random.seed": "1"}
    )
    trial = own.study.trial
    assert trial.plan.variables["wage"] == pf.Variable(missing_codes=[99999])
    assert "missing_codes = [" in trial.plan.text()
    original = own.study.source.frame
    options = {"variables": trial.plan.variables, "missing": "protect", "allow_unprotected": True}
    released = pf.protect(original, pf.IPSO("C"), own.study.roles(), 1, **options).frame
    pd.testing.assert_frame_equal(trial.released.frame, released)
    assert (released["wage"] == 99999).equals(original["wage"] == 99999)
    assert (released["month"] % 100).between(1, 12).all()


def sampled():
    """A file with sampling units, strata and four replicate weights."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"village": np.arange(160) // 8, "region": np.arange(160) // 40, "age": rng.integers(20, 60, 160)}
    )
    frame = frame.assign(wage=rng.gamma(2, 500, 160).round(1), w=rng.integers(4, 12, 160) / 4)
    return frame.assign(**{f"r{k}": np.where(frame.village % 4 == k, 0.0, frame.w * 4 / 3) for k in range(4)})


def test_a_sampling_design_is_chosen_at_columns():
    roles = {"village": "psu", "region": "sampling_stratum", "age": "independent", "wage": "dependent", "w": "weight"}
    fields = {f"role.{name}": role for name, role in roles.items()} | {
        f"role.r{k}": "replicate_weights" for k in range(4)
    }
    fields |= {"from": "columns"}
    with visitor() as own:
        own.upload("file.csv", sampled().to_csv(index=False).encode())
        own.act("columns", **fields)
        plain = own.study.roles()
        assert (plain.psu, plain.sampling_stratum, plain.replicate_type) == ("village", "region", None)
        text = own.act("columns", **fields, **{"replicates.type": "JKn"})
        assert "`replicate_rscales` must be given for JKn" in unescape(text)
        own.act(
            "columns", **fields, **{"replicates.type": "JKn", "replicates.scale": "1", "replicates.rscales": "0.75"}
        )
        assert own.study.roles() == pf.Roles(
            "age", "wage", weight="w", psu="village", sampling_stratum="region", replicate_weights=["r0", "r1", "r2", "r3"],
            replicate_type="JKn", replicate_scale=1, replicate_rscales=0.75,
        )  # fmt: skip
        page = own.get("columns")
        assert re.search(r"<option selected>JKn</option>", page)
        assert 'value="0.75"' in page
