"""analyse(quantile=): quantiles by class. Oracles: numpy's type 1, weights as repeated records, and the utility panel."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({
        "region": rng.choice(["North", "East", "West"], 400),
        "sex": rng.choice(["f", "m"], 400),
        "age": rng.integers(18, 80, 400),
        "size": rng.integers(1, 5, 400),
        "w": rng.integers(1, 6, 400),
    })  # fmt: skip
    return frame.assign(wage=np.round(np.exp(rng.normal(7, 0.6, 400)), 1))


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_quantiles_of_levels_and_their_combinations(people, q):
    """Oracle: numpy's quantile of type 1 of the records of each class. Identical."""
    found = pf.analyse(people, people, "wage ~ region * sex", quantile=q).to_frame()
    expected = {}
    for by in (["region"], ["sex"], ["region", "sex"]):
        for key, part in people.groupby(by):
            name = ", ".join(f"{column}={value}" for column, value in zip(by, key, strict=True))
            expected[name] = np.quantile(part["wage"], q, method="inverted_cdf")
    assert dict(zip(found["term"], found["original"], strict=True)) == expected
    assert found["overlap"].eq(100).all()


def test_a_weight_counts_as_so_many_records(people):
    """Oracle: the file with each record repeated. Identical quantiles."""
    repeated = people.loc[people.index.repeat(people["w"])].reset_index(drop=True)
    found = pf.analyse(people, people, "wage ~ region:size", quantile=0.5, weights="w")
    expected = pf.analyse(repeated, repeated, "wage ~ region:size", quantile=0.5)
    assert found.terms == expected.terms
    np.testing.assert_array_equal(found.original.coef, expected.original.coef)


def test_quantiles_and_errors_are_those_of_the_panel(people):
    """Oracle: report.utility, the family of group quantiles, a number in fifths among the classes. Identical."""
    roles = pf.Roles(["region", "sex", "age", "size"], ["wage"], weight="w")
    released = pf.protect(people, pf.IPSO("C"), roles, seed=1)
    panel = pf.evaluate(people, released, measures=["pil"]).utility.to_frame()
    panel = panel[panel["family"] == "group quantiles"]
    names = {0.1: "10 % quantile of wage", 0.5: "median wage", 0.9: "90 % quantile of wage"}
    for q, name in names.items():
        own = panel[panel["estimate"] == name].set_index("group")
        found = pf.analyse(people, released, "wage ~ region + sex + age + size", quantile=q, weights="w").to_frame()
        found = found.set_index("term").loc[own.index]
        assert len(found) == 3 + 2 + 5 + 4
        for column, other in {
            "original": "original", "original_se": "se", "protected": "released", "protected_se": "released_se"
        }.items():  # fmt: skip
            np.testing.assert_array_equal(found[column], own[other])


def test_a_log_is_the_log_of_the_quantile_and_a_missing_class_has_none(people):
    release = people[people["region"] != "East"]
    found = pf.analyse(people, release, "log(wage) ~ region", quantile=0.5)
    plain = pf.analyse(people, release, "wage ~ region", quantile=0.5)
    np.testing.assert_array_equal(found.original.coef, np.log(plain.original.coef))
    assert np.isnan(plain.protected.coef).tolist() == [True, False, False]
    assert any("1 class with fewer than 30 records" in note for note in plain.notes)
    assert "medians" in str(plain)


@pytest.mark.parametrize(
    ("formula", "more", "error", "words"),
    [
        ("wage ~ log(age)", {}, InvalidInput, "classes of columns"),
        ("wage ~ one", {}, InvalidInput, "two values or more"),
        ("region ~ sex", {}, InvalidInput, "`region`"),
        ("wage ~ sex", {"quantile": 1}, InvalidParameter, "less than 1|below 1"),
        ("wage ~ sex", {"family": "binomial"}, InvalidParameter, "must be left out where `quantile`"),
        ("wage ~ nowhere", {}, InvalidInput, "nowhere"),
    ],
)
def test_refusals(people, formula, more, error, words):
    frame = people.assign(one=1)
    with pytest.raises(error, match=words):
        pf.analyse(frame, frame, formula, **({"quantile": 0.5} | more))


def test_a_category_of_two_levels_is_an_outcome(people):
    """Oracle: the same outcome as 0 and 1. Identical. The order that the original declares decides which level is 1."""
    outcome = people["sex"].eq("m").astype(int)
    frame = people.assign(z=outcome)
    expected = pf.analyse(frame, frame, "z ~ age + region", family="binomial").original
    found = pf.analyse(frame, frame, "sex ~ age + region", family="binomial").original
    np.testing.assert_array_equal(found.coef, expected.coef)
    declared = frame.assign(sex=pd.Categorical(frame["sex"], ["m", "f"]))
    np.testing.assert_allclose(
        pf.analyse(declared, frame, "sex ~ age + region", family="binomial").protected.coef, -expected.coef, rtol=1e-6
    )
    gaps = frame.assign(sex=frame["sex"].where(frame.index >= 10))
    assert pf.analyse(frame, gaps, "sex ~ age", family="binomial").protected.records == 390


def test_an_outcome_of_three_levels_is_refused(people):
    with pytest.raises(InvalidInput, match="a category of two levels"):
        pf.analyse(people, people, "region ~ age", family="binomial")
    with pytest.raises(InvalidInput, match="needs a column of numbers"):
        pf.analyse(people, people, "log(sex) ~ age", family="binomial")
