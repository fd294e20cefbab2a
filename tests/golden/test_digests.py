"""Results are those that were recorded (tests/golden/make_digests.py). Filters: -k "fcrm", -k "dbrl_supervised", -k "edits".

Oracle: our own results at an earlier commit; other tests decide whether they are right. Identical: the bytes of every number of
a release on the platform of the record; on another processor or BLAS the sums of each column, within 1e-6 of them. Close: values
of measures, 1e-12, and 1e-9 on another platform, where sums are added in another order.

Which values Calibrated swaps depends on last digits. On another platform only this is compared of its releases: the plain sums of
columns, which its margins fix (within 1e-2 under edit rules, which move values after the swaps), and the kinds and columns of notes.
"""

import json
from functools import cache
from math import isclose

import pytest

from pyfcrm.methods import METHODS

from . import make_digests
from .make_digests import MEASURES, constrained, judged, methods, on_dask, platform, releases

RECORD = "python tests/golden/make_digests.py"
SUMS = 1e-6  # sums over iterations that end by a tolerance
CASES = [*(pytest.param("releases", *case, id=case[0]) for case in releases())]
CASES += [pytest.param("constrained", *case, id=case[0]) for case in constrained()]
CASES += [pytest.param("releases", *case, id=case[0], marks=pytest.mark.slow(4)) for case in on_dask()]


@cache
def stored():
    return json.loads(make_digests.STORED.read_text())


def recorded_here():
    return platform() == stored()["platform"]


@pytest.mark.parametrize("key", METHODS)
def test_every_method_has_a_record(key):
    """By a text in make_digests.py, else by its example."""
    kind = METHODS[key]
    texts = (make_digests.NUMBERS, make_digests.TABLES)
    names = [name for text in texts for name, method in methods(text).items() if type(method) is kind]
    names += [name for name, method in make_digests.examples().items() if type(method) is kind]
    recorded = [name for name in names if {f"census, {name}", f"survey, {name}"} & stored()["releases"].keys()]
    assert recorded, f"no digest of {kind.__name__} is recorded: run {RECORD}"


@pytest.mark.parametrize(("section", "name", "compute"), CASES)
def test_release(section, name, compute):
    assert name in stored()[section], f"{name} is not recorded: run {RECORD}"
    expected, result = stored()[section][name], json.loads(json.dumps(compute()))
    swapped = "Calibrated" in name and not recorded_here()
    if section == "constrained":
        facts = slice(2 if swapped else 3)  # kind, columns, count
        assert [note[facts] for note in result["notes"]] == [note[facts] for note in expected["notes"]]
        expected, result = expected["release"], result["release"]
    within = 1e-2 if swapped and section == "constrained" else SUMS
    compared = slice(1 if swapped else 2)  # the plain sum, the sum by position
    for one, other in zip(result, expected, strict=True):
        assert {column: sums[compared] for column, sums in one["sums"].items()} == {
            column: pytest.approx(sums[compared], rel=within, abs=SUMS) for column, sums in other["sums"].items()
        }
        if recorded_here() and other["sha256"]:
            assert one["sha256"] == other["sha256"], f"last digits of {name} have changed"


@pytest.mark.slow(2)
@pytest.mark.parametrize("key", MEASURES)
@pytest.mark.parametrize("method", methods(make_digests.JUDGED))
def test_measure(method, key):
    if "Calibrated" in method and not recorded_here():
        pytest.skip(f"swaps depend on last digits: recorded on {stored()['platform']}, this is {platform()}")
    expected, result = stored()["measures"][key][method], judged(method)[key]
    assert result.keys() == expected.keys()
    for part, values in expected.items():
        for name, value, known in zip(make_digests.VALUES, result[part], values, strict=True):
            same = value == known or (
                None not in (value, known)
                and isclose(value, known, rel_tol=1e-12 if recorded_here() else 1e-9, abs_tol=1e-14)
            )
            assert same, f"{name} of {part}: {value!r}, recorded {known!r}"
