"""audit(): its statistics by counting, its plants found, and what it refuses.

Oracles: every pair and every threshold looked at (identical); releases of known leaks from support.leaks (statistical);
what the door of protect() says (identical).
"""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import roc_curve
from support.data import CENSUS_PATH, requires_census
from support.leaks import LAWS, LEAKS, Fresh, donors_residuals, file, heaps, negatives

import pyfcrm as pf
from pyfcrm import audit
from pyfcrm.data import open_frame
from pyfcrm.data.predictors import is_categorical
from pyfcrm.errors import Note
from pyfcrm.evaluation.auditing import audited_file, split_results
from pyfcrm.evaluation.auditing.attacks import (
    COPIES,
    NEAREST,
    OUTLIERS,
    PAIRS,
    RATIOS,
    RELATIVE,
    RESIDUALS,
    SHADOWS,
    VERBATIM,
    Split,
    hits,
    nearest,
    residuals,
)
from pyfcrm.evaluation.auditing.audit_result import ALARM_LEVEL, KEYS, Audit, Line
from pyfcrm.evaluation.auditing.audit_statistics import (
    MEMBERSHIP,
    TPR,
    SplitResult,
    areas,
    audit_of_splits,
    difference,
    influences,
    is_large,
    is_sure,
    own_record_size,
    true_positives,
    wilson,
)
from pyfcrm.evaluation.auditing.labellings import labellings
from pyfcrm.evaluation.auditing.own_record_statistics import OwnRecord, adjusted_p_values
from pyfcrm.protection.protect import run_protect
from pyfcrm.studies.thesis import S1_CASE


@pytest.fixture
def without_trees(monkeypatch):
    """Membership and attributes only: the classifier of detection replaced by one that guesses."""
    monkeypatch.setattr(split_results, "_detection", lambda *_: {"detection": (0.5, 0.5, 0.01)})


@pytest.mark.slow
@pytest.mark.usefixtures("without_trees")
def test_releases_of_an_audit_keep_the_structure_that_was_accepted(monkeypatch):
    """Oracle: the identity itself, in every release that protect() gave. Identical."""
    released, frame = [], pf.datasets.survey(400)
    frame["total"] = frame["wage"] + frame["rent"]
    roles = pf.Roles(["age", "hours"], ["wage", "rent", "total"], ["name"])

    def watched(*args, **more):
        released.append(run_protect(*args, **more))
        return released[-1]

    monkeypatch.setattr(audited_file, "run_protect", watched)
    kept = pf.find_structure(frame, roles).exact
    assert [one.kind for one in kept] == ["identity", "sign"]
    for value in (kept, "find", None):
        audit(frame, pf.IPSO("C"), roles, repeats=1, shadows=0, structure=value)
    holds = [bool((one.frame["total"] == one.frame["wage"] + one.frame["rent"]).all()) for one in released]
    assert holds == [True, True, False]
    with pytest.raises(pf.errors.InvalidParameter, match="`structure` must be a result of find_structure"):
        audit(frame, pf.IPSO("C"), roles, structure="guess")


@pytest.mark.usefixtures("without_trees")
def test_an_audit_protects_incomplete_records_as_the_release_does(monkeypatch):
    """By hand: 100 of 400 records miss a value; half of these and half of the others are protected, the complete attacked."""
    values = []

    def watched(part, method, roles, seed, options, **more):
        values.append((part.records, int(np.isnan(part.values("wage")).sum()), options.missing))
        return run_protect(part, method, roles, seed, options, **more)

    monkeypatch.setattr(audited_file, "run_protect", watched)
    frame, roles = pf.datasets.survey(400), pf.Roles(["age", "hours"], ["wage", "rent"], ["name"])
    frame["wage"] = frame["wage"].astype(float).mask(np.arange(400) % 4 == 0)
    found = {way: audit(frame, pf.IPSO("C"), roles, repeats=1, shadows=0, missing=way) for way in ("protect", "drop")}
    assert values == [(200, 50, "protect"), (150, 0, "drop")]
    assert [(one.records, one.members) for one in found.values()] == [(300, 150)] * 2


