"""protect() finds rules between columns and keeps them, with methods whose release looks like the original's.

Identical, on files made here: by hand, a rule that the original keeps is one that the release keeps.
"""

import numpy as np
import pandas as pd
import pytest
from support.data import CENSUS_PATH, S1_DEPENDENT, S1_INDEPENDENT, requires_census

import pyfcrm as pf
from pyfcrm.datasets import CENSUS_COLUMNS, census
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.measures.pil import pil

KEEPING = [pf.Calibrated(pf.IPSO("C")), pf.Sequential(), pf.ARF(trees=3), pf.FCRM(2, release="model")]
WORK = pf.Roles(["hours", "age"], ["wage", "bonus", "education", "experience", "total", "double", "low", "high"])


def workers(n=600, seed=1, odd=0):
    """Workers have a wage, some of them a bonus; sums, multiples, an order. `odd` persons without hours have a wage."""
    rng = np.random.default_rng(seed)
    hours = np.where(rng.random(n) < 0.3, 0, rng.choice([20, 40], n))
    age = rng.integers(25, 66, n)
    education = rng.integers(8, 18, n)
    wage = np.where(hours == 0, 0, np.round(hours * rng.lognormal(3, 0.4, n), 2) + 1)
    wage[np.flatnonzero(hours == 0)[:odd]] = 777.0
    bonus = np.where((wage > 0) & (rng.random(n) < 0.4), np.round(wage * rng.random(n), 2) + 1, 0)
    low = np.round(rng.lognormal(3, 1, n), 2)
    return pd.DataFrame(
        {
            "hours": hours,
            "age": age,
            "wage": wage,
            "bonus": bonus,
            "education": education,
            "experience": age - education - 6,
            "total": np.round(wage + bonus, 2),
            "double": 2 * wage,
            "low": low,
            "high": np.round(low + np.where(rng.random(n) < 0.3, 0, rng.lognormal(2, 1, n)), 2),
        }
    )


def assert_rules(Z):
    """The rules of workers(), in every record."""
    assert ((Z["hours"] == 0) == (Z["wage"] == 0)).all()
    assert not ((Z["wage"] == 0) & (Z["bonus"] != 0)).any()
    assert (Z["experience"] == Z["age"] - Z["education"] - 6).all()
    np.testing.assert_allclose(Z["total"], Z["wage"] + Z["bonus"], atol=1e-9)
    np.testing.assert_allclose(Z["double"], 2 * Z["wage"], atol=1e-9)
    assert (Z["low"] <= Z["high"]).all()


@pytest.mark.slow
@pytest.mark.parametrize("odd", [0, 1])
@pytest.mark.parametrize("method", KEEPING, ids=str)
def test_rules_are_kept_by_default(method, odd):
    """One person with a wage and no hours does not switch the rule off."""
    release = pf.protect(workers(odd=odd), method, WORK, seed=1)
    assert_rules(release.frame)


def test_notes_name_the_rules_without_counts():
    release = pf.protect(workers(odd=1), pf.Calibrated(pf.IPSO("C")), WORK, seed=1)
    found = " ".join(note for note in release.all_notes if note.startswith("found in"))
    for rule in ("hours, wage, total and double", "zero together", "low is at most high", "experience"):
        assert rule in found
    assert "600" not in found
    assert "599" not in " ".join(release.all_notes)
    assert not any("breaks" in note for note in release.all_notes)


def test_readme_people_without_hours_have_no_wage():
    """The README's release. The defect: 22 of 739 people without hours got a wage, and 32 paid tax without one."""
    frame = pf.datasets.survey()
    roles = pf.suggest_roles(frame)
    method = pf.Calibrated(pf.IPSO("C"))
    Z = pf.protect(frame, method, roles, missing="protect", preserve=["region"], seed=1).frame
    known = Z["wage"].notna()
    assert ((Z["hours"] == 0) == (Z["wage"] == 0))[known].all()
    assert not ((Z["tax"] > 0) & (Z["wage"] == 0)).any()


