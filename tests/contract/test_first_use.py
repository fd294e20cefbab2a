"""`import pyfcrm` imports no module; a public name imports its module at first use.

Oracle: sys.modules and the CPU time of fresh interpreters. Identical; the goal of CPU time is a ratio within one run.
"""

import os
import subprocess
import sys

import pytest
from support.data import REPOSITORY

import pyfcrm as pf
from pyfcrm import methods

LIBRARIES = ("numpy", "scipy", "pandas")
USE_ALL = "import sys, pyfcrm as pf; [getattr(pf, name) for name in pf.__all__]"
GOAL = 1.3  # times the CPU time of the libraries' modules; it was 2.8 when the import loaded those of all names


def printed(code):
    """Standard output of a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY
    ).stdout


def cpu_seconds(code):
    """The least CPU time of three fresh interpreters."""
    seconds = []
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-c", code], cwd=REPOSITORY)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        seconds.append(used.ru_utime + used.ru_stime)
    return min(seconds)


def test_every_method_is_a_public_name():
    assert [name for name in methods.__all__ if name in pf.__all__] == methods.__all__


@pytest.mark.process
def test_a_name_imports_its_module_at_first_use():
    code = (
        "import sys, pyfcrm as pf; print([name for name in sys.modules if name.startswith('pyfcrm.')]);"
        "pf.RStream; print('pyfcrm.rstream' in sys.modules, 'pyfcrm.interface' in sys.modules)"
    )
    assert printed(code) == "[]\nTrue False\n"


@pytest.mark.process
def test_the_import_takes_less_than_the_libraries_of_its_names():
    """Against the modules of numpy, scipy and pandas that the public names load, without private ones, imported by themselves."""
    of_libraries = f"[name for name in sys.modules if name.split('.')[0] in {LIBRARIES!r} and '._' not in name]"
    modules = printed(f"{USE_ALL}; print(*{of_libraries})").split()
    assert "scipy.linalg" in modules
    assert cpu_seconds("import pyfcrm") <= GOAL * cpu_seconds(f"import {', '.join(modules)}")
