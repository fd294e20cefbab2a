"""The rules of the utility panel that docs/utility.md states, by hand, pandas and numpy.

What the page says, and the test that has it (U: test_utility_panel.py, R: parity/test_utility_r.py, F: parity/test_formula_r.py):

- group means: U test_group_means_are_those_by_hand; classes, fifths and small classes: test_classes_of_each_kind_of_column
- group shares: test_shares_and_tables_are_those_of_pandas; labels: U test_levels_have_their_labels
- group quantiles and Woodruff's interval: U test_group_quantiles_are_of_type_1, R test_weighted_means_and_quantiles_are_those_of_survey
- regressions, curves, logits: test_slopes_are_those_of_least_squares, test_a_curve_needs_five_records_a_column,
  test_logits_of_a_category, R test_unweighted_regressions_are_those_of_lm_and_glm
- among confidential: test_slopes_are_those_of_least_squares; tables: test_shares_and_tables_are_those_of_pandas
- observed cells: U test_observed_cells_of_columns_with_gaps, test_slopes_of_observed_cells
- relations: U test_rules_count_as_relations, test_a_broken_rule_has_its_share
- columns without a role, files without unmodified columns: U test_columns_without_a_role..., test_files_without_...
- at most 2,000 estimates, and the number left out: U test_at_most_2000_estimates..., test_what_is_left_out_is_stated
- samples of long files: test_a_long_file_is_sampled
- weights, clusters: U test_weighted_means_have_linearised_errors, test_equal_records_in_clusters_count_once, R test_clustered_means...
- floors: U test_standard_errors_have_floors, test_quantiles_have_floors, test_regressions_have_floors
- released standard errors and overlaps: test_released_errors_and_overlaps_by_hand; copies: U test_copies_have_the_panel...
- chance: U test_an_honest_draw_is_near_the_reference, test_the_reference_has_ten_draws_within_the_nearest_five
- summary and named families: test_deviations_count_at_most_20, test_above_20_standard_errors_the_worst_estimate_has_its_own_units,
  test_an_estimate_as_text, test_which_families_are_named
- limits: U test_a_limit_on_utility_holds_a_release; PIL: U test_a_shuffled_column_has_no_pil_but_a_bad_panel
- the public: U test_public_figures_have_no_names_and_are_rounded
- analyse: F
"""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from support.panel import panel_of

import pyfcrm as pf
from pyfcrm.evaluation.utility.panel.utility import Utility, UtilitySummary
from pyfcrm.evaluation.utility.panel.utility_estimate import UtilityEstimate

RTOL = 1e-9  # sums in another order


def file_of(n, seed):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n).astype(float)
    sex = rng.choice(["f", "m"], n)
    band = rng.choice([1.0, 2.0, 3.0], n)
    wage = np.round(np.exp(2 + 0.01 * age + 0.3 * (sex == "m") + rng.normal(0, 0.4, n)), 2)
    wage[rng.random(n) < 0.1] = 0.0
    rent = np.round(100 + age + 0.5 * wage + rng.normal(0, 9, n), 1)
    member = np.where(rng.random(n) < 1 / (1 + np.exp(1 - 0.02 * age)), "yes", "no")
    return pd.DataFrame({"age": age, "sex": sex, "band": band, "wage": wage, "rent": rent, "member": member})


ROLES = pf.Roles(["age", "sex", "band"], ["wage", "rent", "member"])


def rows_of(original, released=None, roles=ROLES):
    return panel_of(original, original if released is None else released, roles).to_frame()


def standardised(column):
    return (column - column.mean()) / column.std(ddof=0)


