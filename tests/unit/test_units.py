"""Units with several records: protected together, with new ids.

Oracle: numpy on the files before and after; first and second moments of a wide file under IPSO-C, which keeps them.
"""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import poisson

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter

METHOD = pf.IPSO("C")
ROLES = pf.Roles(["sex", "age"], ["wage"], unit="id", time="year")


def panel(units=60, periods=4, seed=0):
    """A panel in no order; the level of a unit stays, so that wages correlate over time."""
    rng = np.random.default_rng(seed)
    wage = 10 + rng.normal(size=(units, 1)) + 0.5 * rng.normal(size=(units, periods))
    long = pd.DataFrame(
        {
            "id": np.repeat([f"p{k}" for k in range(units)], periods),
            "year": np.tile(2000 + np.arange(periods), units),
            "sex": np.repeat(rng.choice(["f", "m"], units), periods),
            "age": np.repeat(rng.integers(20, 60, units), periods),
            "wage": wage.ravel().round(2),
        }
    )
    return long.sample(frac=1, random_state=1)


def wide(frame):
    return frame.pivot(index="id", columns="year", values="wage")


def test_moments_over_time_stay():
    frame = panel()
    released = pf.protect(frame, METHOD, ROLES, seed=1, variables="numbers").frame
    assert released.index.equals(pd.RangeIndex(len(frame)))
    released = released.set_axis(frame.index)  # records stay in their order
    assert (released.dtypes == frame.dtypes).all()
    assert np.allclose(wide(released).cov(), wide(frame).cov())
    for key in ("sex", "year"):
        assert np.allclose(released.groupby(key).wage.mean(), frame.groupby(key).wage.mean())
    assert not np.isclose(released.wage, frame.wage).any()


@pytest.mark.parametrize("method", [METHOD, pf.Calibrated(METHOD)], ids=str)
def test_structure_is_kept_in_every_period(method):
    """Oracle: the balance of the file before and after. Grade: identical, in whole numbers."""
    frame = panel().assign(wage=lambda f: (100 * f.wage).round(), bonus=lambda f: (f.wage * f.age % 977).round())
    frame["total"] = frame.wage + frame.bonus
    roles = pf.Roles(["sex", "age"], ["total", "wage", "bonus"], unit="id", time="year")
    released = pf.protect(frame, method, roles, seed=1, structure="find")
    assert (released.frame.total == released.frame.wage + released.frame.bonus).all()
    assert any("found in the original" in note for note in released.notes)


def test_ids_are_permuted_numbers_in_their_type():
    frame = panel()
    for code in (str, lambda one: int(one[1:]) + 500):
        own = frame.assign(id=frame.id.map(code))
        released = pf.protect(own, METHOD, ROLES, seed=1).frame.set_axis(own.index)
        pairs = pd.DataFrame({"old": own.id, "new": released.id}).drop_duplicates()
        assert len(pairs) == 60
        assert sorted(pairs.new.astype(int)) == list(range(1, 61))
        assert released.id.dtype == own.id.dtype
    table = pl.from_pandas(frame.reset_index(drop=True))
    assert pf.protect(table, METHOD, ROLES, seed=1).frame["id"].dtype == pl.String


def test_units_with_rare_periods_are_pooled():
    frame = panel(units=80).drop(index=range(0, 40, 4))  # ten units lack the first period
    released = pf.protect(frame, METHOD, ROLES, seed=1)
    assert len(released.frame) == len(frame)
    assert not released.frame.wage.isna().any()
    assert any("1 group" in note or "one group" in note for note in released.notes)
    long = released.frame.set_axis(frame.index).merge(frame.drop(columns="wage"), left_index=True, right_index=True)
    assert long.groupby("id_y").id_x.nunique().max() == 1


def test_a_household_column_has_one_value_in_each_household():
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 4, 150)
    frame = pd.DataFrame(
        {
            "hid": np.repeat(np.arange(150) + 7, sizes),
            "size": np.repeat(sizes, sizes),
            "income": np.repeat(rng.lognormal(7, 0.5, 150).round(), sizes),
            "wage": rng.lognormal(6, 0.5, sizes.sum()).round(),
        }
    )
    released = pf.protect(frame, METHOD, pf.Roles("size", ["income", "wage"], household="hid"), seed=1).frame
    assert released.groupby("hid").income.nunique().max() == 1
    assert (released.groupby("hid")["size"].size() == released.groupby("hid")["size"].first()).all()
    assert released.groupby("hid").wage.nunique().max() > 1


def test_refusals():
    frame = panel()
    with pytest.raises(InvalidInput, match="at least 15 units"):
        pf.protect(frame[frame.id.isin([f"p{k}" for k in range(12)])], METHOD, ROLES)
    with pytest.raises(InvalidInput, match="once at most"):
        pf.protect(pd.concat([frame, frame.iloc[:1]]), METHOD, ROLES)
    with pytest.raises(InvalidParameter, match="constant within"):
        pf.protect(frame, METHOD, ROLES, strata="year")
    with pytest.raises(InvalidParameter, match="`preserve` must be constant within"):
        pf.protect(frame, METHOD, ROLES, preserve="year")
    homes = frame.assign(home=frame.id.str[1:].astype(int) // 2, rent=frame.id.str[1:].astype(int) // 2)
    with pytest.raises(InvalidInput, match="share cannot stay so"):
        pf.protect(homes, METHOD, pf.Roles("age", "rent", unit="id", time="year", household="home"))


def test_a_manifest_reproduces_a_file_of_units(tmp_path):
    source, output, manifest = (tmp_path / name for name in ("in.csv", "out.csv", "m.json"))
    panel().to_csv(source, index=False)
    pf.protect_file(source, output, METHOD, ROLES, manifest=manifest)
    assert json.loads(manifest.read_text())["roles"]["unit"] == "id"
    assert pf.verify(manifest, output, source).ok


@pytest.mark.slow
def test_uniques_are_units_and_audits_split_by_unit():
    frame = panel(units=120, periods=3)
    released = pf.protect(frame, METHOD, ROLES, seed=1)
    kept = pf.evaluate(frame, released).kept
    assert (kept.what, kept.records) == ("units", 120)
    keys = frame[["year", "sex", "age"]].apply(tuple, axis=1)
    alone = keys.map(frame.id.groupby(keys).nunique()) == 1
    assert kept.together == frame.id[alone].nunique()
    copied = released.frame.copy()
    own = frame.id.isin(sorted(frame.id.unique())[:6])
    copied.loc[own.to_numpy(), "wage"] = frame.wage[own].to_numpy()  # the release is numbered anew
    for roles in (ROLES, pf.Roles(["sex", "age"], ["wage"], household="id")):
        test = pf.evaluate(frame, copied, roles=roles).verdict["unprotected"]
        assert test.reason.startswith("8 of 120 units keep every confidential value")  # six copied, and two by chance
        assert test.found[0] == 8 - poisson.ppf(0.99, 1.1 * 1.2)
    audit = pf.audit(frame, METHOD, ROLES, repeats=1, shadows=0)
    assert audit.records == 120
