"""The studio in Chromium: a walk from file to release, the keyboard, small windows, no script, the blackboard, and its end.

Oracles: axe-core (no violation), the browser's layout, pf.protect with the seed that was typed. Identical.
"""

from __future__ import annotations

import io
import signal
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.browser import Door, Tab, faults, studio_process, violations
from support.studio import people

import pyfcrm as pf

pytestmark = pytest.mark.process

SIZES = ((1440, 900), (1300, 800), (1024, 768), (1000, 800), (390, 844), (720, 450))
CHECKED = ("step-file", "step-columns", "step-method", "step-compare", "view-utility", "step-take")


def upload(page: Any, folder: Path) -> pd.DataFrame:
    """Choose a file; the page goes on to its columns."""
    path = folder / "people.csv"
    people().to_csv(path, index=False)
    page.set_input_files("#file", path)
    page.wait_for_selector("table.columns")
    return pd.read_csv(path)


@pytest.mark.browser
@pytest.mark.slow(40)
def test_a_walk_from_file_to_release(tab: Tab, tmp_path: Path) -> None:
    """Every state passes axe and fits every window; a trial is in one screen, where its tests scroll; the release is that of protect()."""
    page = tab.page
    frame = upload(page, tmp_path)
    for name, role in {
        "a": "independent",
        "b": "independent",
        "c": "dependent",
        "d": "dependent",
        "id": "identifiers",
        "w": "leave",
    }.items():
        page.get_by_label(f"Role of {name}", exact=True).select_option(role)
    page.click("#save-columns")
    page.click("#m-rankswapping")
    page.wait_for_selector("input[name='rankswapping.p']")
    page.click("summary:has-text('Limits of the verdict')")
    page.fill("[name='random.seed']", "5")
    page.click("#run")
    page.wait_for_selector(".inspector .tests")
    page.wait_for_selector(".work", state="detached")  # its line moves the map down
    for selector in (".map svg", ".inspector .view", "table.trials tbody tr"):
        box = page.locator(selector).last.bounding_box()
        assert box["y"] + box["height"] <= 900
    for place in CHECKED:
        page.click(f"#{place}")
        page.wait_for_selector(f"#{place}[aria-current]")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert faults(page) == []
        page.set_viewport_size({"width": 1440, "height": 900})
        assert violations(tab) == []
    page.fill("#by", "Ada")
    page.fill("#reason", "a test")
    page.click("#decide")
    with page.expect_download() as waiting:
        page.click("a[href$=release]")
    roles = pf.Roles(["a", "b"], ["c", "d"], ["id"])
    expected = pf.protect(frame, pf.RankSwapping(15), roles, 5)
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(Path(waiting.value.path()).read_bytes())), expected.frame)


@pytest.mark.browser
@pytest.mark.slow(12)
def test_the_keyboard_is_enough(tab: Tab) -> None:
    """From the simulated file to a selected point of the map with Tab, Space and Enter only."""
    page = tab.page

    def press(selector: str, key: str = "Enter") -> None:
        page.wait_for_selector(selector)
        for _ in range(200):
            page.keyboard.press("Tab")
            if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                page.keyboard.press(key)
                return
        raise AssertionError(f"Tab does not reach {selector}")

    press("button[value=example]")
    page.wait_for_selector("table.columns")
    page.get_by_label("Role of x").focus()
    page.keyboard.type("pred")
    page.get_by_label("Role of y").focus()
    page.keyboard.type("conf")
    press("#save-columns")
    press("#m-noise")
    page.wait_for_selector("input[name='noise.amount']")
    press("#run")
    page.wait_for_selector(".inspector .tests")
    press(".map svg a")
    press("#view-notes")
    page.wait_for_selector("#view-notes[aria-current]")


@pytest.mark.browser
@pytest.mark.slow(30)
def test_a_search_shows_candidates_as_they_come(tab: Tab, tmp_path: Path) -> None:
    """While it runs: which of how many, and the candidates so far, without a click; an own analysis fits every window."""
    page = tab.page
    upload(page, tmp_path)
    page.click("#save-columns")
    page.click("details.sweep summary")
    page.fill("[name=sweep]", "rankswapping:p=5|10|15|20|40, ipso:kind=A|B|C")
    page.click("#sweep-run")
    page.wait_for_selector("tr.candidate")
    for count in (2, 8):  # the page grows by itself
        page.wait_for_selector(f":nth-match(tr.candidate:not(.outcome), {count})")
    page.wait_for_selector(".work", state="detached")
    page.get_by_role("button", name="Run RankSwapping p=5", exact=False).first.click()
    page.wait_for_selector("#utility")
    page.click("#view-analysis")
    page.fill("#formula", "c ~ a + b")
    page.click("#analyse")
    page.wait_for_selector(".inspector h3")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert faults(page) == []
        table = page.locator(".table")
        assert table.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    page.set_viewport_size({"width": 1440, "height": 900})
    assert violations(tab) == []


