"""The R package fcrm of this checkout, installed once into a folder of its own, and R run with it.

pytestmark = [pytest.mark.r, requires_r_package]
out = r_with_fcrm("cat(format(fcrm(c = 8)))")
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from .r import RSCRIPT

SOURCE = Path(__file__).resolve().parents[2] / "r_scripts" / "fcrm"
DEBIAN = "r-cran-reticulate r-cran-testthat r-cran-data.table r-cran-tibble r-cran-rmarkdown"


@cache
def r_has(*packages: str) -> bool:
    """Whether R is there with all of these packages."""
    if RSCRIPT is None:
        return False
    code = "quit(status = !all(vapply(commandArgs(TRUE), requireNamespace, NA, quietly = TRUE)))"
    done = subprocess.run([RSCRIPT, "--vanilla", "-e", code, *packages], capture_output=True, timeout=120, check=False)
    return done.returncode == 0


def needs_r_packages(*packages: str) -> pytest.MarkDecorator:
    """A mark that skips, saying so, where R or one of its packages is missing."""
    reason = f"needs R with {', '.join(packages)} (Debian: apt-get install {DEBIAN})"
    return pytest.mark.skipif(not r_has(*packages), reason=reason)


requires_r_package = needs_r_packages("reticulate")


@cache
def library() -> Path:
    """The folder that the package is installed in."""
    folder = Path(tempfile.mkdtemp(prefix="fcrm-library-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    assert RSCRIPT is not None
    command = [str(Path(RSCRIPT).parent / "R"), "CMD", "INSTALL", "--no-docs", f"--library={folder}", str(SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def environment(added: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment, with the package, and this Python as the one that R is to use."""
    return {**os.environ, "R_LIBS": str(library()), "RETICULATE_PYTHON": sys.executable, **(added or {})}


def r_with_fcrm(
    script: str, *arguments: object, env: Mapping[str, str] | None = None, timeout: float = 300.0, attach: bool = True
) -> str:
    """What an R script prints, the package attached, run in an empty folder.

    One that fails raises AssertionError with R's own words.
    """
    assert RSCRIPT is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.R"
        path.write_text(("library(fcrm)\n" if attach else "") + script, encoding="utf-8")
        command = [RSCRIPT, "--no-save", "--no-restore", "--no-init-file", str(path), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=folder, env=environment(env), capture_output=True, text=True, encoding="utf-8",
            timeout=timeout, check=False,
        )  # fmt: skip
    assert done.returncode == 0, f"R failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout
