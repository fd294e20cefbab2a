"""Attacks by preserved sums and by pairs of columns, and files that are made anew.

Oracles: the theory of likelihood ratios, distances by brute force, planted disclosures (statistical unless said otherwise).
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from support.employment import employment

import pyfcrm as pf
from pyfcrm import audit
from pyfcrm.data import open_frame
from pyfcrm.engine.engines import Local
from pyfcrm.evaluation.auditing import split_results
from pyfcrm.evaluation.auditing.attacks import Originals, Split, ranked
from pyfcrm.evaluation.auditing.audit_statistics import areas
from pyfcrm.evaluation.auditing.audited_file import opened
from pyfcrm.evaluation.auditing.moment_attack import MOMENTS, PublishedGroups, PublishedSums, moment_scores
from pyfcrm.evaluation.auditing.pair_attack import (
    NEAR,
    NEAR_PAIRS,
    pair_scores,
    reference_distances,
    released_distances,
)
from pyfcrm.protection.options import Options

ROLES = pf.Roles(["x"], ["wage", "debt", "rent"])


@pytest.fixture
def without_trees(monkeypatch):
    """Membership and attributes only: the classifier of detection replaced by one that guesses."""
    monkeypatch.setattr(split_results, "_detection", lambda *_: {"detection": (0.5, 0.5, 0.01)})


def groups(size, seed=7):
    """A file of 12 groups of so many records, with three amounts."""
    rng = np.random.default_rng(seed)
    n = 12 * size
    return pd.DataFrame(
        {
            "g": np.repeat([f"g{i}" for i in range(12)], size),
            "x": rng.integers(1, 5, n).astype(float),
            "wage": np.round(np.exp(7 + 0.5 * rng.normal(size=n))),
            "debt": np.round(np.exp(8 + 0.8 * rng.normal(size=n))),
            "rent": np.round(np.exp(6 + 0.4 * rng.normal(size=n))),
        }
    )


@pytest.mark.parametrize(("t", "group_size"), [(4, 400), (4, 40)])
def test_preserved_means_disclose_members_as_theory_says(t, group_size):
    """Oracle: of k independent normal sums of m members the ratio has an area of about Phi(sqrt(k / 2m)). Standard error .4 points."""
    rng = np.random.default_rng(1)
    n = 400
    codes = np.arange(n) % (n // group_size)
    found = []
    for _ in range(60):
        Y = rng.normal(size=(n, t))
        member = np.argsort(np.argsort(rng.uniform(size=n) + 9 * codes)) % group_size < group_size // 2
        own = np.where(member, np.cumsum(member) - 1, -1)
        none = np.empty((n, 0))
        # The members' values in another order within their group keep its means.
        rows = np.flatnonzero(member)
        rows = rows[np.lexsort((rng.uniform(size=len(rows)), codes[rows]))]
        Z = np.empty((len(rows), t))
        Z[own[np.flatnonzero(member)[np.argsort(codes[member], kind="stable")]]] = Y[rows]
        split = Split(X=none, Y=Y, member=member, own=own, released=none[: len(Z)], Z=Z)
        scores = moment_scores(split, PublishedSums([PublishedGroups.whole(codes, cross=False)], share=1.0))
        found.append(areas(scores, member[None])[0])
    assert np.mean(found) == pytest.approx(norm.cdf(np.sqrt(t / group_size)), abs=0.02)


def test_pairs_of_columns_by_brute_force():
    """Oracle: all distances. Identical."""
    rng = np.random.default_rng(2)
    Y, Z = rng.integers(0, 9, (60, 3)).astype(float), rng.integers(0, 9, (30, 3)).astype(float)
    originals = Originals.of(Y)
    A, B = originals.ranks, ranked(Z, Y)
    expected = np.zeros(60)
    for pair in ([0, 1], [0, 2], [1, 2]):
        near = np.linalg.norm(A[:, None, pair] - B[None][:, :, pair], axis=2).min(axis=1)
        among = np.linalg.norm(A[:, None, pair] - A[None][:, :, pair], axis=2) + np.diag(np.full(60, np.inf))
        expected += np.log((among.min(axis=1) + NEAR) / (near + NEAR)) / 3
    found = pair_scores(reference_distances(originals), released_distances(originals, Z))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    one_column = Originals.of(Y[:, :1])
    assert not pair_scores(reference_distances(one_column), released_distances(one_column, Z[:, :1])).any()


@pytest.mark.slow
@pytest.mark.usefixtures("without_trees")
def test_sums_preserved_in_small_groups_raise_an_alarm():
    """12 strata of 40 records with 36 or more sums each: members are found with an area of 60 to 66. No alarm before."""
    found = audit(groups(40), pf.IPSO("C"), ROLES, strata=["g"], shadows=0)
    assert any(alarm.facts["attack"] == MOMENTS for alarm in found.alarms)
    [line] = [line for line in found.lines if line.attack == f"membership: {MOMENTS}"]
    assert line.value > 58


def test_means_of_small_groups_are_attacked_without_sums_that_they_do_not_keep():
    """Oracle: 1.5 means of 20 members, Phi(sqrt(1.5 / 40)) = 57.7. Statistical: 8 files of 480 records, standard error .9.

    The defect: products with x and of two columns, which groups of 40 do not keep, hid the means.
    """
    found = []
    for seed in range(8):
        options = Options(preserve=("g",))
        file, _ = opened(
            open_frame("test", groups(40, seed)), pf.Calibrated(pf.IPSO("C")), ROLES,
            stream=pf.RStream(seed), share=0.5, options=options, engine=Local(),
        )  # fmt: skip
        _, levels = file.published_sums.groups
        assert levels.means_only.all()
        (split,), _ = file.splits(None, 1)
        of_levels = replace(file.published_sums, groups=[levels])
        found.append(areas(moment_scores(split, of_levels), split.member[None])[0])
    assert np.mean(found) == pytest.approx(norm.cdf(np.sqrt(1.5 / 40)), abs=0.025)


@pytest.mark.slow
@pytest.mark.usefixtures("without_trees")
def test_trees_with_small_leaves_are_found_in_pairs_of_columns():
    found = audit(groups(25), pf.Sequential(min_leaf=5, smooth=False), ROLES, shadows=0)
    [line] = [line for line in found.lines if line.attack == f"membership: {NEAR_PAIRS}"]
    assert line.value > 65


@pytest.mark.slow
@pytest.mark.usefixtures("without_trees")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", [pf.Calibrated(pf.IPSO("C")), pf.IPSO("C")], ids=str)
def test_honest_releases_raise_no_alarm(method, seed):
    """600 records with 12 sums or fewer that are preserved, of the whole file."""
    assert not audit(groups(50, seed), method, ROLES, seed=1, shadows=0).alarms


class KeysOfPersons:
    """A generator that copies age, birth and region of real persons, and draws the amounts."""

    def fit(self, frame):
        self.frame = frame

    def sample(self, n):
        rng = np.random.default_rng(3)
        copied = self.frame.iloc[rng.permutation(len(self.frame))[:n]].reset_index(drop=True)
        for name in ("wage", "debt"):
            logs = np.log(copied[name])
            copied[name] = np.round(np.exp(logs.mean() + logs.std() * rng.normal(size=len(copied))))
        return copied


@pytest.mark.slow
@pytest.mark.parametrize(("n", "seed"), [(1000, 104), (600, 105)])
def test_a_level_that_shares_its_column_raises_no_alarm(n, seed):
    """Honest draws, given sex and age: no alarm. A level whose pensions disclose a contribution shares its column of the design. Draws
    tell it apart, and the attack compared its people with those of the other level: AUC 57 to 60, 10 standard deviations."""
    roles = pf.Roles(["sex", "age"], ["status", "pay", "pension"])
    found = audit(employment(n, seed), pf.Calibrated(), roles, seed=1)
    assert not [alarm for alarm in found.alarms if "attribute" in str(alarm)]


@pytest.mark.slow
@pytest.mark.usefixtures("without_trees")
def test_a_generator_that_copies_birth_dates_raises_an_alarm():
    """A new file has its own independent columns, and these are attacked too. No alarm before."""
    rng = np.random.default_rng(5)
    frame = groups(25).rename(columns={"x": "region"}).drop(columns=["g", "rent"])
    frame["birth"] = rng.integers(19300101, 20051231, len(frame)).astype(float)
    found = audit(frame, pf.External(KeysOfPersons()), pf.Roles(["region", "birth"], ["wage", "debt"]), shadows=0)
    assert found["membership"] > 90
    assert found.alarms
