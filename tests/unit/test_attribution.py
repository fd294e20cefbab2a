"""Attribute disclosure by keys, by counting: loops, cases by hand, mixed columns, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from support import brute_attribution as brute
from support.attributes import jointly_coded

import pyfcrm as pf
from pyfcrm.data.attributes import KeysAndTargets
from pyfcrm.errors import InvalidParameter
from pyfcrm.measures import MEASURES

COUNTED = ["rep_u", "disco", "dcap", "tcap"]


def files(n, seed, library=pd.DataFrame):
    """A region (text, with gaps), a sex, an amount with a heap of zeros; the release changes half of the amounts."""
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south", None], n, p=[0.5, 0.4, 0.1])
    sex, age = rng.integers(0, 2, n), rng.integers(20, 26, n)
    wage = np.where(rng.random(n) < 0.4, 0.0, np.round(rng.gamma(2.0, 500, n), 1))
    paid = rng.choice(["yes", "no"], n)
    new, other = np.where(rng.random(n) < 0.5, wage, rng.permutation(wage)), rng.permutation(paid)
    columns = {"region": region.tolist(), "sex": sex, "age": age, "wage": wage, "paid": paid.tolist()}
    released = {**columns, "wage": new, "paid": other.tolist(), "age": np.where(rng.random(n) < 0.2, age + 1, age)}
    return library(columns), library(released)


def rows(frame, names):
    """Missing values are one value."""
    return [tuple("gap" if pd.isna(v) else v for v in row) for row in frame[names].itertuples(index=False)]


@pytest.mark.parametrize(("n", "seed"), [(1, 0), (2, 1), (12, 2), (60, 3), (200, 4)])
@pytest.mark.parametrize("target", ["wage", "paid"])
def test_every_count_equals_the_loops(n, seed, target):
    """Oracle: loops over the records, the target's values as they are. Close: sums in another order."""
    before, after = files(n, seed)
    keys = ["region", "sex", "age"]
    report = pf.evaluate(before, after, measures=COUNTED, keys=keys, targets=target, target_groups=None)
    q, s = rows(before, keys), rows(after, keys)
    expected = brute.attribution(q, before[target].tolist(), s, after[target].tolist())
    parts = {(row["measure"], row["part"]): row["value"] for row in report.rows()}
    assert report["rep_u"] == pytest.approx(brute.rep_u(q, s))
    assert report["disco"] == pytest.approx(expected["disco"])
    assert report["dcap"] == pytest.approx(expected["dcap"])
    for which in ("certain", "matched", "conditional"):
        assert parts["tcap", f"{target}, {which}"] == pytest.approx(expected[which])
    assert report["tcap"] == max(expected[which] for which in ("certain", "matched", "conditional"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_baseline_hands_the_released_targets_round(seed):
    """Oracle: all 5! orders of the released targets, averaged. Close."""
    rng = np.random.default_rng(seed)
    k, t, r, s = (rng.integers(0, high, 5).astype(float) for high in (2, 3, 3, 3))
    orders = [_measured(k, t, r, np.array(order)) for order in brute.handed_round(s)]
    result = _measured(k, t, r, s)
    for key in ("disco", "dcap"):
        assert result[key].baseline == pytest.approx(np.mean([one[key].total for one in orders]))
    for j in range(2):  # certain and matched; the conditional one is a ratio
        mean = np.mean([one["tcap"].parts[j].value for one in orders])
        assert result["tcap"].parts[j].baseline == pytest.approx(mean)
    of_all = [brute.attribution([(a,) for a in k], t, [(b,) for b in r], order) for order in brute.handed_round(s)]
    single = [
        [len({v for b, v in zip(r, order, strict=True) if b == a}) == 1 for a in k] for order in brute.handed_round(s)
    ]
    right, all_single = np.mean([one["disco"] for one in of_all]), 100 * np.mean(single)
    assert result["tcap"].parts[2].baseline == pytest.approx(100 * right / all_single if all_single else 0.0)


def _measured(k, t, r, s):
    known = KeysAndTargets((jointly_coded("k", k, r),), (jointly_coded("t", t, s),))
    return {key: MEASURES[key](known) for key in ("disco", "dcap", "tcap")}


def test_numbers_are_counted_in_classes_between_quantiles_of_the_original():
    """Oracle: the classes by hand: 0 is a class of its own, being two fifths; 4 classes of 1..8 hold two each. Identical."""
    x = np.array([0.0] * 4 + [1, 2, 3, 4, 5, 6])
    heap = jointly_coded("x", x, np.array([-5.0, 0, 0.5, 9])).grouped(5)
    assert len(set(heap.before[:4])) == 1
    assert heap.before[3] < heap.before[4]
    assert heap.after.tolist()[:2] == [heap.before[0], heap.before[0]]
    assert heap.after[2] == heap.before[4]
    assert heap.after[3] == heap.before[-1]
    even = jointly_coded("x", np.arange(1.0, 9), np.array([np.nan])).grouped(4)
    assert even.before.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert even.after.tolist() == [-1]
    few = jointly_coded("x", np.array([3.0, 1, 3]), np.array([1.0]))
    assert few.grouped(3) is few


def test_key_groups_and_target_groups_reach_the_counts():
    """Keys that are nearly unique numbers lead nowhere until they are grouped. By what grouping is."""
    rng = np.random.default_rng(0)
    before = pd.DataFrame({"k": rng.normal(size=300), "t": rng.normal(size=300)})
    after = before + rng.normal(scale=0.01, size=before.shape)
    fine = pf.evaluate(before, after, measures=["dcap", "rep_u"], keys="k", targets="t")
    coarse = pf.evaluate(
        before, after, measures=["dcap", "rep_u"], keys="k", targets="t", key_groups=10, target_groups=2
    )
    assert fine["dcap"] == 0
    assert coarse["dcap"] > 40


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "disco", "targets": "wage"}, "`keys` must name the key attributes that disco is about"),
        ({"measures": "disco", "keys": "age"}, "`targets` must name the columns that disco is about"),
        ({"measures": "disco", "keys": ["age", "wage"], "targets": "wage"}, "`targets` must not be keys too"),
        (
            {"measures": "disco", "keys": "age", "targets": "wage", "strata": "sex"},
            "`strata` must be left out for disco",
        ),
        ({"measures": "disco", "keys": "age", "targets": "wage", "target_groups": 1}, "`target_groups` must be"),
        ({"domains": "sex", "measures": "dbrl"}, "`domains` must come with the measure pil"),
        ({"domains": "sex", "strata": "age"}, "`domains` must be left out where strata are judged"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    before, after = files(40, 1)
    with pytest.raises(InvalidParameter, match=message):
        pf.evaluate(before, after, **options)