@pytest.mark.usefixtures("without_trees")
def test_codes_with_value_labels_are_categories_in_an_audit_as_in_a_release(monkeypatch):
    """Identical: both are asked. Labels of a frame, not of a file, were lost."""
    categorical = []

    def watched(part, *args, **more):
        categorical.append(is_categorical(part, "sex"))
        return run_protect(part, *args, **more)

    monkeypatch.setattr(audited_file, "run_protect", watched)
    frame, roles = pf.datasets.survey(400), pf.Roles(["age", "sex"], ["wage", "rent"], ["name"])
    frame["sex"] = np.arange(400) % 2.0
    frame.attrs["variable_value_labels"] = {"sex": {0.0: "man", 1.0: "woman"}}
    audit(frame, pf.IPSO("C"), roles, repeats=1, shadows=0, missing="drop")
    assert categorical == [True] == [is_categorical(open_frame("audit", frame), "sex")]


def test_areas_and_true_positives_are_what_counting_gives():
    """Oracle: every pair of a member and another, ties a half; the ROC curve of scikit-learn. Identical."""
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 40, 230).astype(float)
    labels = labellings(rng.uniform(size=230) < 0.45, 5, pf.RStream(1))
    for member, area, result in zip(labels, areas(scores, labels), true_positives(scores, labels), strict=True):
        a, b = scores[member], scores[~member]
        assert area == pytest.approx(np.mean((a[:, None] > b) + (a[:, None] == b) / 2), rel=1e-12)
        false, true, _ = roc_curve(member, scores, drop_intermediate=False)
        assert result == pytest.approx(np.interp(np.floor(0.01 * len(b)) / len(b), false, true), rel=1e-12)
    assert (labels.sum(axis=1) == labels[0].sum()).all()


def test_true_positives_with_ties_vary_as_those_without():
    """Statistical: 3 per cent of the scores are equal and largest. Under permuted labels no share lies 6 sd from their mean."""
    scores, member = np.minimum(np.random.default_rng(4).normal(size=1000), 1.88), np.arange(1000) < 500
    result = true_positives(scores, labellings(member, 400, pf.RStream(4)))
    assert np.abs(result - result.mean()).max() < 6 * result.std()
    assert result.mean() == pytest.approx(0.01, abs=0.001)


def test_influences_give_the_variance_of_an_area():
    """Oracle: the area of 400 samples of members and of others with replacement, whose variance has a standard error of 7 %."""
    rng = np.random.default_rng(2)
    scores, member = rng.integers(0, 90, 400).astype(float), np.arange(400) < 180
    scores[member] += 20
    area, influence = influences(scores, member)
    assert area == pytest.approx(areas(scores, member[None])[0])
    assert abs(influence.sum()) < 1e-12
    drawn = [np.concatenate([rng.integers(0, 180, 180), rng.integers(180, 400, 220)]) for _ in range(400)]
    assert (influence**2).sum() == pytest.approx(np.var([areas(scores[d], member[None])[0] for d in drawn]), rel=0.25)


def test_differences_and_wilson_by_hand():
    """Worked by hand: 3 less 2, of records 1 from their means; Wilson's interval of 5 in 100 is 2.15 to 11.18 per cent."""
    value, influence = difference(np.array([2.0, 4.0, 1.0, 3.0]), np.array([True, True, False, False]))
    assert (value, *influence) == (1.0, -0.5, 0.5, 0.5, -0.5)
    assert wilson(0.05, 100) == pytest.approx((0.021543, 0.111750), abs=1e-6)


@pytest.mark.slow
def test_families_of_statistics_are_adjusted_together():
    """Statistical: 2,000 families of 8 that are all chance alarm in 5 per cent (sd 0.5)."""
    rng = np.random.default_rng(4)
    families = ({(str(k), ""): rng.normal(size=100) for k in range(8)} for _ in range(2000))
    alarms = np.mean([adjusted_p_values(family).min() <= 0.05 for family in families])
    assert abs(alarms - 0.05) < 0.02


