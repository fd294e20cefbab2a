"""MDAV's blocks against brute force on all records. Identical, but where it says."""

import numpy as np
import pytest

from pyfcrm.engine import dispatch
from pyfcrm.methods.grouping import mdav
from pyfcrm.methods.grouping.mdav import mdav_labels, space
from pyfcrm.methods.grouping.mdav_kernels import mdav_compiled

pytestmark = pytest.mark.compiles

KINDS = {
    "few values": lambda rng, n, p: rng.integers(0, 3, size=(n, p)).astype(float),
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "far outliers": lambda rng, n, p: rng.standard_cauchy(size=(n, p)) ** 3,
    "far from 0": lambda rng, n, p: np.round(rng.normal(size=(n, p)), 2) + 1e9,
    "thousandths": lambda rng, n, p: rng.integers(0, 9, size=(n, p)) / 1000,
    "vanishing": lambda rng, n, p: np.append(rng.normal(size=(n - 1, p)) * 1e-25, np.ones((1, p)), axis=0),
}


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["variance", None])
@pytest.mark.parametrize("kind", KINDS)
def test_no_size_of_the_blocks_shows(kind, scale):
    for seed, (n, p, k) in enumerate([(300, 1, 3), (300, 2, 1), (301, 5, 4), (90, 13, 20)]):
        S = space(KINDS[kind](np.random.default_rng(seed), n, p), scale)
        plain = mdav_labels(S.columns, S.weights, k).tolist()
        for size in (1, 2, 7, 128):
            labels = mdav_compiled(S.columns, S.weights, k, size=size)
            assert labels.tolist() == plain, size


@pytest.mark.parametrize("spread", [1, 1e6])
@pytest.mark.parametrize(("n", "k", "p"), [(513, 2, 13), (513, 40, 1), (2600, 10, 4), (2600, 600, 4)])
def test_groups_of_several_blocks_of_the_usual_size(n, k, p, spread):
    """One block of 512 records and several, packed on the way; whole numbers full of ties and nearly none."""
    S = space(np.round(np.random.default_rng(n * p + k).normal(size=(n, p)) * spread), "variance")
    labels = mdav_compiled(S.columns, S.weights, k)
    assert labels.tolist() == mdav_labels(S.columns, S.weights, k).tolist()


def test_a_file_is_grouped_the_same_with_means_that_are_rounded_and_that_are_not(monkeypatch):
    """Tenths as numbers and as whole numbers of tenths: other roundings of the mean, each as in the plain twin."""
    A = np.random.default_rng(5).integers(0, 6, size=(400, 3)).astype(float)
    for unit in (1.0, 0.1):
        plain = mdav.mdav_groups(A * unit, 3).tolist()
        with monkeypatch.context() as patched:
            patched.setattr(dispatch, "compiled", lambda *_: True)
            assert mdav.mdav_groups(A * unit, 3).tolist() == plain