@pytest.mark.parametrize("method", [pf.IPSO("C"), pf.Calibrated(pf.IPSO("C"), margins=None)], ids=str)
def test_methods_with_exact_moments_keep_none_by_default(method):
    """Oracle: the release without structure, which needs no rule. Identical."""
    frame = workers()
    release = pf.protect(frame, method, WORK, seed=1)
    pd.testing.assert_frame_equal(release.frame, pf.protect(frame, method, WORK, seed=1, structure=None).frame)


@pytest.mark.parametrize("codes", ["text", "numbers"])
@pytest.mark.parametrize("confidential", ["inner", "outer", "both"])
@pytest.mark.parametrize("method", [pf.Calibrated(pf.IPSO("C")), pf.Sequential()], ids=str)
def test_codes_stay_nested(method, confidential, codes):
    """Each municipality of the release lies in its region. The original's map is the oracle."""
    rng = np.random.default_rng(3)
    place = rng.integers(0, 24, 900)
    region = place // 6
    income = np.round(np.exp(6 + 0.2 * region + 0.3 * rng.normal(size=900)), 2)
    frame = pd.DataFrame(
        {"place": 10 + place, "region": 1 + (region * 7) % 4, "income": income, "x": rng.normal(size=900)}
    )
    if codes == "text":
        frame["place"] = [f"place {k:02}" for k in frame["place"]]
        frame["region"] = [f"region {k}" for k in frame["region"]]
    where = dict(zip(frame["place"], frame["region"], strict=True))
    dependent = {"inner": ["place"], "outer": ["region"], "both": ["place", "region"]}[confidential]
    predictors = [name for name in ("place", "region") if name not in dependent]
    roles = pf.Roles(["x", *predictors], ["income", *dependent])
    assert any(one.kind == "nested" and one.columns == ("place", "region") for one in pf.find_structure(frame, roles))
    Z = pf.protect(frame, method, roles, seed=1, allow_unprotected=True).frame
    released = Z[Z["place"].isin(where)]
    assert len(released) > 0.9 * len(Z)
    assert (released["place"].map(where) == released["region"]).all()


def test_the_only_number_beside_a_category_is_not_derived():
    """The defect: no number was left for the method, which ended in a traceback."""
    frame = pf.datasets.survey(200)[["age", "wage", "region"]].dropna().assign(before=lambda f: f.wage - 1)
    roles = pf.Roles(["age", "before"], ["wage", "region"])
    release = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, seed=1, allow_unprotected=True)
    assert (release.frame["wage"] == release.frame["before"] + 1).all()


def with_rare_places(elsewhere=0):
    """A file of 24 places of 45 records in 4 regions, and 20 places of 6 records; those lie in the next region but `elsewhere`."""
    rng = np.random.default_rng(3)
    place = np.r_[np.repeat(np.arange(24), 45), np.repeat(np.arange(24, 44), 6)]
    region = np.where(place < 24, place // 6, (place + elsewhere) % 4)
    income = np.round(np.exp(6 + 0.3 * rng.normal(size=len(place))), 2)
    names = [f"place {k:02}" for k in place]
    return pd.DataFrame(
        {"place": names, "region": [f"region {k}" for k in region], "income": income, "x": rng.normal(size=1200)}
    )


@pytest.mark.parametrize("confidential", ["inner", "outer", "both"])
def test_codes_of_fewer_than_ten_records_determine_nothing(confidential):
    """By hand: a confidential place of 6 records is drawn again, and an unmodified one does not show its region."""
    frame = with_rare_places()
    where = dict(zip(frame["place"], frame["region"], strict=True))
    dependent = {"inner": ["place"], "outer": ["region"], "both": ["place", "region"]}[confidential]
    predictors = [name for name in ("place", "region") if name not in dependent]
    roles = pf.Roles(["x", *predictors], ["income", *dependent])
    release = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, seed=1, allow_unprotected=True)
    Z = release.frame
    is_rare = Z["place"].isin([f"place {k}" for k in range(24, 44)])
    assert (Z["place"].map(where) == Z["region"])[~is_rare].all()
    if confidential == "outer":
        assert (Z["place"].map(where) == Z["region"])[is_rare].mean() < 0.8  # the defect: all of them
    else:
        assert not is_rare.any()
    assert pf.evaluate(frame, release, measures="pil").verdict["edits"].status == "pass"


