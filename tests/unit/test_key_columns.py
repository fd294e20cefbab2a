"""Which columns count as released unchanged, and units that are unique by all of their records.

Oracle: the rules of the page "Verdict" by hand, brute force over units. Grade: identical.
"""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from support.business_file import business_columns

import pyfcrm as pf
from pyfcrm.data import SampleUniques, open_frame
from pyfcrm.data.column_facts import unique_units
from pyfcrm.evaluation.risk.split_identifier import split_identifier

AMOUNTS = ["wage", "debt"]
ROLES = pf.Roles(["region", "size"], AMOUNTS)
METHOD = pf.Calibrated(pf.IPSO("C"))


def survey(n=400, seed=5):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        business_columns(n, rng)
        | {
            "latitude": rng.uniform(40, 50, n),
            "birth": rng.integers(19300101, 20051231, n).astype(float),
            "name": [f"Person {k}" for k in range(n)],
        }
    )


def uniques(frame, released, roles=ROLES):
    return pf.evaluate(frame, released, roles=roles, method=METHOD, measures="pil").kept


@pytest.fixture(scope="module")
def frame():
    return survey()


@pytest.fixture(scope="module")
def released(frame):
    return pf.protect(frame, METHOD, ROLES, seed=pf.RStream(1)).frame


def _corrected(z):
    z.loc[3, "birth"] += 1


def _rounded(z):
    z["latitude"] = z["latitude"].round(5)


def _single(z):
    z["latitude"] = z["latitude"].astype("float32")


def _as_text(z):
    z["latitude"] = z["latitude"].map("{:.6f}".format)


def _shifted(z):
    z["latitude"] = z["latitude"] + np.random.default_rng(1).normal(0, 0.05, len(z))


def _small_letters(z):
    z["name"] = z["name"].str.lower()
    z.loc[0, "name"] = "unknown"


def _reversed(z):
    z["latitude"] = 90 - z["latitude"]


def _with_hyphens(z):
    z["name"] = z["name"].str.replace(" ", "-")


def _backwards(z):
    z["name"] = z["name"].str[::-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "name"),
    [
        (_corrected, "birth"),
        (_rounded, "latitude"),
        (_single, "latitude"),
        (_as_text, "latitude"),
        (_shifted, "latitude"),
        (_small_letters, "name"),
        (_reversed, "latitude"),
        (_with_hyphens, "name"),
        (_backwards, "name"),
    ],
)
def test_an_edited_column_is_a_key_variable_as_the_honest_one_is(frame, released, edit, name):
    edited = released[["region", "size", *AMOUNTS, name]].copy()
    edit(edited)
    kept = uniques(frame, edited)
    assert name in kept.columns
    assert kept.together > 0.95 * len(frame)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "codes"])
@pytest.mark.parametrize("renamed", [True, False])
def test_columns_whose_values_were_renamed_are_key_variables(frame, released, kind, renamed):
    """Translated regions tell what the former ones do. The defect: they were no key variables, as no cell is equal. Drawn anew
    they are none."""
    rng = np.random.default_rng(3)
    places = {name: rng.integers(0, 12, len(frame)) for name in ("a", "b", "c")}
    values = np.arange(12) if kind == "codes" else np.array([*"abcdefghijkl"])
    others = np.roll(values, 5) if kind == "codes" else np.array([*"mnopqrstuvwx"])
    honest = frame[["region", "size", *AMOUNTS]].assign(**{name: values[place] for name, place in places.items()})
    if not renamed:
        places = {name: rng.permutation(place) for name, place in places.items()}
    edited = released[["region", "size", *AMOUNTS]].assign(**{name: others[place] for name, place in places.items()})
    kept = uniques(honest, edited)
    assert ({"a", "b", "c"} <= {*kept.columns}) == renamed
    assert (kept.together > 0.9 * len(frame)) == renamed


