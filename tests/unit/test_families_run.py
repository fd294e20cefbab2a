"""The study of families, run as `make studies` runs it. Oracle: the study run from Python. Grade: identical.

Small files stand in for the simulated ones.
"""

from functools import partial

import families
import family_files
import goals
import pytest
from goals import MISSED

import pyfcrm as pf

GOALS = tuple(goal for goal in goals.GOALS if all(name.startswith("IPSO") for name in goal.settings))
FEW = {name for goal in GOALS for name in (*goal.settings, goal.against)}
ATTACKED = tuple(dict.fromkeys(name for goal in GOALS if goal.quantity in families.ATTACKED for name in goal.settings))


@pytest.fixture
def small_file(tmp_path):
    """No Census file, one file of 80 records, and only the goals of IPSO (tests/trust has all on the Census file)."""
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("PYFCRM_CENSUS", raising=False)
        patched.setenv("PATH", str(tmp_path))
        patched.setattr(pf.datasets, "accounts", partial(pf.datasets.accounts, 80))
        patched.setattr(families, "FILES", tuple(file for file in family_files.FILES if file.data == "accounts"))
        patched.setattr(goals, "GOALS", GOALS)
        patched.setattr(families, "AUDITED", ATTACKED)
        for name in [name for name in families.SETTINGS if name not in FEW]:
            patched.delitem(families.SETTINGS, name)
        yield


@pytest.mark.slow(5)
@pytest.mark.usefixtures("small_file")
def test_the_study_on_a_small_file():
    """One row measured again; it holds where no goal is missed; each goal that does not hold has a reason or is missed."""
    data = {name: frame for name, frame in families.load(None).items() if name == "accounts"}
    outcome = families.reproduce(data, (1,))
    rows, judged = (outcome.tables[name] for name in families.STUDY.files)
    assert {row["file"] for row in rows} == {"accounts"}
    assert [row["setting"] for row in rows] == list(families.SETTINGS)
    assert all((row["detection"] is None) == (row["setting"] not in ATTACKED) for row in rows)
    file = next(one for one in family_files.FILES if one.key == "accounts")
    again = families.attacked(file.case, family_files.IPSO_SMOOTH, data["accounts"], (1,))
    assert next(row for row in rows if row["setting"] == family_files.IPSO_SMOOTH).items() >= again.items()
    assert outcome.holds == all(one["verdict"] != MISSED for one in judged)
    assert all(one["why"] for one in judged if one["verdict"] == goals.NOT_REACHED)
