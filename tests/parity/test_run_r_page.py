"""The page on R functions from Python: its code runs, and prints what the page shows. Oracle: the page. Identical."""

import contextlib
import io
import re

import pytest
from support.data import REPOSITORY
from support.r import requires_r

pytest.importorskip("rpy2", reason="needs rpy2: pip install 'pyfcrm[r]'")
pytestmark = [pytest.mark.r, pytest.mark.slow, requires_r]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)


def test_the_code_of_the_page_prints_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((REPOSITORY / "docs" / "run-r.md").read_text(encoding="utf-8"))
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/run-r.md", "exec"), names)
        assert printed.getvalue() == shown