def test_an_alarm_on_attributes_is_raised_by_the_statistic_that_is_significant():
    """By hand: ranks of `a` come first by weight with a p value of 2 in 200, doubled as one of two families; whole records have 1."""
    usual = np.tile([-1.0, 1.0], 100)
    ranks, records = (np.concatenate([first, usual[len(first) :]]) for first in ([3.2, 3.4], [3.9]))
    member, scores = np.arange(60) < 30, dict.fromkeys((COPIES, NEAREST), np.zeros(60))
    labels = ("a", "ranks"), ("all attributes", "records of all")
    attributes = OwnRecord(dict(zip(labels, (ranks, records), strict=True)), {labels[1]: 0.05}, records=30)
    split = SplitResult(member, scores, {}, attributes, {"detection": (0.5, 0.5, 0.01)})
    found = audit_of_splits(pf.IPSO("C"), [split], pf.RStream(1))
    assert found.p_value == 0.01
    assert [alarm.facts["what"] for alarm in found.alarms] == ["records of all attributes"]


@pytest.mark.parametrize(
    ("kind", "value", "lower", "large"),
    [
        (MEMBERSHIP, 0.57, 0.541, True),
        (MEMBERSHIP, 0.569, 0.55, False),
        (MEMBERSHIP, 0.6, 0.54, False),
        (TPR, 0.03, 0.0, True),
        (TPR, 0.029, 0.9, False),
    ],
)
def test_an_alarm_on_members_needs_size(kind, value, lower, large):
    """Oracle: the table of sizes in docs/verdict.md, at each edge."""
    assert is_large(kind, value, (value, (lower, 1.0))) == large


@pytest.mark.parametrize(("share", "large"), [(0.02, True), (0.019, False)])
def test_an_alarm_on_close_values_needs_two_points(share, large):
    """Oracle: the table of sizes in docs/verdict.md. The share is the mean of two splits.
    The lower bound by hand, of 100 records."""
    label = ("a", "values")
    splits = [OwnRecord({label: np.array([9.0, 1.0, -1.0])}, {label: value}, 100) for value in (0.0, 2 * share)]
    size = own_record_size(*label, splits)
    assert size.is_large == large
    assert size.facts["points"] == pytest.approx(100 * share)
    assert size.facts["lower"] == pytest.approx(100 * (share - 1.96 * np.sqrt(share * (1 - share) / 100)), abs=0.01)


@pytest.mark.parametrize(
    ("records", "correlation", "large"), [(5000, 0.2, False), (5000, 0.24, True), (60, 0.24, False), (60, 0.5, True)]
)
def test_an_alarm_on_ranks_needs_an_area_whatever_the_number_of_records(records, correlation, large):
    """Oracle: 1/2 + arcsin(r) / pi is 57 per cent at r = .218, as is the share of pairs in one order. Close: 4 sd."""
    rng = np.random.default_rng(1)
    x, e = rng.normal(size=(2, 5000))
    y = correlation * x + np.sqrt(1 - correlation**2) * e
    values = np.concatenate([[correlation * np.sqrt(records)], rng.normal(size=199)])
    size = own_record_size("a", "ranks", [OwnRecord({("a", "ranks"): values}, {}, records)])
    assert size.is_large == large
    same_order = 100 * np.mean((np.diff(x) > 0) == (np.diff(y) > 0))
    assert size.facts["area"] == pytest.approx(same_order, abs=4)


