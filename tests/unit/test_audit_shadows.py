"""The attacks by shadow releases, by verbatim values, pairs and ratios, and on attributes: known leaks alarm.

Oracles: releases whose leak is known (statistical); counting by hand (identical).
"""

import dataclasses

import numpy as np
import pytest
from support.leaks import Fresh, file, heaps, whole
from support.own_methods import OwnMethod

import pyfcrm as pf
from pyfcrm import audit
from pyfcrm.evaluation.auditing import split_results
from pyfcrm.evaluation.auditing.attacks import Originals, Split, attack, shadow_attack
from pyfcrm.evaluation.auditing.audit_statistics import areas, holm
from pyfcrm.methods.work import NumberWork


@pytest.fixture
def without_detection(monkeypatch):
    """The classifier of detection replaced by one that guesses."""
    monkeypatch.setattr(split_results, "_detection", lambda *_: {"detection": (0.5, 0.5, 0.01)})


def absent(X, Y, Z, rng):
    """The old smooth margins: a value that few members have does not occur in the release."""
    for j in range(Z.shape[1]):
        values, counts = np.unique(Y[:, j], return_counts=True)
        forbidden = values[counts < 3]
        for _ in range(20):
            rows = np.isin(Z[:, j], forbidden)
            Z[rows, j] += rng.integers(-2, 3, rows.sum())
    return Z


def one_column(X, Y, Z, rng):
    """One confidential column as it came."""
    Z[:, 1] = Y[:, 1]
    return Z


def values_of_others(X, Y, Z, rng):
    """Each column a permutation of the members' values."""
    return rng.permuted(Y, axis=0)


def pairs_of_others(X, Y, Z, rng):
    """Two columns together of another member."""
    Z[:, 2:] = Y[rng.permutation(len(Y)), 2:]
    return Z


def own_ratio(X, Y, Z, rng):
    """The own ratio of two columns, in half of the records."""
    Z[::2, 3] = Z[::2, 2] * Y[::2, 3] / Y[::2, 2]
    return Z


@dataclasses.dataclass(frozen=True)
class OwnCategory(OwnMethod):
    """Numbers drawn anew; a category copied."""

    def work(self, roles, records):
        return NumberWork(self.release, takes_categories=True)

    def release(self, X, Y, run):
        Z, numbers = Y.copy(), [j for j in range(Y.shape[1]) if j not in run.categories]
        Z[:, numbers] = pf.IPSO("C").protect(X, Y[:, numbers], run.stream)
        return Z


def attacks_alarmed(found):
    return {one.facts["attack"] for one in found.alarms}


@pytest.mark.slow
def test_values_that_do_not_occur_tell_members():
    """Statistical: only shadow releases see a leak by absence; AUC at least 65 where nothing else sees 55."""
    rng = np.random.default_rng(1)
    Y = np.rint(1000 * np.exp(0.5 * rng.normal(size=(600, 4))))
    originals, stream = Originals.of(Y), pf.RStream(1)

    def split():
        member = rng.permutation(600) < 300
        Z = absent(None, Y[member], np.rint(1000 * np.exp(0.5 * rng.normal(size=(300, 4)))), rng)
        return Split(np.empty((600, 0)), Y, member, np.full(600, -1), np.empty((300, 0)), Z)

    scores_of = shadow_attack([split() for _ in range(8)], originals, stream)
    attacked = [split() for _ in range(3)]
    by_shadows = [areas(scores_of(one.Z), one.member[None])[0] for one in attacked]
    others = [areas(score, one.member[None])[0] for one in attacked for _, score in attack(one, originals)]
    assert np.mean(by_shadows) > 0.65
    assert max(others) < 0.58


@pytest.mark.slow
def test_records_are_attacked_by_what_others_taught():
    """Identical: a change of the records that are attacked, which trained the other classifier only, leaves their own one."""
    rng = np.random.default_rng(2)
    Y = rng.normal(size=(200, 2))
    originals, member = Originals.of(Y), rng.permutation(200) < 100
    result = Split(np.empty((200, 0)), Y, member, np.full(200, -1), np.empty((100, 0)), Y[member])
    fold = pf.RStream(3).sample_int(200) % 2
    flipped = dataclasses.replace(result, member=np.where(fold == 0, ~member, member))
    one, other = (shadow_attack([split], originals, pf.RStream(3))(Y[member]) for split in (result, flipped))
    np.testing.assert_array_equal(one[fold == 0], other[fold == 0])
    assert (one[fold == 1] != other[fold == 1]).any()


