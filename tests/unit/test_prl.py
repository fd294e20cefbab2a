"""Probabilistic linkage against loops over all pairs: patterns identical, EM and shares close."""

import numpy as np
import pytest
from support import brute
from support.linkage import probabilistic_linkage
from support.plain_em import log_likelihood

from pyfcrm.linkage import probabilistic
from pyfcrm.linkage.agreement import EXACT, Agreement, Comparison, count_patterns
from pyfcrm.linkage.probabilistic import (
    EMFit,
    against,
    at_boundary,
    expectation_maximisation,
    fitted,
    pattern_bits,
)
from pyfcrm.measures.informed import informed_risk
from pyfcrm.measures.measure import Parts
from pyfcrm.measures.prl import FLOORED, prl, prl_tolerance
from pyfcrm.numerics.location import location

RULES = [
    pytest.param(EXACT, brute.exact, id="exact"),
    pytest.param(Agreement(0.25), lambda X, Z: brute.tolerance(X, Z, 0.25), id="tolerance"),
]


def files(n, p, seed=0):
    """Files of small whole numbers, full of ties."""
    rng = np.random.default_rng(seed + n * p)
    X = np.round(rng.normal(size=(n, p)) * 3)
    return X, np.where(rng.random((n, p)) < 0.6, X, np.round(X + rng.normal(size=(n, p)) * 2))


def patterns_of(X, Z, agreement=EXACT):
    return count_patterns(Comparison(X, Z, agreement.width(location(X).sd)))


def counted(patterns, p):
    bits = pattern_bits(patterns.codes, p).astype(int).tolist()
    return dict(zip(map(tuple, bits), patterns.counts.tolist(), strict=True))


@pytest.mark.parametrize(("agreement", "oracle"), RULES)
@pytest.mark.parametrize(("n", "p"), [(7, 1), (25, 2), (30, 4), (12, 18)])
def test_patterns_are_those_of_a_loop(agreement, oracle, n, p):
    """Oracle: the loop over pairs. Identical counts."""
    X, Z = files(n, p)
    assert counted(patterns_of(X, Z, agreement), p) == dict(brute.pattern_counts(n, p, oracle(X, Z)))


@pytest.mark.parametrize(("agreement", "oracle"), RULES)
@pytest.mark.parametrize(("n", "p"), [(25, 3), (30, 4), (12, 18)])
def test_em_and_links_are_those_of_a_loop(agreement, oracle, n, p):
    """Oracle: EM by loops. Close, 1e-8: both stop when nothing moves by 1e-10, rounding may part them by a step."""
    X, Z = files(n, p)
    result = probabilistic_linkage(X, Z, agreement)
    m, u, prevalence = brute.em(brute.pattern_counts(n, p, oracle(X, Z)), n, p)
    assert result.converged
    assert result.m == pytest.approx(m, abs=1e-8)
    assert result.u == pytest.approx(u, abs=1e-8)
    assert result.prevalence == pytest.approx(prevalence, abs=1e-8)
    assert result.share == pytest.approx(brute.prl_share(n, p, oracle(X, Z), list(result.m), list(result.u)), abs=1e-12)


def test_a_jitter_fools_exact_agreement_but_not_the_tolerance():
    """A change in the ninth digit protects nobody: exact agreement says 100/n, the tolerance at least half linked."""
    rng = np.random.default_rng(12)
    X = rng.normal(size=(200, 5))
    Z = X + 1e-9 * rng.normal(size=X.shape)
    assert prl(X, X).total == 100
    assert prl(X, Z).total == pytest.approx(100 / 200)
    assert prl_tolerance(X, Z).total > 50
    # The measure shows the second beside the first and says which is in DR.
    shown = {part.name: part.value for part in prl(X, Z).parts}
    assert shown == {"exact agreement": prl(X, Z).total, "agreement within 0.1 sd": prl_tolerance(X, Z).total}
    assert "DR uses exact agreement" in prl(X, Z).notes[0]


def slow_files(seed):
    """Whole numbers under noise: hardly any pair agrees, likelihood is flat, and plain EM takes tens of thousands of steps."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.lognormal(2, 1, size=(400, 6)) * [1, 5, 50, 500, 1, 10])
    return X, np.round(X + rng.normal(size=X.shape) * X.std(axis=0) * 0.15)


@pytest.mark.parametrize("seed", [3, 4])
def test_acceleration_leads_where_em_leads(seed, monkeypatch):
    """Oracle: plain EM run until it stops. Close, 1e-9 of the log likelihood: it is flat, and both stop on small steps."""
    patterns = patterns_of(*slow_files(seed))
    G, counts = pattern_bits(patterns.codes, 6), patterns.counts
    share = counts / counts.sum()

    def likelihood(fit):
        return log_likelihood(G, share, np.concatenate([fit.m, fit.u, [fit.prevalence]])) * counts.sum()

    fast = expectation_maximisation(G, counts, 1 / 400)
    monkeypatch.setattr(probabilistic, "PLAIN", 10**6)
    slow = expectation_maximisation(G, counts, 1 / 400)
    assert fast.converged
    assert slow.converged
    assert 1000 < fast.iterations < slow.iterations / 4
    assert likelihood(fast) >= likelihood(slow) - 1e-9 * abs(likelihood(slow))


def test_links_do_not_depend_on_where_em_stops_on_a_flat_likelihood():
    """By hand: any m or u within 1e-7 of 0 or 1 has the weight log 1e6 of its sign; prl names such attributes. Identical."""
    patterns = patterns_of(*files(30, 3))

    def weights(gap):
        fit = EMFit(np.array([1 - gap, 0.9, gap]), np.array([0.1, gap, 0.2]), 0.1, 1, True)
        assert at_boundary(fit) == ([0, 1, 2] if gap < 1e-6 else [])
        return fitted(patterns, 3, 30, fit)[1]

    assert np.ptp([weights(1e-7), weights(1e-9), weights(1e-12)], axis=0) == pytest.approx(0, abs=1e-6)
    assert np.abs(weights(1e-5) - weights(1e-7)).max() > 1
    X = np.arange(90.0).reshape(30, 3)
    assert [note.columns for note in prl(X, X).notes if "weights are limited" in note] == [(0, 1, 2)] * 2


def test_agreement_that_counts_against_a_link_is_named():
    """By hand: m below u in the second and third attribute; the measure names those of its own fit. Identical."""
    assert against(EMFit(np.array([0.5, 0.1, 0.2]), np.array([0.1, 0.2, 0.3]), 0.1, 1, True)) == [1, 2]
    X, Z = slow_files(3)
    which = against(probabilistic_linkage(X, Z))
    (note,) = [note for note in prl(X, Z).notes if note.kind == "unreliable" and "exact" in note]
    assert which
    assert note.columns == tuple(which)
    assert "counts against a link" in note


@pytest.mark.slow
def test_what_counts_against_a_link_counts_for_nothing_in_the_third_part():
    """Oracle: links by the weights of the other attributes alone, from the same fit. Identical. dr_informed takes it."""
    X, Z = (file[:120] for file in slow_files(3))
    result, fit = prl(X, Z), probabilistic_linkage(X, Z)
    m = np.maximum(fit.m, fit.u)
    expected = brute.prl_share(120, 6, brute.exact(X, Z), list(m), list(fit.u))
    (part,) = [part for part in result.parts if part.name == FLOORED]
    assert part.value == pytest.approx(100 * np.mean(expected))
    nothing = Parts(0.0, baseline=0.0)
    assert informed_risk(nothing, result, nothing, nothing).total == part.value / 2
