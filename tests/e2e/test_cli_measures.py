"""pyfcrm measures. Oracle: each measure's own facts. Identical."""

import math

import pytest
from support.cli import pyfcrm

from pyfcrm.measures import MEASURES


@pytest.mark.parametrize("key", MEASURES)
def test_one_of_them(key):
    measure, facts = MEASURES[key], MEASURES[key]
    ran = pyfcrm("measures", key)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[:2] == [f"{key}: {facts.title}", facts.reading]
    end = f"to {facts.upper:g}" if math.isfinite(facts.upper) else "and more"
    unit = " per cent" if facts.upper == 100 else ""
    start = f"{facts.lower:g} {end}" if math.isfinite(facts.lower) else f"up {end}"
    assert f"range: {start}{unit}, {facts.better} is better" in lines
    assert lines[-1] == f"source: {facts.source}"
    assert ("needs: --keys, the key attributes" in lines) == (measure.needs == "keys")
    both = "needs: --keys, the key attributes, and --targets, the columns to disclose"
    assert (both in lines) == (measure.needs == "targets")
    assert any(line.startswith("made of: ") for line in lines) == bool(measure.components)