def test_classes_of_each_kind_of_column():
    """Oracle: values of at most 20 are classes, a number with more has its fifths by numpy; no class of 29 records. Identical."""
    original = file_of(400, 1)
    original["size"] = np.repeat([1.0, 2.0, 3.0], [29, 30, 341])
    rows = rows_of(original, roles=pf.Roles(["age", "sex", "band", "size"], ["wage"]))
    means = rows[rows.family == "group means"].set_index("group")
    cuts = np.quantile(original["age"], [0.2, 0.4, 0.6, 0.8], method="inverted_cdf")
    assert {f"{low:g}<age<={high:g}" for low, high in pairwise(cuts)} <= set(means.index)
    assert {f"age<={cuts[0]:g}", f"age>{cuts[-1]:g}", "sex=f", "sex=m", "band=1", "band=2", "band=3"} <= set(
        means.index
    )
    assert {"size=2", "size=3"} <= set(means.index)
    assert "size=1" not in means.index
    np.testing.assert_allclose(
        means.loc[f"age<={cuts[0]:g}", "original"], original.wage[original.age <= cuts[0]].mean(), rtol=RTOL
    )


def test_shares_and_tables_are_those_of_pandas():
    """Oracle: pandas. Close: another order of the sums."""
    original = file_of(400, 2)
    rows = rows_of(original).set_index(["family", "estimate", "group"]).original
    women = original[original.sex == "f"]
    shares = {"wage=0": (women.wage == 0).mean(), "member=no": (women.member == "no").mean()}
    for label, share in shares.items():
        np.testing.assert_allclose(rows.loc[("group shares", f"share of {label}", "sex=f")], share, rtol=RTOL)
    cut = np.quantile(original.rent, 0.2, method="inverted_cdf")
    share = ((original.member == "no") & (original.rent <= cut)).mean()
    np.testing.assert_allclose(rows.loc[("tables", f"share of member=no and rent<={cut:g}", "")], share, rtol=RTOL)
    two = original.assign(area=np.where(original.rent > original.rent.median(), "north", "south"))
    rows = rows_of(two, roles=pf.Roles(["age"], ["member", "area"])).set_index(["family", "estimate"]).original
    share = ((two.member == "no") & (two.area == "north")).mean()
    found = {
        frozenset(name.removeprefix("share of ").split(" and ")): value for name, value in rows.loc["tables"].items()
    }
    np.testing.assert_allclose(found[frozenset({"member=no", "area=north"})], share, rtol=RTOL)


def test_slopes_are_those_of_least_squares():
    """Oracle: numpy's lstsq on standardised predictors, with squares of numbers and products of different columns. Close."""
    original = file_of(400, 3)
    rows = rows_of(original).set_index(["family", "estimate"]).original
    x = {"age": original.age, "sex=m": original.sex == "m", "band": original.band}
    x = {name: standardised(column.astype(float)) for name, column in x.items()}
    linear = np.column_stack([np.ones(len(original)), *x.values()])
    slopes = np.linalg.lstsq(linear, original.rent, rcond=None)[0]
    logs = np.linalg.lstsq(linear, np.log(original.rent), rcond=None)[0]
    for k, name in enumerate(x, 1):
        np.testing.assert_allclose(
            rows.loc[("regressions", f"slope of {name} in the regression of rent")], slopes[k], rtol=1e-7
        )
        np.testing.assert_allclose(
            rows.loc[("regressions", f"slope of {name} in the regression of log(rent)")], logs[k], rtol=1e-7
        )
    assert ("regressions", "slope of age in the regression of log(wage)") not in rows.index  # some wages are 0

    further = {"age^2": x["age"] ** 2, "band^2": x["band"] ** 2}
    for first, second in (("age", "sex=m"), ("age", "band"), ("sex=m", "band")):
        further[f"{first}*{second}"] = x[first] * x[second]
    curved = np.column_stack([linear, *further.values()])
    slopes = np.linalg.lstsq(curved, original.rent, rcond=None)[0][linear.shape[1] :]
    for name, slope in zip(further, slopes, strict=True):
        np.testing.assert_allclose(rows.loc[("curves", f"slope of {name} in the curve of rent")], slope, rtol=1e-6)

    others = {"wage": original.wage / original.wage.std(), "member=no": (original.member == "no").astype(float)}
    for name, column in others.items():
        slope = np.linalg.lstsq(np.column_stack([linear, column]), original.rent, rcond=None)[0][-1]
        np.testing.assert_allclose(
            rows.loc[("among confidential", f"slope of {name} in the regression of rent")], slope, rtol=1e-6
        )


