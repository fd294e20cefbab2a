"""Running the command line for tests: in this process for speed, or as a user does, in one of its own.

    ran = pyfcrm("evaluate", "a.csv", "b.csv", "--json")      # in process: status, out, err
    ran = pyfcrm_process("doctor", cwd=folder)                 # python -m pyfcrm

`refused` holds a command to what a mistake must end in: status 2, one line on standard error, nothing on standard
output, and every file as it was.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pyfcrm.cli.run import run


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str


def pyfcrm(*arguments):
    """The command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run([str(a) for a in arguments])
    return Ran(status, out.getvalue(), err.getvalue())


def pyfcrm_process(*arguments, cwd, env=None, python=sys.executable):
    """The command as `python -m pyfcrm`, in `cwd`; `env` is added to the environment."""
    done = subprocess.run(
        [python, "-m", "pyfcrm", *map(str, arguments)],
        cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, encoding="utf-8", timeout=300,
        check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def state(folder):
    """Everything in a folder: files with their bytes, links with their targets, folders."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = "link to " + os.readlink(path)
        else:
            found[name] = path.read_bytes() if path.is_file() else "folder"
    return found


def refused(folder, command):
    """The one line that a command ends in when its input is bad; fails if anything else happens or is left."""
    before = state(folder)
    ran = command()
    assert ran.status == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("pyfcrm: ")
    assert ran.err.endswith("\n")
    assert len(ran.err.splitlines()) == 1, ran.err
    assert state(folder) == before
    return ran.err.removeprefix("pyfcrm: ").removesuffix("\n")


def people(n=40, seed=1):
    """A small file: codes with leading zeros, independent a and b, dependent c (decimals) and d (whole), a text."""
    draw = np.random.default_rng(seed)
    a, b = draw.normal(50, 10, n).round(2), draw.normal(0, 1, n).round(3)
    c = (3 * a + draw.normal(0, 5, n)).round(2)
    d = np.rint(100 * b + 500 + draw.normal(0, 9, n)).astype(np.int64)
    codes = [f"{k:03d}" for k in range(n)]
    return pd.DataFrame({"id": codes, "a": a, "b": b, "c": c, "d": d, "note": [f"n {k % 3}" for k in range(n)]})


def households(n=120, seed=1):
    """A file whose releases by Calibrated(IPSO("C")) pass the verdict: many records share each pair of values of a and b."""
    draw = np.random.default_rng(seed)
    a, b = draw.integers(2, 7, n) * 10, draw.integers(0, 4, n)
    c = (500 + 3 * a + draw.normal(0, 40, n)).round(1)
    d = np.rint(300 + 20 * b + draw.normal(0, 25, n)).astype(np.int64)
    return pd.DataFrame({"id": [f"{k:03d}" for k in range(n)], "a": a, "b": b, "c": c, "d": d})
