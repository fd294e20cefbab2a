"""The workbench in a real browser: from a dropped file to a finished run.

Oracles: pf.protect and pf.evaluate on the same file with the same seed; the clock, for a cancel. Grade: identical.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.browser import Tab

pytest.importorskip("shiny", reason="needs the extra app")

import pyfcrm as pf

pytestmark = pytest.mark.browser


def people(n: int, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, n).round(2)
    wage = (500 + 40 * age + rng.normal(0, 150, n)).round(2)
    tax = (0.2 * wage + rng.normal(0, 30, n)).round(2)
    return pd.DataFrame(
        {"person": np.arange(1, n + 1), "age": age, "wage": wage, "tax": tax, "town": ["Vic", "Àger"] * (n // 2)}
    )


def drop(tab: Tab, path: Path, records: int) -> None:
    tab.page.get_by_label("Drop a file here, or browse").set_input_files(path)
    tab.page.get_by_role("status").get_by_text(f"{path.name}: {records:,} records").wait_for()
    tab.page.locator("table.columns").wait_for()


def role(tab: Tab, column: str) -> Any:
    row = tab.page.locator("table.columns tr", has=tab.page.get_by_role("rowheader", name=column, exact=True))
    return row.get_by_role("combobox")


def run(tab: Tab) -> None:
    tab.page.get_by_role("button", name="Run", exact=True).click()


def trials(tab: Tab, many: int) -> None:
    tab.page.wait_for_function(f"document.querySelectorAll('[data-trial]').length >= {many}")


def method(tab: Tab, name: str) -> None:
    tab.page.get_by_label("Method", exact=True).select_option(name)


def test_from_a_dropped_file_to_a_release(tab: Tab, tmp_path: Path) -> None:
    frame = people(300)
    frame.to_csv(tmp_path / "survey.csv", index=False)
    drop(tab, tmp_path / "survey.csv", 300)
    assert role(tab, "person").input_value() == "identifier"
    assert role(tab, "town").input_value() == "leave"
    role(tab, "age").select_option("independent")
    role(tab, "wage").select_option("dependent")
    role(tab, "tax").select_option("dependent")
    method(tab, "fcrm")
    tab.page.get_by_label("c", exact=True).fill("3")
    assert tab.page.get_by_label("Seed (empty").input_value() == ""
    tab.page.get_by_label("Seed (empty").fill("1")
    run(tab)
    trials(tab, 1)
    roles = pf.Roles(independent=["age"], dependent=["wage", "tax"], identifiers=["person"])
    made = pf.protect(pd.read_csv(tmp_path / "survey.csv"), pf.FCRM(3), roles, seed=1)
    report = pf.evaluate(frame, made.frame, roles.dependent)
    assert f"{report['pil']:.2f}" in tab.page.content()
    assert f"{report['dr']:.2f}" in tab.page.content()


def test_an_example_is_a_click_away_and_its_result_in_view_on_a_phone(tab: Tab) -> None:
    """Oracles: the browser's own measures of the page. Grade: identical."""
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Show me an example").click()
    trials(tab, 1)
    page.wait_for_function("Math.abs(document.getElementById('results').getBoundingClientRect().top) < 100")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.get_by_role("button", name="Show me an example").count() == 0
    row = page.locator("table.columns tr", has=page.get_by_role("rowheader", name="EMPLOYEES", exact=True))
    row.get_by_text("Suggested: one of those that explain the others best").wait_for()
    role(tab, "EMPLOYEES").select_option("dependent")
    row.get_by_text("You chose this. Suggested was \u201cindependent: keep\u201d.").wait_for()
    assert not row.get_by_text("Suggested: one of").is_visible()


def test_calibration_constraints_and_further_measures(tab: Tab) -> None:
    tab.page.get_by_label("or take one").select_option("census_like")
    tab.page.locator("table.columns").wait_for()
    tab.page.get_by_label("Bring the release to").check()
    tab.page.get_by_label("margins", exact=True).select_option("original")
    tab.page.get_by_label("Constraints, such as").fill("FEDTAX >= 0")
    tab.page.get_by_label("um", exact=True).check()
    run(tab)
    trials(tab, 1)
    assert "Calibrated" in tab.page.content()


