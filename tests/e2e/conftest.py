"""Fixtures of the browser tests: one studio and one browser a session, one tab a test."""

import pytest
from support.browser import Door, Tab, chromium, studio_process


@pytest.fixture(scope="session")
def door(tmp_path_factory):
    """How to enter the studio."""
    with studio_process(tmp_path_factory.mktemp("studio")) as (address, _):
        yield Door.opened(address)


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def tab(browser, door):
    """A visit that must end without an error and without a request to anyone else."""
    tab = Tab(browser, door)
    yield tab
    tab.close()
