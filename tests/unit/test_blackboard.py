"""The blackboard's steps: fuzzy c-regression itself, cut into iterations.

Oracles: pf.fcrm run in one piece (labels and iterations identical; the rest close, 1e-9: each step takes memberships
whose rows it scales to sum to 1, which moves their last bits); the measures of pf.evaluate (identical).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("shiny", reason="needs the extra app")

import pyfcrm as pf
from pyfcrm.app.blackboard.board import (
    Moment,
    Settings,
    cluster,
    described,
    ended,
    first_membership,
    frame,
    readings,
    sparkline,
    step,
    view,
)
from pyfcrm.errors import InvalidInput
from pyfcrm.evaluation.evaluate import evaluate
from pyfcrm.rstream import RStream

POINTS = pf.datasets.example().to_numpy()


def course(points: np.ndarray, how: Settings) -> list[Moment]:
    membership, history = first_membership(points, how), []
    while not history or not ended(history[-1], how):
        history.append(step(points, how, membership, history[-1] if history else None))
        membership = history[-1].membership
    return history


@pytest.mark.parametrize("independent", [0, 1])
@pytest.mark.parametrize("c", [1, 3, 5])
def test_steps_are_the_run_cut_into_iterations(c: int, independent: int) -> None:
    how = Settings(c=c, independent=independent, seed=7, most=12)
    history = course(POINTS, how)
    x, y = POINTS[:, independent], POINTS[:, 1 - independent]
    whole = pf.fcrm(x, y, c, how.m, how.tol, how.most, seed=7)
    last = history[-1]
    assert last.iteration == whole.iterations
    assert last.converged == whole.converged
    np.testing.assert_array_equal(last.labels, whole.labels)
    np.testing.assert_allclose(last.membership, whole.membership, rtol=0, atol=1e-9)
    np.testing.assert_allclose(last.lines, whole.coef[:, :, 0], rtol=1e-9)
    np.testing.assert_allclose(last.released, whole.fitted[:, 0], rtol=1e-9)
    np.testing.assert_allclose([moment.delta for moment in history], whole.delta, rtol=0, atol=1e-9)


def test_what_stands_beside_it_is_what_evaluate_says() -> None:
    last = course(POINTS, Settings(c=5, most=6))[-1]
    report = evaluate(pd.DataFrame({"y": POINTS[:, 1]}), pd.DataFrame({"y": last.released}))
    assert (last.pil, last.dr, last.score) == (report["pil"], report["dr"], report["score"])


def test_the_same_seed_gives_the_same_course() -> None:
    one, two, other = (course(POINTS, Settings(c=5, seed=seed, most=5))[-1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.lines, two.lines)
    assert not np.array_equal(one.lines, other.lines)


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([[1, 2], [1, 2], [3, 4]], "at least 5 different points"),
        ([[1, 2], [1, 3], [1, 4], [1, 5], [1, 6]], "more than one horizontal position"),
        ([[1, 2], [2, 2], [3, 2], [4, 2], [5, 2]], "more than one vertical position"),
        (np.empty((0, 2)), "at least 5 different points"),
    ],
)
def test_points_that_no_line_fits_get_a_sentence(points: list[list[int]], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        first_membership(np.array(points, dtype=float), Settings(c=5))


def test_a_cluster_is_twenty_points_around_its_place() -> None:
    made = cluster(30.0, 60.0, 10.0, RStream(3))
    assert made.shape == (20, 2)
    np.testing.assert_array_equal(made, np.array([30.0, 60.0]) + 5 * RStream(3).rnorm(40).reshape(20, 2))


def test_the_view_holds_every_point() -> None:
    assert view(np.empty((0, 2))) == (0.0, 100.0, 0.0, 100.0)
    assert view(np.array([[5.0, 7.0]])) == (0.0, 100.0, 0.0, 100.0)
    low, high, bottom, top = view(np.array([[-1e6, 3.0], [2e6, 3.0]]))
    assert low < -1e6 < 2e6 < high
    assert bottom < 3.0 < top


def test_the_picture_in_numbers_and_in_words() -> None:
    how = Settings(c=2, most=3)
    last = course(POINTS, how)[-1]
    told = frame(POINTS, how, last)
    np.testing.assert_allclose(told["released"], last.released, rtol=1e-5)
    assert len(told["lines"]) == 2
    assert max(told["strength"]) <= 1
    assert described(POINTS, None) == "250 points, no lines yet"
    assert described(POINTS, last).startswith("250 points after iteration 3. line 1: ")


def test_a_small_line_says_what_it_shows() -> None:
    assert 'aria-label="PIL, %: from 3 to 1 in 2"' in sparkline([3.0, 1.0], "PIL, %")
    assert "nothing yet" in readings([])[0][2]
    assert 'points="3.0,31.0 147.0,3.0"' in sparkline([1.0, 2.0], "x")