def test_the_keyboard_is_enough_and_errors_of_a_form_are_shown_beside_it(tab: Tab) -> None:
    page = tab.page
    page.set_viewport_size({"width": 800, "height": 900})
    page.get_by_label("or take one").focus()
    page.keyboard.press("ArrowDown")
    page.locator("table.columns").wait_for()
    page.get_by_role("button", name="Run", exact=True).focus()
    page.keyboard.press("Enter")
    trials(tab, 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input:not([type=hidden]),select,button')].filter(e => e.offsetParent && "
        "!(e.labels && e.labels.length) && !e.getAttribute('aria-label') && !e.textContent.trim() && !e.title && !e.placeholder).length"
    )
    assert unnamed == 0
    page.get_by_label("or take one").select_option("example")
    page.wait_for_function("document.querySelectorAll('[data-trial]').length == 0")
    page.get_by_role("rowheader", name="y", exact=True).wait_for()
    method(tab, "fcrm")
    tab.page.get_by_label("c", exact=True).fill("0")
    run(tab)
    tab.page.get_by_role("alert").get_by_text("FCRM: `c` must be a whole number").wait_for()
    tab.page.get_by_label("c", exact=True).fill("2")
    tab.page.get_by_label("Constraints, such as").fill("__import__('os')")
    run(tab)
    tab.page.get_by_role("alert").get_by_text("constraint").wait_for()
    tab.page.get_by_label("Constraints, such as").fill("")
    tab.page.get_by_label("Seed (empty").fill("x")
    run(tab)
    tab.page.get_by_role("alert").get_by_text("`seed` must be a whole number").wait_for()
    tab.page.get_by_label("Seed (empty").fill("2")
    run(tab)
    trials(tab, 1)


def test_a_long_run_is_cancelled_within_a_second(tab: Tab, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60_000, 8)), columns=list("abcdefgh"))
    frame.to_csv(tmp_path / "long.csv", index=False)
    drop(tab, tmp_path / "long.csv", 60_000)
    method(tab, "microaggregation")
    tab.page.get_by_label("kind", exact=True).select_option("vmdav")
    run(tab)
    tab.page.locator("progress").wait_for()
    tab.page.wait_for_timeout(1500)
    began = time.monotonic()
    tab.page.get_by_role("button", name="Cancel").click()
    tab.page.get_by_role("alert").get_by_text("Cancelled").wait_for()
    assert time.monotonic() - began < 15  # a second, on a busy machine; the run takes minutes
    method(tab, "noise")
    role(tab, "a").select_option("leave")
    assert tab.page.locator("[data-trial]").count() == 0


def test_a_hundred_thousand_records(tab: Tab, tmp_path: Path) -> None:
    people(100_000).to_csv(tmp_path / "many.csv", index=False)
    drop(tab, tmp_path / "many.csv", 100_000)
    method(tab, "ipso")
    run(tab)
    tab.page.locator("progress").wait_for()
    tab.page.wait_for_function("document.querySelectorAll('[data-trial]').length >= 1", timeout=180_000)


def test_two_visits_know_nothing_of_each_other(browser: Any, address: str, tmp_path: Path) -> None:
    one, two = Tab(browser, address), Tab(browser, address)
    for tab, name, seed in ((one, "mine.csv", 1), (two, "yours.csv", 2)):
        people(200, seed).rename(columns={"town": name.split(".")[0] + "_town"}).to_csv(tmp_path / name, index=False)
        drop(tab, tmp_path / name, 200)
    for tab in (one, two):
        run(tab)
    for tab in (one, two):
        trials(tab, 1)
    assert "yours_town" not in one.page.content()
    assert "mine_town" not in two.page.content()
    one.close()
    two.page.reload()  # a reload is another visit
    two.page.wait_for_function("window.Shiny && Shiny.shinyapp && Shiny.shinyapp.isConnected()")
    assert two.page.locator("table.columns").count() == 0
    two.close()