@pytest.mark.slow
def test_a_predictor_in_another_unit_is_a_key_variable(frame):
    """Defect: a predictor explained its own ranks, so that latitude * 2 + 3 was no key variable, and the verdict passed."""
    roles = pf.Roles(["region", "latitude"], AMOUNTS)
    frame = frame[["region", "latitude", *AMOUNTS]]
    released = pf.protect(frame, METHOD, roles, seed=pf.RStream(1), allow_unprotected=True, shuffle=False).frame
    in_other_unit = released.assign(latitude=2 * released["latitude"] + 3)
    found = pf.evaluate(frame, in_other_unit, roles=roles, method=METHOD, measures="pil", paired=True)
    assert found.verdict["sample_uniques"].status == "hold"


def test_another_draw_of_a_column_is_no_key_variable(frame, released):
    other = survey(seed=6)
    replaced = released.assign(latitude=other["latitude"], birth=other["birth"], name=[f"X {k}" for k in range(400)])
    assert uniques(frame, replaced).columns == ("region", "size")


@pytest.mark.slow
def test_confidential_columns_with_zeros_are_no_key_variables():
    """Nine tenths of the amounts are zero, and stay so by chance."""
    frame = survey()
    rng = np.random.default_rng(3)
    for name in AMOUNTS:
        frame[name] = frame[name].where(rng.random(len(frame)) < 0.1, 0.0)
    released = pf.protect(frame, METHOD, ROLES, seed=pf.RStream(2)).frame
    assert not {*AMOUNTS} & {*uniques(frame, released).columns}


@pytest.mark.slow
def test_a_confidential_column_that_is_rounded_only_is_a_key_variable(frame, released):
    copied = released.assign(debt=frame["debt"] * (1 + 1e-6))
    assert "debt" in uniques(frame, copied).columns


@pytest.mark.parametrize("in_order", [False, True])
def test_a_unit_is_unique_by_all_of_its_records(in_order):
    rng = np.random.default_rng(2)
    units = np.sort(rng.integers(0, 60, 150))
    codes = rng.integers(-1, 2, 150)
    shuffled = rng.permutation(150)
    units, codes = units[shuffled], codes[shuffled]
    order = np.arange(150) if in_order else None
    of_units = [codes[units == unit].tolist() for unit in np.unique(units)]
    records = Counter(tuple(unit) if in_order else tuple(sorted(unit)) for unit in of_units)
    assert unique_units(codes, units, order) == sum(count == 1 for count in records.values())


@pytest.mark.slow
def test_households_that_are_unique_by_their_composition_are_held():
    """Ages and sexes of all members: nobody is unique, and every household is."""
    rng = np.random.default_rng(2)
    household = np.repeat(np.arange(300), rng.integers(3, 7, 300))
    n = len(household)
    frame = pd.DataFrame(
        {
            "hid": household,
            "age": rng.integers(0, 90, n) // 2 * 2.0,
            "sex": rng.choice(["f", "m"], n),
            "wage": np.round(np.exp(7 + 0.5 * rng.standard_normal(n))),
        }
    )
    roles = pf.Roles(["age", "sex"], ["wage"], household="hid")
    report = pf.evaluate(frame, pf.protect(frame, METHOD, roles, seed=pf.RStream(1)), measures="pil")
    composition = frame.groupby("hid")[["age", "sex"]].apply(
        lambda members: tuple(sorted(map(tuple, members.to_numpy())))
    )
    assert report.kept.together == (~composition.duplicated(keep=False)).sum()
    assert report.verdict["sample_uniques"].status == "hold"


def with_weights(frame, seed=1):
    return frame.assign(w=np.random.default_rng(seed).uniform(700, 1500, len(frame)).round())


