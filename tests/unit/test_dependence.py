"""dependence_test(). Oracles: simulated files whose released values are drawn from the true law (statistical), and planted
leaks, which the test must name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.evaluation.auditing.close_values import moved_values
from pyfcrm.evaluation.auditing.dependence import dependence
from pyfcrm.evaluation.auditing.predictor_regression import Conditional
from pyfcrm.numerics.sorting import normal_scores

ROLES = pf.Roles(["x"], ["a", "b"])
SIZE = pf.Roles(["size"], ["wage", "rent"])


def _file(n: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Originals, and values drawn again from the same law given x."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)

    def draw() -> pd.DataFrame:
        noise = rng.normal(size=(2, n))
        return pd.DataFrame({"x": x, "a": np.exp(x**2 / 2 + noise[0]), "b": np.round(np.exp(5 + x + noise[1]), 2)})

    return draw(), draw()


@pytest.mark.slow
def test_releases_from_the_true_law() -> None:
    """At most 5 of 40 releases below .05: one that is calibrated exceeds this with probability .01."""
    found = [pf.dependence_test(*_file(200, seed), ROLES, seed=seed).p_value for seed in range(40)]
    assert sum(p <= 0.05 for p in found) <= 5


def _paid(n: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Originals and another draw of wages that mostly equal the pay, and of taxes that follow from them."""
    rng = np.random.default_rng(seed)
    age, pay = rng.integers(18, 65, n), np.round(np.exp(rng.normal(10, 0.6, n)))

    def draw() -> pd.DataFrame:
        wage = np.where(rng.random(n) < 0.85, pay, np.round(pay * rng.random(n)))
        return pd.DataFrame({"age": age, "pay": pay, "wage": wage, "tax": np.round(0.0765 * wage)})

    return draw(), draw()


@pytest.mark.slow
def test_what_predictors_determine_is_no_dependence() -> None:
    """Statistical: of 5 pairs of draws in which X determines most values 1 at most is below .05, and a leak in the others is seen.
    Two releases of one file with the same set of values do not depend on each other either."""
    roles = pf.Roles(["age", "pay"], ["wage", "tax"])
    pairs = [_paid(300, seed) for seed in range(5)]
    assert sum(pf.dependence_test(*pair, roles).p_value <= 0.05 for pair in pairs) <= 1
    before, after = pairs[0]
    copied = after.assign(wage=before["wage"].where(before.index % 5 == 0, after["wage"]))
    assert pf.dependence_test(before, copied, roles).p_value <= 0.01
    both = [pf.protect(before, pf.Calibrated(pf.IPSO("C")), roles, seed=seed).frame for seed in (1, 2)]
    assert pf.dependence_test(*both, roles).p_value > 0.05


def test_a_leak_is_named() -> None:
    """A copied column, a kept ratio, digits, and the largest units."""
    before, after = _file(400, 1)
    copied = pf.dependence_test(before, after.assign(b=before["b"]), ROLES)
    assert (copied.p_value, copied.attribute, copied.kind) == (0.005, "b", "values")
    ratio = pf.dependence_test(before, after.assign(b=after["a"] * before["b"] / before["a"]), ROLES)
    assert (ratio.attribute, ratio.kind) == ("a / b", "ratios")
    digits = after["b"] - after["b"] % 10 + before["b"] % 10
    found = pf.dependence_test(before, after.assign(b=digits), ROLES)
    assert (found.p_value, found.kind) == (0.005, "digits")
    largest = (before["a"] + before["b"] / 200).nlargest(8).index
    near = after.copy()
    near.loc[largest, ["a", "b"]] = before.loc[largest, ["a", "b"]] * 1.004
    assert pf.dependence_test(before, near, ROLES).p_value <= 0.01


def test_units_move_together() -> None:
    """Repeated observations with effects of their unit that the release keeps in common: no dependence on own records."""
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(100), 3)
    before, after = (
        pd.DataFrame({"id": unit, "x": np.repeat(x, 3), "a": rng.normal(size=100)[unit] + 0.1 * rng.normal(size=300)})
        for x in 2 * [rng.normal(size=100)]
    )
    assert pf.dependence_test(before, after, pf.Roles(["x"], ["a"], unit="id")).p_value > 0.01
    assert pf.dependence_test(before, before, pf.Roles(["x"], ["a"], unit="id")).p_value == 0.005


