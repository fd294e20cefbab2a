"""Groups and classes of one confidential value, and unknown columns that determine one.

Oracle: planted disclosures, and counts by hand. Grade: identical where counted.
"""

import numpy as np
import pandas as pd
import pytest
from support.business_file import business_file

import pyfcrm as pf
from pyfcrm.evaluation.risk.determined import Confidential, most_determined
from pyfcrm.evaluation.risk.homogeneity import Target, homogeneity

METHOD = pf.Calibrated(pf.IPSO("C"))


def patients(n=1000, seed=3):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "region": rng.choice(list("ABCDEFGH"), n),
            "age": rng.integers(18, 90, n).astype(float),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    frame["diagnosis"] = np.where(frame["region"] == "A", "HIV", rng.choice(["flu", "cold"], n))
    return frame


def coarsened(frame):
    keys = ["age", "region", "sex"]
    steps = pf.Steps(
        [
            (pf.Recoding(breaks=4), pf.Roles(dependent="age")),
            (pf.LocalSuppression(3, keys=keys), pf.Roles(dependent=keys)),
        ]
    )
    return pf.evaluate(frame, pf.protect(frame, steps), measures="pil", columns=["diagnosis"]).verdict["risk"]


@pytest.mark.slow
def test_a_diagnosis_that_follows_from_the_region_is_held():
    frame = patients()
    found = coarsened(frame)
    assert found.status == "hold"
    assert found.found[0] == pytest.approx(100 * (frame["region"] == "A").mean(), abs=0.5)
    assert "`diagnosis`" in found.reason
    assert "l = 1, t = " in found.reason
    assert "protect `diagnosis` with Sequential()" in found.remedy
    assert "recode the key variables" in found.remedy


@pytest.mark.slow
def test_a_diagnosis_by_chance_passes():
    frame = patients()
    frame["diagnosis"] = np.random.default_rng(5).choice(["HIV", "flu", "cold"], len(frame))
    assert coarsened(frame).status == "pass"


@pytest.mark.slow
def test_a_released_class_of_one_value_is_held_under_every_method():
    """Trees draw the diagnosis of region A from region A."""
    frame = patients().assign(wage=np.random.default_rng(1).lognormal(7, 0.5, 1000).round())
    roles = pf.Roles(["region", "sex"], ["diagnosis", "wage"])
    released = pf.protect(frame, pf.Sequential(min_leaf=50), roles, seed=pf.RStream(1))
    found = pf.evaluate(frame, released, measures="pil").verdict["risk"]
    assert found.status == "hold"
    assert "classes of `region` have one value of `diagnosis`" in found.reason


def test_homogeneous_groups_by_hand():
    """Two keys: the pair decides a rare value, which no key tells alone. 20 of 100 records; the commonest value never counts."""
    a = np.repeat([0, 0, 1, 1], 25)
    b = np.tile(np.repeat([0, 1], 25), 2)
    value = np.where((a == 0) & (b == 0), 2, np.arange(100) % 2)
    value[a + b == 2] = 1
    found = homogeneity("y", Target.of(value, None), ["a", "b"], np.column_stack([a, b]))
    assert found.groups == 25
    assert found.expected < 0.1
    assert found.classes == 0
    assert found.least_values == 1
    assert found.distance == pytest.approx(0.75)


def test_a_class_does_not_make_its_own_value_the_usual_one():
    """20 of 60 have value 0, more than any other, because all of class 0 have it; in the second file others have it too."""
    key = np.repeat([0, 1], [15, 45])
    planted = np.r_[np.zeros(15, int), np.repeat([0, 1, 2, 3], [5, 14, 13, 13])]
    usual = np.r_[np.zeros(15, int), np.repeat([0, 1, 2, 3], [14, 13, 13, 5])]
    for values, expected in ((planted, 25.0), (usual, 0.0)):
        found = homogeneity("y", Target.of(values, None), ["k"], key[:, None])
        assert found.classes == pytest.approx(expected)


