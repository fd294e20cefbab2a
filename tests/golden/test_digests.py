"""Results are those that were recorded (tests/golden/make_digests.py). Filters: -k "fcrm", -k "dbrl_supervised", -k "edits".

Oracle: our own results at an earlier commit; other tests decide whether they are right. Identical: the bytes of every number of
a release on the platform of the record; on another processor or BLAS the sums of each column, within 1e-6 of them. Close: values
of measures, 1e-12.
"""

import json
from functools import cache
from math import isclose

import pytest

from . import make_digests
from .make_digests import MEASURES, constrained, judged, methods, on_dask, platform, releases

SUMS = 1e-6  # sums over iterations that end by a tolerance
CASES = [*(pytest.param("releases", *case, id=case[0]) for case in releases())]
CASES += [pytest.param("constrained", *case, id=case[0]) for case in constrained()]
CASES += [pytest.param("releases", *case, id=case[0], marks=pytest.mark.slow(4)) for case in on_dask()]


@cache
def stored():
    result = json.loads(make_digests.STORED.read_text())
    return result


@pytest.mark.parametrize(("section", "name", "compute"), CASES)
def test_release(section, name, compute):
    expected, result = stored()[section][name], json.loads(json.dumps(compute()))
    if section == "constrained":
        assert result["notes"] == expected["notes"]
        expected, result = expected["release"], result["release"]
    for one, other in zip(result, expected, strict=True):
        assert one["sums"] == {
            column: pytest.approx(sums, rel=SUMS, abs=SUMS) for column, sums in other["sums"].items()
        }
        if platform() == stored()["platform"]:
            assert one["sha256"] == other["sha256"], f"last digits of {name} have changed"


@pytest.mark.slow(2)
@pytest.mark.parametrize("key", MEASURES)
@pytest.mark.parametrize("method", methods(make_digests.JUDGED))
def test_measure(method, key):
    expected, result = stored()["measures"][key][method], judged(method)[key]
    assert result.keys() == expected.keys()
    for part, values in expected.items():
        for name, value, known in zip(make_digests.VALUES, result[part], values, strict=True):
            same = value == known or (
                None not in (value, known) and isclose(value, known, rel_tol=1e-12, abs_tol=1e-14)
            )
            assert same, f"{name} of {part}: {value!r}, recorded {known!r}"
