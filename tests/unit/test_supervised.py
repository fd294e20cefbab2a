"""Supervised record linkage: two attributes can be tried out completely, so the optimum is known."""

import numpy as np
import pytest

from pyfcrm.linkage.nearest import weighted_share
from pyfcrm.linkage.supervised import supervised_linkage
from pyfcrm.linkage.weights import Files, search_weights
from pyfcrm.measures.dbrl import dbrl, dbrl_supervised


def unlike_noise(n, p, seed, digits=None):
    """Attributes with more and more noise: equal weights are not the best."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    Z = X + rng.normal(size=(n, p)) * np.linspace(0.1, 2.0, p)
    return (X, Z) if digits is None else (np.round(X, digits), np.round(Z, digits))


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
@pytest.mark.parametrize(("n", "p", "digits"), [(30, 3, None), (40, 4, 0), (3, 2, None), (1, 1, None)])
def test_never_below_dbrl_never_above_the_bound(n, p, digits):
    """By design; the value is what linkage under the weights gives. Identical."""
    X, Z = unlike_noise(n, p, seed=n + p, digits=digits)
    found = supervised_linkage(X, Z)
    assert found.weights.sum() == pytest.approx(1)
    assert (found.weights >= 0).all()
    assert found.share.tolist() == weighted_share(X, Z, found.weights).tolist()
    assert 100 * found.share.mean() >= dbrl(X, Z).total
    assert found.share.mean() <= found.bound + 1e-9


def test_an_unchanged_attribute_takes_the_weight():
    """One attribute as it was, one replaced by noise: all are linked. By hand."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 2))
    Z = np.column_stack([X[:, 0], rng.normal(size=80)])
    w, _ = search_weights(Files.of(X, Z), np.full(2, 0.5))
    assert weighted_share(X, Z, w).mean() == 1
    assert dbrl(X, Z).total < 60


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