def test_gaps_and_refusals() -> None:
    """Missing cells do not count; what cannot be compared is refused in a sentence."""
    before, after = _file(120, 2)
    before.loc[::7, "a"] = np.nan
    assert pf.dependence_test(before, after, ROLES).records == 120
    with pytest.raises(pf.errors.InvalidInput, match="at least 20"):
        pf.dependence_test(before[:10], after[:10], ROLES)
    with pytest.raises(pf.errors.InvalidInput, match="must pair"):
        pf.dependence_test(before, after[:50].reset_index(drop=True).set_index(np.arange(50) + 1000), ROLES)
    with pytest.raises(
        pf.errors.InvalidInput, match="no column is called `age`"
    ):  # the defect: no predictor, without a word
        pf.dependence_test(before, after, pf.Roles(["age"], ["a", "b"]))


def _employed(n: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Originals, and ages and wages drawn again given who has a wage: the old mostly do not."""
    rng = np.random.default_rng(seed)
    has_wage = rng.random(n) < 0.5
    sex = rng.choice(["f", "m"], n)

    def draw() -> pd.DataFrame:
        age = np.where(has_wage, rng.integers(16, 62, n), rng.integers(50, 90, n))
        wage = np.where(has_wage, np.exp(7 + age / 60 + rng.normal(0, 0.3, n)).round(), np.nan)
        return pd.DataFrame({"sex": sex, "age": age, "wage": wage})

    return draw(), draw()


def test_what_gaps_tell_is_no_dependence() -> None:
    """Known truth: two draws given the gaps. The defect: every calibrated release of `carData::SLID` was held at p = .005, as who has
    no wage has another age. At most 1 of 10 is at .01: two have probability .004."""
    roles = pf.Roles(["sex"], ["age", "wage"])
    found = [pf.dependence_test(*_employed(600, seed), roles, seed=seed).p_value for seed in range(10)]
    assert sum(p <= 0.01 for p in found) <= 1
    before, after = _employed(600, 1)
    leak = after.assign(age=np.where(np.arange(600) < 200, before["age"], after["age"]))
    assert pf.dependence_test(before, leak, roles, seed=1).p_value <= 0.01


def test_the_verdict_knows_who_has_no_wage() -> None:
    """A release that follows the gaps passes; ages that chance leaves equal are expected to be equal."""
    frame = _employed(1500, 3)[0]
    released = pf.protect(
        frame, pf.Calibrated(), pf.Roles(["sex"], ["age", "wage"]), missing="protect", seed=pf.RStream(1)
    )
    verdict = pf.evaluate(frame, released).verdict
    assert verdict["dependence"].status == "pass"
    assert verdict["unprotected"].status == "pass"


def test_the_verdict_has_it() -> None:
    """A copied column holds the release of a method that replaces every value; noise depends by design."""
    frame = pf.datasets.census_like(n=200, seed=1)
    roles = pf.Roles(["EMCONTRB"], ["WSALVAL", "ERNVAL"])
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1).frame
    assert pf.evaluate(frame, released, roles=roles).verdict["dependence"].status == "pass"
    copied = released.assign(ERNVAL=frame["ERNVAL"])
    assert pf.evaluate(frame, copied, roles=roles).verdict["dependence"].found_text == "p 0.005"
    noise = pf.evaluate(frame, copied, roles=roles, method=pf.Noise(amount=10)).verdict["dependence"]
    assert noise.status == "not applicable"
    assert "by design" in noise.reason


def test_moved_values_are_as_many_as_without_permutation() -> None:
    """Whole numbers, frequent in the middle: a rare value does not become a point mass, which does not count. Identical."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 1))
    Y, Z = (np.rint(30 + 3 * x + 4 * rng.normal(size=(400, 1))) for _ in range(2))
    order, known = Conditional.of(x, pf.RStream(1))
    S, R = normal_scores(Y[order]), normal_scores(Z[order])
    counted = np.where(known.determined(Z[order], R), np.nan, Z[order])
    typical = (known.typical(S) + known.typical(R)) / 2
    moved = moved_values(Z[order], counted, R, typical)
    counts = [int((~np.isnan(moved(row))).sum()) for row in known.permutations(20, pf.RStream(2))]
    assert counts[0] > 10
    assert set(counts) == {counts[0]}


def _amounts(n: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Originals and another draw of whole wages and rents, given a size."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 6, n)

    def draw() -> pd.DataFrame:
        noise = rng.normal(size=(2, n))
        return pd.DataFrame(
            {"size": size, "wage": np.round(np.exp(7 + 0.2 * size + noise[0])), "rent": np.round(np.exp(6 + noise[1]))}
        )

    return draw(), draw()


PLANTED = {
    "ranks": lambda wage, rent: pd.Series(np.sort(rent)[wage.rank(method="first").astype(int) - 1]),
    "reversed ranks": lambda wage, rent: pd.Series(np.sort(rent)[::-1][wage.rank(method="first").astype(int) - 1]),
    "parity": lambda wage, rent: 2 * (rent / 2).round() + (wage > wage.median()),
    "last digits": lambda wage, rent: rent - rent % 100 + wage % 100,
    "decimals": lambda wage, rent: rent + wage / 1e6,
}


@pytest.mark.slow
@pytest.mark.parametrize("planted", PLANTED)
def test_a_leak_into_another_column_is_named(planted: str) -> None:
    """The released rent shows the record's own wage. The defect: only a column with itself was compared."""
    before, after = _amounts(500, 3)
    found = pf.dependence_test(before, after.assign(rent=PLANTED[planted](before["wage"], after["rent"])), SIZE)
    assert found.p_value <= 0.01
    assert found.attribute == "rent, by the record's own wage"
    assert found.kind == ("ranks" if planted.endswith("ranks") else "digits")


@pytest.mark.slow
def test_some_values_of_the_largest_units_are_seen() -> None:
    """One of two values of the ten largest of 1,000 units is the record's own."""
    before, after = _amounts(1000, 4)
    largest = before["wage"].nlargest(10).index
    after.loc[largest, "wage"] = before.loc[largest, "wage"]
    found = pf.dependence_test(before, after, SIZE)
    assert (found.p_value, found.attribute) == (0.005, "wage")
    of_largest = [line for line in found.lines if line[:2] == ("wage", "largest units")]
    assert of_largest[0][3] == 0.005


@pytest.mark.slow
@pytest.mark.parametrize("text", [True, False])
def test_effects_of_a_code_are_no_dependence(text: bool) -> None:
    """Two draws given a code of 40 municipalities with large effects. The defect: both kinds of code had p = .005."""
    rng = np.random.default_rng(5)
    place = rng.integers(0, 40, 600)
    effect = 3 * rng.normal(size=40)
    code = np.array([f"m{k}" for k in range(40)])[place] if text else 1001 + 10 * place
    before, after = (pd.DataFrame({"code": code, "a": effect[place] + rng.normal(size=600)}) for _ in range(2))
    roles = pf.Roles(["code"], ["a"])
    assert pf.dependence_test(before, after, roles).p_value > 0.05
    assert pf.dependence_test(before, after.assign(a=before["a"] + 0.5 * rng.normal(size=600)), roles).p_value == 0.005


@pytest.mark.slow
@pytest.mark.parametrize("law", ["jump", "cube"])
def test_jumps_and_powers_are_no_dependence(law: str) -> None:
    """Two draws whose relation to x the first regression cannot fit. The defect: p = .005."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=400)
    e = rng.normal(size=(2, 400))
    values = 3 * (np.abs(x) < 0.5) + 0.5 * e if law == "jump" else np.abs(x) ** 3 * (1 + 0.3 * e)
    before, after = (pd.DataFrame({"x": x, "a": a}) for a in values)
    roles = pf.Roles(["x"], ["a"])
    assert pf.dependence_test(before, after, roles).p_value > 0.01
    assert pf.dependence_test(before, before * 1.0001, roles).p_value == 0.005


def test_a_result_of_protect_has_its_roles() -> None:
    """Oracle: the same call with the roles, identical. The defect: a TypeError without them."""
    frame = pf.datasets.survey(200)
    roles = pf.Roles(["age", "hours"], ["wage", "rent"], ["name"])
    released = pf.protect(frame, pf.IPSO("C"), roles, seed=1, missing="drop")
    found = pf.dependence_test(frame, released, permutations=19)
    assert found.lines == pf.dependence_test(frame, released.frame, roles, permutations=19).lines
    with pytest.raises(pf.errors.InvalidParameter, match="`roles` must be"):
        pf.dependence_test(frame, released.frame)


@pytest.mark.parametrize("seed", range(3))
def test_levels_of_one_record_in_each_file_are_no_dependence(seed: int) -> None:
    """Known truth: originals and release are drawn apart, each with one record of a level, not at the same place.

    Records are permuted within blocks, so that both never meet, and their statistic is 0. Errors of rounding were compared: one in three
    releases of a file with such a level was held, p .005.
    """
    rng = np.random.default_rng(seed)
    before, after = rng.normal(size=(2, 600, 2))
    before[:, 1] = np.arange(600) == 100
    after[:, 1] = np.arange(600) == 400
    names = ["income", "marital, level 6"]
    found = dependence(np.empty((600, 0)), before, after, names, pf.RStream(seed + 1))
    statistics = {(attribute, kind): value for attribute, kind, value, _ in found.lines}
    assert found.p_value > 0.05
    assert statistics["marital, level 6", "ranks"] == 0
