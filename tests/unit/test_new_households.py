"""Households of public files: members fit together and in themselves, ids are new."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pyfcrm as pf

ROLES = pf.Roles(dependent=["relation", "age", "size", "income"], household="hid", unit="pid", product="public")
LEVELS = ("head", "partner", "child")


def people(households: int = 600, *, text: bool = True) -> pd.DataFrame:
    """Households of a head, a partner of about the same age, and children; three have 9 members. A tenth of incomes is missing."""
    rng = np.random.default_rng(2)
    sizes = rng.choice([1, 2, 3, 4, 5], households, p=[0.3, 0.32, 0.2, 0.13, 0.05])
    sizes[:3] = 9
    rows = []
    for household, size in enumerate(sizes):
        head = rng.integers(25, 85)
        for k in range(size):
            age = head if k == 0 else head + rng.integers(-5, 6) if k == 1 else max(0, head - rng.integers(20, 40))
            ids = (f"h{household}", f"p{household}-{k}") if text else (household, 100 * household + k)
            rows.append((*ids, LEVELS[min(k, 2)], age, size, np.exp(7 + rng.normal()).round(2)))
    frame = pd.DataFrame(rows, columns=["hid", "pid", "relation", "age", "size", "income"])
    frame.loc[rng.random(len(frame)) < 0.1, "income"] = np.nan
    return frame


def sizes_of(frame: pd.DataFrame) -> pd.Series:
    return frame.groupby("hid").size()


@pytest.fixture(scope="module", params=[pf.Sequential(), pf.Calibrated()], ids=str)
def released(request: Any) -> pf.Protected:
    return pf.protect(people(), request.param, ROLES, seed=5)


def test_sizes_of_households_are_drawn(released: pf.Protected) -> None:
    """Oracle: draws from the original's table of sizes, those of 5 and more together. Grade: identical, and statistical for the table.

    With as many of each size as in the file, who knows all households but one would learn the size of this one.
    """
    frame, new = people(), released.frame
    own, drawn = (sizes_of(each).clip(upper=5).value_counts().sort_index() for each in (frame, new))
    assert drawn.sum() == own.sum()
    assert drawn.to_dict() != own.to_dict()
    squares = ((drawn - own) ** 2 / own).sum()
    assert squares < 13.3  # the 99 % point of chi-square with 4 degrees of freedom


def test_no_household_is_as_large_as_only_few(released: pf.Protected) -> None:
    """Oracle: three of 600 have 9 members, and 5 are what ten reach. Grade: identical."""
    assert sizes_of(released.frame).max() == 5


def test_members_fit_together(released: pf.Protected) -> None:
    """Oracle: how the file was made. Grade: identical, and statistical for ages."""
    new = released.frame
    assert (new["size"] == new.groupby("hid")["hid"].transform("size")).all()
    relations = new.groupby("hid")["relation"]
    assert (relations.apply(lambda each: (each == "head").sum()) == 1).all()
    first, second = new[new["relation"] == "head"], new[new["relation"] == "partner"]
    ages = (
        first.set_index("hid")["age"]
        .to_frame("head")
        .join(second.set_index("hid")["age"].rename("partner"), how="inner")
    )
    assert (ages["head"] - ages["partner"]).abs().mean() < 8  # 2.7 in the original, 20 between people drawn alone
    assert abs(new["income"].isna().mean() - 0.1) < 4 * np.sqrt(2 * 0.09 / len(new))


@pytest.mark.parametrize("method", [pf.Sequential(), pf.Calibrated()], ids=str)
def test_what_is_true_of_a_person_stays(method: Any) -> None:
    """Oracle: how the file was made: who is below 16 has no hours, and who has no hours no pay. Grade: statistical, 1 % of the members.

    Trees of households alone have too few of each size to find it: of 4 and 9 % of the members age and gap did not fit together.
    """
    frame = people(400)
    rng = np.random.default_rng(3)
    frame["hours"] = np.where(frame["age"] < 16, np.nan, rng.choice([0, 20, 40], len(frame)))
    frame["pay"] = frame["hours"] * np.exp(rng.normal(2, 0.3, len(frame))).round(2)
    roles = pf.Roles(dependent=[*ROLES.dependent, "hours", "pay"], household="hid", unit="pid", product="public")
    new = pf.protect(frame, method, roles, seed=5).frame
    assert ((new["age"] < 16) != new["hours"].isna()).mean() < 0.01
    assert (new["hours"].isna() != new["pay"].isna()).mean() < 0.01
    assert ((new["hours"] == 0) != (new["pay"] == 0)).mean() < 0.01


@pytest.mark.parametrize("text", [True, False])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_ids_are_new(text: bool, library: str) -> None:
    """Oracle: numbers from 1, one household after another, as text where they were text. Grade: identical."""
    frame = people(200, text=text)
    source = frame if library == "pandas" else pl.from_pandas(frame)
    new = pf.protect(source, pf.Sequential(), ROLES, seed=1).frame
    assert type(new) is type(source)
    if library == "polars":
        assert new.schema == source.schema
        new = new.to_pandas()
    assert new.dtypes.astype(str).tolist() == frame.dtypes.astype(str).tolist()
    assert sorted(new["pid"].astype(int)) == list(range(1, len(new) + 1))
    assert sorted(new["hid"].astype(int).unique()) == list(range(1, 201))
    assert (new["hid"] != new["hid"].shift()).sum() == 200
    assert new["hid"].astype(int).iloc[0] != 1 or new["hid"].astype(int).iloc[-1] != 200


def test_a_seed_repeats_the_release() -> None:
    """Oracle: the same call. Grade: identical."""
    one, other = (pf.protect(people(200), pf.Sequential(), ROLES, seed=7).frame for _ in range(2))
    pd.testing.assert_frame_equal(one, other)


def test_records_of_new_households_pair_with_no_original(released: pf.Protected) -> None:
    """Oracle: a drawn household is nobody's. Grade: identical."""
    assert released.rows == (None,)
    tests = {test.key: test.status for test in pf.evaluate(people(), released).verdict.tests}
    assert tests["linkage"] == tests["dependence"] == tests["order"] == "not applicable"
    assert tests["sample_uniques"] == "pass"


