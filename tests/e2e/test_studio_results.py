"""The workbench's results in a real browser: the map, the details, and what is taken away.

Oracles: pf.protect, pf.evaluate and protect_file() on the same file with the same seed; what was put in, looked for in what
comes out. Grade: identical.
"""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from support.browser import AT_REST, Tab
from support.trials import ROLES, odd_file

pytest.importorskip("shiny", reason="needs the extra app")

import pyfcrm as pf
from pyfcrm.files import read_table
from pyfcrm.protection.file import protect_file

pytestmark = pytest.mark.browser

SEED = 271_828_182
POINT = "svg.risk-map g.point"
ROLE_WORDS = {"independent": "independent", "dependent": "dependent", "identifiers": "identifier"}
METHODS = (pf.FCRM(c=4), pf.IPSO("C"), pf.Noise("uncorrelated", 10.0))


@pytest.fixture
def bench(tab: Tab, tmp_path: Path) -> Tab:
    """A file with odd names on the bench, its roles set, and a seed that is easy to look for."""
    page = tab.page
    page.get_by_label("Drop a file here, or browse").set_input_files(odd_file(tmp_path))
    page.locator("table.columns").wait_for()
    rows = page.locator("table.columns tbody tr")
    for k, name in enumerate(read_table(tmp_path / "in.csv").frame.columns):
        role = next((ROLE_WORDS[role] for role in ROLE_WORDS if name in getattr(ROLES, role)), "leave")
        rows.nth(k).get_by_role("combobox").select_option(role)
    page.get_by_label("Seed (empty").fill(str(SEED))
    return tab


def try_one(tab: Tab, method: pf.methods.Method, nth: int) -> None:
    """Run a method, the nth, and wait for its point."""
    page = tab.page
    page.get_by_label("Method", exact=True).select_option(type(method).__name__.lower())
    for name, value in method.parameters().items():
        if f"{name}={value}" in str(method).replace(".0", "") and not isinstance(value, str):
            page.get_by_label(name, exact=True).fill(f"{value:g}")
    page.get_by_role("button", name="Run", exact=True).click()
    points(tab, nth)


def points(tab: Tab, many: int) -> None:
    tab.page.wait_for_function(f"document.querySelectorAll({POINT!r}).length === {many}")


def looked_at(tab: Tab, method: pf.methods.Method, number: int) -> None:
    tab.page.get_by_role("heading", name=f"Trial {number}: {method}", exact=True).wait_for()


def released(folder: Path, method: pf.methods.Method) -> tuple[Any, pf.Report]:
    frame = read_table(folder / "in.csv").frame
    made = pf.protect(frame, method, ROLES, SEED)
    return made, pf.evaluate(frame, made.frame, ROLES.dependent)


def words(folder: Path, method: pf.methods.Method) -> str:
    report = released(folder, method)[1]
    return f"{type(method).__name__} {method.settings()}: PIL {report['pil']:.1f}, DR {report['dr']:.1f}"


def test_runs_are_points_chosen_by_mouse_and_by_keyboard(bench: Tab, tmp_path: Path) -> None:
    """And a limit draws a line, releases on hold are never the best, another file clears what was tried."""
    page = bench.page
    page.get_by_text("Nothing has been tried yet").wait_for()
    try_one(bench, METHODS[0], 1)
    looked_at(bench, METHODS[0], 1)
    try_one(bench, METHODS[1], 2)
    looked_at(bench, METHODS[1], 2)  # the latest
    for method in METHODS[:2]:
        page.get_by_role("button", name=words(tmp_path, method), exact=True).wait_for()
    page.locator(f"{POINT}[data-trial='1']").click()
    looked_at(bench, METHODS[0], 1)
    other = page.locator(f"{POINT}[data-trial='2']")
    other.focus()
    page.keyboard.press("Enter")
    looked_at(bench, METHODS[1], 2)
    assert other.evaluate("one => one === document.activeElement")  # the focus is not lost
    assert other.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Shift+Tab" if _is_later(page, 2, 1) else "Tab")
    page.keyboard.press(" ")
    looked_at(bench, METHODS[0], 1)
    page.locator("table.tried").get_by_role("button", name=str(METHODS[1]), exact=True).click()
    looked_at(bench, METHODS[1], 2)
    assert page.locator(f"{POINT}[aria-pressed='true']").get_attribute("data-trial") == "2"
    report = released(tmp_path, METHODS[1])[1]
    row = page.locator("table.tried tbody tr").nth(1)
    assert [f"{report[key]:.2f}" for key in ("pil", "dbrl", "prl", "id", "dr", "score")] == row.locator(
        "td"
    ).all_inner_texts()[2:8]
    try_one(bench, METHODS[2], 3)
    page.get_by_label("Limit on DR").fill("60")
    page.locator(".limit text", has_text="limit: DR 60 %").wait_for()
    page.get_by_text("No trial with DR within 60 % that is not on hold.").wait_for()
    assert page.locator(f"{POINT}:has(circle.best)").count() == 0
    page.get_by_label("Limit on DR").fill("101")
    page.get_by_role("alert").get_by_text("must be a finite number from 0 to 100").wait_for()
    page.get_by_label("or take one").select_option("example")
    page.get_by_text("Nothing has been tried yet").wait_for()


