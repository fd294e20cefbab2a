"""The utility panel: estimates by hand, releases that keep or lose relations, and honest draws near the reference."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.panel import panel_of

import pyfcrm as pf
from pyfcrm.evaluation.utility.panel.estimand import Estimand
from pyfcrm.evaluation.utility.panel.grouped import Grouped
from pyfcrm.evaluation.utility.panel.panel_columns import point_masses
from pyfcrm.evaluation.utility.panel.selection import selected

RTOL = 1e-10  # sums in another order


def drawn(n, seed):
    """A file with a curved and an uneven relation: income by age and sex."""
    rng = np.random.default_rng(seed)
    age = rng.choice([25, 35, 45, 55, 65], n)
    sex = rng.choice(["f", "m"], n)
    return pd.DataFrame({"age": age, "sex": sex, "income": incomes(age, sex, rng)})


def incomes(age, sex, rng):
    mean = 30 - 0.02 * (age - 45) ** 2 + 4 * (sex == "m")
    return np.round(mean + rng.normal(0, 3 + (age > 40), len(age)), 2)


ROLES = pf.Roles(["age", "sex"], ["income"])


def test_group_means_are_those_by_hand():
    # Oracle: pandas. Close: another order of the sums.
    original = drawn(400, 1)
    released = original.assign(income=original.income + 0.1 * (original.age == 25))
    rows = panel_of(original, released, ROLES).to_frame()
    means = rows[rows.family == "group means"].set_index("group")
    for group, of_original, of_release in (
        ("age=25", original[original.age == 25], released[original.age == 25]),
        ("sex=m", original[original.sex == "m"], released[original.sex == "m"]),
    ):
        row = means.loc[group]
        se = of_original.income.std() / np.sqrt(len(of_original))
        assert row.records == len(of_original)
        np.testing.assert_allclose(row.original, of_original.income.mean(), rtol=RTOL)
        np.testing.assert_allclose(row.se, se, rtol=RTOL)
        np.testing.assert_allclose(row.z, (of_release.income.mean() - of_original.income.mean()) / se, rtol=1e-8)


def test_levels_have_their_labels():
    """Oracle: the labels of a labelled file, as read_table() keeps them; a label of two values names neither. Identical."""
    rng = np.random.default_rng(2)
    original = pd.DataFrame({"sex": rng.choice([1, 2], 400), "area": rng.choice([1, 2, 3], 400)})
    original["job"] = rng.choice([1, 2, 3], 400)
    original["wage"] = np.where(original["sex"] == 1, 0.0, rng.normal(20, 3, 400).round(2))
    original.attrs["variable_value_labels"] = {
        "sex": {1: "male", 2: "female"},
        "area": {1: "rural", 2: "urban", 3: "urban"},
        "job": {1.0: "none", 2.0: "part time", 3.0: "full time"},
        "wage": {0.0: "no wage"},
    }
    released = original.assign(wage=rng.permutation(original["wage"]))
    rows = panel_of(original, released, pf.Roles(["sex", "area"], ["wage", "job"])).to_frame()
    groups = {"sex=male", "sex=female", "area=rural", "area=2", "area=3"}
    assert set(rows[rows.family == "group means"].group) == groups
    shares = rows[rows.family == "group shares"]
    assert set(shares.estimate) == {
        f"share of {label}" for label in ("wage=no wage", "job=none", "job=part time", "job=full time")
    }


def test_group_quantiles_are_of_type_1():
    # Oracle: numpy's inverted_cdf. Identical.
    original = drawn(400, 1)
    rows = panel_of(original, original, ROLES).to_frame().set_index(["estimate", "group"])
    for words, q in (("10 % quantile of", 0.1), ("median", 0.5), ("90 % quantile of", 0.9)):
        own = original.income[original.age == 35]
        expected = np.quantile(own, q, method="inverted_cdf")
        assert rows.loc[(f"{words} income", "age=35"), "original"] == expected


def test_a_release_equal_to_the_original_has_no_deviation():
    utility = panel_of(drawn(300, 2), drawn(300, 2), ROLES)
    assert utility.summary.above == 0
    assert utility.summary.rms == 0
    assert utility.summary.errors_outside == 0
    np.testing.assert_allclose(utility.summary.overlap, 100)
    assert utility.lost == ()
    assert "faithful" in utility.headline


def test_shares_of_codes_show_what_their_means_do_not():
    """By hand: of the young half have code 1 and half code 3, in the release all have 2. The mean is kept, no share is."""
    rng = np.random.default_rng(1)
    young = np.arange(400) < 200
    codes = np.where(young, np.where(np.arange(400) % 2, 1, 3), rng.integers(1, 5, 400))
    original = pd.DataFrame({"age": np.where(young, "young", "old"), "work": codes})
    released = original.assign(work=np.where(young, 2, codes))
    rows = panel_of(original, released, pf.Roles(["age"], ["work"])).to_frame().set_index(["estimate", "group"])
    assert rows.loc[("mean work", "age=young"), "z"] == 0
    shares = [rows.loc[(f"share of work={code}", "age=young"), "released"] for code in (1, 2, 3, 4)]
    assert shares == [0, 1, 0, 0]
    assert (rows.loc[[(f"share of work={code}", "age=young") for code in (1, 2, 3)], "z"].abs() > 10).all()


@pytest.mark.slow
def test_a_shuffled_column_has_no_pil_but_a_bad_panel():
    # Known truth: a permutation keeps the column and loses every relation.
    original = drawn(500, 3)
    rng = np.random.default_rng(1)
    released = original.assign(income=rng.permutation(original.income))
    report = pf.evaluate(original, released, roles=ROLES, measures=["pil"], paired=True)
    assert round(report["pil"], 2) == 0
    assert report.utility.summary.above > 40
    assert {"group means", "group quantiles"} <= {summary.family for summary in report.utility.lost}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_honest_draw_is_near_the_reference(seed):
    # Known truth: new incomes from the law of the original ones. Statistical: the deviations of original and release are those of two
    # draws, of which only the original's counts here, so that their root mean square is near sqrt(2), and the reference's near 1.
    original = drawn(2000, seed)
    rng = np.random.default_rng(100 + seed)
    released = original.assign(income=incomes(original.age.to_numpy(), original.sex.to_numpy(), rng))
    summary = panel_of(original, released, ROLES).summary
    assert 0.9 < summary.rms < 1.9
    assert 0.7 < summary.reference_rms < 1.3
    assert summary.above < 10
    assert summary.reference_above < 5


@pytest.mark.slow
def test_a_line_stands_below_the_verdict():
    original = drawn(300, 4)
    report = pf.evaluate(original, pf.protect(original, pf.IPSO("C"), ROLES, seed=1))
    assert str(report).splitlines()[1].startswith("Utility: ")
    assert report.lines()[1] == report.utility.headline
    # The names of all tests that passed: the line was cut at the width of a console.
    tests = tuple(replace(test, status="pass") for test in report.verdict.tests)
    text = str(replace(report, verdict=replace(report.verdict, tests=tests)))
    assert f"pass: {', '.join(test.key for test in tests)}" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 79


@pytest.mark.slow
def test_without_roles_there_is_no_panel():
    original = drawn(300, 4)
    assert pf.evaluate(original, original, paired=True, measures=["pil"]).utility is None


@pytest.mark.slow
def test_the_panel_uses_no_randomness_of_other_figures():
    # Identical: the same report twice, and the reference is drawn from a stream of its own.
    original = drawn(300, 5)
    released = pf.protect(original, pf.IPSO("C"), ROLES, seed=1)
    first = pf.evaluate(original, released)
    second = pf.evaluate(original, released)
    pd.testing.assert_frame_equal(first.utility.to_frame(), second.utility.to_frame())


def test_order_of_records_does_not_matter():
    # Close: sums in another order.
    original = drawn(300, 6)
    released = pf.protect(original, pf.IPSO("C"), ROLES, seed=1, shuffle=False).frame
    shuffled = released.sample(frac=1, random_state=1)
    before = panel_of(original, released, ROLES).to_frame()
    after = panel_of(original, shuffled, ROLES).to_frame()
    np.testing.assert_allclose(before.z, after.z, atol=1e-6)


def test_standard_errors_have_floors():
    # By hand: a constant in one class has .01 sd of the file / sqrt(n), a share of 0 the error of half a record.
    original = drawn(300, 7)
    original.loc[original.age == 25, "income"] = 0.0
    rows = panel_of(original, original, ROLES).to_frame().set_index(["estimate", "group"])
    n = (original.age == 25).sum()
    np.testing.assert_allclose(
        rows.loc[("mean income", "age=25"), "se"], 0.01 * original.income.std() / np.sqrt(n), rtol=RTOL
    )
    others = (original.age == 35).sum()
    np.testing.assert_allclose(
        rows.loc[("share of income=0", "age=35"), "se"], np.sqrt(1 / (2 * others) / others), rtol=RTOL
    )


def test_weighted_means_have_linearised_errors():
    # By hand: the linearised form of a weighted mean. Close.
    original = drawn(300, 8)
    original["w"] = np.random.default_rng(1).uniform(1, 5, len(original))
    roles = pf.Roles(["age", "sex"], ["income"], weight="w")
    rows = panel_of(original, original, roles).to_frame().set_index(["estimate", "group"])
    own = original[original.sex == "f"]
    mean = np.average(own.income, weights=own.w)
    u = own.w * (own.income - mean)
    se = np.sqrt(len(own) / (len(own) - 1) * (u**2).sum()) / own.w.sum()
    row = rows.loc[("mean income", "sex=f")]
    np.testing.assert_allclose(row.original, mean, rtol=RTOL)
    np.testing.assert_allclose(row.se, se, rtol=RTOL)
    assert "w" not in {group.partition("=")[0] for _, group in rows.index}


def test_equal_records_in_clusters_count_once():
    # Known truth: with each record twice in its household, the standard error is that of the single records.
    rng = np.random.default_rng(2)
    y = rng.normal(size=60)
    single = Grouped.of(np.zeros(60, dtype=np.int64), 1, None, None)
    double = Grouped.of(np.zeros(120, dtype=np.int64), 1, None, np.repeat(np.arange(60), 2))
    means = single.means(y)
    np.testing.assert_allclose(double.errors(np.repeat(y, 2), means), single.errors(y, means), rtol=RTOL)


def test_point_masses_are_zeros_and_values_that_stand_out():
    rng = np.random.default_rng(3)
    amounts = np.round(rng.lognormal(7, 1, 900), 2)
    assert point_masses(np.append(amounts, np.zeros(100))) == (0.0,)
    assert point_masses(np.append(amounts, np.repeat([0.0, 5000.0], 100))) == (0.0, 5000.0)
    assert point_masses(rng.integers(1, 7, 1000).astype(float)) == ()
    assert point_masses(amounts) == ()


def test_at_most_2000_estimates_the_largest_classes_first():
    def family(name, count):
        return [
            Estimand(family=name, estimate=str(k), records=count - k, variables=(), kind=name, place=(k,))
            for k in range(count)
        ]

    small, large, larger = selected([family("a", 100), family("b", 3000), family("c", 5000)])
    assert (len(small), len(large), len(larger)) == (100, 950, 950)
    assert large[0].records == 3000
    assert [len(part) for part in selected([family("a", 10), family("b", 20)])] == [10, 20]


@pytest.mark.slow
def test_files_without_unmodified_columns_have_classes_of_confidential_ones():
    original = drawn(400, 9)
    roles = pf.Roles([], ["age", "sex", "income"])
    released = pf.protect(original, pf.Sequential(), roles, seed=1)
    utility = panel_of(original, released)
    groups = {estimate.group for estimate in utility.estimates}
    assert {"sex=f", "age=25"} <= groups
    assert not np.isnan(utility.summary.reference_rms)


def test_a_column_is_not_estimated_in_its_own_classes():
    """A fixed defect: the mean of a column among the records that have one value of it. Oracle: definition. Grade: identical."""
    original = drawn(400, 9)
    utility = panel_of(original, original, pf.Roles([], ["age", "sex", "income"]))
    own = [estimate for estimate in utility.estimates if estimate.by in estimate.variables and estimate.by]
    assert not own
    assert {estimate.by for estimate in utility.estimates} >= {"age", "sex"}


def test_columns_without_a_role_give_classes_too():
    original = drawn(400, 10).assign(region=np.repeat(["a", "b", "c", "d"], 100))
    utility = panel_of(original, original, ROLES)
    assert "region=a" in {estimate.group for estimate in utility.estimates}


def test_observed_cells_of_columns_with_gaps():
    # Oracle: pandas, which leaves gaps out. Close.
    original = drawn(400, 11)
    original.loc[::5, "income"] = np.nan
    released = pf.protect(original, pf.IPSO("C"), ROLES, seed=1, missing="protect")
    rows = panel_of(original, released).to_frame().set_index("estimate")
    np.testing.assert_allclose(rows.loc["mean of observed income", "original"], original.income.mean(), rtol=RTOL)
    deviation = original.income.std(ddof=0)
    np.testing.assert_allclose(rows.loc["standard deviation of observed income", "original"], deviation, rtol=RTOL)


@pytest.mark.slow
def test_copies_have_the_panel_of_their_mean_estimates():
    # By hand: the mean over the copies of each estimate. Close.
    original = drawn(300, 12)
    released = pf.protect(original, pf.IPSO("C"), ROLES, seed=1, copies=2, shuffle=False)
    together = pf.evaluate(original, released, measures=["pil"]).utility.to_frame()
    singles = [panel_of(original, frame, ROLES).to_frame() for frame in released.frames]
    expected = (singles[0].released + singles[1].released) / 2
    np.testing.assert_allclose(together.released, expected, rtol=1e-9)


def test_rules_count_as_relations():
    original = drawn(300, 13)
    original["tax"] = np.round(original.income / 4, 2)
    roles = pf.Roles(["age", "sex"], ["income", "tax"])
    constraints = ["income >= tax"]
    released = pf.protect(original, pf.IPSO("C"), roles, seed=1, constraints=constraints, structure=None)
    rows = panel_of(original, released).to_frame()
    relations = rows[rows.family == "relations"]
    assert (relations.original == 1).all()
    assert len(relations) >= 1


@pytest.mark.slow
def test_a_limit_on_utility_holds_a_release():
    # By hand: the per cent of estimates above 3 standard errors against the limit; no limit, no test.
    original = drawn(300, 3)
    released = original.assign(income=np.random.default_rng(1).permutation(original.income))
    options = {"roles": ROLES, "measures": ["pil"], "paired": True}
    free = pf.evaluate(original, released, **options)
    assert "utility" not in {test.key for test in free.verdict.tests}
    held = pf.evaluate(original, released, limits={"utility": 5}, **options)
    test = held.verdict["utility"]
    assert test.status == "hold"
    assert test.found == (free.utility.summary.above,)
    assert pf.evaluate(original, released, limits={"utility": 100}, **options).verdict["utility"].status == "pass"
    assert "utility 5" in held.verdict.headline


@pytest.mark.slow
def test_a_sweep_is_ordered_by_the_panel():
    # Known truth: IPSO-C is linear in age, trees are not: PIL prefers the first, users the second.
    original = drawn(800, 14)
    frontier = pf.sweep(original, ROLES, [pf.IPSO("C"), pf.Sequential()], seed=1)
    linear, trees = frontier.candidates
    assert linear["pil"] < trees["pil"]
    assert trees["utility_rms"] < linear["utility_rms"]
    assert trees["utility"] == trees.report.utility.summary.above
    assert frontier.best(limits={"risk": 100}) is trees
    frame = frontier.to_frame()
    assert {"utility", "utility_rms", "pil"} <= set(frame.columns)
    assert "standard errors" in frontier.plot().axes[0].get_ylabel()
    assert "information loss" in frontier.plot(loss="pil").axes[0].get_ylabel()
    with pytest.raises(pf.errors.InvalidParameter, match="loss"):
        frontier.plot(loss="dr")


def test_public_figures_have_no_names_and_are_rounded():
    original = drawn(500, 3)
    released = original.assign(income=np.random.default_rng(1).permutation(original.income))
    rows = panel_of(original, released, ROLES).public_rows()
    assert all(share % 5 == 0 for _, share in rows)
    assert all("=" not in family for family, _ in rows)


@pytest.mark.slow
def test_the_plot_has_a_bar_for_each_family():
    utility = panel_of(drawn(300, 2), drawn(300, 3), ROLES)
    assert len(utility.plot().axes[0].patches) == len(utility.families)


def test_files_without_classes_have_all_records_as_one():
    original = drawn(300, 15)[["income"]].assign(rent=lambda file: file.income * 2 + 1)
    utility = panel_of(original, original, pf.Roles([], ["income", "rent"]))
    assert "mean income in all records, +0" in {str(estimate) for estimate in utility.estimates}


def test_a_quantile_of_a_few_values_less_is_compared():
    """A fixed defect: a quantile of 30 amounts counted as 20 standard errors off where the release has 29. Oracle: numpy."""
    rng = np.random.default_rng(9)
    original = pd.DataFrame({"area": np.repeat(["a", "b"], 100), "pay": np.round(rng.gamma(4, 10, 200), 2)})
    original.loc[30:99, "pay"] = 0.0  # 30 amounts in area a
    released = original.copy()
    released.loc[0, "pay"] = 0.0
    rows = panel_of(original, released, pf.Roles(["area"], ["pay"])).to_frame()
    row = rows[(rows.estimate == "median pay") & (rows.group == "area=a")].iloc[0]
    assert row.released == np.quantile(released["pay"][1:30], 0.5, method="inverted_cdf")
    assert abs(row.z) < 1


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_slopes_of_levels_with_hardly_a_value_have_no_reference():
    """The defect: in the records of the honest draws their standard errors were 0, and numpy warned of a division."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"event": rng.choice([*"abcdef"], 6000), "place": rng.normal(25, 9, 6000).round(1)})
    frame["other"] = rng.normal(size=6000).round(2)
    for level in "cdef":
        frame.loc[np.flatnonzero(frame["event"] == level)[1:], "place"] = np.nan
    release = frame.assign(other=rng.permutation(frame["other"]))
    utility = pf.evaluate(frame, release, roles=pf.Roles("event", ["place", "other"]), measures="pil").utility
    assert not np.isinf(utility.to_frame().select_dtypes("number")).any(axis=None)
