"""MDAV compiled against its plain twin on files of several blocks; tests/property has short ones. All identical: groups."""

import numpy as np
import pytest

from pyfcrm.methods.grouping.mdav import mdav_labels, space
from pyfcrm.methods.grouping.mdav_kernels import mdav_compiled


@pytest.mark.parametrize("spread", [1, 1e6])
@pytest.mark.parametrize(("n", "k", "p"), [(513, 2, 13), (513, 40, 1), (2600, 10, 4), (2600, 600, 4)])
def test_groups_are_those_of_the_plain_twin(n, k, p, spread):
    """One block of 512 records and several, packed on the way; whole numbers full of ties and nearly none."""
    rng = np.random.default_rng(n * p + k)
    result = space(np.round(rng.normal(size=(n, p)) * spread), "variance")
    labels = np.empty(n, dtype=np.int64)
    mdav_compiled(result.columns, result.weights, k, labels)
    assert labels.tolist() == mdav_labels(result.columns, result.weights, k).tolist()