def _is_later(page: Any, one: int, other: int) -> bool:
    order = page.locator(POINT).evaluate_all("all => all.map(one => Number(one.dataset.trial))")
    return order.index(one) > order.index(other)


def test_details_of_one_trial(bench: Tab, tmp_path: Path) -> None:
    """On 800 pixels. Oracle for contrast: WCAG's 4.5 to 1, of the colours that the browser computed."""
    page = bench.page
    page.set_viewport_size({"width": 800, "height": 900})
    try_one(bench, METHODS[1], 1)
    made, report = released(tmp_path, METHODS[1])
    page.get_by_role("tab", name="Before and after").click()
    page.locator("figure img").nth(2).wait_for()
    for picture in page.locator("figure img").all():
        assert picture.evaluate("one => one.decode().then(() => one.naturalWidth)") > 300
        assert len(picture.get_attribute("alt") or "") > 20
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    map_box, card = page.locator("svg.risk-map").bounding_box(), page.locator(".results .card-of").first.bounding_box()
    assert map_box is not None
    assert card is not None
    assert map_box["width"] > 600
    assert map_box["x"] + map_box["width"] <= card["x"] + card["width"]
    page.get_by_role("tab", name="Records at risk").click()
    found = pf.records_at_risk(read_table(tmp_path / "in.csv").frame, made.frame, ROLES.dependent, method=METHODS[1])
    page.get_by_text(f"{int(found.linked.sum())} of 90 records are linked").wait_for()
    page.get_by_role("tab", name="How it was made").click()
    page.get_by_role("cell", name=str(SEED)).wait_for()
    for note in made.notes:
        page.get_by_text(note, exact=True).wait_for()
    page.get_by_role("tab", name="Measures").click()
    page.locator(".results strong", has_text="Probabilistic information loss").wait_for()
    assert f"{report['id']:.2f}" in page.locator(".results").inner_text()
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.bsTheme = {theme!r}")
        for selector in (".verdict", ".results td .said", "button.pick", ".results h2", ".results figcaption"):
            if page.locator(selector).count():
                page.wait_for_function(AT_REST)
                assert page.locator(selector).first.evaluate(CONTRAST) >= 4.5, selector


def test_what_is_taken_away(bench: Tab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every download opens and holds what it should; the two for outside hold nothing that helps an intruder."""
    page = bench.page
    try_one(bench, METHODS[2], 1)
    page.get_by_text("3 cells of text begin like a formula").wait_for()
    names = ("Protected file", "Report for outside", "Report for inside", "Script in Python", "Script in R")
    (tmp_path / "down").mkdir()
    got = {name: bench.download(f"a:text-is('{name}')", tmp_path / "down") for name in names}
    assert [path.name for path in got.values()] == [
        "ON-HOLD-in-protected.csv", "ON-HOLD-in-report-external.html", "in-report-internal.html", "in-replay.py", "in-replay.R",
    ]  # fmt: skip
    protect_file(tmp_path / "in.csv", tmp_path / "ours.csv", METHODS[2], ROLES, SEED, disarm=True)
    assert got["Protected file"].read_bytes() == (tmp_path / "ours.csv").read_bytes()
    outside, inside = (got[f"Report for {side}"].read_text(encoding="utf-8") for side in ("outside", "inside"))
    original = read_table(tmp_path / "in.csv").frame[ROLES.dependent[0]]
    for secret in (str(SEED), "amount", *(f"{value:,.2f}" for value in (original.min(), original.max()))):
        assert secret in inside
        assert secret not in outside
    for text in (outside, inside):
        assert not re.search(r"""(src|href)=["'](?!data:)""", text)
    assert f"seed = {SEED}" in got["Script in R"].read_text(encoding="ascii")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["replay.py"])
    runpy.run_path(str(got["Script in Python"]))
    assert (tmp_path / "in-protected.csv").read_bytes() == got["Protected file"].read_bytes()
    for path, heading in ((got["Report for outside"], "What the release lost"), (got["Report for inside"], "For whom")):
        bench.page.context.new_page().goto(path.as_uri())
        one = bench.page.context.pages[-1]
        one.get_by_role("heading", name=heading).wait_for()
        one.close()


CONTRAST = """one => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (v) => v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  let back = one;
  while (back && (rgb(getComputedStyle(back).backgroundColor)[3] ?? 1) < 1) back = back.parentElement;
  const below = light(back ? rgb(getComputedStyle(back).backgroundColor) : [255, 255, 255]);
  const ink = rgb(getComputedStyle(one).color), alpha = ink[3] ?? 1;
  const ground = back ? rgb(getComputedStyle(back).backgroundColor) : [255, 255, 255];
  const above = light(ink.slice(0, 3).map((v, k) => alpha * v + (1 - alpha) * ground[k]));
  return (Math.max(above, below) + 0.05) / (Math.min(above, below) + 0.05);
}"""
