"""The blackboard in a real browser.

Oracles: the course that board.step gives for the same points and seed; what the picture says of itself. Grade: identical.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.browser import Tab

pytest.importorskip("shiny", reason="needs the extra app")

import pyfcrm as pf
from pyfcrm.app.blackboard.board import Settings, described, first_membership, step

pytestmark = pytest.mark.browser

BOARD = "canvas.board"
ITERATION = "Number(document.querySelector('canvas.board').dataset.iteration)"


@pytest.fixture
def board(tab: Tab) -> Tab:
    tab.page.get_by_role("tab", name="Blackboard").click()
    says(tab, "0 points")
    return tab


def says(tab: Tab, words: str) -> None:
    tab.page.wait_for_function(f"document.querySelector('{BOARD}').getAttribute('aria-label').includes({words!r})")


def press(tab: Tab, name: str) -> None:
    tab.page.get_by_role("button", name=name, exact=True).click()


def text(tab: Tab) -> str:
    return str(tab.page.locator(BOARD).get_attribute("aria-label"))


def test_points_by_mouse_and_keyboard(board: Tab) -> None:
    page = board.page
    box = page.locator(BOARD).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 200, box["y"] + 200)
    says(board, "1 point,")
    page.mouse.move(box["x"] + 300, box["y"] + 250)
    page.mouse.down()
    page.mouse.move(box["x"] + 350, box["y"] + 280, steps=5)
    page.mouse.up()
    says(board, "21 points")
    press(board, "Clear")
    says(board, "0 points")
    press(board, "Run")
    page.get_by_role("alert").get_by_text("needs at least 5 different points").wait_for()
    for x, y in ((10, 12), (30, 29), (50, 52), (70, 66), (90, 93)):
        page.get_by_label("Horizontal", exact=True).fill(str(x))
        page.get_by_label("Vertical", exact=True).fill(str(y))
        page.get_by_role("button", name="Add the point").press("Enter")
    says(board, "5 points")
    page.get_by_label("Clusters c").fill("1")
    page.get_by_role("button", name="Run", exact=True).press("Enter")
    page.get_by_text("memberships have settled").wait_for()
    slope, intercept = np.polyfit([10, 30, 50, 70, 90], [12, 29, 52, 66, 93], 1)
    assert f"line 1: {intercept:.4g} + {slope:.4g} x, 5 points" in text(board)
    page.get_by_label("Clusters c").fill("40")
    page.get_by_role("alert").get_by_text("`c`").wait_for()
    page.set_viewport_size({"width": 800, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    assert page.get_by_role("button", name="Run", exact=True).is_visible()
    press(board, "Clear")
    says(board, "0 points")
    press(board, "Undo")
    says(board, "5 points")


def test_step_pause_run_and_stop_follow_the_method(board: Tab) -> None:
    press(board, "Five lines, the thesis's example")
    says(board, "250 points")
    press(board, "Step")
    says(board, "after iteration 1.")
    points, how = pf.datasets.example().to_numpy(), Settings()
    first = step(points, how, first_membership(points, how), None)
    assert text(board) == described(points, first)
    assert board.page.get_by_text(f"{first.pil:.2f}", exact=True).count() == 1
    press(board, "Run")
    board.page.wait_for_function(f"{ITERATION} >= 4")
    press(board, "Pause")
    board.page.wait_for_timeout(600)
    paused = text(board)
    board.page.wait_for_timeout(600)
    assert text(board) == paused
    press(board, "Run")
    board.page.get_by_text("ended,").wait_for()
    last = first
    while last.iteration < int(re.findall(r"iteration (\d+)", text(board))[0]):
        last = step(points, how, last.membership, last)
    assert text(board) == described(points, last)
    press(board, "Run")  # goes on from there
    board.page.wait_for_function(f"{ITERATION} > {last.iteration}")
    press(board, "Stop")
    says(board, "no lines yet")


def test_a_file_without_numbers_is_refused_and_one_of_two_thousand_points_moves(board: Tab, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 100, 2000)
    y = np.where(rng.random(2000) < 0.5, 10 + 0.7 * x, 90 - 0.5 * x) + rng.normal(0, 3, 2000)
    pd.DataFrame({"name": "x", "x": x, "y": y}).to_csv(tmp_path / "two.csv", index=False)
    (tmp_path / "words.csv").write_text("a,b\nx,y\nz,w\n")
    board.page.get_by_label("A file of two numeric columns").set_input_files(tmp_path / "words.csv")
    board.page.get_by_role("alert").get_by_text("needs two numeric columns").wait_for()
    assert str(tmp_path) not in board.page.content()
    board.page.get_by_label("A file of two numeric columns").set_input_files(tmp_path / "two.csv")
    says(board, "2000 points")
    board.page.get_by_role("alert").wait_for(state="detached")
    press(board, "Run")
    board.page.wait_for_function(f"{ITERATION} >= 5")
    says(board, "after iteration")
    drawn = board.page.evaluate(
        "() => { const c = document.querySelector('canvas.board'); const d = c.getContext('2d').getImageData(0, 0, c.width, "
        "c.height).data; let n = 0; for (let k = 3; k < d.length; k += 4) n += d[k] > 0; return n / (d.length / 4); }"
    )
    assert drawn > 0.02  # something is there to be seen
