"""The studio as its users meet it: a process of its own, and Debian's Chromium before it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# The last five keep the browser itself from calling home.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Bootstrap's links take 0.15 s from one colour to another, and what is between them has no contrast.
AT_REST = """!document.getAnimations().some(
  one => one instanceof CSSTransition && one.playState === 'running' && one.effect.target.checkVisibility())"""
SLOW = 120_000  # milliseconds: what a busy machine may take for one thing to appear


def upload_limit(megabytes: int) -> str:
    """Code for `before`: the studio accepts files of at most so many MB."""
    return f"import functools, pyfcrm.app.serving as s; s.serve = functools.partial(s.serve, upload_mb={megabytes})"


@contextmanager
def studio_process(*words: str, before: str = "", temporary: Path | None = None) -> Iterator[str]:
    """The address of a studio that runs while the block does."""
    with studio_at_work(*words, before=before, temporary=temporary) as (address, _):
        yield address


@contextmanager
def studio_at_work(*words: str, before: str = "", temporary: Path | None = None) -> Iterator[tuple[str, Any]]:
    """The address of a studio that runs while the block does, and its process.

    before : Python that its process runs first; temporary : where it keeps what it has to keep; standard error goes into
    the file `log` there.
    """
    program = f"{before}\nfrom pyfcrm.cli import main\nmain(['studio', '--no-browser', *{list(words)!r}])"
    environment = dict(os.environ) if temporary is None else {**os.environ, "TMPDIR": str(temporary)}
    with ExitStack() as stack:
        errors = subprocess.PIPE if temporary is None else stack.enter_context(open(temporary / "log", "w"))
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        )
        yield from _while_it_runs(process)


def _while_it_runs(process: Any) -> Iterator[tuple[str, Any]]:
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            said = process.stderr.read() if process.stderr is not None else ""
            raise AssertionError(f"the studio did not start: {line}{said}")
        yield found.group(), process
    finally:
        process.terminate()
        process.communicate(timeout=20)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser, as Playwright has it; the test is skipped, saying so, where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Tab:
    """One visit: the page, what it asked for outside the studio, and what went wrong in it."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.outside: list[str] = []
        self.errors: list[str] = []
        own = urlsplit(address).netloc
        self.page.on("request", lambda r: None if urlsplit(r.url).netloc in (own, "") else self.outside.append(r.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.goto(address)
        self.page.wait_for_function("window.Shiny && Shiny.shinyapp && Shiny.shinyapp.isConnected()")

    def download(self, selector: str, folder: Path) -> Path:
        """The file that a click on the selector brings, in `folder`; with a reason and a name where the studio wants them."""
        reason = self.page.get_by_label("Reason", exact=True)
        if reason.count() and reason.is_visible() and not reason.input_value():
            reason.fill("a test")
            self.page.get_by_label("Name", exact=True).fill("The tests")
            self.page.wait_for_timeout(800)  # the studio waits for the end of typing
        with self.page.expect_download(timeout=SLOW) as waiting:
            self.page.click(selector)
        target = folder / waiting.value.suggested_filename
        waiting.value.save_as(target)
        return target

    def close(self) -> None:
        """End the visit. Nothing may have left the machine, or failed unseen."""
        self.context.close()
        assert self.outside == []
        assert self.errors == []


def violations(tab: Tab) -> list[str]:
    """What axe-core has against the page at rest: a rule and the first element that breaks it, each."""
    axe = pytest.importorskip("axe_playwright_python", reason="needs axe-core: pip install axe-playwright-python")
    tab.page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    tab.page.wait_for_function(AT_REST)
    found = tab.page.evaluate("axe.run(document, { preload: false })")  # preloading would fetch the styles again
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]