def test_a_curve_needs_five_records_a_column():
    """By hand: with three predictors and a constant, 5 records for each column leave room for (n / 5) - 4 further columns."""
    rng = np.random.default_rng(4)
    original = pd.DataFrame(rng.normal(size=(35, 4)).round(6), columns=["a", "b", "c", "y"])
    roles = pf.Roles(["a", "b", "c"], ["y"])
    for n, expected in ((35, 3), (30, 2)):
        rows = rows_of(original[:n], roles=roles)
        assert (rows.family == "curves").sum() == expected
    wide = pd.DataFrame(rng.normal(size=(35, 8)).round(6), columns=list("abcdefgy"))
    assert "curves" not in set(rows_of(wide, roles=pf.Roles(list("abcdefg"), ["y"])).family)


def test_logits_of_a_category():
    """Oracle: the fit of pf.analyse, which R's glm checks. Close: iterations end at a relative change of 1e-8."""
    original = file_of(600, 5)
    rows = rows_of(original, roles=pf.Roles(["age", "band"], ["member"])).set_index("estimate").original
    x = original.assign(age=standardised(original.age), band=standardised(original.band), no=original.member == "no")
    fit = pf.analyse(x, x, "no ~ age + band", family="binomial").to_frame()
    for row in fit.itertuples():
        if row.term in ("age", "band"):
            np.testing.assert_allclose(rows[f"slope of {row.term} in the logit of member=no"], row.original, rtol=1e-5)


def test_slopes_of_observed_cells():
    """Oracle: numpy on the cells that are not missing, one predictor at a time. Close."""
    original = file_of(400, 6)
    original.loc[original.age > 70, "rent"] = np.nan
    rows = rows_of(original).set_index("estimate").original
    observed = original.rent.notna()
    slope = np.polyfit(standardised(original.age)[observed], original.rent[observed], 1)[0]
    np.testing.assert_allclose(rows["slope of observed rent on age"], slope, rtol=1e-7)
    assert "mean of observed wage" not in rows.index  # it has no gaps


def test_a_broken_rule_has_its_share():
    """By hand: three of 300 released records break the sum that all original records keep."""
    original = file_of(300, 7)[["band", "wage", "rent"]]
    original["total"] = (original.wage + original.rent).round(2)
    released = original.copy()
    released.loc[:2, "total"] += 50.0
    rows = rows_of(original, released, pf.Roles(["band"], ["wage", "rent", "total"]))
    sums = rows[(rows.family == "relations") & rows.estimate.str.contains("==")]
    assert sums.original.tolist() == [1.0]
    np.testing.assert_allclose(sums.released, [297 / 300], rtol=RTOL)


@pytest.mark.slow
def test_what_is_left_out_is_stated():
    """By hand: 9 columns of 4 classes and 15 numbers have 9 * 4 * 15 * 4 = 2,160 means and quantiles, and slopes beside these."""
    rng = np.random.default_rng(8)
    classes = {f"c{k}": rng.permutation(np.repeat([1.0, 2.0, 3.0, 4.0], 40)) for k in range(9)}
    numbers = {f"y{k}": rng.normal(size=160).round(3) for k in range(15)}
    original = pd.DataFrame(classes | numbers)
    utility = panel_of(original, original, pf.Roles(list(classes), list(numbers)))
    assert len(utility.estimates) == 2000
    assert utility.left_out > 160
    assert f"{utility.left_out:,} further estimates are not measured" in " ".join(utility.remarks)


@pytest.mark.slow
def test_a_long_file_is_sampled():
    """By hand: 200,000 of 200,400 records are measured, which is stated; means of the sample are near those of the file. Statistical."""
    rng = np.random.default_rng(9)
    original = pd.DataFrame({"band": rng.choice([1.0, 2.0], 200_400), "y": rng.normal(size=200_400).round(3)})
    utility = panel_of(original, original, pf.Roles(["band"], ["y"]))
    assert (utility.records, utility.total) == (200_000, 200_400)
    assert "a random sample of 200,000 of 200,400 records" in " ".join(utility.remarks)
    row = utility.to_frame().set_index(["estimate", "group"]).loc[("mean y", "band=1")]
    assert abs(row.original - original.y[original.band == 1].mean()) < 0.5 * row.se
    assert utility.summary.rms == 0


