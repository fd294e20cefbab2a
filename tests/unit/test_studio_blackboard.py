"""The blackboard. Oracle: fcm() and fcrm() in one call; the thesis's five lines. Identical."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from support.studio import ORIGIN, visitor

import pyfcrm as pf
from pyfcrm.app.blackboard import Board, read_board, small_pictures

BEGIN = {"m": 2.0, "tol": 1e-5, "max_iter": 100}  # documented: how fcrm() finds its first partition
POINTS = "\n".join(f"{x:.5g}, {y:.5g}" for x, y in pf.datasets.example().to_numpy())
FORM = {"c": "5", "m": "1.5", "seed": "1", "independent": "0", "points": POINTS}


@pytest.fixture(scope="module")
def own():
    """A visitor."""
    with visitor() as own:
        yield own


def post(own, path, **fields):
    return own.client.post(path, data=FORM | fields, headers={"origin": ORIGIN})


def test_the_turns_are_those_of_one_run(own):
    """Turns of one iteration are a run of as many."""
    answer = post(own, "/blackboard/frames")
    turns = [json.loads(line) for line in answer.text.splitlines()]
    points = read_board(FORM).points
    start = pf.fcm(points, 5, seed=1, **BEGIN).membership
    fit = pf.fcrm(points[:, 0], points[:, 1], 5, 1.5, tol=0, max_iter=len(turns), initial=start)
    np.testing.assert_allclose(turns[-1]["lines"], fit.coef[:, :, 0], rtol=1e-12)
    np.testing.assert_allclose([turn["objective"] for turn in turns], fit.objective, rtol=1e-12)
    assert [turn["turn"] for turn in turns] == list(range(1, len(turns) + 1))


@pytest.mark.parametrize("kind", ["starts", "effect"])
def test_the_example_settles(own, kind):
    """With every number of clusters and every start on the page."""
    assert all(item["settled"] for item in small_pictures(read_board(FORM), kind))
    assert json.loads(post(own, "/blackboard/frames").text.splitlines()[-1])["settled"]


def test_the_other_coordinate_can_be_the_predictor():
    points = read_board(FORM | {"points": "0, 0\n1, 2\n2, 5\n3, 5\n4, 9"}).points
    first = Board(points, c=2, m=1.5, independent=1, seed=1).start()
    np.testing.assert_array_equal(first, pf.fcm(points[:, ::-1], 2, seed=1, **BEGIN).membership)


@pytest.mark.parametrize(("kind", "pictures"), [("starts", 4), ("effect", 8)])
def test_small_pictures_say_how_each_run_ended(own, kind, pictures):
    """An unsettled run is said in words, and its picture is marked."""
    text = post(own, "/blackboard", kind=kind).text
    assert text.count("<figcaption>") == pictures
    assert text.count("<b>Not settled</b> after") == text.count('class="unsettled"')
    assert len(re.findall("ettled(?:</b>)? after", text)) == pictures
    if kind == "starts":
        assert "(least objective)" in text
        objectives = [item["objective"] for item in small_pictures(read_board(FORM), "starts")]
        np.testing.assert_allclose(objectives, objectives[0], rtol=1e-9)  # each settles, all at one minimum


@pytest.mark.parametrize(
    "fields",
    [
        {"c": "0"},
        {"c": "99"},
        {"m": "1"},
        {"seed": "x"},
        {"independent": "2"},
        {"points": "1, 2, 3"},
        {"points": "a"},
        {"points": "1,1\n1,1"},
        {"points": "1,1\n1,2\n1,3\n1,4\n1,5"},
        {"points": "1e300,1"},
        {"points": "nan,1"},
        {"points": "1,1\n" * 3000},
    ],
)
def test_what_cannot_be_drawn_gives_one_sentence(own, fields):
    answer = post(own, "/blackboard/frames", **fields)
    assert answer.status_code == 422
    assert "blackboard" in answer.text
    page = post(own, "/blackboard", kind="starts", **fields)
    assert page.status_code == 200
    assert "blackboard: " in page.text
