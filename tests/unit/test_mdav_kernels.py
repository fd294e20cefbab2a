"""MDAV compiled against its plain twin, and files cut into parts. All identical: groups, not figures."""

import numpy as np
import pytest

from pyfcrm.methods import Hybrid, Microaggregation
from pyfcrm.methods.grouping import mdav, mdav_groups
from pyfcrm.methods.grouping.mdav import mdav_labels, space
from pyfcrm.methods.grouping.mdav_kernels import mdav_compiled
from pyfcrm.methods.method import Run
from pyfcrm.rstream import RStream


@pytest.mark.parametrize("spread", [1, 1e6])
@pytest.mark.parametrize("p", [1, 4, 13])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (9, 2), (60, 1), (60, 3), (513, 2), (513, 40), (2600, 10), (2600, 600)])
def test_groups_are_those_of_the_plain_twin(n, k, p, spread):
    """One block of 512 records and several, packed on the way; whole numbers full of ties and nearly none."""
    rng = np.random.default_rng(n * p + k)
    made = space(np.round(rng.normal(size=(n, p)) * spread), "variance")
    labels = np.empty(n, dtype=np.int64)
    mdav_compiled(made.columns, made.weights, k, labels)
    assert labels.tolist() == mdav_labels(made.columns, made.weights, k).tolist()


def test_long_files_are_cut_into_parts_and_a_note_says_so(monkeypatch):
    """Two parts of 50 along the only attribute, so by hand: no group has records of both halves."""
    monkeypatch.setattr(mdav, "MAX_RECORDS", 99)
    monkeypatch.setattr(mdav, "PART_RECORDS", 50)
    x = np.random.default_rng(2).permutation(100.0 * np.arange(100))[:, None]
    labels = mdav_groups(x, 7)
    sizes = np.bincount(labels)
    assert sizes.tolist() == [7, 7, 7, 7, 7, 7, 8] * 2
    low = set(labels[x[:, 0] < 5000])
    assert not low & set(labels[x[:, 0] >= 5000])
    notes = []
    Microaggregation(7).protect(np.empty((100, 0)), x, RStream(1), Run(notes.append))
    assert any("100 records are too many for MDAV at once: they were cut into 2 parts" in note for note in notes)
    notes.clear()
    Microaggregation(7, kind="individual").protect(np.empty((100, 0)), x, RStream(1), Run(notes.append))
    assert not any("MDAV" in note for note in notes)
    Hybrid("microaggregation", k=7).protect(np.empty((100, 0)), x, RStream(1), Run(notes.append))
    assert sum("100 records are too many for MDAV at once: they were cut into 2 parts" in note for note in notes) == 1