def test_quantiles_have_floors():
    """By hand: half a unit of the last decimal, and .01 sd sqrt(q (1 - q) / n), where all values of a class are equal."""
    original = pd.DataFrame({"band": np.repeat([1.0, 2.0], [60, 1940])})
    original["grade"] = np.append(np.full(60, 3.0), np.arange(1940) % 97)  # whole numbers
    original["size"] = original["grade"] * 1e6 + np.append(np.zeros(60), np.full(1940, 0.001))
    rows = rows_of(original, roles=pf.Roles(["band"], ["grade", "size"])).set_index(["estimate", "group"])
    assert rows.loc[("median grade", "band=1"), "se"] == 0.5
    floor = 0.01 * original["size"].std() * np.sqrt(0.25 / 60)
    np.testing.assert_allclose(rows.loc[("median size", "band=1"), "se"], floor, rtol=RTOL)


def test_regressions_have_floors():
    """By hand: an exact line has residuals of .01 sd of the response; the standard error of its slope is this over sqrt(n)."""
    age = np.arange(400.0)
    original = pd.DataFrame({"age": age, "pay": 3 * age + 7})
    row = (
        rows_of(original, roles=pf.Roles(["age"], ["pay"]))
        .set_index("estimate")
        .loc["slope of age in the regression of pay"]
    )
    np.testing.assert_allclose(row.se, 0.01 * original.pay.std(ddof=0) / np.sqrt(400), rtol=1e-8)


def test_released_errors_and_overlaps_by_hand():
    """By hand: twice the deviations are twice the standard error; two concentric intervals overlap by half of one and all of the other."""
    original = pd.DataFrame({"y": np.random.default_rng(10).normal(50, 3, 400).round(4)})
    released = pd.DataFrame({"y": original.y.mean() + 2 * (original.y - original.y.mean())})
    utility = panel_of(original, released, pf.Roles([], ["y"]))
    means = utility.to_frame().set_index("estimate").loc["mean y"]
    np.testing.assert_allclose(means.released_se, 2 * means.se, rtol=1e-8)
    family = next(summary for summary in utility.families if summary.family == "group means")
    assert family.errors_outside == 100
    np.testing.assert_allclose(family.overlap, 100 * (1 + 1 / 2) / 2, rtol=1e-8)


def test_the_reference_has_ten_draws_within_the_nearest_five():
    """Known truth: where the six nearest records have one value in the predictor and the amount, a draw changes nothing."""
    original = pd.DataFrame({"band": np.repeat(np.arange(20.0), 30), "y": np.repeat(np.arange(20.0) ** 2, 30)})
    utility = panel_of(original, original, pf.Roles(["band"], ["y"]))
    assert utility.references.shape == (10, len(utility.estimates))
    assert np.nanmax(np.abs(utility.references)) < 1e-6


def test_deviations_count_at_most_20():
    """By hand: every mean is thousands of standard errors off, and the root mean square is 20; the worst keeps its own size."""
    original = file_of(300, 11)[["band", "rent"]]
    released = original.assign(rent=original.rent + 1e6)
    utility = panel_of(original, released, pf.Roles(["band"], ["rent"]))
    means = next(summary for summary in utility.families if summary.family == "group means")
    assert means.rms == 20
    assert means.above == 100
    assert abs(means.worst.z) > 1000


def test_above_20_standard_errors_the_worst_estimate_has_its_own_units():
    """By hand: 40 of 40 years are 15, so the standard error is a floor, and a multiple of it says nothing to a reader."""
    years = pd.DataFrame({"faith": ["a"] * 40 + ["b"] * 40, "years": [15.0] * 40 + [4.0, 7.0] * 20})
    released = years.assign(years=[7.0] * 40 + [4.0, 7.0] * 20)
    utility = panel_of(years, released, pf.Roles(["faith"], ["years"]))
    named = [
        str(estimate)
        for estimate in utility.estimates
        if (estimate.estimate, estimate.group) == ("mean years", "faith=a")
    ]
    assert named == ["mean years in faith=a, more than 20 below: 7 instead of 15"]
    assert named[0] in utility.headline
    assert any(named[0] in str(figure) for figure in utility.document()["summary"].values())


