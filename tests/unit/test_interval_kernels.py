"""Pairs within a width counted by the compiled walk, against its plain twin and a loop. Identical: counts."""

import numpy as np
import pytest

from pyfcrm.measures import interval as module
from pyfcrm.measures.interval import _pairs_within, _pairs_within_compiled


@pytest.mark.slow
@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize(("n", "scale"), [(1, 1.0), (40, 1.0), (300, 1e-200), (300, 1e9)])
def test_pairs_are_those_of_the_plain_twin(n, scale, digits):
    rng = np.random.default_rng(n + digits)
    x, z = np.round(rng.normal(size=(2, n)), digits) * scale
    for widths in (np.array([0.0]), np.array([0.1, 0.3, 1.0, 3.0]) * scale):
        counted = _pairs_within_compiled(x, z, widths)
        assert counted == _pairs_within(x, z, widths)
        assert counted == sum(abs(float(b) - float(a)) <= w for a in x for b in z for w in widths)


def test_the_choice_by_size_does_not_show(monkeypatch):
    X, Z = np.round(np.random.default_rng(1).normal(size=(2, 50, 3)), 1)
    plain = module.interval_disclosure(X, Z)
    monkeypatch.setattr(module, "PLAIN", 0)
    assert module.interval_disclosure(X, Z) == plain
