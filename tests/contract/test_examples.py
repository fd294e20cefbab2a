"""Every public name has an example, and its example runs.

Oracle: what the examples print, by doctest. Identical.
"""

import doctest
import inspect

import pytest

import pyfcrm as pf

NAMES = [name for name in pf.__all__ if inspect.isclass(getattr(pf, name)) or inspect.isfunction(getattr(pf, name))]
LONG = {
    "recommend", "Recommendation", "qualify", "Qualification", "audit", "Audit", "evaluate", "Dependence", "dependence_test", "sweep",
    "Frontier", "Candidate", "run", "PlanRun", "verify", "Verification", "ARF", "Steps", "codebook", "find_structure",
    "Sequential", "SampleUniques", "Report", "dossier", "Dossier",
}  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in NAMES])
def test_the_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples write files
    text = inspect.getdoc(getattr(pf, name)) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert test.examples, f"{name} has no example"
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0
