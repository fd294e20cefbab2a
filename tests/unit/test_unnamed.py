"""Reactives of the studio are not named for telemetry, unless somebody collects it. Oracle: readers that refuse to read."""

from importlib import import_module

import pytest

pytest.importorskip("shiny", reason="needs shiny: pip install 'pyfcrm[app]'")

from pyfcrm.app.unnamed import READERS, leave_unnamed


def read(*_):
    raise AssertionError("source was read")


@pytest.fixture
def readers(monkeypatch):
    """Shiny's own, in the place of which these stand until the test is over."""
    modules = [import_module(name) for name in READERS]
    if not hasattr(modules[0], "extract_source_ref"):
        pytest.skip("this version of Shiny reads no source")
    for module in modules:
        monkeypatch.setattr(module, "extract_source_ref", read)
    monkeypatch.setattr(modules[0].Value, "_try_infer_name", read)
    return modules


def test_no_source_is_read(readers):
    from shiny import reactive

    with pytest.raises(AssertionError, match="source was read"):
        reactive.Value(1)
    leave_unnamed()
    value = reactive.Value(1)
    twice = reactive.calc(lambda: 2 * value())
    with reactive.isolate():
        assert twice() == 2


def test_whoever_collects_has_the_names(readers, monkeypatch):
    monkeypatch.setattr("shiny.otel._core.is_otel_tracing_enabled", lambda: True)
    leave_unnamed()
    assert all(module.extract_source_ref is read for module in readers)
    assert readers[0].Value._try_infer_name is read