def test_the_nearest_record_is_found_with_one_left_out():
    """Oracle: all distances. Identical but for rounding, 1e-12."""
    rng = np.random.default_rng(5)
    A, B, own = rng.normal(size=(60, 3)), rng.normal(size=(40, 3)), rng.integers(-1, 40, 60)
    d = np.sqrt(((A[:, None] - B) ** 2).sum(axis=2))
    np.testing.assert_allclose(nearest(A, B)[0], d.min(axis=1), rtol=1e-12)
    d[own >= 0, own[own >= 0]] = np.inf
    distance, place = nearest(A, B, own)
    np.testing.assert_array_equal(place, d.argmin(axis=1))
    np.testing.assert_allclose(distance, d.min(axis=1), rtol=1e-12)


def test_a_member_s_residual_is_by_the_others():
    """Oracle: the regression fitted again without the record. Close: the closed form by leverage, 1e-9."""
    rng = np.random.default_rng(6)
    X, member = rng.normal(size=(30, 2)), np.arange(30) < 18
    Y = X @ rng.normal(size=(2, 3)) + rng.normal(size=(30, 3))
    left, released = residuals(Split(X, Y, member, np.full(30, -1), X[member], Y[member]))
    A, S = np.column_stack([np.ones(30), X]), (Y - Y.mean(axis=0)) / Y.std(axis=0, ddof=1)
    for i in (3, 25):
        others = member & (np.arange(30) != i)
        np.testing.assert_allclose(
            left[i], S[i] - A[i] @ np.linalg.lstsq(A[others], S[others], rcond=None)[0], rtol=1e-9
        )
    coef = np.linalg.lstsq(A[member], S[member], rcond=None)[0]
    np.testing.assert_allclose(released, (S - A @ coef)[member], rtol=1e-9, atol=1e-12)


def test_hits_are_read_off_the_record_with_the_nearest_x():
    """By hand: two members at x = 0 and 10, one other at 1, whose nearest released record is the first."""
    X, Y = np.array([[0.0], [10.0], [1.0]]), np.array([[5.0], [9.0], [5.5]])
    split = Split(X, Y, np.array([True, True, False]), np.array([0, 1, -1]), X[:2], Y[:2])
    included, excluded = hits(split)["within 5 % of a sd"]
    np.testing.assert_array_equal(included, [1.0, 1.0, 0.0])
    np.testing.assert_array_equal(excluded, [0.0, 0.0, 0.0])


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("law", LAWS.values())
def test_what_is_planted_in_one_record_of_20_is_found(without_trees, law, leak):
    """Statistical: one seed of each; the rates over many stand in the changelog."""
    frame, roles = file(law, 1000, 7)
    repeats = 3 if leak is donors_residuals else 1  # the smallest of the leaks
    found = audit(frame, Fresh(law, leak), roles, 1, repeats=repeats, shadows=0)
    assert found.alarms, str(found)
    assert found["tpr"] > found["tpr_control"] + 2


@pytest.mark.slow
def test_false_alarms_are_few_over_all_attacks_together(without_trees):
    """Statistical: 24 files whose release is drawn afresh, as the file was: 3 in 100 would alarm, so 5 of 24 do once in 2,000
    times. Of 120 audits with shadow releases of a fresh draw, IPSO-C and GADP, n = 400, three did."""
    rng = np.random.default_rng(3)
    roles = pf.Roles([], ["y1", "y2", "y3", "y4"])
    alarmed = 0
    for seed in range(24):
        law = list(LAWS.values())[seed % len(LAWS)]
        # The release knows nothing of the members' X either: it is drawn at others'.
        frame = pd.DataFrame(law(rng.normal(size=(120, 2)), rng), columns=roles.dependent)
        release = Fresh(lambda X, rng, law=law: law(rng.normal(size=(len(X), 2)), rng))
        alarmed += bool(audit(frame, release, roles, seed, repeats=1, shadows=4).alarms)
    assert alarmed < 5


