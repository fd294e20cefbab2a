"""suggest_roles() on files of a sampling design: names of survey programmes, and what the values of the weight prove.

Oracles: the designs that R's survey documents for its files (svydesign of apistrat, apiclus1, apiclus2, in golden/values/designs.json), and
constructions whose design is known. Grade: identical.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.design_cases import cases

import pyfcrm as pf

STORED = {case["name"]: case for case in cases(Path(__file__).parents[1] / "golden" / "values" / "designs.json")}
DISTRICTS = 757  # fpc of apiclus1, and fpc1 of apiclus2


def schools(name: str) -> pd.DataFrame:
    """A sample of Californian schools of R's survey."""
    return pd.DataFrame(STORED[name]["data"]).drop(columns=["pair", "region"], errors="ignore")


def design(roles: pf.Roles) -> tuple:
    return roles.weight, roles.psu, roles.sampling_stratum


def test_classes_in_which_the_weight_is_the_same_are_strata():
    """apistrat: strata = ~stype, weights = ~pw, fpc = ~fpc. The defect: `stype` was confidential."""
    frame = schools("strata")
    frame["fpc"] = frame["stype"].map({"E": 4421, "M": 1018, "H": 755})
    frame["schools"] = frame["fpc"]
    frame["drawn"] = frame.groupby("stype")["pw"].transform("size")
    roles = pf.suggest_roles(frame)
    assert design(roles) == ("pw", None, "stype")
    assert "`pw` is the same in all records of each of its 3 classes" in roles.reasons["stype"]
    assert "the sum of the weights of each `stype`" in roles.reasons["schools"]
    assert "the number of records of each `stype`" in roles.reasons["drawn"]
    assert [roles.role_of(name) for name in ("fpc", "schools", "drawn")] == ["leave"] * 3
    assert {"stype", "schools", "drawn", "fpc", "pw"} <= {*roles.doubtful}
    # One record of another weight, and the classes are no strata.
    frame.loc[3, "pw"] = 20.0
    assert pf.suggest_roles(frame).sampling_stratum is None


def test_sizes_that_count_fewer_units_than_records_show_clusters():
    """apiclus1: id = ~dnum, weights = ~pw, fpc = ~fpc, one weight for all. The defect: no design was proposed, nor a weight."""
    frame = schools("clusters").assign(fpc=DISTRICTS)
    frame["dname"] = "district " + frame["dnum"].astype(str)
    roles = pf.suggest_roles(frame)
    assert design(roles) == ("pw", "dnum", None)
    assert "dname" in roles.identifiers
    assert {"pw", "dnum", "dname"} <= {*roles.doubtful}
    # In another order, the name has the groups of the number.
    shuffled = frame.sample(frac=1, random_state=1)
    assert design(pf.suggest_roles(shuffled)) == ("pw", "dnum", None)
    # Sizes that count as many schools as the weights do: schools were drawn, as in apisrs.
    counted = frame.assign(fpc=round(frame["pw"].sum()))
    assert design(pf.suggest_roles(counted)) == ("pw", None, None)
    # Without sizes of a population, one value is no weight of a survey.
    assert design(pf.suggest_roles(frame.drop(columns="fpc"))) == (None, None, None)


def test_clusters_of_two_stages():
    """apiclus2: id = ~dnum + snum, fpc = ~fpc1 + fpc2. The defect: `dnum` was dropped as an identifier."""
    frame = schools("two stages").assign(fpc1=DISTRICTS)
    frame["fpc2"] = (frame["pw"] * frame.groupby("dnum")["pw"].transform("size") * 40 / DISTRICTS).round()
    roles = pf.suggest_roles(frame)
    assert design(roles) == ("pw", "dnum", None)
    assert roles.role_of("fpc2") == "leave"
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1, missing="protect").frame
    assert sorted(released["dnum"]) == sorted(frame["dnum"])


def test_households_stay_households():
    """Households were drawn, and their number in the population is known: standard errors already use `household`."""
    rng = np.random.default_rng(2)
    household = np.repeat(np.arange(150), rng.integers(1, 5, 150))
    frame = pd.DataFrame({"household_id": 1001 + household, "wage": rng.lognormal(7, 1, len(household)).round(2)})
    frame = frame.assign(weight=40.0 + household % 7, fpc=6000, age=rng.integers(20, 70, len(frame)))
    roles = pf.suggest_roles(frame)
    assert (roles.household, *design(roles)) == ("household_id", "weight", None, None)