def test_numbers_within_a_tenth_of_their_median_are_one_value():
    group = np.repeat(np.arange(50), 2)
    numbers = np.exp(np.linspace(0, 8, 100))
    numbers[1::2] = numbers[::2] * np.where(np.arange(50) < 10, 1.09, 1.3)
    codes = pd.factorize(numbers)[0]
    found = homogeneity("y", Target.of(codes, numbers), ["g"], group[:, None])
    assert found.groups == 20


def four_parts(y, rng):
    """Four columns whose sum is y."""
    parts = rng.normal(0, 1000, (3, len(y)))
    return {"u": parts[0], "v": parts[1], "w": parts[2], "r": y - parts.sum(axis=0)}


UNKNOWN = {
    "the wage itself": lambda d, rng: {"u": d["wage"]},
    "a function of the wage": lambda d, rng: {"u": 1 / d["wage"]},
    "the wage with an error of 5 per cent": lambda d, rng: {"u": d["wage"] * rng.normal(1, 0.05, len(d))},
    "a pair of columns": lambda d, rng: {"u": d["wage"] + 1000 * (v := rng.integers(0, 4, len(d))), "v": v},
    "a sum of two columns": lambda d, rng: {"u": d["wage"] + (e := rng.normal(0, 1000, len(d))), "v": e},
    "a ratio of two columns": lambda d, rng: {"u": d["wage"] * (e := rng.lognormal(0, 1, len(d))), "v": e},
    "a sum of four columns": lambda d, rng: four_parts(d["wage"], rng),
    "codes of the wage, in no order": lambda d, rng: {"u": (d["wage"] // 50 * 7919 % 1009).map("code {:.0f}".format)},
    "the wage in classes": lambda d, rng: {"u": pd.qcut(d["wage"], 40, labels=False).map("class {}".format)},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNKNOWN)
def test_an_unknown_column_that_determines_a_confidential_one_is_held(kind):
    frame = business_file(600)
    columns = UNKNOWN[kind](frame, np.random.default_rng(7))
    frame = frame.assign(**columns)
    roles = pf.Roles(["region", "size"], ["wage", "debt"], unknown=list(columns))
    found = pf.evaluate(frame, pf.protect(frame, METHOD, roles, seed=pf.RStream(1)), measures="pil").verdict["risk"]
    assert found.status == "hold"
    assert "`wage`" in found.reason
    assert found.remedy.startswith("drop `u`")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent", "related", "a predictor"])
def test_an_unknown_column_that_determines_nothing_passes(kind):
    """By the predictors alone nearly all of `debt` is known; the unknown column adds nothing."""
    frame = business_file(600)
    rng = np.random.default_rng(8)
    if kind == "independent":
        unknown = rng.normal(size=len(frame))
    elif kind == "related":
        unknown = np.log(frame["wage"]) + rng.normal(0, 0.5, len(frame))
    else:
        unknown = frame["size"]
        frame["debt"] = 1000 * frame["size"] + rng.normal(0, 100, len(frame)).round()
    frame = frame.assign(u=unknown)
    roles = pf.Roles(["region", "size"], ["wage", "debt"], unknown=["u"])
    found = pf.evaluate(frame, pf.protect(frame, METHOD, roles, seed=pf.RStream(1)), measures="pil").verdict["risk"]
    assert found.status == "pass"


@pytest.mark.parametrize("is_category", [False, True])
def test_a_determined_column_is_at_most_100_points(is_category):
    """Oracle: shares are from 0 to 1, so a difference is at most 100 points. Predictors that are noise explain nothing.

    The defect: noise predicts worse than a constant out of fold, and its negative share was added.
    """
    rng = np.random.default_rng(1)
    values = rng.integers(0, 5, 300).astype(float)
    column = Confidential("y", values, is_category=is_category)
    found = most_determined(values[:, None], ["u"], [column], rng.normal(size=(300, 4)))
    assert found.by_predictors == 0
    assert found.beyond == pytest.approx(100)
    assert found.beyond <= 100


WITHOUT_ROLE = {
    "the wage in five classes": lambda d: pd.qcut(d["wage"], 5, labels=False),
    "the wage in hundreds": lambda d: (d["wage"] / 100).round(),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WITHOUT_ROLE)
def test_a_column_without_role_that_determines_a_confidential_one_is_held(kind):
    """The defect: only columns in `unknown` were examined, so that a class of each wage beside its record passed."""
    frame = business_file(600)
    frame = frame.assign(u=WITHOUT_ROLE[kind](frame))
    roles = pf.Roles(["region", "size"], ["wage", "debt"])
    found = pf.evaluate(frame, pf.protect(frame, METHOD, roles, seed=pf.RStream(1)), measures="pil").verdict["risk"]
    assert found.status == "hold"
    assert "`u` without a role determines `wage`" in found.reason
    assert found.remedy == "drop `u`; or name `u` among the predictors if an intruder knows it anyway"


@pytest.mark.slow
def test_strata_of_a_release_are_known_like_predictors():
    """Size classes of a business survey tell the turnover nearly, and the release is made within them."""
    frame = business_file(600)
    frame["u"] = pd.qcut(frame["wage"], 5, labels=False)
    roles = pf.Roles(["region", "size"], ["wage", "debt"])
    released = pf.protect(frame, METHOD, roles, seed=pf.RStream(1), strata="u")
    assert "without a role" not in pf.evaluate(frame, released, measures="pil").verdict["risk"].reason


@pytest.mark.slow
def test_a_sum_of_predictors_without_a_role_tells_nothing_beyond_them():
    """An intruder who knows both predictors knows their sum. The defect: a tree follows waves of the sum, but not those of two columns."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"rooms": rng.integers(0, 30, 900), "persons": rng.integers(0, 30, 900)})
    frame["u"] = frame["rooms"] + frame["persons"]
    frame["wage"] = (2000 + 1500 * np.sin(frame["u"] / 3) + rng.normal(0, 20, 900)).round()
    released = pf.protect(frame, METHOD, pf.Roles(["rooms", "persons"], "wage"), seed=pf.RStream(1))
    report = pf.evaluate(frame, released, measures="pil")
    assert "without a role" not in report.verdict["risk"].reason


@pytest.mark.slow
def test_a_related_column_without_role_passes():
    frame = business_file(600)
    frame["u"] = pd.qcut(np.log(frame["wage"]) + np.random.default_rng(8).normal(0, 0.5, 600), 5, labels=False)
    roles = pf.Roles(["region", "size"], ["wage", "debt"])
    found = pf.evaluate(frame, pf.protect(frame, METHOD, roles, seed=pf.RStream(1)), measures="pil").verdict["risk"]
    assert found.status == "pass"


@pytest.mark.slow
def test_a_class_of_a_column_without_role_is_held_beside_a_recoded_column():
    """The defect: after a step that coarsens, only predictors and coarsened columns were keys. Trees draw HIV for region A."""
    frame = patients()
    steps = pf.Steps(
        [
            (pf.Recoding(breaks=4), pf.Roles(dependent="age")),
            (pf.Sequential(min_leaf=50), pf.Roles(["sex", "region"], "diagnosis")),
        ]
    )
    roles = pf.Roles(["sex"], ["age", "diagnosis"])
    released = pf.protect(frame, steps, seed=pf.RStream(1))
    found = pf.evaluate(frame, released.frame, roles=roles, method=steps, measures="pil", paired=True).verdict["risk"]
    assert found.status == "hold"
    assert "classes of `region` have one value of `diagnosis`" in found.reason


@pytest.mark.slow
@pytest.mark.parametrize("planted", [True, False])
def test_columns_without_roles_that_disclose_each_other_are_a_warning_after_recoding(planted):
    """Nobody states that a diagnosis is confidential, or that its region is known: 45 of 152 files have such a pair of columns."""
    frame = patients()
    if not planted:
        frame["diagnosis"] = np.random.default_rng(5).choice(["HIV", "flu", "cold"], len(frame))
    steps = pf.Steps([(pf.Recoding(breaks=4), pf.Roles(dependent="age"))])
    report = pf.evaluate(frame, pf.protect(frame, steps), measures="pil", columns=["age"])
    # Either discloses the other.
    pair = {"region", "diagnosis"}
    named = [note for note in report.all_notes if {*note.columns, note.facts.get("target")} == pair]
    assert len(named) == planted
    assert all(note.severity == "warning" for note in named)