@pytest.mark.slow(3)
def test_an_audit_has_a_row_for_every_attack_and_is_repeated_by_its_seed():
    frame, roles = file(heaps, 200, 9)
    steps, method = [], pf.IPSO("C")
    progress = lambda done, most, what: steps.append(done / most)  # noqa: E731
    found, again = (audit(frame, method, roles, 3, repeats=2, shadows=2, progress=p) for p in (progress, None))
    pd.testing.assert_frame_equal(found.to_frame(), again.to_frame())
    assert list(found.to_frame().columns) == ["attack", "value", "control", "lower", "upper"]
    attacks = (NEAREST, RELATIVE, OUTLIERS, RESIDUALS, COPIES, VERBATIM, PAIRS, RATIOS, SHADOWS)
    assert {f"membership: {name}" for name in attacks} < set(found.to_frame()["attack"])
    assert set(found.keys()) == {*KEYS, *(f"{key}_control" for key in KEYS)}
    assert found["membership"] == max(
        found.to_frame()["value"][found.to_frame()["attack"].str.startswith("membership:")]
    )
    assert (found.to_frame()["lower"] <= found.to_frame()["upper"]).all()
    assert len(repr(found).splitlines()) <= 30
    assert len(repr(found)) <= 4000
    assert steps == sorted(steps)
    assert steps[-1] == 1


@pytest.mark.slow
def test_any_frame_and_strata(without_trees):
    frame, roles = file(negatives, 400, 10)
    frame = frame.assign(region=np.arange(400) % 3, name=[f"n{k}" for k in range(400)])
    roles = pf.Roles(roles.independent, roles.dependent, ["name"])
    whole = audit(frame, pf.IPSO("B"), roles, 1, strata=["region"], repeats=1, shadows=0)
    assert whole.members in range(199, 203)
    for other in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        assert audit(other, pf.IPSO("B"), roles, 1, strata="region", repeats=1, shadows=0).rows() == whole.rows()


@pytest.mark.parametrize(
    "method", [pf.Sampling(0.8), pf.TopBottomCoding(top={"y1": 2.0}), pf.LocalSuppression(k=2, keys=["region"])]
)
def test_methods_that_do_more_than_replace_numbers(without_trees, method):
    """Whatever leaves records as they were is found at once. By meaning."""
    frame, roles = file(negatives, 400, 11)
    found = audit(frame.assign(region=np.arange(400) % 3), method, roles, 1, repeats=1, shadows=0)
    assert any(one.facts["attack"] == "exact copies" for one in found.alarms)
    assert found["exact_copies"] > 20


def test_without_independent_columns_there_are_no_attribute_hits(without_trees):
    frame, roles = file(negatives, 300, 12)
    found = audit(frame, pf.Noise("uncorrelated", 20), pf.Roles([], roles.dependent), 1, repeats=1, shadows=0)
    assert "attribute_hits" not in found.keys()  # noqa: SIM118
    assert any("attribute hits" in note for note in found.notes)


def test_records_with_missing_values_are_left_out_and_said(without_trees):
    frame, roles = file(negatives, 300, 13)
    frame.loc[:9, "y2"] = np.nan
    with pytest.raises(pf.errors.InvalidInput, match="missing"):
        audit(frame, pf.IPSO("A"), roles)
    found = audit(frame, pf.IPSO("A"), roles, missing="protect", repeats=1, shadows=0)
    assert found.records == 290
    assert any("10 of 300" in note for note in found.notes)


def test_what_it_refuses_it_refuses_in_one_sentence(without_trees):
    frame, roles = file(negatives, 300, 14)
    for value, text in (
        ({"share": 1.0}, "share"),
        ({"repeats": 0}, "repeats"),
        ({"share": 0.01}, "at least 20"),
        ({"strata": "y1"}, "dependent"),
    ):
        with pytest.raises((pf.errors.InvalidInput, pf.errors.InvalidParameter), match=text):
            audit(frame, pf.IPSO("A"), roles, **value)
    with pytest.raises(pf.errors.InvalidInput, match="numbers"):
        audit(frame, pf.Recoding(4), roles)
    with pytest.raises(pf.errors.InvalidParameter, match="method"):
        audit(frame, 3, roles)
    with pytest.raises(pf.errors.InvalidInput, match="no column is called `nope`"):
        audit(frame, pf.IPSO("A"), pf.Roles(["nope"], roles.dependent))


