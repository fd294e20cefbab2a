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
    title, _, *lines = ran.out.splitlines()
    assert title == f"{key}: {facts.title}"
    rows = {name: value.strip() for name, _, value in (line.partition(" ") for line in lines)}
    end = f"to {facts.upper:g}" if math.isfinite(facts.upper) else "and more"
    unit = " per cent" if facts.upper == 100 else ""
    start = f"{facts.lower:g} {end}" if math.isfinite(facts.lower) else f"up {end}"
    assert rows["range"] == f"{start}{unit}"
    for name in ("reading", "source", "better"):
        assert rows[name] == getattr(facts, name)
    assert rows["keys"] == str(measure.needs_keys)
    assert rows["targets"] == str(measure.needs_targets)
    assert rows["of"] == ", ".join(measure.components)
