"""Supervised record linkage: two attributes can be tried out completely, so the optimum is known."""

import numpy as np
import pytest
from support import brute_measures

from pyfcrm.linkage import supervised
from pyfcrm.linkage.distances import weighted_share
from pyfcrm.linkage.supervised import supervised_linkage
from pyfcrm.linkage.weights import Files, Rivals, dominated_originals, search_weights
from pyfcrm.measures.dbrl import dbrl, dbrl_supervised


def unlike_noise(n: int, p: int, seed: int, digits: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Attributes with more and more noise: equal weights are not the best."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    Z = X + rng.normal(size=(n, p)) * np.linspace(0.1, 2.0, p)
    return (X, Z) if digits is None else (np.round(X, digits), np.round(Z, digits))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_two_attributes_are_solved_to_the_optimum(seed):
    """Oracle: one weighting between each two where any link turns. Close: shares."""
    X, Z = unlike_noise(25, 2, seed)
    found = supervised_linkage(X, Z)
    assert found.optimal
    assert 100 * found.share.mean() == pytest.approx(brute_measures.best_of_two(X, Z))
    assert found.bound == pytest.approx(found.share.mean(), abs=1e-6)


def test_one_attribute_alone_that_ties_is_found():
    """Groups of three released as their mean in one attribute: by it alone each is linked one time in three, while no
    weights link anybody without ties. By hand; the older search said 0, proved."""
    X = np.array([[1.0, 1], [2, 5], [3, 9], [11, 2], [12, 6], [13, 8]])
    Z = np.array([[2.0, 5], [2, 9], [2, 1], [12, 6], [12, 8], [12, 2]])
    found = supervised_linkage(X, Z)
    assert 100 * found.share.mean() == pytest.approx(dbrl(X[:, :1], Z[:, :1]).total) == pytest.approx(100 / 3)
    assert (found.tie_free_bound, found.complete, found.optimal) == (0, True, False)
    assert found.bound == pytest.approx(1 / 3)
    note = dbrl_supervised(X, Z).notes[0]
    assert "no weights link more than 0 % without ties, proved" in note
    assert "with ties others may" in note


@pytest.mark.parametrize("seed", range(4))
def test_no_subset_of_the_attributes_links_more(seed):
    """Attributes microaggregated one by one, where every value is tied. Oracle: DBRL on each attribute alone, on all but
    one, and on all. Identical: at least as many."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.lognormal(size=(120, 4)), 1)
    Z = np.column_stack(
        [
            np.sort(x).reshape(-1, k).mean(axis=1).repeat(k)[x.argsort().argsort()]
            for x, k in zip(X.T, (2, 3, 5, 8), strict=True)
        ]
    )
    some = [*([j] for j in range(4)), *([k for k in range(4) if k != j] for j in range(4)), [0, 1, 2, 3]]
    most = max(dbrl(X[:, which], Z[:, which]).total for which in some)
    assert 100 * supervised_linkage(X, Z).share.mean() >= most - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_two_attributes_with_equal_records(seed):
    """Groups of two released as their mean: a link is worth 1/2 at most. Oracle: as above. Close."""
    X, _ = unlike_noise(20, 2, seed)
    Z = np.repeat((X[::2] + X[1::2]) / 2, 2, axis=0) * [1, 3]
    found = supervised_linkage(X, Z)
    assert found.optimal
    assert found.share.max() <= 0.5
    assert 100 * found.share.mean() == pytest.approx(brute_measures.best_of_two(X, Z))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p", "digits"), [(30, 3, None), (60, 5, None), (60, 4, 0), (3, 2, None), (1, 1, None)])
def test_never_below_dbrl_never_above_the_bound(n, p, digits):
    """By design; the value is what linkage under the weights gives. Identical."""
    X, Z = unlike_noise(n, p, seed=n + p, digits=digits)
    found = supervised_linkage(X, Z)
    assert found.weights.sum() == pytest.approx(1)
    assert (found.weights >= 0).all()
    assert found.share.tolist() == weighted_share(X, Z, found.weights).tolist()
    assert 100 * found.share.mean() >= dbrl(X, Z).total
    assert found.share.mean() <= found.bound + 1e-9


@pytest.mark.slow
def test_no_random_weights_beat_a_proved_optimum():
    """Oracle: 3000 draws from the simplex. Identical: at most equal."""
    X, Z = unlike_noise(40, 4, seed=3)
    found = supervised_linkage(X, Z)
    assert found.optimal
    draws = np.random.default_rng(0).dirichlet(np.full(4, 0.5), size=3000)
    assert max(weighted_share(X, Z, w).mean() for w in draws) <= found.share.mean()


def test_the_programme_improves_on_a_poor_start(monkeypatch):
    """With the heuristic's answer replaced by equal weights the optimum is found all the same. Close."""
    X, Z = unlike_noise(30, 3, seed=5)
    expected = supervised_linkage(X, Z)

    def poor(files, also):
        w = np.full(3, 1 / 3)
        return w, Rivals(files, np.empty(0, np.intp)).with_nearest(w, 12)

    monkeypatch.setattr(supervised, "search_weights", poor)
    again = supervised_linkage(X, Z)
    assert expected.optimal
    assert again.optimal
    assert again.share.mean() == pytest.approx(expected.share.mean())
    assert again.share.mean() > dbrl(X, Z).total / 100


def test_dominated_originals_are_those_dominated():
    """Oracle: loops over all pairs. Identical."""
    X, Z = unlike_noise(40, 2, seed=6, digits=1)
    files = Files.of(X, Z)
    d = (files.X[:, None] - files.U) ** 2
    expected = [
        any((d[i, k] <= files.own_differences[i]).all() for k in range(len(files.U)) if k != files.own[i])
        for i in range(40)
    ]
    assert dominated_originals(files).tolist() == expected
    assert any(expected)


def test_an_unchanged_attribute_takes_the_weight():
    """One attribute as it was, one replaced by noise: all are linked. By hand."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 2))
    Z = np.column_stack([X[:, 0], rng.normal(size=80)])
    w, _ = search_weights(Files.of(X, Z))
    assert weighted_share(X, Z, w).mean() == 1
    assert dbrl(X, Z).total < 60


def test_what_the_measure_says(monkeypatch):
    """The notes name the way and the bound; equal weights stand beside. By what was asked of it."""
    X, Z = unlike_noise(40, 3, seed=8)
    made = dbrl_supervised(X, Z)
    assert "proved by the integer programme" in made.notes[0]
    assert made.parts[0].value == dbrl(X, Z).total
    assert [part.name for part in made.parts] == ["equal weights", "bound"]
    monkeypatch.setattr(supervised, "MOST_RECORDS", 10)
    assert "by a heuristic only" in dbrl_supervised(X, Z).notes[0]
    monkeypatch.setattr(supervised, "MOST_RECORDS", 1000)
    monkeypatch.setattr(supervised, "MOST_NODES", 0)
    assert "no weights link more than" in dbrl_supervised(X, Z).notes[0]


def test_no_clock_limits_the_search(monkeypatch):
    """The solver gets a limit of nodes alone, so that a slow machine finds what a fast one does. By what scipy is given."""
    import scipy.optimize

    options, solve = [], scipy.optimize.milp

    def recorded(*arguments, **named):
        options.append(dict(named["options"]))
        return solve(*arguments, **named)

    monkeypatch.setattr(scipy.optimize, "milp", recorded)
    dbrl_supervised(*unlike_noise(30, 3, seed=5))
    assert options
    assert all(set(given) == {"node_limit"} for given in options)