@pytest.mark.slow
def test_with_weights_birth_date_and_occupation_are_held():
    """All records are unique on six keys; 97 per cent of them are unique in the population, too, by the model."""
    frame = with_weights(survey(600)[["region", "size", *AMOUNTS]])
    rng = np.random.default_rng(4)
    for name, low, high in (("year", 1940, 2005), ("month", 1, 13), ("day", 1, 29), ("occupation", 1, 60)):
        frame[name] = rng.integers(low, high, 600).astype(float)
    roles = pf.Roles(["region", "size"], AMOUNTS, weight="w")
    found = pf.evaluate(frame, pf.protect(frame, METHOD, roles, seed=pf.RStream(1)), measures="pil").verdict
    assert found["key_risk"].status == "hold"
    assert found["key_risk"].found[1] > 80
    assert found["sample_uniques"].status == "pass"
    assert (
        "600 of 600 records are unique on region, size, year, month, day, occupation" in found["sample_uniques"].reason
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", [400, 410])
def test_a_number_split_into_two_columns_is_held(n):
    frame = survey(n)[["region", "size", *AMOUNTS]]
    number = np.random.default_rng(3).permutation(n)
    frame = frame.assign(area=number // 20 * 1.0, street=number % 20 * 1.0, w=5000.0)
    roles = pf.Roles(["region"], AMOUNTS, weight="w")
    found = pf.evaluate(frame, pf.protect(frame, METHOD, roles, seed=pf.RStream(1)), measures="pil").verdict
    assert found["sample_uniques"].status == "hold"
    assert "`area` and `street` together are an identifier" in found["sample_uniques"].reason
    assert found["sample_uniques"].remedy == "drop `area` and `street`"


def parts(frame, columns):
    """The key variables that are an identifier in parts, and how many records are unique on them."""
    unmodified = SampleUniques(tuple(columns), len(frame), alone={}, pairs={}, together=0)
    found = split_identifier(open_frame("test", frame), unmodified)
    return None if found is None else (set(found.parts), found.unique)


@pytest.mark.parametrize("kind", ["two texts", "three numbers", "one in twenty damaged"])
def test_a_number_in_parts_is_found_among_other_columns(kind):
    """Known truth: the planted parts. Identical."""
    rng = np.random.default_rng(8)
    number = rng.permutation(600)
    others = {"age": rng.integers(18, 80, 600), "size": rng.integers(1, 6, 600), "one": np.ones(600)}
    if kind == "two texts":
        planted = {"a": [f"K{v:02d}" for v in number // 25], "b": [f"x{v}" for v in number % 25]}
    elif kind == "three numbers":
        planted = {"a": number // 75, "b": number // 8 % 10, "c": number % 8}
    else:
        planted = {"a": np.where(rng.random(600) > 0.05, number // 25, 3), "b": number % 25}
    frame = pd.DataFrame(others | planted)
    found = parts(frame, frame.columns)
    assert found is not None
    assert found[0] == set(planted)
    assert found[1] == (~frame.duplicated(list(planted), keep=False)).sum()


@pytest.mark.parametrize("seed", range(5))
def test_independent_and_related_columns_are_no_number_in_parts(seed):
    """A birth date in three columns, an age that follows from it, an exclusive pair of flags, and unique measurements."""
    rng = np.random.default_rng(seed)
    year = rng.integers(1940, 2005, 500)
    flag = rng.random(500) < 0.3
    frame = pd.DataFrame(
        {
            "year": year, "month": rng.integers(1, 13, 500), "day": rng.integers(1, 29, 500), "age": 2020 - year,
            "flag": flag, "other": ~flag & (rng.random(500) < 0.3), "measured": rng.normal(size=500),
        }
    )  # fmt: skip
    assert parts(frame, frame.columns) is None


@pytest.mark.slow
def test_a_simulated_survey_has_no_population_uniques():
    """Per cent of the records: none has a risk above 0.1, and less than 0.1 re-identifications in 100 records are expected."""
    frame = pf.datasets.survey()
    roles = pf.Roles(["age", "hours", "size"], ["wage", "rent", "tax"], identifiers="name", weight="weight")
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=pf.RStream(1), strata="stratum")
    high, expected = pf.evaluate(frame, released, measures="pil").verdict["key_risk"].found
    assert high == 0
    assert expected < 0.5
