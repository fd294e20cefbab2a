"""Assignment of records to near ones of another file."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from pyfcrm.numerics import assignment


def points(m: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(m, 3))


def test_few_records_have_the_least_distance() -> None:
    """Oracle: scipy's assignment. Grade: identical."""
    A, B = points(40, 1), points(50, 2)
    assert assignment.near_pairs(A, B).tolist() == linear_sum_assignment(cdist(A, B, "cityblock"))[1].tolist()


@pytest.mark.parametrize("spare", [0, 7])
def test_each_record_is_taken_once(spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: definition, where files are halved. Grade: identical."""
    monkeypatch.setattr(assignment, "MAX_PAIRED", 10)
    partners = assignment.near_pairs(points(101, 1), points(101 + spare, 2))
    assert len(set(partners.tolist())) == 101


def test_halves_are_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: the least distance of all, and that of a random assignment. Grade: statistical."""
    A, B = points(400, 1), points(400, 2)
    distances = cdist(A, B, "cityblock")
    least = distances[linear_sum_assignment(distances)].mean()
    monkeypatch.setattr(assignment, "MAX_PAIRED", 50)
    found = distances[np.arange(400), assignment.near_pairs(A, B)].mean()
    assert found < least + 0.2 * (distances.mean() - least)
