"""Pairs within a width counted by the compiled walk, against numpy and a loop. Identical: counts."""

import numpy as np
import pytest

from pyfcrm.engine import dispatch
from pyfcrm.measures.interval import compiled_pairs_within, interval_disclosure, plain_pairs_within


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize(("n", "scale"), [(1, 1.0), (40, 1.0), (100, 1e-200), (100, 1e9)])
def test_pairs_are_those_of_a_loop(n, scale, digits):
    rng = np.random.default_rng(n + digits)
    x, z = np.round(rng.normal(size=(2, n)), digits) * scale
    for widths in (np.array([0.0]), np.array([0.1, 0.3, 1.0, 3.0]) * scale):
        counted = compiled_pairs_within(x, z, widths)
        assert counted == plain_pairs_within(x, z, widths)
        assert counted == sum(abs(float(b) - float(a)) <= w for a in x for b in z for w in widths)


def test_the_choice_by_size_does_not_show(monkeypatch):
    X, Z = np.round(np.random.default_rng(1).normal(size=(2, 50, 3)), 1)
    plain = interval_disclosure(X, Z)
    monkeypatch.setattr(dispatch, "compiled", lambda kernels, seconds: True)
    assert interval_disclosure(X, Z) == plain
