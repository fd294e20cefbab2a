"""DR and SCORE: the two formulas with numbers a reader can check. Identical but for the last digit."""

import pytest

from pyfcrm.measures.measure import Part, Parts
from pyfcrm.measures.score import disclosure_risk, score


def test_disclosure_risk():
    """0.5 (40 + 20)/2 + 0.5 x 60 = 45, chance 0.5 (1 + 1)/2 + 0.5 x 7 = 4."""
    tolerant = Part("agreement within 0.1 sd", 90.0, 1.0)
    made = disclosure_risk(Parts(40.0, baseline=1.0), Parts(20.0, (tolerant,), baseline=1.0), Parts(60.0, baseline=7.0))
    assert made.total == pytest.approx(45)
    assert made.baseline == pytest.approx(4)
    assert [(part.name, part.value) for part in made.parts] == [("dbrl", 40), ("prl", 20), ("id", 60)]


def test_score():
    made = score(Parts(10.0), Parts(45.0, baseline=4.0))
    assert made.total == pytest.approx(27.5)
    assert made.baseline is None


def test_what_they_are_made_of():
    assert disclosure_risk.components == ("dbrl", "prl", "id")
    assert score.components == ("pil", "dr")
