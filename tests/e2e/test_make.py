"""The Makefile's demo says how long installing took, whichever command installed. Oracle: stand-ins that take known times.

Python, pip and pyfcrm are stand-ins, so nothing is installed. Identical: whole seconds, and not more than the clock's.
"""

import re
import shutil
import subprocess
import time

import pytest
from support.data import REPOSITORY

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("make") is None, reason="needs make (Debian: apt-get install make)"),
]

PIP_SECONDS = 2
PYTHON = """#!/bin/sh
case "$1 $2" in "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; printf '#!/bin/sh\\n' > "$3/bin/pyfcrm"; chmod +x "$3/bin/pyfcrm";;
"-m pip") sleep SECONDS;; esac
"""


def make(folder, *targets):
    """What make says; R is not looked for."""
    value = [f"PYTHON={folder / 'python'}", f"VENV={folder / 'venv'}"]
    command = ["make", "--no-print-directory", "-o", "r", *value, *(word.format(folder=folder) for word in targets)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@pytest.mark.parametrize("first", [(), ("{folder}/venv/dev.stamp",)], ids=["demo first", "tests first"])
def test_the_demo_says_how_long_installing_took(first, tmp_path):
    python = tmp_path / "python"
    python.write_text(PYTHON.replace("SECONDS", str(PIP_SECONDS)), encoding="utf-8")
    python.chmod(0o755)
    begun = time.monotonic()
    if first:
        make(tmp_path, *first)
    text = make(tmp_path, "demo")
    took = re.search(r"installing took (\d+) s, once", text)
    assert took, text
    assert PIP_SECONDS - 1 <= int(took[1]) <= time.monotonic() - begun + 1
    assert f"installing took {took[1]} s, once" in make(tmp_path, "demo")  # and again, with nothing to install
