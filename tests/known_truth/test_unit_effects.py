"""Effects of sampling units: drawn effects have the variance between units, and releases given them its standard errors.

Oracle: simulated variance components. Grade: statistical, with the seeds that are named.
"""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.numerics.unit_effects import residual_scores, unit_effects


def units_and_values(seed, units=300, size=12, between=4.0):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(units), size)
    return codes, np.sqrt(between) * rng.normal(size=units)[codes] + 3 * rng.normal(size=units * size)


def test_drawn_effects_have_the_variance_between_units_and_a_slope_of_one():
    codes, y = units_and_values(1)
    effect = unit_effects(y - y.mean(), codes, np.ones(300, dtype=bool), pf.RStream(1))
    assert effect[::12].var() == pytest.approx(4, rel=0.25)  # 300 units: the standard error of a variance is 8 %
    assert np.polyfit(effect, y, 1)[0] == pytest.approx(1, abs=0.12)


def test_units_that_do_not_differ_have_no_effect():
    rng = np.random.default_rng(3)
    found = [
        unit_effects(rng.normal(size=400), np.repeat(np.arange(40), 10), np.ones(40, dtype=bool), pf.RStream(1))
        for _ in range(20)
    ]
    assert (
        sum(effect is None for effect in found) >= 5
    )  # the estimate of a variance of 0 is negative in about half of the cases


def test_units_that_are_not_used_have_the_effect_zero_and_gaps_count_nowhere():
    codes, y = units_and_values(2)
    y[::7] = np.nan
    used = np.arange(300) % 3 > 0
    effect = unit_effects(y, codes, used, pf.RStream(1))
    assert (effect[~used[codes]] == 0).all()
    assert (effect[used[codes]] != 0).all()
    scores = residual_scores(y, np.ones((len(y), 1)))
    assert np.isnan(scores).tolist() == np.isnan(y).tolist()


def clustered(seed, units=60, size=20):
    rng = np.random.default_rng(seed)
    village = np.repeat(np.arange(units), size)
    effect = rng.normal(size=units)
    n = units * size
    age = rng.integers(20, 70, n)
    return pd.DataFrame({
        "age": age, "village": village, "region": village // 10, "w": rng.uniform(1, 3, n).round(2),
        "wage": np.round(50 + 0.5 * age + 7 * effect[village] + 10 * rng.normal(size=n), 1),
        "union": np.where(rng.random(n) < 1 / (1 + np.exp(-effect[village])), "yes", "no"),
    })  # fmt: skip


ROLES = pf.Roles("age", ["wage", "union"], weight="w", psu="village", sampling_stratum="region")


def ratios_of_errors(frame, method):
    """The standard errors of means and shares of a release over those of the original."""
    table = pf.evaluate(frame, pf.protect(frame, method, ROLES, seed=1), measures="pil").utility.to_frame()
    table = table[table.family.isin(["group means", "group shares"])]
    return (table.released_se / table.se).to_numpy()


def test_releases_on_the_basis_of_the_design_have_its_standard_errors():
    flexible = []
    design = []
    for seed in (1, 2, 3):
        frame = clustered(seed)
        flexible.append(ratios_of_errors(frame, pf.Calibrated()))
        design.append(ratios_of_errors(frame, pf.Calibrated(basis="design")))
    assert np.mean(flexible) < 0.85  # without effects of villages, standard errors are too small
    assert np.mean(design) == pytest.approx(1, abs=0.06)


def test_without_sampling_units_a_note_says_that_the_basis_is_flexible():
    frame = clustered(1)
    roles = pf.Roles("age", ["wage", "union"])
    plain, by_design = (
        pf.protect(frame, pf.Calibrated(basis=basis), roles, seed=1) for basis in ("flexible", "design")
    )
    pd.testing.assert_frame_equal(plain.frame, by_design.frame)
    assert any("the basis is flexible" in note for note in by_design.all_notes)


def test_small_villages_have_no_effect_and_a_note_counts_them():
    frame = clustered(1)
    frame["village"] = np.where(frame.village < 10, frame.village, frame.village * 10 + np.arange(len(frame)) % 5)
    released = pf.protect(frame, pf.Calibrated(basis="design"), ROLES, seed=1)
    [note] = [note for note in released.all_notes if "have no effect of their own" in note]
    assert note.total == 10 + 50 * 5
    assert note.count >= 250


def test_a_note_names_the_basis_where_a_method_does_not_know_sampling_units():
    frame = clustered(1)[["age", "village", "region", "w", "wage"]]
    roles = pf.Roles("age", "wage", weight="w", psu="village", sampling_stratum="region")

    def has_note(method, of=roles):
        released = pf.protect(frame, method, of, seed=1)
        return any("does not know sampling units" in note for note in released.all_notes)

    assert has_note(pf.IPSO("C"))
    assert not has_note(pf.Calibrated(basis="design"))
    assert not has_note(pf.Noise("uncorrelated", 50))
    assert not has_note(pf.IPSO("C"), pf.Roles("age", "wage", weight="w"))


def test_replicate_weights_identify_the_units_whose_effects_are_drawn():
    frame = clustered(1)
    for k in range(60):
        frame[f"r{k}"] = np.where(frame.village == k, 0.0, frame.w * 60 / 59).round(4)
    names = [f"r{k}" for k in range(60)]
    roles = pf.Roles("age", ["wage", "union"], weight="w", replicate_weights=names, replicate_type="JK1")
    released = pf.protect(frame, pf.Calibrated(basis="design"), roles, seed=1)
    assert not any("sampling units" in note and "have no effect" in note for note in released.all_notes)
    original, released_fit = (
        pf.analyse(frame, file, "wage ~ age", roles=roles).protected for file in (frame, released.frame)
    )
    assert released_fit.se[0] == pytest.approx(original.se[0], rel=0.25)