def test_a_rule_of_fewer_than_ten_records_is_none():
    """Nine records without hours and wage are no joint zero; ten are. By hand."""
    rng = np.random.default_rng(6)
    for few, kinds in ((9, []), (10, ["zero_together"])):
        values = rng.lognormal(3, 1, (500, 2)).round(2) + 1
        values[:few] = 0
        found = pf.find_structure(pd.DataFrame(values, columns=["hours", "wage"]))
        assert [one.kind for one in found if one.kind.startswith("zero")] == kinds


def test_eleven_exceptions_switch_a_rule_off():
    """99 per cent of the records, and all but 10, keep a rule that is kept. By hand, of 2,000 records."""
    for odd, holds in ((10, True), (11, False)):
        found = pf.find_structure(workers(2000, odd=odd)[["hours", "wage"]]).of_kind("zero_together")
        assert [one.holds for one in found] == ([holds] if found else [])
        assert bool(len(found)) or not holds


@pytest.mark.parametrize(
    "more", [{"strata": ["part"]}, {"copies": 2}, {"weights": "w"}, {"preserve": ["part"]}], ids=str
)
def test_options_go_with_rules(more):
    frame = workers().assign(part=lambda f: np.where(f.index % 2, "a", "b"), w=lambda f: 1.0 + f.index % 3)
    release = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), WORK, seed=1, **more)
    for Z in release.frames:
        assert_rules(Z)


def test_an_order_of_draws_may_name_a_derived_column():
    """The order names the total, which follows from its parts."""
    order = ["total", *(name for name in WORK.dependent if name != "total")]
    assert_rules(pf.protect(workers(), pf.Sequential(order=order), WORK, seed=1).frame)


def test_words_of_the_option():
    with pytest.raises(InvalidParameter, match='"default", "find", or None'):
        pf.protect(workers(), pf.IPSO("C"), WORK, structure="all")


@pytest.mark.slow
def test_wide_files_and_many_levels_are_bounded():
    """Rules of 400 columns are found in seconds, a sum of three columns and a difference with a constant among them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.lognormal(size=(1000, 398)).round(2), columns=[f"v{k}" for k in range(398)])
    frame["sum"] = frame["v3"] + frame["v7"] + frame["v90"]
    frame["less"] = frame["v5"] - frame["v6"] + 4
    found = {frozenset(one.columns): one.constant for one in pf.find_structure(frame).of_kind("identity")}
    assert {*found} == {frozenset({"sum", "v3", "v7", "v90"}), frozenset({"less", "v5", "v6"})}


def test_a_found_rule_that_a_record_cannot_keep_is_given_up():
    """A predictor is above what the column's type can hold. The defect: the release was refused for a rule that nobody declared."""
    rng = np.random.default_rng(4)
    total = rng.integers(20, 120, 500)
    frame = pd.DataFrame({"part": np.floor(total * rng.random(500) ** 0.3).astype(int), "total": total.astype(np.int8)})
    frame.loc[7, "part"] = 300
    release = pf.protect(frame, pf.Sequential(), pf.Roles(["part"], ["total"]), seed=1, allow_unprotected=True)
    assert any("not kept, since no values" in note for note in release.all_notes)
    with pytest.raises(InvalidInput, match="no values of the dependent columns"):
        pf.protect(frame, pf.Sequential(), pf.Roles(["part"], ["total"]), seed=1, constraints="part <= total")


