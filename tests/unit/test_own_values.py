"""The values of a given release against those that its method makes.

Oracle: brute force for scores, the level of a Monte Carlo test, edits by hand. Grade: identical for counts, close for
distances (rounding), statistical for the level.
"""

import dataclasses
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.evaluation.auditing import own_values
from pyfcrm.evaluation.auditing.audit_result import Audit
from pyfcrm.evaluation.auditing.own_values import EXTREMES, ISOLATED, REPEATED, Compared, difference
from pyfcrm.evaluation.encoded_files import encoded_original, encoded_release
from pyfcrm.evaluation.evaluate_request import release_request
from pyfcrm.evaluation.fresh_releases import not_as_made
from pyfcrm.rstream import RStream

Y = ["wage", "debt", "rent"]
ROLES = pf.Roles(["region", "size"], Y)
METHOD = pf.Calibrated(pf.IPSO("C"))


def business(n=800, seed=1, times=50):
    """Enterprises with three amounts; in record 7 each is `times` the median."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 6, n)
    wage = np.exp(7 + 0.1 * size + 0.5 * rng.standard_normal(n))
    debt = wage / 1500 * np.exp(8 + 0.8 * rng.standard_normal(n))
    rent = np.exp(6 + 0.6 * rng.standard_normal(n))
    frame = pd.DataFrame(
        {"region": rng.choice(list("ABCD"), n), "size": size, "wage": wage, "debt": debt, "rent": rent}
    )
    frame.loc[7, Y] = times * frame[Y].median()
    return frame.round(0)


def reason(frame, released, *copies):
    """The reason why copies are not what the method makes, by a request of a release whose audit raised no alarm."""
    audit = Audit(lines=(), method=METHOD, records=1, members=1, repeats=1)
    request = dataclasses.replace(release_request(released), audit=audit)
    original = encoded_original("evaluate", open_data("evaluate", frame), request.variables)
    encoded = [encoded_release(original, open_data("evaluate", copy)) for copy in copies or released.frames]
    found = not_as_made(original, encoded, request)
    return None if found is None else found.reason


@pytest.fixture(scope="module")
def frame():
    return business()


@pytest.fixture(scope="module")
def released(frame):
    return pf.protect(frame, METHOD, ROLES, seed=pf.RStream(5), shuffle=False)


def two_values_of_the_outlier(z, y):
    z.loc[z["wage"].idxmax(), ["wage", "debt"]] = y.loc[7, ["wage", "debt"]].to_numpy()


def one_record_in_20(z, y):
    rows = np.arange(3, len(z), 20)
    z.loc[rows, Y] = y.loc[rows, Y]


def the_whole_file_in_another_order(z, y):
    z[Y] = y[Y].to_numpy()[::-1]


EDITS = (two_values_of_the_outlier, one_record_in_20, the_whole_file_in_another_order)


@pytest.mark.slow
@pytest.mark.parametrize("method", [METHOD, pf.IPSO("C"), pf.Sequential()], ids=str)
def test_an_honest_release_is_what_the_method_makes(frame, method):
    assert reason(frame, pf.protect(frame, method, ROLES, seed=1, allow_unprotected=True)) is None


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_a_release_edited_by_hand_is_not_what_the_method_makes(frame, released, edit):
    z = released.frame.copy()
    edit(z, frame)
    assert "the release is not what the method makes" in reason(frame, released, z)


@pytest.mark.slow
def test_copies_are_compared_together(frame):
    # Statistical: one honest release in a hundred is found, so that two of five are by a chance of .001.
    found = 0
    for seed in range(6, 11):
        released = pf.protect(frame, METHOD, ROLES, seed=pf.RStream(seed), shuffle=False, copies=2)
        found += reason(frame, released) is not None
    assert found <= 1
    first, second = released.frames
    edited = second.copy()
    one_record_in_20(edited, frame)
    assert reason(frame, released, first, edited) is not None


@pytest.mark.slow
def test_the_largest_records_of_a_large_file_are_all_compared():
    """A random sample of 5,000 would have 6 of the 15, whose values are within 1 per cent."""
    frame = business(12_000, times=1)
    released = pf.protect(frame, METHOD, ROLES, seed=pf.RStream(5), shuffle=False)
    z = released.frame.copy()
    rows = frame["wage"].nlargest(15).index
    z.loc[rows, Y] = frame.loc[rows, Y] * np.random.default_rng(5).uniform(0.99, 1.01, (15, len(Y)))
    assert reason(frame, released, z) is not None


@pytest.mark.slow
def test_the_test_audit_of_an_edited_release_is_not_examined_and_names_the_next_step():
    frame = business(300, times=1)
    audit = pf.audit(frame, METHOD, ROLES, seed=1, repeats=1, shadows=0)
    released = pf.protect(frame, METHOD, ROLES, seed=pf.RStream(5), shuffle=False)
    z = released.frame.copy()
    the_whole_file_in_another_order(z, frame)
    of_honest, of_edited = (
        pf.evaluate(frame, dataclasses.replace(released, frame=copy), measures="pil", audit=audit).verdict["audit"]
        for copy in (released.frame, z)
    )
    assert of_honest.status == "pass"
    assert of_edited.status == "not examined"
    assert "what the method makes" in of_edited.remedy


def test_scores_are_those_of_brute_force():
    rng = np.random.default_rng(2)
    A = np.round(rng.normal(size=(60, 3)) * 50)
    Z = np.vstack([np.round(rng.normal(size=(40, 3)) * 50), A[:5] + np.array([0, 0, 30])])
    found = Compared.of(A, RStream(1)).scores([Z])
    sd = A.std(axis=0, ddof=1)
    equal = (np.abs(A[:, None] - Z) <= 1e-3 * sd).astype(int)  # (60, 45, 3)
    pairs = [(equal[:, :, i] * equal[:, :, j]).max(axis=1) for i, j in combinations(range(3), 2)]
    np.testing.assert_array_equal(found[REPEATED], np.sum(pairs, axis=0))
    expected = []
    for columns in ([0], [1], [2], [0, 1], [0, 2], [1, 2]):
        S, R = A[:, columns] / sd[columns], Z[:, columns] / sd[columns]
        to_others = np.linalg.norm(S[:, None] - S, axis=2) + np.diag(np.full(60, np.inf))
        apart, near = to_others.min(axis=1), np.linalg.norm(S[:, None] - R, axis=2).min(axis=1)
        rows = np.argsort(-apart, kind="stable")[:20]
        expected.append(np.maximum(np.log(apart[rows] + 1e-3) - np.log(near[rows] + 1e-3), 0) ** 2)
    # Ties of the 20th place may fall otherwise after rounding: sums by group of columns are compared where there is none.
    np.testing.assert_allclose(np.sort(found[ISOLATED])[-40:], np.sort(np.concatenate(expected))[-40:], rtol=1e-9)


def test_units_of_extreme_values_are_compared_in_all_columns():
    """Brute force: the 20 largest and 20 smallest of each column, whatever their place among ties."""
    rng = np.random.default_rng(4)
    A = rng.normal(size=(90, 2))
    Z = np.vstack([rng.normal(size=(80, 2)), 1.01 * A[np.argsort(A[:, 0])[-10:]]])
    sd = A.std(axis=0, ddof=1)
    distances = np.linalg.norm(A[:, None] / sd - A / sd, axis=2) + np.diag(np.full(90, np.inf))
    to_released = np.linalg.norm(A[:, None] / sd - Z / sd, axis=2).min(axis=1)
    nearer = np.maximum(np.log(distances.min(axis=1) + 1e-3) - np.log(to_released + 1e-3), 0) ** 2
    ranks = A.argsort(axis=0).argsort(axis=0)
    is_extreme = ((ranks < 20) | (ranks >= 70)).any(axis=1)
    np.testing.assert_allclose(Compared.of(A, RStream(1)).scores([Z])[EXTREMES], nearer[is_extreme], rtol=1e-9)


@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_honest_releases_differ_in_at_most_one_of_a_hundred_files(spread):
    """Figures of one law, also with a part that all records of a release share: the scores are then not independent."""
    rng = np.random.default_rng(3)

    def scores():
        return {name: rng.exponential(size=30) + spread * rng.exponential() for name in own_values.WORDS}

    def releases():
        while True:
            yield scores()

    found = sum(difference(scores(), releases()) is not None for _ in range(400))
    assert found <= 10  # of 400; more than 10 at the level of .01 have a probability of .003


def test_few_releases_decide_where_nothing_stands_out():
    made = []

    def releases():
        while True:
            made.append({name: np.ones(30) for name in own_values.WORDS})
            yield made[-1]

    assert difference({name: np.ones(30) for name in own_values.WORDS}, releases()) is None
    assert len(made) == 2
    found = difference({name: 9 * np.ones(30) for name in own_values.WORDS}, releases())
    assert found is not None
    assert len(made) == 2 + 9


def test_scores_by_blocks_are_those_of_the_whole():
    """Oracle: the same release at once. Identical up to the rounding of distances."""
    rng = np.random.default_rng(6)
    A = np.round(rng.normal(size=(300, 3)) * 50)
    Z = np.vstack([np.round(rng.normal(size=(250, 3)) * 50), A[:20]])
    compared = Compared.of(A, RStream(1))
    whole = compared.scores([Z])
    by_blocks = compared.scores([Z[:1], Z[1:90], Z[90:]])
    for name, expected in whole.items():
        np.testing.assert_allclose(by_blocks[name], expected, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("n", [800, 6000])
def test_a_file_that_is_read_by_blocks_is_compared_too(tmp_path, n):
    """Edits by hand of a Parquet file; of more than 5,000 records some are compared, and the extremes. The defect: none were."""
    frame = business(n)
    frame.to_parquet(tmp_path / "in.parquet", row_group_size=300)
    original = open_data("evaluate", tmp_path / "in.parquet", whole=False)
    path = tmp_path / "out.parquet"
    released = pf.protect(original, pf.IPSO("C"), ROLES, seed=pf.RStream(5), shuffle=False, output=path)
    assert reason(original, released, open_data("evaluate", path, whole=False)) is None
    for edit in EDITS:
        z = pd.read_parquet(path)
        edit(z, frame)
        edited = tmp_path / f"{edit.__name__}.parquet"
        z.to_parquet(edited, row_group_size=300)
        found = reason(original, released, open_data("evaluate", edited, whole=False))
        assert found is not None, edit.__name__
        assert "not what the method makes" in found
