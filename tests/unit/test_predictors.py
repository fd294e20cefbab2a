"""Categorical predictors: pooling of levels by its definition, and group means and regressions that IPSO-C keeps. Close: 1e-9."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.data.frame import open_frame
from pyfcrm.data.predictors import coded_predictors
from pyfcrm.methods.donors import donors_near

ROLES = pf.Roles(["sex", "region", "age"], ["wage"])


def workers(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "sex": rng.choice(["Male", "Female"], n),
        "region": rng.choice(["N", "S", "E", "W"], n, p=[0.4, 0.25, 0.34, 0.01]),
        "age": rng.integers(18, 80, n),
    })  # fmt: skip
    frame["wage"] = 10 + 3 * (frame.sex == "Male") + 0.1 * frame.age + rng.normal(size=n)
    return frame


def design(frame: pd.DataFrame, roles: pf.Roles = ROLES) -> pd.DataFrame:
    opened = open_frame("test", frame)
    coded = coded_predictors("test", opened, roles)
    return pd.DataFrame({name: coded.frame(opened).values(name) for name in coded.roles.independent})


def test_each_level_but_the_first_has_a_column_of_0_and_1() -> None:
    frame = workers()
    columns = design(frame)
    np.testing.assert_array_equal(columns["sex: Male"], frame.sex == "Male")
    assert "sex: Female" not in columns


def test_a_level_of_fewer_than_10_records_is_pooled_with_the_smallest_other() -> None:
    frame = workers()
    few = frame.region == "W"
    assert few.sum() < 10
    smallest = frame.region.value_counts().drop("W").idxmin()
    [pooled] = [name for name in design(frame) if " or " in name]
    assert pooled == f"region: {' or '.join(sorted([smallest, 'W']))}"
    np.testing.assert_array_equal(design(frame)[pooled], frame.region.isin([smallest, "W"]))


def test_a_level_whose_total_one_record_dominates_is_pooled() -> None:
    frame = workers()
    frame.loc[frame.index[frame.region == "S"][0], "wage"] = 1e6
    assert not [name for name in design(frame) if name == "region: S"]


@pytest.mark.parametrize("name", ["a {b}", "{", "{columns}"])
def test_the_notes_name_a_column_with_braces(name) -> None:
    frame = workers().rename(columns={"region": name})
    notes = coded_predictors("test", open_frame("test", frame), pf.Roles(["sex", name], ["wage"])).notes
    assert f"levels of `{name}` with fewer than 10 records" in notes[0]
    with_one = pf.Roles(name, ["wage"])
    notes = coded_predictors(
        "test", open_frame("test", frame.assign(**{name: np.arange(400).astype(str)})), with_one
    ).notes
    assert notes[0].startswith(f"`{name}` explains nothing")


def test_a_column_without_a_safe_level_explains_nothing() -> None:
    frame = workers(30)
    frame["city"] = [f"c{k}" for k in range(30)]
    roles = pf.Roles(["city", "age"], ["wage"])
    frame = frame.assign(wage=[1e6, *np.ones(29)])
    assert list(design(frame, roles)) == ["age"]
    [note] = coded_predictors("test", open_frame("test", frame), roles).notes
    assert "group means change" in note


def test_ipso_c_keeps_group_means_and_regressions() -> None:
    frame = workers()
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, variables="numbers")
    pd.testing.assert_series_equal(
        frame.groupby("sex").wage.mean(), released.frame.groupby("sex").wage.mean(), rtol=1e-9
    )
    assert pf.analyse(frame, released, "wage ~ sex + age").distance.max() < 1e-7


@pytest.mark.parametrize("library", [pl.from_pandas, lambda f: pa.Table.from_pandas(f, preserve_index=False)])
def test_other_libraries_give_the_same(library) -> None:
    frame = workers()
    expected = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1).frame.wage
    released = open_frame("test", pf.protect(library(frame), pf.IPSO("C"), ROLES, seed=1).frame)
    np.testing.assert_array_equal(released.values("wage"), expected)


def test_categories_and_flags_are_predictors() -> None:
    frame = workers()
    as_text = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1).frame.wage
    as_category = pf.protect(
        frame.astype({"sex": "category", "region": "category"}), pf.IPSO("C"), ROLES, seed=1
    ).frame.wage
    np.testing.assert_array_equal(as_text, as_category)
    flagged = frame.assign(sex=frame.sex == "Male")
    np.testing.assert_array_equal(as_text, pf.protect(flagged, pf.IPSO("C"), ROLES, seed=1).frame.wage)


def test_dates_are_days() -> None:
    frame = workers().assign(age=lambda f: pd.Timestamp("2000-01-01") + pd.to_timedelta(f.age, "D"))
    np.testing.assert_allclose(design(frame)["age"] - 10957, workers().age)  # days of 2000-01-01 since 1970


@pytest.mark.parametrize(
    ("method", "strata"),
    [
        (pf.IPSO("C"), None),
        (pf.FCRM(2), None),
        (pf.FCRM(2, basis="rbf"), None),
        (pf.FCRM(2, release="draw"), ["half"]),
    ],
    ids=str,
)
def test_a_file_read_by_blocks_gives_the_same(method, strata, tmp_path) -> None:
    frame, path, output = workers(), tmp_path / "in.parquet", tmp_path / "out.parquet"
    frame["half"] = np.arange(len(frame)) % 2
    frame.to_parquet(path)
    pf.protect(open_data("protect", str(path), whole=False), method, ROLES, seed=1, output=output, strata=strata)
    expected = pf.protect(frame, method, ROLES, seed=1, strata=strata).frame.wage
    np.testing.assert_allclose(pd.read_parquet(output).wage, expected, rtol=1e-9)  # sums by blocks


def test_a_donor_is_the_nearest_record_by_gowers_distance() -> None:
    """Oracle: all pairs, a category counting 0 or 1 and a number in standard deviations. A rare level has no more weight."""
    frame = workers()
    region, age = frame.region.to_numpy(dtype=str), frame.age.to_numpy() + np.random.default_rng(1).uniform(size=400)
    X = np.column_stack([*(region == level for level in "NSW"), age])
    distance = ((age[:, None] - age) / age.std(ddof=1)) ** 2 + (region[:, None] != region)
    np.fill_diagonal(distance, np.inf)
    donors = donors_near("test", X, 1, pf.RStream(1), terms=[range(3)])
    np.testing.assert_array_equal(donors, distance.argmin(axis=1))


@pytest.mark.parametrize(
    "method", [pf.FCRM(2, release="draw", donors=5), pf.FCRM(2, basis="rbf", tol=1e-12, max_iter=2000)], ids=str
)
def test_distances_take_categories_once(method) -> None:
    """Another reference level changes the design's columns, and no distance. Close: the fit ends at 1e-12."""
    frame = workers().assign(region=lambda f: f.region.replace("W", "N"))
    releases = []
    for first in ("N", "S"):
        levels = [first, *(level for level in "NSE" if level != first)]
        coded = frame.assign(region=pd.Categorical(frame.region, levels))
        releases.append(pf.protect(coded, method, ROLES, seed=1, variables="numbers").frame.wage)
    np.testing.assert_allclose(*releases, rtol=1e-6)


def test_a_missing_category_is_a_level_where_its_record_is_protected() -> None:
    frame = workers()
    frame.loc[::7, "sex"] = None
    with pytest.raises(pf.errors.InvalidInput, match="`sex` 58"):
        pf.protect(frame, pf.IPSO("C"), ROLES, seed=1)
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, missing="protect", variables="numbers").frame
    np.testing.assert_allclose(released.wage[::7].mean(), frame.wage[::7].mean(), rtol=1e-9)
    assert released.sex.isna().sum() == frame.sex.isna().sum()
    assert len(pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, missing="drop").frame) == frame.sex.notna().sum()


@pytest.mark.slow
def test_value_labels_make_codes_categories(tmp_path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    frame, path = workers().assign(sex=lambda f: (f.sex == "Male") + 1.0), tmp_path / "in.sav"
    pyreadstat.write_sav(frame, str(path), variable_value_labels={"sex": {1.0: "Female", 2.0: "Male"}})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = pf.read_table(str(path))
    for data in (str(path), read):  # the labels of a frame are its attributes
        assert "sex: Male" in coded_predictors("test", open_data("test", data), ROLES).roles.independent
