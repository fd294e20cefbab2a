"""Known m, u and prevalence, recovered by EM."""

from itertools import product

import numpy as np
import pytest
from support.linkage import probabilistic_linkage

from pyfcrm.linkage.probabilistic import expectation_maximisation


@pytest.mark.parametrize("p", [3, 6])
def test_recovers_the_model_from_its_own_proportions(p):
    """Oracle: the model itself, its exact pattern proportions for counts.

    Close, 1e-6: EM stops when a step is below 1e-10, and steps shrink by a factor near 1.
    """
    m, u, prevalence = np.linspace(0.7, 0.95, p), np.linspace(0.2, 0.02, p), 0.05
    G = np.array(list(product([0.0, 1.0], repeat=p)))
    matched, unmatched = (np.prod(np.where(G == 1, c, 1 - c), axis=1) for c in (m, u))
    proportions = prevalence * matched + (1 - prevalence) * unmatched
    fit = expectation_maximisation(G, proportions, prevalence=0.01)
    assert fit.converged
    assert fit.m == pytest.approx(m, abs=1e-6)
    assert fit.u == pytest.approx(u, abs=1e-6)
    assert fit.prevalence == pytest.approx(prevalence, abs=1e-6)


def test_recovers_the_chances_files_were_simulated_with():
    """Files of categories, each value kept with a known chance and else drawn again.

    Statistical: m within four standard errors of n matched pairs, u within four of n values drawn twice.
    """
    n, rng = 400, np.random.default_rng(2024)
    kinds = np.array([8, 12, 20, 10, 15, 30])
    kept = np.array([0.9, 0.8, 0.7, 0.95, 0.85, 0.75])
    X = rng.integers(0, kinds, (n, 6)).astype(float)
    Z = np.where(rng.random((n, 6)) < kept, X, rng.integers(0, kinds, (n, 6)))
    u = 1 / kinds
    m = kept + (1 - kept) * u
    result = probabilistic_linkage(X, Z)
    assert result.converged
    assert np.all(np.abs(result.m - m) < 4 * np.sqrt(m * (1 - m) / n))
    assert np.all(np.abs(result.u - u) < 4 * np.sqrt(2 * u * (1 - u) / n) / np.sqrt(kinds))
    assert result.prevalence == pytest.approx(1 / n, rel=0.1)
    # With such m and u nearly every record's largest weight is its own.
    assert result.share.mean() > 0.9
