"""The goals of `make studies` on the Census file, by every method: some minutes. Run by `make trust`.

Oracle: the limits that the study states. Statistical, two seeds.
"""

import families
from goals import MISSED, verdicts
from support.data import CENSUS_PATH, requires_census

import pyfcrm as pf


@requires_census
def test_nothing_is_missed_on_s1_and_s2_but_what_the_study_itself_says_is_not_reached():
    measured = families.run({"census": pf.datasets.census(CENSUS_PATH)}, (1, 2))
    assert {row.file for row in measured.rows} == {"S1", "S2"}
    assert [one for one in verdicts(measured) if one.verdict == MISSED] == []
