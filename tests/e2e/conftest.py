"""Fixtures of the browser tests: one studio and one browser a session, one tab a test."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.browser import Tab, chromium, studio_process

# A generator from elsewhere that hands out the original.
COPIED = f"copied={shlex.quote(sys.executable)} -c 'import shutil, sys; shutil.copy(*sys.argv[1:])'"


@pytest.fixture(scope="session")
def studio_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the studio keeps its visits' folders: its own, since others run beside it."""
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="session")
def address(studio_folder: Path) -> Iterator[str]:
    """Where the studio is."""
    pytest.importorskip("shiny", reason="needs the extra app")
    with studio_process("--external", COPIED, temporary=studio_folder) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Tab]:
    """A visit that must end without an error and without a request to anyone else."""
    tab = Tab(browser, address)
    yield tab
    tab.close()
