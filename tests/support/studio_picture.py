"""Makes the picture of the studio on the start page: python tests/support/studio_picture.py, with Chromium and Playwright.

A simulated survey, two trials with seed 1, the last one open. Look at the picture before it is committed.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.browser import Door, Tab, chromium, studio_process

import pyfcrm as pf

PICTURE = Path(__file__).resolve().parents[2] / "vignettes" / "figures" / "studio.png"
METHODS = ("rankswapping", "noise")


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        studio_process(Path(scratch)) as (address, _),
        chromium() as browser,
    ):
        source = Path(scratch, "survey.csv")
        pf.datasets.survey(1000).to_csv(source, index=False)
        tab = Tab(browser, Door.opened(address), viewport={"width": 1280, "height": 760})
        page = tab.page
        page.set_default_timeout(600_000)  # milliseconds, for trials on a busy machine
        page.set_input_files("#file", source)
        page.wait_for_selector("table.columns")
        page.select_option("#missing", "protect")
        page.click("#save-columns")
        for number, method in enumerate(METHODS, 1):
            page.click("#step-method")
            page.click(f"#m-{method}")
            page.wait_for_selector(f"input[name^='{method}.'], select[name^='{method}.']")
            page.click("summary:has-text('Limits of the verdict')")
            page.fill("[name='random.seed']", "1")
            page.click("#run")
            page.wait_for_selector(f"table.trials tbody tr:nth-child({number})")
            page.wait_for_selector(".work", state="detached")
            page.wait_for_selector(".inspector .tests")
        page.screenshot(path=PICTURE)
        tab.close()


if __name__ == "__main__":
    main()