@pytest.mark.slow
def test_a_release_of_another_law_is_detected_and_the_originals_are_not():
    """Statistical: a rotation of a heaped file is seen at once; the control is guessing, four sd of 2.4."""
    frame, roles = file(heaps, 600, 16)
    found = audit(frame, pf.IPSO("C"), roles, 1, repeats=1, shadows=0)
    assert found["detection"] > 80
    assert abs(found["detection_control"] - 50) < 10
    assert all(one.facts["attack"] != "detection" for one in found.alarms)


@pytest.mark.slow(12)
@requires_census
@pytest.mark.parametrize(
    ("method", "key", "expected"),
    [(pf.FCRM(8), "membership", 92), (pf.Sequential(min_leaf=5, smooth=False), "detection", 62)],
)
def test_on_the_census_file(request, monkeypatch, method, key, expected):
    """Statistical: what YARDSTICK measured over five splits, 62.1 and 91.9, each with 3 to either side.

    Statistics of own records draw from a stream of their own, so that the other figures are the same without them."""
    monkeypatch.setattr(split_results, "_own_record", lambda *_: OwnRecord(statistics={}, excess={}, records=0))
    if key != "detection":
        request.getfixturevalue("without_trees")
    census, roles = pf.datasets.census(CENSUS_PATH), pf.Roles(S1_CASE.independent, S1_CASE.dependent)
    assert abs(audit(census, method, roles, 1, shadows=0)[key] - expected) <= 3


def test_no_alarm_states_the_level_at_which_alarms_are_raised():
    """Oracle: ALARM_LEVEL of the decision itself. It said 3 of 100 after the level had become 1 of 100."""
    quiet = Audit(lines=(), method="m", records=200, members=100, repeats=1, strongest={MEMBERSHIP: "a", TPR: "a"})
    assert f" {100 * ALARM_LEVEL:g} of 100 " in quiet.describe()[0]


@pytest.mark.parametrize(
    ("method", "splits"),
    [(pf.Sequential(min_leaf=5), 9), (pf.Sequential(min_leaf=1, smooth=False), 3), (pf.IPSO("C"), 3)],
    ids=str,
)
def test_a_finding_of_few_splits_is_confirmed_by_further_ones(without_trees, method, splits):
    """By hand: six further splits where leaves of five make areas near the limit, none where values of single records are drawn, where
    nothing is found, or another number is asked."""
    frame = pf.datasets.survey().head(400)
    roles = pf.Roles(["age"], ["wage", "rent", "tax"])
    assert audit(frame, method, roles, 1, shadows=0).repeats == splits
    assert audit(frame, method, roles, 1, repeats=1, shadows=0).repeats == 1


def test_an_attack_is_sure_where_its_whole_interval_is_above_the_limit():
    """Oracle: the table of sizes in docs/verdict.md, at each edge."""

    def sure(lower_area, lower_tpr, attack="a", **facts):
        alarm = Note.of("alarm", "{attack}", attack=attack, **facts)
        lines = [
            Line(name, 60.0, 50.0, low, 70.0) for name, low in ((f"{MEMBERSHIP}: a", lower_area), (TPR, lower_tpr))
        ]
        strongest = {MEMBERSHIP: "a", TPR: "a"}
        found = Audit(tuple(lines), "m", 200, 100, repeats=3, strongest=strongest, alarms=(alarm,))
        return is_sure(found)

    assert sure(57.1, 1.0)
    assert sure(50.0, 3.1)
    assert not sure(56.9, 2.9)
    on_attributes = partial(sure, 90.0, 90.0, attack="attribute disclosure")
    assert on_attributes(points=20.0, lower=2.1)
    assert not on_attributes(points=2.5, lower=1.9)
    assert on_attributes(area=65.0, lower=57.1)
    assert not on_attributes(area=58.0, lower=56.9)