@pytest.mark.browser
@pytest.mark.slow(10)
def test_the_studio_works_without_script(browser: Any, door: Door, tmp_path: Path) -> None:
    """The same forms, with reloads of the page while work is running."""
    tab = Tab(browser, door, java_script_enabled=False)
    page = tab.page
    path = tmp_path / "people.csv"
    people(40).to_csv(path, index=False)
    page.set_input_files("#file", path)
    page.click("text=Open")
    page.wait_for_selector("table.columns")
    page.click("#save-columns")
    page.click("#m-noise")
    page.click("#run")
    page.wait_for_selector(".inspector .tests")
    page.click("#view-columns")
    page.wait_for_selector(".inspector img")
    page.goto(door.base + "blackboard")
    page.click("button[value=starts]")
    page.wait_for_selector(".multiples figure")
    tab.close()


@pytest.mark.browser
@pytest.mark.slow(10)
def test_the_blackboard_draws_and_plays(tab: Tab, door: Door) -> None:
    """A click is a point, a drag twenty; the example settles; undo brings points back."""
    page = tab.page
    page.goto(door.base + "blackboard")
    status = page.locator("#turn")
    status.wait_for()
    before = int(status.inner_text().split()[0])
    board = page.locator("#board").bounding_box()
    page.mouse.click(board["x"] + 200, board["y"] + 100)
    assert status.inner_text() == f"{before + 1} points"
    page.mouse.move(board["x"] + 300, board["y"] + 200)
    page.mouse.down()
    page.mouse.move(board["x"] + 360, board["y"] + 200)
    page.mouse.up()
    assert status.inner_text() == f"{before + 21} points"
    page.click("#undo")
    page.click("#undo")
    page.click("#play")
    page.wait_for_selector(", ".join(f"#board[data-turn='{turn}']" for turn in range(3, 31)))
    page.click("#play")
    page.click("#back")
    page.click("#next")
    page.wait_for_selector("#board[data-turn='1']")
    page.click("button[value=effect]")
    page.wait_for_selector(".multiples figure")
    assert faults(page) == []
    assert violations(tab) == []


@pytest.mark.browser
@pytest.mark.slow(10)
def test_the_browser_is_opened_without_the_token(browser: Any, tmp_path: Path) -> None:
    """The command line that everybody reads has a file of mode 0600, which leads in; the address opens no second browser."""
    seen, script = tmp_path / "seen", tmp_path / "browser.sh"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}-new && mv {seen}-new {seen}\n', encoding="utf-8")
    script.chmod(0o700)
    with studio_process(tmp_path, "studio", BROWSER=str(script)) as (address, _):
        end = time.monotonic() + 60
        while not seen.exists() and time.monotonic() < end:
            time.sleep(0.1)
        opened = seen.read_text(encoding="utf-8")
        token = address.split("token=")[1]
        assert token not in opened
        page = Path(urllib.parse.unquote(opened.removeprefix("file://")))
        assert page.stat().st_mode & 0o777 == 0o600
        assert token in page.read_text(encoding="utf-8")
        context = browser.new_context()
        tab = context.new_page()
        tab.goto(opened)
        tab.wait_for_selector("#upload")
        context.close()
        other = browser.new_context()
        assert other.new_page().goto(address).status == 403
        other.close()


@pytest.mark.slow(6)
def test_the_folder_of_a_studio_that_was_killed_is_removed_at_the_next_start(tmp_path: Path) -> None:
    """SIGKILL leaves it; the next studio removes it, and a second one does not touch the first one's."""
    with studio_process(tmp_path) as (_, process):
        process.kill()
        process.wait(timeout=20)
    [left] = tmp_path.glob("pyfcrm-studio-*")
    with studio_process(tmp_path):
        [own] = tmp_path.glob("pyfcrm-studio-*")
        assert own != left
        with studio_process(tmp_path):
            assert len(list(tmp_path.glob("pyfcrm-studio-*"))) == 2
            assert own.exists()


@pytest.mark.slow(12)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_no_folder_is_left_after_a_signal(tmp_path: Path, number: int) -> None:
    """The private folder is there while the studio runs, and gone when it was told to end."""
    with studio_process(tmp_path) as (address, process):
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert opener.open(address).status == 200
        assert len(list(tmp_path.glob("pyfcrm-studio-*"))) == 1
        process.send_signal(number)
        process.wait(timeout=20)
    assert list(tmp_path.glob("pyfcrm-studio-*")) == []