def test_verbatim_values_pairs_and_ratios_are_counted_by_rarity():
    """By hand: the release has the value that two of five records share, the pair (3, 1), and the ratio of (2, 4)."""
    Y = np.array([[1.0, 5.0], [1.0, 7.0], [2.0, 4.0], [3.0, 1.0], [4.0, 9.0]])
    Z = np.array([[1.0, 2.0], [3.0, 1.0]])
    split = Split(np.empty((5, 0)), Y, np.arange(5) < 2, np.full(5, -1), np.empty((2, 0)), Z)
    scores = dict(attack(split, Originals.of(Y)))
    np.testing.assert_allclose(scores["verbatim values"], [np.log(5 / 2), np.log(5 / 2), 0, 2 * np.log(5), 0])
    np.testing.assert_allclose(scores["verbatim pairs of values"], [0, 0, 0, np.log(5), 0])
    np.testing.assert_allclose(scores["verbatim ratios"], [0, 0, np.log(5), np.log(5), 0])


ATTRIBUTES, VALUES = "attribute disclosure", "verbatim values"


@pytest.mark.slow
@pytest.mark.usefixtures("without_detection")
@pytest.mark.parametrize(
    ("law", "leak", "shadows", "expected"),
    [
        (heaps, one_column, 0, {ATTRIBUTES, VALUES}),
        (whole, one_column, 8, {ATTRIBUTES, "shadow releases"}),  # 20 values that all records share are not rare
        (whole, values_of_others, 8, {VALUES, "shadow releases"}),
        (heaps, values_of_others, 0, {VALUES}),
        (whole, pairs_of_others, 0, {"verbatim pairs of values", "verbatim ratios"}),
        (whole, own_ratio, 0, {ATTRIBUTES}),
    ],
)
def test_values_of_members_raise_an_alarm(law, leak, shadows, expected):
    """Statistical: n = 1,000; each leak is seen by the attacks for it."""
    frame, roles = file(law, 1000, 3)
    assert expected <= attacks_alarmed(
        audit(frame, Fresh(law, leak), roles, repeats=3 if shadows else 1, shadows=shadows)
    )


@pytest.mark.slow(8)
@pytest.mark.usefixtures("without_detection")
def test_a_clean_release_seldom_raises_an_alarm():
    """Statistical: 3.5 per cent of clean audits raise an alarm; two of five do with a chance of about 1 per cent."""
    frame, roles = file(whole, 1000, 3)
    audits = [audit(frame, Fresh(whole, None), roles, seed=seed, shadows=0) for seed in range(1, 6)]
    assert sum(bool(found.alarms) for found in audits) <= 1


@pytest.mark.usefixtures("without_detection")
def test_a_copied_category_raises_an_alarm():
    """Statistical: the category is independent of all else."""
    frame, roles = file(whole, 300, 4)
    frame["kind"] = np.random.default_rng(1).choice(["u", "v", "w"], 300)
    roles = dataclasses.replace(roles, dependent=("y3", "y4", "kind"))
    found = audit(frame, OwnCategory(), roles, repeats=1, shadows=0)
    assert attacks_alarmed(found) == {ATTRIBUTES}
    assert "kind, level" in str(found.alarms[0])


def test_families_of_attacks_share_one_level():
    """By hand: Holm's factor 2 for the family with the least p value, then 1, never less than the first's least."""
    first, second = holm([np.array([0.04, 0.5]), np.array([0.01, 0.015, 0.9])])
    np.testing.assert_allclose(second, [0.02, 0.03, 1.0])
    np.testing.assert_allclose(first, [0.04, 0.5])


@pytest.mark.slow
@pytest.mark.usefixtures("without_detection")
@pytest.mark.parametrize("method", [pf.RankSwapping(2), pf.Calibrated(pf.IPSO("C"), margins="original")])
def test_methods_that_hand_out_members_values_raise_an_alarm(method):
    """Statistical: AUC 96 on survey(1,000) by either attack."""
    roles = pf.Roles(["age", "hours"], ["wage", "rent", "tax"])
    found = audit(pf.datasets.survey(1000), method, roles, repeats=1)
    assert {"verbatim values", "shadow releases"} <= attacks_alarmed(found)
    assert found["membership"] > 80
