"""qualify(): what holds, and that one changed value, draw or sum does not. Oracle: a fault planted here. Identical."""

import copy
import json

import pytest

import pyfcrm as pf
from pyfcrm.measures import MEASURES
from pyfcrm.methods import METHODS
from pyfcrm.trust import golden, qualify
from pyfcrm.trust.installed import Installed

STORED = json.loads(golden.STORED.read_text())
BUILT = Installed(3, {}, "0" * 64)


@pytest.fixture
def _few(monkeypatch):
    """Few cases, so that what is asked of the rest is answered quickly."""
    monkeypatch.setattr(golden, "METHOD_CASES", "ipso:kind=C, localsuppression:k=3:keys=[word]")
    monkeypatch.setattr(golden, "JUDGED", {})
    monkeypatch.setattr(golden, "_OTHERS", {"key risk": golden._OTHERS["key risk"]})
    monkeypatch.setattr(golden, "MEASURES", {})


@pytest.mark.slow
def test_every_method_and_measure_gives_what_is_stored():
    """Also: each has a case, each stored value is asked for."""
    found = list(golden.compared())
    assert [case.name for case, difference in found if difference > golden.TOLERANCE] == []
    assert {case.name for case, _ in found} == STORED.keys()
    assert {case.of for case, _ in found} == {*METHODS, *MEASURES, ""}


@pytest.mark.parametrize(
    ("name", "column", "change", "holds"),
    [
        ("IPSO(kind=C)", "c", lambda x: x * (1 + 1e-6), False),
        ("IPSO(kind=C)", "c", lambda x: x * (1 + 1e-12), True),
        ("LocalSuppression(k=3, keys=('word',))", "word", lambda x: "pink", False),
        ("LocalSuppression(k=3, keys=('word',))", "word", lambda x: None, False),
        ("key risk", "individual", lambda x: x + 1e-5, False),
    ],
)
@pytest.mark.usefixtures("_few")
def test_one_value_that_is_another_is_found(name, column, change, holds):
    stored = copy.deepcopy({key: STORED[key] for key in (case.name for case in golden.cases())})
    assert all(difference <= golden.TOLERANCE for _, difference in golden.compared(stored))
    place = next(k for k, value in enumerate(stored[name][column]) if value is not None)
    stored[name][column][place] = change(stored[name][column][place])
    assert {case.name: difference <= golden.TOLERANCE for case, difference in golden.compared(stored)}[name] is holds


@pytest.mark.usefixtures("_few")
def test_a_method_without_a_stored_value_does_not_pass(monkeypatch):
    monkeypatch.setattr(golden, "METHOD_CASES", "gadp")
    assert all(difference == float("inf") for _, difference in golden.compared({}))


@pytest.mark.slow
@pytest.mark.usefixtures("_few")
def test_what_is_built_can_be_signed_and_a_checkout_cannot(monkeypatch):
    found = pf.qualify()
    assert not found.ok
    assert found.requirements[0].holds is None
    assert "each measure" in found.conclusion()  # no case of a measure is left in this test: not done
    others = [one for one in found.requirements[1:] if "measure" not in one.name]
    assert all(one.holds for one in others)
    assert "Signature</th>" not in found.page()
    monkeypatch.setattr(qualify, "installed", lambda: BUILT)
    monkeypatch.setattr(qualify, "MEASURES", {"ipso": None})
    built = pf.qualify()
    assert built.ok
    assert "The page can be signed." in built.sentences()[-1]
    page = built.page()
    assert page.count("Signature</th>") == 1
    assert BUILT.digest in page
    assert all(name in page for name in ("numpy", "platform", "threads", "Filip", "NumAcc4"))
    assert len(str(built).splitlines()) <= 30
    assert {row.verdict for one in built.requirements for row in one.rows} == {"holds"}
    monkeypatch.setattr(qualify, "installed", lambda: Installed(3, {"pyfcrm/x.py": "changed"}))
    changed = pf.qualify()
    assert not changed.ok
    assert "  pyfcrm/x.py: changed, required: as in the wheel" in changed.sentences()
    assert "Signature</th>" not in changed.page()