def test_what_the_weight_discloses_is_released_unchanged():
    """Drawn with probability proportional to votes, as election_pps of R's survey. The defect: both were confidential."""
    rng = np.random.default_rng(3)
    votes = rng.integers(900, 90_000, 60)
    p = 40 * votes / 6_000_000
    frame = pd.DataFrame({"votes": votes, "p": p, "wt": 1 / p, "turnout": rng.normal(60, 9, 60).round(1)})
    roles = pf.suggest_roles(frame)
    assert design(roles) == ("wt", None, None)
    assert [roles.role_of(name) for name in ("votes", "p", "turnout")] == ["leave", "leave", "dependent"]
    assert "as the weight discloses it" in roles.reasons["votes"]
    assert {"votes", "p"} <= {*roles.doubtful}


def test_a_weight_of_every_record_proves_no_strata():
    """Weights of post-stratification by two columns: neither has one weight in each of its classes."""
    rng = np.random.default_rng(4)
    sex, region = rng.integers(0, 2, 500), rng.integers(0, 5, 500)
    frame = pd.DataFrame({"sex": sex, "region": region, "weight": 10.0 + 3 * sex + region})
    frame["wage"] = rng.lognormal(7, 1, 500).round(2)
    assert design(pf.suggest_roles(frame)) == ("weight", None, None)


def test_subjects_that_are_weighed_once_are_no_strata():
    """As Theoph of R: the weight of the body of each of 12 subjects, with 11 measurements of each."""
    rng = np.random.default_rng(5)
    subject = np.repeat(np.arange(12), 11)
    frame = pd.DataFrame({"Subject": subject, "Wt": rng.uniform(55, 90, 12).round(1)[subject]})
    frame["conc"] = rng.lognormal(1, 1, 132).round(2)
    assert pf.suggest_roles(frame).sampling_stratum is None


@pytest.mark.parametrize(
    ("psu", "stratum", "weight"),
    [
        ("SDMVPSU", "SDMVSTRA", "WTMEC2YR"),
        ("v021", "v022", "v005"),
        ("vpsu", "vstrat", "wtssps"),
        ("psu", "stratum", "weight"),
    ],
)
def test_names_of_survey_programmes(psu, stratum, weight):
    """NHANES, Demographic and Health Surveys, GSS, and the file yrbs of R's survey. Codes of units are nested in strata."""
    rng = np.random.default_rng(5)
    n = 900
    frame = pd.DataFrame({psu: rng.integers(1, 4, n), stratum: rng.integers(75, 90, n)})
    frame[weight] = rng.uniform(2_000, 90_000, n).round(2)
    frame["cholesterol"] = rng.normal(5, 1, n).round(1)
    assert design(pf.suggest_roles(frame)) == (weight, psu, stratum)


def replicates(kind: str) -> pd.DataFrame:
    """300 records in 10 units of 5 strata, with replicate weights rounded as in files."""
    rng = np.random.default_rng(6)
    unit = np.arange(300) // 30
    weight = rng.uniform(800, 5000, 300).round(2)
    half = rng.integers(0, 2, (12, 5))[:, unit // 2] == unit % 2
    left_out = unit == np.arange(10)[:, None]
    in_stratum = unit // 2 == np.arange(10)[:, None] // 2
    factors = {
        "BRR": np.where(half, 2, 0),
        "Fay": np.where(half, 1.7, 0.3),
        "JK1": np.where(left_out, 0, 10 / 9),
        "JKn": np.where(left_out, 0, np.where(in_stratum, 2, 1)),
        # Calibrated again, so that the ratios show no type.
        "": np.where(half, 2, 0) * rng.uniform(0.9, 1.1, (12, 300)),
    }[kind]
    frame = pd.DataFrame({"wage": rng.lognormal(7, 1, 300).round(2), "WTINT2YR": weight})
    return frame.assign(**{f"rep{k + 1}": (row * weight).round(2) for k, row in enumerate(factors)})


@pytest.mark.parametrize("kind", ["BRR", "Fay", "JK1", "JKn", ""])
def test_ratios_to_the_weight_show_the_type_of_replicates(kind):
    """Oracle: the construction, as Wolter (2007) and R's as.svrepdesign have it."""
    frame = replicates(kind)
    roles = pf.suggest_roles(frame)
    assert len(roles.replicate_weights) == frame.shape[1] - 2
    reason = roles.reasons["rep1"]
    if kind:
        assert f'their ratios to the weight are those of `replicate_type="{kind}"`' in reason
    else:
        assert "name `replicate_type` for standard errors by them" in reason


def test_a_weight_of_one_value_has_no_role_in_a_public_file():
    """apiclus1: one weight for all. The defect: it was confidential, which protect() refuses, as it does not vary."""
    frame = schools("clusters").assign(fpc=DISTRICTS)
    weight = pf.suggest_roles(frame).weight
    roles = pf.suggest_roles(frame, product="public")
    assert roles.role_of(weight) == "leave"
    assert all(frame[name].nunique() > 1 for name in roles.dependent)
