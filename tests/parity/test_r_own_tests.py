"""The R sources' own tests, in plain R, each in an R of its own: against the listing and the Census file where they are.

Oracle: stopifnot in r_scripts/tests. Grade: as each states.
"""

import subprocess

import pytest
from support.data import CENSUS_PATH, LISTING, REPOSITORY
from support.r import requires_r

pytestmark = [pytest.mark.r, requires_r]
TESTS = sorted((REPOSITORY / "r_scripts" / "tests").glob("test_*.R"))


def test_there_are_tests():
    assert {path.name for path in TESTS} >= {"test_ipso.R", "test_reference.R"}


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_r(path):
    command = ["Rscript", "--vanilla", str(path), str(LISTING), str(CENSUS_PATH)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
