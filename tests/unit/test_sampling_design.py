"""Sampling designs by hand: linearised and replicated variances, and what analyse() and evaluate() refuse."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.numerics.sampling_variance.estimates import means, totals
from pyfcrm.numerics.sampling_variance.linearised import Linearised
from pyfcrm.numerics.sampling_variance.replicated import Replicated

STRATA = np.array([0, 0, 0, 0, 1, 1, 1])
CLUSTERS = np.array([1, 1, 2, 2, 1, 2, 2])  # numbered within strata
Y = np.array([1.0, 2.0, 3.0, 6.0, 5.0, 1.0, 1.0])


def test_the_variance_of_a_total_by_hand():
    # Sums of the clusters: 3, 9 and 5, 2. With two clusters the variance is the squared difference. Identical.
    found = totals(Linearised.of(np.ones(7), STRATA, CLUSTERS), Y[:, None])
    assert found.values[0] == 19
    assert found.cov[0, 0] == pytest.approx((9 - 3) ** 2 + (5 - 2) ** 2, abs=1e-12)


def test_clusters_without_records_of_a_domain_count_with_zero():
    design = Linearised.of(np.ones(7), STRATA, CLUSTERS)
    domain = np.array([True, True, False, False, True, True, True])
    taken = totals(design.taken(domain), Y[domain][:, None])
    zeroed = totals(design, np.where(domain, Y, 0.0)[:, None])
    assert taken.cov == pytest.approx(zeroed.cov, abs=1e-12)


def test_a_stratum_of_one_cluster_has_its_distance_to_the_mean_of_all():
    # Sums 3, 9 and 7: 36 from the first stratum, and 7 squared, as totals have their mean at 0 in a sum of influences.
    design = Linearised.of(np.ones(7), STRATA, np.array([1, 1, 2, 2, 1, 1, 1]))
    assert design.lonely == 1
    assert totals(design, Y[:, None]).cov[0, 0] == pytest.approx(36 + 49, abs=1e-12)


def test_means_of_groups_are_those_of_domains():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, 60)
    design = Linearised.of(rng.uniform(1, 3, 60), rng.integers(0, 4, 60), rng.integers(0, 5, 60))
    y = rng.normal(size=60)
    by_domain = means(design, y, [codes == k for k in range(3)])
    assert design.errors_by_group(codes, 4, y)[:3] == pytest.approx(by_domain.se, rel=1e-10)
    assert np.isnan(design.errors_by_group(codes, 4, y)[3])
    replicates = design.weights[:, None] * rng.uniform(0, 2, (60, 8))
    of_replicates = Replicated.of(design.weights, replicates, 1 / 8, np.ones(8))
    by_domain = means(of_replicates, y, [codes == k for k in range(3)])
    assert of_replicates.errors_by_group(codes, 4, y)[:3] == pytest.approx(by_domain.se, rel=1e-10)


def people(n=400):
    rng = np.random.default_rng(2)
    village = rng.integers(0, 40, n)
    effect = 5 * rng.normal(size=40)
    age = rng.integers(20, 70, n)
    return pd.DataFrame({
        "village": village, "region": village // 10, "w": rng.uniform(1, 3, n), "age": age,
        "wage": np.round(20 + 0.3 * age + effect[village] + 3 * rng.normal(size=n), 1),
    })  # fmt: skip


ROLES = pf.Roles("age", "wage", weight="w", psu="village", sampling_stratum="region")


def test_the_design_of_a_result_of_protect_is_used():
    frame = people()
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1, allow_unprotected=True)
    by_release = pf.analyse(frame, released, "wage ~ age")
    assert by_release.by_design
    assert by_release.original.freedom == 40 - 4 - 1
    given = pf.analyse(frame, released.frame, "wage ~ age", roles=ROLES)
    assert given.original.se.tolist() == by_release.original.se.tolist()
    plain = pf.analyse(frame, released.frame, "wage ~ age", weights="w")
    assert not plain.by_design
    # Villages differ by more than their people: the intercept is less certain than of independent records.
    assert by_release.original.se[0] > 1.2 * plain.original.se[0]


def test_the_panel_uses_the_design_and_the_verdict_names_its_columns():
    frame = people()
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=1)
    report = pf.evaluate(frame, released)
    assert report.kept.columns == ("age",)
    assert "Not known to intruders: village, region" in str(report.verdict)
    table = report.utility.to_frame()
    row = table[(table.family == "group means") & table.group.str.startswith("age<=")].iloc[0]
    young = frame.age <= float(row.group.removeprefix("age<="))
    by_domain = means(Linearised.of(frame.w.to_numpy(), frame.region.to_numpy(), frame.village.to_numpy()),
                      frame.wage.to_numpy(), [young.to_numpy()])  # fmt: skip
    assert row.se == pytest.approx(by_domain.se[0], rel=1e-10)


def test_replicates_of_the_panel_are_those_of_analyse():
    # Jackknife of 40 villages: each estimate of the panel is made again. Close: two factorisations.
    frame = people()
    names = [f"rw{k}" for k in range(40)]
    for k, name in enumerate(names):
        frame[name] = np.where(frame.village == k, 0.0, frame.w * 40 / 39)
    roles = pf.Roles("age", "wage", weight="w", replicate_weights=names, replicate_type="JK1")
    report = pf.evaluate(frame, pf.protect(frame, pf.IPSO("C"), roles, seed=1))
    table = report.utility.to_frame()
    slope = table[table.estimate == "slope of age in the regression of wage"].iloc[0]
    by_analyse = pf.analyse(frame, frame, "wage ~ age", roles=roles).original.se[1] * frame.age.std(ddof=0)
    assert slope.se == pytest.approx(by_analyse, rel=1e-8)
    linearised = pf.analyse(frame, frame, "wage ~ age", roles=pf.Roles(weight="w", psu="village")).original.se[1]
    assert by_analyse == pytest.approx(linearised * frame.age.std(ddof=0), rel=0.2)


def test_weights_beside_a_design_are_refused():
    with pytest.raises(InvalidParameter, match="`weights` must be left out where roles have a sampling design"):
        pf.analyse(people(), people(), "wage ~ age", weights="age", roles=ROLES)
    with pytest.raises(InvalidParameter, match="`roles` must be a Roles"):
        pf.analyse(people(), people(), "wage ~ age", roles="village")


@pytest.mark.parametrize(
    ("change", "roles", "message"),
    [
        ({"village": np.nan}, ROLES, "the psu `village` must be there in every record"),
        ({}, pf.Roles(psu="town"), "the psu `town` of the roles must be a column"),
        ({}, pf.Roles(psu="region", weight="w"), ""),
        ({"r": -1.0}, pf.Roles(replicate_weights=["w", "r"], replicate_type="BRR"), "`r` must be at least 0"),
        ({"g": np.arange(400) % 3}, pf.Roles(psu="g"), "more degrees of freedom than the regression has slopes, 2"),
    ],
)
def test_files_without_a_usable_design(change, roles, message):
    frame = people()
    frame[list(change)] = np.nan
    for name, value in change.items():
        frame[name] = frame[name].astype(object) if np.isscalar(value) and np.isnan(value) else value
    formula = "wage ~ age" if "slopes" not in message else "wage ~ age + w"
    if not message:
        assert pf.analyse(frame, frame, formula, roles=roles).original.freedom == 2
        return
    with pytest.raises(InvalidInput, match=message):
        pf.analyse(frame, frame, formula, roles=roles)


def test_combined_copies_have_the_degrees_of_freedom_of_the_design():
    frame = people()
    released = pf.protect(frame, pf.GADP(), ROLES, seed=1, copies=3, allow_unprotected=True)
    combined = pf.combine(released, formula="wage ~ age")
    within = [pf.analyse(frame, copy, "wage ~ age", roles=ROLES).protected for copy in released.frames]
    assert combined.freedom.max() <= 35
    assert combined.se[0] ** 2 >= np.mean([fit.se[0] ** 2 for fit in within]) - 1e-12
    by_hand = np.mean([fit.se[1] ** 2 for fit in within]) + np.var([fit.coef[1] for fit in within], ddof=1) / 3
    assert combined.se[1] ** 2 == pytest.approx(by_hand, rel=1e-10)
    assert pf.combine(released.frames, formula="wage ~ age", roles=ROLES).se.tolist() == combined.se.tolist()


def test_a_formula_without_terms_is_a_mean():
    # Close: one sum in another order. The standard error of independent records is sd / sqrt(n).
    frame = people()
    plain = pf.analyse(frame, frame, "wage ~ 1")
    assert plain.terms == ("(Intercept)",)
    assert plain.original.coef == pytest.approx([frame.wage.mean()], rel=1e-12)
    assert plain.original.se == pytest.approx([frame.wage.sem()], rel=1e-12)
    by_design = pf.analyse(frame, frame, "wage ~ 1", roles=ROLES).original
    design = Linearised.of(frame.w.to_numpy(), frame.region.to_numpy(), frame.village.to_numpy())
    of_all = means(design, frame.wage.to_numpy(), [np.ones(len(frame), dtype=bool)])
    assert by_design.coef == pytest.approx(of_all.values, rel=1e-12)
    assert by_design.se == pytest.approx(of_all.se, rel=1e-10)
    median = pf.analyse(frame, frame, "wage ~ 1", quantile=0.5)
    assert median.terms == ("all records",)
    assert median.original.coef[0] == np.quantile(frame.wage, 0.5, method="inverted_cdf")
    for formula in ("wage ~ 1 + age", "wage ~ 0", "wage ~"):
        with pytest.raises(InvalidParameter, match='"y ~ 1" for a mean'):
            pf.analyse(frame, frame, formula)


def test_an_analysis_of_copies_names_combine():
    """The defect: the first copy was analysed, and nothing stated that there are others."""
    frame = people()
    released = pf.protect(frame, pf.GADP(), ROLES, seed=1, copies=3, allow_unprotected=True)
    for more in ({}, {"quantile": 0.5}):
        notes = pf.analyse(frame, released, "wage ~ age", **more).notes
        assert [note for note in notes if note.startswith("of 3 copies the first was analysed: `combine`")]
        assert not [note for note in pf.analyse(frame, released.frame, "wage ~ age", **more).notes if "copies" in note]


def test_declared_codes_of_missing_values_are_gaps_of_copies():
    """Oracle: analyse() of each copy. The defect: the codes were wages, and the intercept 12,409."""
    frame = people()
    frame.loc[::8, "wage"] = 99_999.0
    declared = {"wage": pf.Variable(missing_codes=[99_999])}
    released = pf.protect(frame, pf.GADP(), ROLES, seed=1, copies=3, allow_unprotected=True, variables=declared)
    expected = np.mean([pf.analyse(frame, copy, "wage ~ age", variables=declared, roles=ROLES).protected.coef
                        for copy in released.frames], axis=0)  # fmt: skip
    for given in ((released, {}), (released.frames, {"roles": ROLES, "variables": declared})):
        assert pf.combine(given[0], formula="wage ~ age", **given[1]).coef == pytest.approx(expected, rel=1e-10)
