"""The studio as its users meet it: a process of its own, and Debian's Chromium before it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
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
FAULTS = """[...document.querySelectorAll('a, button, input, select, summary')].filter((item) => {
  const box = item.getBoundingClientRect();
  return item.checkVisibility() && box.width && !item.closest('svg') && !['checkbox', 'radio', 'hidden'].includes(item.type)
    && (box.height < 23.5 || box.right > innerWidth + 1) && !item.closest('.table, .result, .tests');
}).map((item) => item.outerHTML.slice(0, 90)).concat(document.documentElement.scrollWidth > innerWidth ? ['the page is too wide'] : [])
  .concat([...document.querySelectorAll('.table, .inspector .view')].filter((box) => innerWidth > 800 && box.scrollWidth > box.clientWidth)
    .map((box) => `${box.className} is ${box.scrollWidth} wide in ${box.clientWidth}`))
  .concat([...document.querySelectorAll('.inspector thead th:not(.own-name)')].filter((head) => {
    const text = document.createRange();
    text.selectNodeContents(head);
    return text.getClientRects().length > head.innerText.split(' ').length;
  }).map((head) => `${head.innerText} is broken`))
  .concat([...document.querySelectorAll('.map svg text')].filter((text) => {
    const box = text.getBoundingClientRect(), page = text.closest('svg').getBoundingClientRect();
    return box.left < page.left || box.right > page.right || box.top < page.top || box.bottom > page.bottom;
  }).map((text) => `${text.textContent} is cut`))"""
SLOW = 120_000  # milliseconds: what a busy machine may take for one thing to appear


@dataclass(frozen=True)
class Door:
    """How several browsers enter a studio, whose address opens one."""

    base: str
    """The address without the token."""
    cookies: tuple[Any, ...]
    """What the address gave to the first visitor."""

    @classmethod
    def opened(cls, address: str) -> Door:
        """Enters by the printed address."""
        jar = CookieJar()
        urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar)).open(address)
        base = address.split("?")[0]
        return cls(base, tuple({"name": cookie.name, "value": str(cookie.value), "url": base} for cookie in jar))


@contextmanager
def studio_process(temporary: Path, *arguments: str, **environment: str) -> Iterator[tuple[str, Any]]:
    """The address of a studio that runs while the block does, and its process.

    temporary : its TMPDIR, with its log; arguments : of pyfcrm, by default those of a studio without a browser.
    """
    # A shell's job in the background ignores SIGQUIT, which its children, also a studio, inherit.
    heard = "import signal\nsignal.signal(signal.SIGQUIT, signal.SIG_DFL)"
    program = f"{heard}\nfrom pyfcrm.cli import main\nmain({[*arguments] or ['studio', '--no-browser']!r})"
    with open(temporary / "log", "w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", program],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "TMPDIR": str(temporary), **environment},
        )
        yield from _while_it_runs(process)


def _while_it_runs(process: Any) -> Iterator[tuple[str, Any]]:
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            raise AssertionError(f"the studio did not start: {line}")
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
    """One visit: the page, its requests outside the studio, and its errors."""

    def __init__(self, browser: Any, door: Door, **options: Any) -> None:
        self.context = browser.new_context(
            accept_downloads=True, **{"viewport": {"width": 1440, "height": 900}, **options}
        )
        self.context.add_cookies(list(door.cookies))
        self.page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.outside: list[str] = []
        self.errors: list[str] = []
        own = urlsplit(door.base).netloc
        self.page.on("request", lambda r: None if urlsplit(r.url).netloc in (own, "") else self.outside.append(r.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.goto(door.base)

    def close(self) -> None:
        """End the visit. Nothing may have left the machine, or failed unseen."""
        self.context.close()
        assert self.outside == []
        assert self.errors == []


def violations(tab: Tab) -> list[str]:
    """The rules of axe-core that the page breaks, with the first element of each; the page is reloaded first and after."""
    axe = pytest.importorskip("axe_playwright_python", reason="needs axe-core: pip install axe-playwright-python")
    tab.page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = tab.page.evaluate("axe.run(document, { preload: false })")  # preloading would fetch the styles again
    tab.page.reload()
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found["violations"]]


def faults(page: Any) -> list[str]:
    """Elements beyond the right edge of the window, tables and texts of the map that are cut, targets below 24 pixels, broken headings."""
    found: list[str] = page.evaluate(FAULTS)
    return found
