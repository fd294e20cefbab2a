"""Local suppression where an empty cell agrees with anything. Oracle: records compared one with one, and all releases of tiny files."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from support import plain_suppression
from support.brute_measures import agreeing

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.methods.suppression import emptied


def enough(codes, k, key_sets):
    return all(min(agreeing(codes[:, list(keys)])) >= k for keys in key_sets)


def files(count, gaps=False):
    rng = np.random.default_rng(5)
    for _ in range(count):
        n, q = int(rng.integers(8, 30)), int(rng.integers(2, 5))
        codes = rng.integers(0, rng.integers(2, 6, size=q), size=(n, q))
        if gaps:
            codes[rng.random((n, q)) < 0.1] = -1
        yield codes


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_every_record_agrees_with_k_and_no_cell_is_empty_in_vain(k, gaps):
    for codes in files(25, gaps):
        q = codes.shape[1]
        for sets in ([range(q)], list(combinations(range(q), 2))):
            done = emptied(codes, k, sets, np.ones(q))
            assert enough(done, k, sets)
            assert (done[done >= 0] == codes[done >= 0]).all()
            for i, j in zip(*np.nonzero((done < 0) & (codes >= 0)), strict=True):
                restored = done.copy()
                restored[i, j] = codes[i, j]
                assert not enough(restored, k, sets)


@pytest.mark.parametrize("gaps", [False, True])
def test_the_tree_empties_the_cells_that_comparing_all_records_empties(gaps):
    """Grade: identical, with ties of costs and without."""
    for file, codes in enumerate(files(12, gaps)):
        q = codes.shape[1]
        costs = (np.ones(q), 1 + 1e-6 * np.arange(q, 0, -1), np.array([1.0, 6.0, 36.0, 6.0])[:q])[file % 3]
        for sets in ([range(q)], list(combinations(range(q), 2))):
            for k in (2, 4):
                expected = plain_suppression.emptied(codes, k, sets, costs)
                np.testing.assert_array_equal(emptied(codes, k, sets, costs), expected)


def fewest(codes, k):
    """The least number of cells to empty, of all releases of a tiny file."""
    n, q = codes.shape
    for cells in range(n * q + 1):
        for chosen in combinations(range(n * q), cells):
            trial = codes.copy()
            trial.flat[list(chosen)] = -1
            if enough(trial, k, [range(q)]):
                return cells
    raise AssertionError


def test_tiny_files_lose_few_more_cells_than_the_fewest():
    """Grade: statistical. The greedy choice empties at most a fifth more cells in sum than the best of all releases."""
    rng = np.random.default_rng(11)
    ours = best = 0
    for _ in range(25):
        codes = rng.integers(0, 3, size=(6, 2))
        ours += int((emptied(codes, 2, [range(2)], np.ones(2)) < 0).sum())
        best += fewest(codes, 2)
    assert best <= ours <= 1.2 * best


def frame(n=300):
    rng = np.random.default_rng(3)
    age = rng.integers(0, 12, n)
    return pd.DataFrame(
        {"one": 1, "age": age, "job": (age // 2 + rng.integers(0, 5, n)) % 9, "town": rng.integers(0, 6, n)}
    )


def cells(method):
    data = frame()
    return pf.protect(data, method, pf.Roles(dependent=list(data)), allow_unprotected=True).frame.isna().sum()


def test_a_constant_key_is_never_emptied():
    for missing in ("wildcard", "level"):
        assert cells(pf.LocalSuppression(3, missing=missing))["one"] == 0


def test_an_important_key_is_spared():
    for spared, importance in (("age", [1, 1, 2, 3]), ("town", [1, 3, 2, 1])):
        least = cells(pf.LocalSuppression(3, importance=importance, missing="wildcard"))
        plain = cells(pf.LocalSuppression(3, missing="wildcard"))
        assert least[spared] < plain[spared] / 2


@pytest.mark.parametrize("missing", ["level", "wildcard"])
def test_combinations_are_sizes_or_lists_of_keys(missing):
    data = frame()
    roles = pf.Roles(dependent=list(data))
    pairs = list(combinations(data, 2))
    by_size = pf.protect(
        data, pf.LocalSuppression(5, combinations=2, missing=missing), roles, allow_unprotected=True
    ).frame
    named = pf.protect(
        data, pf.LocalSuppression(5, combinations=pairs, missing=missing), roles, allow_unprotected=True
    ).frame
    pd.testing.assert_frame_equal(by_size, named)
    for keys in pairs:
        assert pf.evaluate(data, by_size, measures="k_anonymity", keys=list(keys))["k_anonymity"] >= 5
        if missing == "level":
            assert by_size.groupby(list(keys), dropna=False).size().min() >= 5
    if missing == "wildcard":
        assert by_size.isna().sum().sum() < cells(pf.LocalSuppression(5, missing=missing)).sum()


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"importance": [1, 2]}, "one for each key"),
        ({"importance": [0, 1, 2, 3]}, "at least 1"),
        ({"combinations": 5}, "at most the number of keys, 4"),
        ({"combinations": [["age", "jbo"]]}, "job"),
        ({"combinations": "age"}, "a number of keys"),
        ({"l": 2}, "must name columns where `l` or `t` is given"),
        ({"targets": "age"}, "must name columns where `l` or `t` is given"),
        ({"l": 2, "targets": "age"}, "must be no keys"),
        ({"l": 2, "targets": "age", "keys": ["job", "town"], "missing": "wildcard"}, "whole records are emptied"),
        ({"l": 50, "targets": "age", "keys": ["job", "town"]}, "at least l values"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(settings, rule):
    with pytest.raises((InvalidInput, InvalidParameter), match=rule):
        cells(pf.LocalSuppression(3, **settings))


def test_steps_give_each_size_of_sets_its_own_k():
    data = frame()
    roles = pf.Roles(dependent=list(data))
    pairs = pf.LocalSuppression(8, combinations=2, missing="wildcard")
    triples = pf.LocalSuppression(2, combinations=3, missing="wildcard")
    steps = pf.Steps([(pairs, roles), (triples, roles)])
    released = pf.protect(data, steps, allow_unprotected=True, missing="protect").frame
    for size, k in ((2, 8), (3, 2)):
        for keys in combinations(data, size):
            assert pf.evaluate(data, released, measures="k_anonymity", keys=list(keys))["k_anonymity"] >= k


@pytest.mark.parametrize("condition", [{"l": 2}, {"l": 3}, {"t": 0.4}, {"t": 0.2}, {"l": 2, "t": 0.3}])
def test_records_of_groups_that_fail_lose_all_keys(condition):
    """Oracle: each group of tiny files by the definitions. Grade: identical. Other groups keep theirs, unless the emptied ones fail."""
    rng = np.random.default_rng(21)
    joined = 0
    for _ in range(15):
        data = pd.DataFrame(
            {"a": rng.integers(0, 3, 30), "b": rng.integers(0, 2, 30), "ill": rng.choice(list("xyz"), 30)}
        )
        data["ill"] = np.where(rng.random(30) < 0.1, None, data["ill"])
        method = pf.LocalSuppression(2, keys=["a", "b"], targets="ill", **condition)
        roles = pf.Roles(dependent=["a", "b"], unknown="ill")
        released = pf.protect(data, method, roles, shuffle=False, allow_unprotected=True, missing="protect").frame
        assert released["ill"].fillna("").tolist() == data["ill"].fillna("").tolist()
        emptied = released["a"].isna()
        assert (released["b"].isna() == emptied).all()
        fails = pd.Series(False, index=data.index)
        for rows in data.groupby(["a", "b"]).groups.values():
            fails[rows] = breaks(data, rows, **condition)
        assert emptied[fails].all()
        joined += (emptied & ~fails).any()
        for rows in released.groupby(["a", "b"], dropna=False).groups.values():
            assert not breaks(data, rows, **condition)
        if fails.any() and not breaks(data, data.index[fails], **condition):
            assert (emptied == fails).all()
    assert joined < 15


def breaks(data, rows, l=1, t=1.0):  # noqa: E741 - the name of the literature
    """Whether a group of at least two has too few values of `ill`, or too other shares of them; a gap is a value."""
    ill = data["ill"].fillna("gap")
    shares, whole = ill[rows].value_counts(normalize=True), ill.value_counts(normalize=True)
    distance = whole.sub(shares, fill_value=0).abs().sum() / 2
    return len(rows) < 2 or len(shares) < l or distance > t + 1e-12
