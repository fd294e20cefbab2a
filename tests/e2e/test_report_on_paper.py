"""The internal report on A4: nothing is wider than the paper, and no word of a row's name is broken.

Oracle: Chromium's layout for print. Identical.
"""

import pytest
from support.cli import people, pyfcrm

pytestmark = pytest.mark.browser

MM = 96 / 25.4  # pixels
WIDTH = round((210 - 2 * 14) * MM)  # between the margins that the page asks for
LONG = "ANNUAL_HOUSEHOLD_INCOME_BEFORE_TAX_2024"
BROKEN = """[...document.querySelectorAll('td:first-child')].flatMap(cell => {
  const text = cell.firstChild;
  if (!text || text.nodeType !== Node.TEXT_NODE) return [];
  return [...text.data.matchAll(/\\S+/g)].filter(word => {
    const range = document.createRange();
    range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length);
    return range.getClientRects().length > 1;
  }).map(word => word[0]);
})"""
OUTSIDE = """[...document.querySelectorAll('body *')]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML.slice(0, 80))"""

# The page that a test names, and the named page, numbered in the margin, that its section begins.
PAGES = """[...document.querySelectorAll('table.tests a')].map(link =>
  [link.textContent, getComputedStyle(document.querySelector(link.getAttribute('href'))).page])"""


@pytest.mark.slow(6)
def test_the_internal_report_fits_on_a4(browser, tmp_path):
    source, released, page = (
        tmp_path / f"a file with a long name {'x' * 60}.csv",
        tmp_path / "out.csv",
        tmp_path / "p.html",
    )
    frame = people(200).rename(columns={"c": LONG})
    frame.to_csv(source, index=False)
    roles = ["--independent", "a,b", "--dependent", f"{LONG},d", "--manifest", tmp_path / "m.json", "--seed", "1"]
    assert pyfcrm("protect", source, "-o", released, "--method", "fcrm", "--set", "c=2", *roles).status == 0
    document = pyfcrm("report", source, released, "-o", page, "--manifest", tmp_path / "m.json", "--limit", "dr=15")
    assert document.status == 0, document.err
    with browser.new_page(viewport={"width": WIDTH, "height": 1000}) as sheet:
        sheet.emulate_media(media="print")
        sheet.goto(page.as_uri())
        assert sheet.evaluate(OUTSIDE) == []
        assert [word for word in sheet.evaluate(BROKEN) if len(word) < len(LONG)] == []
        named = sheet.evaluate(PAGES)
        assert named
        assert all(label == f"{name[1:]}-1" for label, name in named)