@pytest.mark.parametrize("time", ["year", None])
@pytest.mark.parametrize("method", [pf.Calibrated(pf.IPSO("C")), pf.Sequential()], ids=str)
def test_joint_zeros_and_nested_codes_hold_in_each_record_of_a_unit(method, time):
    """Persons observed twice, or households of two. Oracle: the rules of the file, by hand. The defect: they were named only."""
    frame = workers().assign(person=lambda f: f.index // 2, year=lambda f: f.index % 2)
    rng = np.random.default_rng(7)
    place = rng.integers(0, 12, 300)[frame["person"]]  # of a whole household
    frame["place"] = [f"place {k:02}" for k in place]
    frame["region"] = [f"region {k // 4}" for k in place]
    units = {"unit": "person", "time": "year"} if time else {"household": "person"}
    roles = pf.Roles(["hours", "region"], ["wage", "place"], **units)
    release = pf.protect(frame, method, roles, seed=1, allow_unprotected=True)
    Z = release.frame
    assert ((Z["hours"] == 0) == (Z["wage"] == 0)).all()
    assert (Z["place"].str[6:].astype(int) // 4 == Z["region"].str[7:].astype(int)).all()
    assert (Z["place"] != frame["place"]).mean() > 0.5
    assert any("zero together" in note for note in release.all_notes)
    assert not any("not kept" in note for note in release.all_notes)


@pytest.mark.slow
def test_orders_that_most_records_reach_cost_neither_moments_nor_search():
    """Wages are at most earnings, mostly equal, but for four persons. The defect: gaps of .02, after all attempts.

    Close: a correlation within a tenth of its standard error (.03), and another tenth for those four; means as close.
    """
    rng = np.random.default_rng(8)
    n = 1000
    x = rng.lognormal(10, 0.5, n).round()
    wage = np.round(x * rng.lognormal(0, 0.4, n))
    earnings = wage + np.where(rng.random(n) < 0.1, rng.lognormal(8, 1, n).round(), 0)
    earnings[:4] -= 500
    frame = pd.DataFrame({"x": x, "wage": wage, "earnings": earnings, "tax": np.round(earnings * rng.random(n))})
    roles = pf.Roles(["x"], ["wage", "earnings", "tax"])
    release = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, seed=1)
    Z = release.frame
    assert (Z["wage"] <= Z["earnings"]).all()
    assert (Z["wage"] == Z["earnings"]).mean() > 0.8
    assert not any("are moved" in note for note in release.all_notes)
    assert np.abs(Z.corr() - frame.corr()).to_numpy().max() < 0.006
    assert (np.abs(Z.mean() - frame.mean()) < 0.006 * frame.std()).all()


def earners(n=1000, seed=8, odd=4):
    """Earnings of most persons are their wage, and at most their income; of `odd` ones they are above it."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10, 0.5, n).round()
    other = np.where(rng.random(n) < 0.1, income * rng.random(n), 0).round()
    earnings = income - other
    wage = earnings - np.where(rng.random(n) < 0.15, earnings * rng.random(n), 0).round()
    earnings[:odd] += np.round(income[:odd] / 10)
    return pd.DataFrame(
        {"income": income, "earnings": earnings, "wage": wage, "tax": np.round(earnings * rng.uniform(0.1, 0.3, n))}
    )


@pytest.mark.slow
def test_orders_below_an_unmodified_column_cost_no_moments():
    """A chain of orders below a predictor. The defect: 4 of 10 records were moved, and the mean with them, by .05 sd.

    Close: means and standard deviations as in the test above; correlations within a third of a standard error.
    """
    frame = earners()
    roles = pf.Roles(["income"], ["earnings", "wage", "tax"])
    release = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, seed=1, allow_unprotected=True)
    Z = release.frame
    assert (Z["wage"] <= Z["earnings"]).all()
    assert (Z["earnings"] <= Z["income"]).all()
    assert (Z["wage"] >= 0).all()
    assert any("moved none of" in note for note in release.all_notes)
    assert (np.abs(Z.mean() - frame.mean()) < 0.001 * frame.std()).all()
    assert (np.abs(Z.std() / frame.std() - 1) < 0.01).all()
    assert np.abs(Z.corr() - frame.corr()).to_numpy().max() < 0.01
    shown = [note for note in release.all_notes if note.kind == "risk" and "unmodified" in note]
    assert [note.columns for note in shown] == [("earnings",)]


@pytest.mark.slow
@pytest.mark.parametrize("method", [pf.Calibrated(), pf.Calibrated(pf.IPSO("C"))], ids=["trees", "ipso"])
def test_records_that_break_a_chain_of_orders_widen_no_column(method):
    """Three persons have a wage of all their income, with lower earnings: the differences have a product below zero.

    No release that keeps the orders has one. The defect: the standard deviation of wages was .5 per cent too large.
    Close: that of a smooth margin of the difference. With earnings of a fifth of the income these three dominate the difference,
    which is top-coded then.
    """
    frame = earners(odd=0)
    frame.loc[:2, "income"] = frame["income"].quantile(0.9)
    frame.loc[:2, "earnings"] = (0.3 * frame.loc[:2, "income"]).round()
    frame.loc[:2, "wage"] = frame.loc[:2, "income"]
    roles = pf.Roles(["income"], ["earnings", "wage", "tax"])
    Z = pf.protect(frame, method, roles, seed=1, allow_unprotected=True).frame
    assert (Z["wage"] <= Z["earnings"]).all()
    assert abs(Z["wage"].std() / frame["wage"].std() - 1) < 0.001


@pytest.mark.census
@requires_census
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
@pytest.mark.parametrize(
    "method", [pf.Calibrated(), pf.Calibrated(pf.IPSO("C"), basis="linear")], ids=["trees", "ipso"]
)
def test_rules_cost_little_of_the_census_scenario(method, seed):
    """Rules of S1 hold in every record, and PIL is at most 3. The defects: 11, since 429 of 1,080 records were moved; 3.2 of one
    seed; 13 where all values of a drawn margin had moved with its tail, so that interest was above wealth.

    IPSO-C on the flexible basis has 2.5 to 3.04 here.
    """
    names = [[CENSUS_COLUMNS[number - 1] for number in numbers] for numbers in (S1_INDEPENDENT, S1_DEPENDENT)]
    frame = census(CENSUS_PATH)
    releases = [
        pf.protect(
            frame,
            method,
            pf.Roles(*names),
            seed=seed,
            structure=structure,
            allow_unprotected=True,
            shuffle=False,
        ).frame[names[1]]
        for structure in ("default", None)
    ]
    # In the order of the file: with its unmodified columns.
    Z = releases[0].assign(**frame[names[0]])
    for lower, higher in (("TAXINC", "AGI"), ("INTVAL", "POTHVAL"), ("WSALVAL", "PEARNVAL"), ("ERNVAL", "WSALVAL")):
        assert (Z[lower] <= Z[higher]).all()
    losses = [pil(frame[names[1]].to_numpy(float), one.to_numpy(float)).total for one in releases]
    assert losses[0] <= min(losses[1] + 1, 3)


def test_a_column_is_zero_where_any_of_several_is():
    """By hand, three columns. The defect: each rule undid what another one had done, and 50 of 400 records broke one."""
    rng = np.random.default_rng(2)
    size = rng.normal(size=400)
    frame = pd.DataFrame()
    for name, share in {"b": 0.1, "c": 0.2, "d": 0.15}.items():
        is_zero = rng.random(400) < share
        frame[name] = np.where(is_zero, 0, np.floor(np.exp(1.5 * size + 2.2 * rng.normal(size=400))) + 1)
    positive = (frame > 0).all(axis=1) & (rng.random(400) < 0.8)
    frame["a"] = np.where(positive, np.floor(np.exp(size + rng.normal(size=400))) + 1, 0)
    roles = pf.Roles(["size"], list("abcd"))
    Z = pf.protect(frame.assign(size=size), pf.Calibrated(pf.IPSO("C")), roles, seed=1, allow_unprotected=True).frame
    for name in "bcd":
        assert not ((Z["a"] != 0) & (Z[name] == 0)).any()
    assert abs((Z["a"] == 0).mean() - (frame["a"] == 0).mean()) < 0.05


@pytest.mark.slow
def test_bounds_make_no_zeros_after_joint_zeros_in_units():
    """Persons observed twice, a heavy tail. The defect: values below 0 became 0 after the zeros were placed, in 11 records."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=600)
    b = np.where(rng.random(600) < 0.85, 0, np.floor(np.exp(size + 3 * rng.normal(size=600))) + 1)
    a = np.where((b > 0) & (rng.random(600) < 0.7), np.floor(np.exp(rng.normal(size=600))) + 1, 0)
    place = np.arange(600)
    frame = pd.DataFrame({"size": size.round(3), "a": a, "b": b, "unit": place // 2, "time": place % 2})
    roles = pf.Roles(["size"], ["a", "b"], unit="unit", time="time")
    Z = pf.protect(frame, pf.FCRM(2, release="model"), roles, seed=1, allow_unprotected=True).frame
    assert not ((Z["a"] != 0) & (Z["b"] == 0)).any()


@pytest.mark.slow
@pytest.mark.parametrize("strata", [None, ["arm"]])
def test_gaps_of_an_ordered_column_move_no_observed_cell(strata):
    """A transplant, if any, is within the time observed. The defect: fills broke the order, and times of 118 of 400 were moved.

    Close: means of observed cells within rounding to days, and what is moved of the time observed is less than .005 sd.
    """
    rng = np.random.default_rng(9)
    n = 400
    observed = np.ceil(rng.exponential(600, n) + 5)
    transplant = np.ceil(observed * rng.random(n) ** 2)
    transplant[(rng.random(n) < 0.4) | (observed < 200)] = np.nan
    frame = pd.DataFrame({"arm": np.arange(n) % 2, "observed": observed, "transplant": transplant})
    frame["score"] = np.round(rng.normal(size=n) + observed / 900, 2)
    roles = pf.Roles(["arm"] if strata is None else [], ["observed", "transplant", "score"])
    method = pf.Calibrated(pf.IPSO("C"))
    options = {"missing": "protect", "strata": strata, "allow_unprotected": True, "shuffle": False}
    Z = pf.protect(frame, method, roles, seed=1, **options).frame
    present = Z["transplant"].notna()
    assert (present == frame["transplant"].notna()).all()
    assert (Z["transplant"] <= Z["observed"])[present].all()
    change = (Z.mean() - frame.mean()).abs() / frame.std()
    assert change["observed"] < 0.005
    assert change["transplant"] < 0.02


@pytest.mark.parametrize("method", [pf.Calibrated(pf.IPSO("C")), pf.FCRM(2, release="model")], ids=str)
def test_a_code_lies_within_several_unmodified_columns(method):
    """Wind speeds of at least 10 storms have one status and one category. The defect: drawn within one, many lay elsewhere in the other.

    The original's map is the oracle; storms of rare speeds have categories of rare speeds alone.
    """
    rng = np.random.default_rng(5)
    wind = 5 * np.clip(np.rint(rng.gamma(3, 4, 600)), 2, 30).astype(int)
    frame = pd.DataFrame({"wind": wind, "pressure": np.rint(1015 - wind / 2 + rng.normal(0, 5, 600)).astype(int)})
    frame["status"] = np.where(wind < 35, "depression", np.where(wind < 65, "storm", "hurricane"))
    frame["category"] = [f"category {k}" for k in np.digitize(wind, [20, 50, 80, 100])]
    roles = pf.Roles(["status", "category"], ["wind", "pressure"])
    pairs = {one.columns for one in pf.find_structure(frame, roles).of_kind("nested")}
    assert {("wind", "status"), ("wind", "category")} <= pairs
    Z = pf.protect(frame, method, roles, seed=1, allow_unprotected=True, shuffle=False).frame
    frequent = frame["wind"].value_counts().loc[lambda count: count >= 10].index
    known = Z[Z["wind"].isin(frequent)]
    assert len(known) > 0.8 * len(Z)
    for name in ("status", "category"):
        of_wind = dict(zip(frame["wind"], frame[name], strict=True))
        assert (known["wind"].map(of_wind) == known[name]).all()


@pytest.mark.parametrize("seed", [1, 4])
def test_a_tight_order_leaves_no_gap_of_a_correlation(seed):
    """A date of death after a diagnosis, or the end of the study. The defect: swaps got stuck at correlations .07 and .06 off.

    Close: a tenth of a correlation's standard error, and as much for records that are moved.
    """
    rng = np.random.default_rng(seed)
    n = 150
    diagnosis = np.rint(11500 - 3200 * rng.beta(1.2, 2.5, n))
    death = diagnosis + np.ceil(rng.exponential(300, n))
    frame = pd.DataFrame({"diagnosis": diagnosis, "death": np.minimum(death, 11504)})
    frame["dead"] = (death <= 11504).astype(int)
    frame["age"] = np.rint(rng.normal(37, 10, n))
    frame["sex"] = rng.integers(0, 2, n)
    roles = pf.Roles(["dead", "sex"], ["diagnosis", "death", "age"])
    options = {"constraints": "diagnosis <= death", "allow_unprotected": True}
    Z = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, seed=1, **options).frame
    assert (Z["diagnosis"] <= Z["death"]).all()
    change = Z.corr() - frame.corr()
    assert change.abs().to_numpy().max() < 0.2 / np.sqrt(n)


def test_a_column_is_nonzero_where_any_of_several_unmodified_ones_is():
    """Known truth: hormones or chemotherapy only with nodes. The defect: one rule undid the other, and 5 of 400 records broke one."""
    rng = np.random.default_rng(3)
    n = 400
    nodes = np.where(rng.random(n) < 0.4, 0, rng.geometric(0.3, n))
    # Doses, so that no order holds.
    hormone = np.where(nodes > 0, 50 * (rng.random(n) < 0.3), 0)
    chemo = np.where(nodes > 0, 80 * (rng.random(n) < 0.4), 0)
    frame = pd.DataFrame({"hormone": hormone, "chemo": chemo, "nodes": nodes, "size": rng.lognormal(3, 0.4, n).round()})
    roles = pf.Roles(["hormone", "chemo"], ["nodes", "size"])
    for seed in range(1, 4):
        Z = pf.protect(
            frame, pf.Calibrated(pf.IPSO("C")), roles, seed=seed, allow_unprotected=True, shuffle=False
        ).frame
        assert not ((Z["nodes"] == 0) & ((hormone > 0) | (chemo > 0))).any()


def patients(scores):
    """Four visits of 60 patients, of whom three have each score but the smallest, and the rest this one; with the score's class."""
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(60), 4)
    score = np.maximum(scores - 1 - person // 3, 0)
    return pd.DataFrame(
        {
            "person": person,
            "score": [f"score {k:02}" for k in score],
            "class": np.where(score < scores // 2, "low", "high"),
            "wage": np.round(np.exp(rng.normal(7, 0.4, len(person)))),
        }
    )


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("scores", "kept"), [(20, False), (10, True)])
def test_nested_codes_of_few_units_are_not_said_to_be_kept(scores, kept, seed):
    """Three persons have 12 records of a score, 33 persons of ten scores have the smallest. Oracle: who has which, by hand.

    The defect: records were counted, so that the rule was said to be kept, and the verdict counted scores of few units.
    """
    frame = patients(scores)
    roles = pf.Roles(["score"], ["wage", "class"], household="person")
    release = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, seed=seed, allow_unprotected=True, shuffle=False)
    notes = [note for note in release.all_notes if "score lies within class" in note]
    assert len(notes) == 1
    assert ("and kept" in notes[0]) is kept
    assert ("at least 10 units of a group" in notes[0]) is kept
    assert ("not kept" in notes[0]) is not kept
    Z = release.frame
    frequent = frame.groupby("score")["person"].transform("nunique") >= 10
    assert (Z["class"] == frame["class"])[frequent].all()
    verdict = pf.evaluate(frame, release, measures="pil").verdict
    edits = next(one for one in verdict.tests if one.key == "edits")
    assert edits.status == "pass", edits.reason
