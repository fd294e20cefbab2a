"""Key risk, audit, two trials side by side, names and settings in a real browser.

Oracles: pf.key_risk and pf.audit of the same file; what the page says of itself; axe-core. Grade: identical.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from support.browser import Tab, violations

pytest.importorskip("shiny", reason="needs the extra app")

import pyfcrm as pf

pytestmark = pytest.mark.browser


def points(tab: Tab, many: int) -> None:
    tab.page.wait_for_function(f"document.querySelectorAll('[data-trial]').length === {many}")


def test_a_working_day_from_an_example_to_an_audit(tab: Tab, tmp_path: Path) -> None:
    page, file = tab.page, pf.datasets.enterprises()
    page.get_by_role("button", name="Show me an example").click()
    points(tab, 1)
    page.get_by_text("Key risk: who stands alone").click()
    page.get_by_label("Keys").select_option(["EMPLOYEES", "AGE"])
    page.get_by_role("button", name="Look at these keys").click()
    expected = pf.key_risk(file, ["EMPLOYEES", "AGE"])
    page.get_by_text(expected.describe()[0]).wait_for()
    rows = pd.read_csv(tab.download("a:text-is('All records (CSV)')", tmp_path))
    assert rows["individual"].sum() == pytest.approx(
        expected.expected, rel=1e-12
    )  # written with 17 digits, summed in order

    page.get_by_label("Method", exact=True).select_option("noise")
    page.get_by_label("amount", exact=True).fill("50")
    page.get_by_role("button", name="Run", exact=True).click()
    points(tab, 2)
    page.get_by_role("tab", name="Audit").click()
    page.get_by_label("How many times").select_option("1")
    page.get_by_role("button", name="Audit this method").click()
    page.get_by_text("membership is of the attack").wait_for()
    audit = pf.audit(file, pf.Noise("uncorrelated", 50), pf.suggest_roles(file), 1, repeats=1)
    page.get_by_label("Risk on the map").select_option("membership")
    points(tab, 1)
    page.locator(f"[data-trial='2'][aria-label$='membership {audit['membership']:.1f}']").wait_for()
    page.get_by_label("Risk on the map").select_option("dr_informed")
    points(tab, 2)

    page.get_by_label("A name for this trial").fill("half a sd")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("heading", name="Trial 2: half a sd").wait_for()
    page.get_by_role("tab", name="Side by side").click()
    page.get_by_role("columnheader", name="1: IPSO kind=C").wait_for()
    page.get_by_role("tab", name="One column").click()
    page.get_by_role("img", name="Map of change of AGE").wait_for()
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.querySelector('.results .wide').tabIndex === 0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(tab) == []
    page.get_by_label("Method", exact=True).select_option("ipso")
    page.get_by_role("button", name="Use its settings again").click()
    page.wait_for_function("document.querySelector('#workbench-set_noise_amount')?.value === '50'")
    page.get_by_role("button", name="Delete this trial").click()
    points(tab, 1)


def test_a_session_survives_a_reload_and_judges_a_third_party_generator(tab: Tab, tmp_path: Path) -> None:
    """Oracles: the release before and after, identical; what evaluate() says of records that do not pair."""
    page = tab.page
    page.get_by_role("button", name="Show me an example").click()
    points(tab, 1)
    before = tab.download("a:text-is('Protected file')", tmp_path).read_bytes()
    page.wait_for_function("sessionStorage.getItem('pyfcrm-session')")
    page.reload()
    page.get_by_role("button", name="Go on where this tab was").click()
    points(tab, 1)
    page.wait_for_timeout(500)
    assert tab.download("a:text-is('Protected file')", tmp_path).read_bytes() == before
    page.get_by_text("Session: save what was tried").click()
    saved = tab.download("a:text-is('Save the session')", tmp_path).read_text(encoding="utf-8")
    assert 'embedded = "enterprises"' in saved
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    page.get_by_label("Method", exact=True).select_option("copied")
    page.get_by_text("A command that was named when the studio was started").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("heading", name="Trial 2: External").wait_for()
    page.get_by_text("records of External(copied) do not pair").first.wait_for()
    page.get_by_role("button", name="Use its settings again").click()
    assert page.get_by_label("Method", exact=True).input_value() == "copied"


def test_answers_to_be_kept_are_asked_for_and_asked_for_again(tab: Tab, tmp_path: Path) -> None:
    """Oracle: pf.protect with the same weights and preserve; what the script says. Grade: close, as text has it."""
    page, kept = tab.page, ("region", "wage ~ age + hours")
    page.get_by_label("or take one").select_option("survey")
    page.locator("table.columns").wait_for()
    page.get_by_label("Answers weighted by").select_option("weight")
    page.get_by_label("Answers within").select_option("region")
    page.get_by_label("Regressions kept, such as").fill("wage ~ age + hours; ")
    page.get_by_label("Seed (empty").fill("1")
    page.get_by_role("button", name="Run", exact=True).click()
    points(tab, 1)
    frame = pf.datasets.survey()
    roles = pf.suggest_roles(frame)
    wanted = pf.protect(frame, pf.IPSO("C"), roles, 1, weights="weight", preserve=kept).frame
    made = pd.read_csv(tab.download("a:text-is('Protected file')", tmp_path))
    for name in roles.dependent:
        assert made[name].tolist() == pytest.approx(wanted[name].tolist(), rel=1e-12)
    script = tab.download("a:text-is('Script in R')", tmp_path).read_text()
    assert 'weights = "weight",\n  preserve = c("region", "wage ~ age + hours"),' in script
    page.get_by_label("Answers weighted by").select_option("")
    page.get_by_label("Regressions kept, such as").fill("")
    page.get_by_role("button", name="Use its settings again").click()
    page.wait_for_function("document.querySelector('#workbench-weighted_by').value === 'weight'")
    page.wait_for_function("document.querySelector('#workbench-formulas').value === 'wage ~ age + hours'")
    chosen = page.get_by_label("Answers within").evaluate("one => [...one.selectedOptions].map(o => o.value)")
    assert chosen == ["region"]
    page.get_by_label("Answers weighted by").select_option("wage")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("alert").get_by_text("`weights` must not name a dependent column").wait_for()


def test_the_tabs_by_keyboard_and_both_rooms_in_the_dark(tab: Tab) -> None:
    """Oracles: which tab says that it is chosen, that what it opens is in view, and each wide table a stop; axe-core."""
    page = tab.page
    page.get_by_role("button", name="Show me an example").focus()
    page.keyboard.press("Enter")
    points(tab, 1)
    page.set_viewport_size({"width": 390, "height": 844})
    tabs = page.locator(".results [role=tab]")
    tabs.first.focus()
    page.keyboard.press("Enter")
    for number in range(tabs.count()):
        assert page.evaluate("document.activeElement.innerText") == tabs.nth(number).inner_text()
        page.wait_for_function(
            "(k) => { const all = [...document.querySelectorAll('.results [role=tab]')];"
            "return all.every((one, j) => one.classList.contains('active') === (j === k))"
            " && document.querySelectorAll('.results .tab-pane.active').length === 1 }",
            arg=number,
        )
        page.wait_for_function(
            "[...document.querySelectorAll('.results .wide')].every(one => one.scrollWidth <= one.clientWidth || one.tabIndex === 0)"
        )
        page.keyboard.press("ArrowRight")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.evaluate("document.documentElement.dataset.bsTheme = 'dark'")
    assert violations(tab) == []
    page.get_by_role("tab", name="Blackboard").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Clusters c").wait_for()
    assert violations(tab) == []
    page.evaluate("document.documentElement.dataset.bsTheme = 'light'")
    assert violations(tab) == []
