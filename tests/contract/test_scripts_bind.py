"""Scripts that write stored values or generated files use the tree in which they stand, whatever pyfcrm is installed.

Oracle: a tree whose package ends the script with a text of its own. Identical.
"""

import shutil
import subprocess
import sys

import pytest
from support.data import REPOSITORY

pytestmark = pytest.mark.process

SCRIPTS = (
    "tests/golden/make_stored.py",
    "tests/golden/make_digests.py",
    "tests/contract/test_public_names.py",
    "tests/support/generate.py",
)
OWN = "the package of this tree"
TREE = {
    "pyfcrm/__init__.py": f"raise SystemExit({OWN!r})",
    "benchmarks/studies/businesses.py": "",
    "tests/support/blocks.py": "by_blocks = None",
    "tests/support/r_methods.py": "import pyfcrm",
    "tests/support/interfaces.py": "parameters_of = None",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_uses_its_own_tree(script, tmp_path):
    for name, text in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    copied = tmp_path / script
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(REPOSITORY / script, copied)
    done = subprocess.run([sys.executable, str(copied)], capture_output=True, text=True, cwd=REPOSITORY)
    assert done.stderr.strip() == OWN
