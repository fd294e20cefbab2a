"""Fixtures of the browser tests: one studio and one browser a session, one tab a test."""

import pytest
from support.browser import Tab, chromium, studio_process


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Where the studio is."""
    with studio_process(tmp_path_factory.mktemp("studio")) as (address, _):
        yield address


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def tab(browser, address):
    """A visit that must end without an error and without a request to anyone else."""
    tab = Tab(browser, address)
    yield tab
    tab.close()
