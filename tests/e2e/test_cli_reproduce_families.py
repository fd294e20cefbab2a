"""pyfcrm reproduce families, which was called beyond. Oracle: the study run from Python. Grade: identical.

Small files stand in for the simulated ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from support.cli import pyfcrm
from support.data import CENSUS_PATH, requires_census

import pyfcrm as pf
from pyfcrm.studies import families, family_study
from pyfcrm.studies.families import Measured
from pyfcrm.studies.family_files import frames
from pyfcrm.studies.goals import GOALS, MISSED, NOT_REACHED, verdicts

FEW = {name for goal in GOALS for name in (*goal.settings, goal.against)} | {
    "Rank swapping, p=15",
    "Noise uncorrelated, 50 %",
}


@contextmanager
def small_files(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """A folder of its own, no Census file to be found, files of 120 records, and only the methods that goals are about."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.delenv("PYFCRM_CENSUS", raising=False)
        patched.setenv("PATH", str(folder))
        for name in ("enterprises", "accounts"):
            patched.setattr(pf.datasets, name, partial(getattr(pf.datasets, name), 120))
        for name in [name for name in families.SETTINGS if name not in FEW]:
            patched.delitem(families.SETTINGS, name)
        yield patched


@pytest.fixture(autouse=True)
def small(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    with small_files(tmp_path) as patched:
        yield patched


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """The study run from Python, once for all tests here."""
    with small_files(tmp_path_factory.mktemp("small")):
        return families.run(frames(), (1,))


@pytest.mark.slow
def test_without_the_census_file_the_simulated_ones_are_run(measured: Measured) -> None:
    """The JSON has what Python measures; exit status 1 exactly where a goal is missed without a known reason."""
    ran = pyfcrm("reproduce", "families", "--seeds", "1", "--json")
    found = json.loads(ran.out)
    assert found["study"] == "families"
    goals = verdicts(measured)
    assert [(row["file"], row["setting"]) for row in found["rows"]] == [(r.file, r.setting) for r in measured.rows]
    assert {row["file"] for row in found["rows"]} == {"enterprises", "accounts"}
    for row, ours in zip(found["rows"], measured.rows, strict=True):
        assert all(row[name] == ours.mean[name] for name in families.QUANTITIES)
    assert [one["verdict"] for one in found["goals"]] == [one.verdict for one in goals]
    assert any("no Census file" in line for line in found["notes"])
    assert all(one["declared"] == 0 and one["without"] > 0 for one in found["constraints"])
    assert ran.status == int(any(one.verdict == MISSED for one in goals))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["families", "beyond"])
def test_the_tables_and_why_a_goal_is_not_reached(name: str, measured: Measured, small: pytest.MonkeyPatch) -> None:
    """By the earlier name too, with files of that name. What the test above has measured is not measured again."""

    def again(data: dict[str, pd.DataFrame], seeds: tuple[int, ...], progress: object) -> Measured:
        assert {key: len(frame) for key, frame in data.items()} == {"enterprises": 120, "accounts": 120}
        assert seeds == (1,)
        return measured

    small.setattr(family_study, "run", again)
    ran = pyfcrm("reproduce", name, "--seeds", "1", "-o", "here")
    assert ran.out.splitlines()[-1] == f"tables: here/{name}.csv, here/{name}-goals.csv"
    rows, goals = pd.read_csv(f"here/{name}.csv"), pd.read_csv(f"here/{name}-goals.csv")
    assert len(rows) == 2 * len(families.SETTINGS)
    assert set(goals.file) == {"enterprises", "accounts"}
    assert "How far it must go" in ran.out
    assert ran.out.count("inference baseline: DBRL") == 2
    for why in goals[goals.verdict == NOT_REACHED].why:
        assert f"Why: {why}." in ran.out
    assert "only the simulated files were run" in ran.out


@pytest.mark.parametrize("name", ["families", "beyond"])
def test_a_census_path_that_is_none_is_refused(name) -> None:
    ran = pyfcrm("reproduce", name, "--census", "none.csv")
    assert ran.status == 2
    assert "none.csv" in ran.err


@pytest.mark.census
@pytest.mark.slow
@requires_census
def test_the_goals_on_the_census_file() -> None:
    """Statistical, two seeds: nothing is missed on S1 and S2 but what the study itself says is not reached."""
    measured = families.run({"census": pf.datasets.census(CENSUS_PATH)}, (1, 2))
    assert {row.file for row in measured.rows} == {"S1", "S2"}
    assert [one for one in verdicts(measured) if one.verdict == MISSED] == []
