"""The R package fcrm of this checkout, installed once into a folder of its own, and R begun once with it.

pytestmark = [pytest.mark.r, requires_r_package]
out = r_with_fcrm("cat(format(fcrm(c = 8)))")
"""

import atexit
import os
import select
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from .r import RSCRIPT
from .run_folder import in_turn_with_others, of_the_run

SOURCE = Path(__file__).resolve().parents[2] / "r_scripts" / "fcrm"
DEBIAN = "r-cran-reticulate r-cran-testthat r-cran-data.table r-cran-tibble r-cran-ggplot2 r-cran-rmarkdown"


@cache
def r_has(*packages):
    """Whether R is there with all of these packages."""
    if RSCRIPT is None:
        return False
    code = "quit(status = !all(vapply(commandArgs(TRUE), requireNamespace, NA, quietly = TRUE)))"
    done = subprocess.run([RSCRIPT, "--vanilla", "-e", code, *packages], capture_output=True, timeout=120, check=False)
    return done.returncode == 0


def needs_r_packages(*packages):
    """A mark that skips, saying so, where R or one of its packages is missing: R is asked when the test is to run."""
    return pytest.mark.needs_r(*packages)


def skip_without_r(packages):
    """What the mark does (tests/conftest.py)."""
    if not r_has(*packages):
        pytest.skip(f"needs R with {', '.join(packages)} (Debian: apt-get install {DEBIAN})")


requires_r_package = needs_r_packages("reticulate")


@cache
def library():
    """The folder that the package is installed in, by the first worker that needs it."""
    folder = of_the_run("library")
    assert RSCRIPT is not None
    with in_turn_with_others("library"):
        if folder.exists():
            return folder
        result = Path(tempfile.mkdtemp(dir=folder.parent))
        command = [str(Path(RSCRIPT).parent / "R"), "CMD", "INSTALL", "--no-docs", f"--library={result}", str(SOURCE)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return result.rename(folder)


def environment(added=None):
    """This process's environment, with the package, and this Python as the one that R is to use."""
    libraries = os.pathsep.join(filter(None, [str(library()), os.environ.get("R_LIBS")]))
    return {**os.environ, "R_LIBS": libraries, "RETICULATE_PYTHON": sys.executable, **(added or {})}


def r_with_fcrm(
    script, *arguments, env = None, timeout = 300.0, attach = True,
    fresh = False,
):  # fmt: skip
    """What an R script prints, the package attached, run in an empty folder.

    One that fails raises AssertionError with R's own words. `fresh`, with an environment of its own, or without the
    package, it has a process of its own from the start; else it is a fork of a session that has begun (`_Session`).
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "script.R").write_text(script, encoding="utf-8")
        if env is None and attach and not fresh:
            status, out, err = _session().run(folder, arguments, timeout)
        else:
            status, out, err = _process(folder, arguments, environment(env), timeout, attach)
    assert status == 0, f"R failed:\n{out}\n{err}"
    return out


def _process(folder, arguments, env, timeout, attach):
    path, work = folder / "script.R", folder / "work"
    path.write_text(("library(fcrm)\n" if attach else "") + path.read_text(encoding="utf-8"), encoding="utf-8")
    work.mkdir()
    command = [str(RSCRIPT), "--no-save", "--no-restore", "--no-init-file", str(path), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=work, env=env, capture_output=True, text=True, encoding="utf-8", timeout=timeout, check=False
    )
    return done.returncode, done.stdout, done.stderr


class _Session:
    """R with the package attached and Python begun (r_session.R): every script runs in a fork, so none sees another."""

    def __init__(self):
        words = [
            str(RSCRIPT),
            "--no-save",
            "--no-restore",
            "--no-init-file",
            str(Path(__file__).with_name("r_session.R")),
        ]
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 # as long as the session
        self.process = subprocess.Popen(
            words, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        atexit.register(self.close)

    def run(self, folder, arguments, timeout):
        """Status, standard output and standard error of script.R in the folder."""
        (folder / "arguments").write_text("".join(f"{word}\n" for word in arguments), encoding="utf-8")
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{folder}\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("an R script", timeout)
        text = self.process.stdout.readline().strip()
        if text != str(folder):
            self.errors.seek(0)
            raise AssertionError(f"R failed:\n{text}\n{self.errors.read().decode(errors='replace')}")
        status = folder / "status"
        out, err = ((folder / name).read_text(encoding="utf-8") for name in ("out", "err"))
        return (int(status.read_text()) if status.exists() else 1), out, err

    def close(self):
        """The session ends when nothing more is asked."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(20)


@cache
def _session():
    return _Session()