@pytest.mark.slow
def test_the_audit_attacks_new_households() -> None:
    """Oracle: nothing is left unexamined. Grade: identical."""
    frame = people(250)
    released = pf.protect(frame, pf.Sequential(), ROLES, seed=5)
    tests = {test.key: test.status for test in pf.evaluate(frame, released, audit=True).verdict.tests}
    assert "not examined" not in tests.values()


def test_households_of_a_research_file_keep_their_sizes() -> None:
    """Oracle: definition. Grade: identical."""
    frame = people(200)
    roles = pf.Roles(dependent=["relation", "age", "size", "income"], household="hid", unit="pid")
    new = pf.protect(frame, pf.Sequential(), roles, seed=5, missing="protect", shuffle=False).frame
    assert sizes_of(new).sort_index().value_counts().equals(sizes_of(frame).value_counts())
    assert len(new) == len(frame)


def test_a_text_of_many_levels_may_differ_in_most_large_households() -> None:
    """Of 24 households of four, most third members have an occupation of their own, but all occupations repeat in the file."""
    rng = np.random.default_rng(4)
    household = np.repeat(np.arange(124), np.repeat([1, 4], [100, 24]))
    jobs = np.array([f"job {k}" for k in range(40)])
    frame = pd.DataFrame({
        "hid": household, "pid": np.arange(len(household)), "job": jobs[rng.integers(0, 40, len(household))],
        "pay": rng.integers(100, 900, len(household)),
    })  # fmt: skip
    roles = pf.Roles(dependent=["job", "pay"], household="hid", unit="pid", product="public")
    assert len(pf.protect(frame, pf.Sequential(), roles, seed=1).frame)


def test_the_audit_splits_the_file_by_households() -> None:
    """Oracle: definition: members of a household share values, so that none may be outside while others are protected. Grade: identical."""
    frame = people(150)
    audit = pf.audit(frame, pf.Sequential(), ROLES, repeats=1, shadows=0)
    assert any("the records of each hid are protected, or not, together" in note for note in audit.notes)
