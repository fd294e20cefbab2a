"""Tests of gaps and households in public files, which are drawn."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

CODES = {"rent": pf.Variable(missing_codes=[-9, -8]), "age": pf.Variable(missing_codes=[-9])}


def people(n: int = 1500) -> pd.DataFrame:
    """Records whose wage is missing where there is no job; rent has two codes of missing values, one after 60 mostly."""
    rng = np.random.default_rng(1)
    job = rng.integers(0, 3, n)
    age = rng.integers(18, 80, n)
    wage = np.exp(7 + 0.3 * job + 0.4 * rng.normal(size=n)).round()
    rent = (0.3 * wage + 50 * rng.normal(size=n)).round(2)
    frame = pd.DataFrame({"job": np.array(["none", "blue", "white"])[job], "age": age, "wage": wage, "rent": rent})
    frame.loc[job == 0, "wage"] = np.nan
    frame.loc[rng.random(n) < 0.02 + 0.1 * (age > 60), "rent"] = -9
    frame.loc[rng.choice(n, 40, replace=False), "rent"] = -8
    frame.loc[rng.choice(n, 3, replace=False), "age"] = -9
    return frame


@pytest.fixture(scope="module")
def released() -> pf.Protected:
    frame = people()
    roles = pf.Roles(dependent=list(frame.columns), product="public")
    return pf.protect(frame, pf.Sequential(), roles, seed=3, shuffle=False, variables=CODES)


def test_gaps_are_drawn_and_follow_the_other_columns(released: pf.Protected) -> None:
    """Oracle: how the file was made; shares differ by sampling. Grade: identical for the rule, statistical for shares."""
    frame, new = people(), released.frame
    assert (new["wage"].isna() == (new["job"] == "none")).all()
    own, drawn = frame["wage"].isna(), new["wage"].isna()
    both = own.mean() * drawn.mean()  # of independent gaps
    assert abs((own & drawn).mean() - both) < 4 * np.sqrt(both / len(frame))
    for code in (-9, -8):
        expected = (frame["rent"] == code).sum()
        assert abs((new["rent"] == code).sum() - expected) < 4 * np.sqrt(2 * expected)
    old = new["age"] > 60
    assert (new.loc[old, "rent"] == -9).mean() > 2 * (new.loc[~old, "rent"] == -9).mean()


def test_no_released_cell_is_a_gap_filled_or_an_own_value(released: pf.Protected) -> None:
    """Oracle: types and codes of the original; own amounts in cents are equal by chance in few records. Grade: identical."""
    frame, new = people(), released.frame
    assert (new.dtypes == frame.dtypes).all()
    assert new["rent"].notna().all()
    amounts = (frame["rent"] > 0) & (new["rent"] > 0)
    assert (frame["rent"] == new["rent"])[amounts].mean() < 0.01
    assert any("which cells are missing is drawn" in str(note) for note in released.all_notes)


def test_the_gaps_of_a_research_file_are_those_of_its_records() -> None:
    """Oracle: definition. Grade: identical."""
    frame = people()
    roles = pf.Roles(dependent=list(frame.columns))
    new = pf.protect(frame, pf.Sequential(), roles, seed=3, missing="protect", shuffle=False, variables=CODES).frame
    for name, codes in (("rent", [-9, -8]), ("age", [-9])):
        gaps = frame[name].isin(codes)
        assert (new[name].isin(codes) == gaps).all()
        assert (new.loc[gaps, name] == frame.loc[gaps, name]).all()


@pytest.mark.parametrize("method", [pf.Calibrated(), pf.ARF(trees=5), pf.IPSO("C")], ids=str)
@pytest.mark.parametrize("strata", [None, "job"])
def test_every_method_of_numbers_draws_gaps(method: Any, strata: str | None) -> None:
    """Oracle: gaps of another record are equal to the own ones by chance only. Grade: statistical."""
    frame = people(700).assign(wage=lambda d: d["wage"].fillna(1000.0))
    names = [name for name in frame.columns if name != strata]
    product = "public" if strata is None else "research"  # a stratum stays as it is
    roles = pf.Roles(dependent=names, product=product)
    new = pf.protect(
        frame, method, roles, seed=3, missing="protect", shuffle=False, strata=strata, variables=CODES
    ).frame
    own, drawn = frame["rent"].isin([-9, -8]), new["rent"].isin([-9, -8])
    if product == "research":
        assert (own == drawn).all()
    else:
        assert 0 < drawn.sum() < 3 * own.sum()
        assert (own & drawn).sum() < 0.4 * own.sum()


def panel() -> pd.DataFrame:
    """Three periods of 400 units; of `job` a tenth is missing, of `wage` a tenth, and a few have a code."""
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(400), 3)
    n = len(unit)
    base = rng.normal(size=400)[unit]
    job = np.where(base + rng.normal(size=n) > 0, "blue", "white").astype(object)
    job[rng.random(n) < 0.1] = None
    wage = np.exp(7 + 0.5 * base + 0.2 * rng.normal(size=n)).round(2)
    frame = pd.DataFrame({"id": unit, "year": np.tile([1, 2, 3], 400), "job": job, "wage": wage})
    frame.loc[rng.random(n) < 0.1, "wage"] = np.nan
    frame.loc[rng.choice(n, 30, replace=False), "wage"] = -9.0
    return frame


def released_panel() -> pd.DataFrame:
    roles = pf.Roles(dependent=["job", "wage"], unit="id", time="year", product="public")
    codes = {"wage": pf.Variable(missing_codes=[-9])}
    options = {"missing": "protect", "shuffle": False, "variables": codes, "seed": 3}
    return pf.protect(panel(), pf.Sequential(), roles, **options).frame


def test_gaps_of_numbers_of_units_are_drawn_in_a_public_file() -> None:
    """Oracle: as many gaps and codes as in the original, in other records; no own amount. Grade: statistical."""
    frame, new = panel(), released_panel()
    own, drawn = frame["wage"].isna(), new["wage"].isna()
    assert abs(drawn.sum() - own.sum()) < 4 * np.sqrt(2 * own.sum())
    assert (own & drawn).sum() < 0.4 * own.sum()
    assert abs((new["wage"] == -9).sum() - 30) < 4 * np.sqrt(60)
    assert ((frame["wage"] == new["wage"]) & (frame["wage"] > 0)).mean() < 0.01


def test_members_of_a_household_fit_together_in_a_public_file() -> None:
    """Oracle: how the file was made: partners of different sex whose ages are near. Grade: identical, and statistical."""
    rng = np.random.default_rng(2)
    first = rng.integers(25, 80, 300)
    ages = np.column_stack([first, first + rng.integers(-4, 5, 300)]).ravel()
    frame = pd.DataFrame({"household": np.repeat(np.arange(300), 2), "sex": ["f", "m"] * 300, "age": ages})
    frame["income"] = np.exp(rng.normal(size=600)).round(2)
    roles = pf.Roles(dependent=["sex", "age", "income"], household="household", product="public")
    new = pf.protect(frame, pf.Sequential(), roles, seed=1).frame
    couples = new.groupby("household")
    assert (couples["sex"].nunique() == 2).all()
    assert couples["age"].agg(np.ptp).mean() < 4  # 2.2 in the original, 18 between people drawn alone


@pytest.mark.parametrize("product", ["public", "research"])
def test_only_gaps_of_the_record_are_a_key(product: Any) -> None:
    """Oracle: 40 records with a gap in one of 40 columns each are unique by it, where gaps stay. Grade: identical."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(1000, 8)).round(3), columns=[f"x{j}" for j in range(8)])
    patterns = rng.random((1000, 8)) < 0.3
    frame = frame.mask(patterns)
    roles = pf.Roles(dependent=list(frame.columns), product=product)
    released = pf.protect(frame, pf.Sequential(), roles, seed=3, missing="protect")
    [test] = [test for test in pf.evaluate(frame, released).verdict.tests if test.key == "sample_uniques"]
    assert test.status == ("pass" if product == "public" else "hold")