@pytest.mark.parametrize(
    ("original", "se", "released", "text"),
    [
        (15.0, 1.0, 16.5, "mean y in g=1, +1.5"),
        (15.0, 1.0, 35.0, "mean y in g=1, +20"),
        (15.0, 0.01, 16.5, "mean y in g=1, more than 20 above: 16.5 instead of 15"),
        (21345.6, 1.0, 20000.0, "mean y in g=1, more than 20 below: 20,000 instead of 21,350"),
        (123456.7, 0.01, 123458.2, "mean y in g=1, more than 20 above: 123,458 instead of 123,457"),
        (0.0, 1e-12, 1e-7, "mean y in g=1, more than 20 above: 1e-07 instead of 0"),
        (15.0, 1.0, np.nan, "mean y in g=1, not determined by the release"),
    ],
)
def test_an_estimate_as_text(original, se, released, text):
    """By hand: standard errors up to 20, then both values with the digits by which they differ."""
    estimate = UtilityEstimate(
        family="group means",
        estimate="mean y",
        group="g=1",
        records=30,
        variables=("y",),
        kind="means",
        by="g",
        original=original,
        se=se,
        released=released,
        released_se=se,
        reference=1.0,
        publishable=True,
    )
    assert str(estimate) == text


@pytest.mark.parametrize(
    ("estimates", "above", "reference", "named"),
    [
        (100, 4.0, 1.0, False),  # 3 points more
        (100, 5.0, 1.0, True),
        (100, 6.0, 9.0, False),  # a bad reference counts as 3 per cent
        (100, 7.0, 9.0, True),
        (100, 6.0, np.nan, False),
        (100, 7.0, np.nan, True),
        (20, 10.0, 1.0, False),  # two of 20
        (20, 15.0, 1.0, True),  # three
    ],
)
def test_which_families_are_named(estimates, above, reference, named):
    """Oracle: the rule. Of 30 estimates more than 3 points above the reference, or above 3 per cent; of fewer more than two."""
    summary = UtilitySummary(
        family="group means",
        estimates=estimates,
        above=above,
        rms=1.0,
        reference_above=reference,
        reference_rms=1.0,
        errors_outside=0.0,
        overlap=100.0,
        worst=None,
    )
    assert summary.lost is named


def test_named_families_are_below_the_headline_the_worst_first():
    """Known truth: a shuffled amount loses means and slopes by a predictor that decides it."""
    original = file_of(600, 12)[["band", "age", "rent"]]
    original["rent"] = 100 * original.band + original.age
    released = original.assign(rent=np.random.default_rng(1).permutation(original.rent))
    utility = panel_of(original, released, pf.Roles(["band", "age"], ["rent"]))
    first, *others = utility.lines()
    assert first == utility.headline
    assert [line.strip().partition(":")[0] for line in others] == [summary.family for summary in utility.lost]
    shares = [summary.above for summary in utility.lost]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) >= 2


@pytest.mark.parametrize(("large", "faithful"), [(2, True), (3, False)])
def test_large_deviations_of_several_small_families_count_together(large, faithful):
    """Known truth: of six estimates in three families three differ, no more than one in each family."""
    estimates = []
    for k in range(6):
        is_large = k % 2 == 0 and k < 2 * large
        estimates.append(
            UtilityEstimate(
                family=f"family {k // 2}", estimate="mean y", group="", records=30, variables=("y",), kind="means", by="",
                original=0.0, se=1.0, released=5.0 if is_large else 0.0, released_se=1.0, reference=1.0, publishable=True,
            )
        )  # fmt: skip
    utility = Utility(estimates=tuple(estimates), left_out=0, records=30, total=30, references=np.zeros((10, 6)))
    assert utility.lost == ()
    assert utility.faithful is faithful
    assert ("faithful" in utility.headline) is faithful
